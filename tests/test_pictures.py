"""The README's pictures are those that the figures paint today, and each of them is shown."""

from tests.pictures import DOCS, pictures


def test_the_pictures_are_those_of_todays_figures():
    painted = dict(pictures())
    stored = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.svg")}
    assert stored == painted, "run `make notebooks`"


def test_the_readme_shows_every_picture():
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert [name for name, _ in pictures() if f"docs/{name}" not in readme] == []
