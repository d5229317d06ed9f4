"""Every chapter keeps to every rule."""

import pytest

from tests.notebooks.guards import GUARDS, Chapter
from tests.notebooks.surroundings import chapters


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
@pytest.mark.parametrize("path", chapters(), ids=lambda path: path.stem)
def test_the_chapter_keeps_to_the_rule(path, guard):
    problems = guard(Chapter.read(path))
    assert not problems, "\n".join([f"{path.name} breaks the rule: {guard.__name__.replace('_', ' ')}", *problems])


def test_chapters_begin_with_00_and_have_one_number_each():
    numbers = [path.name[:3] for path in chapters()]
    assert numbers[:1] == ["00-"]
    assert len(set(numbers)) == len(numbers)
    assert all(number[:2].isdigit() and number[2] == "-" for number in numbers)
