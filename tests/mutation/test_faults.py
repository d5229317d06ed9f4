"""A fault in the package makes its chapter's comparison fail: the chapters are tests, not decoration."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutation.faults import FAULTS, Fault
from tests.notebooks.surroundings import NOTEBOOKS, ROOT

CHAPTERS = sorted({fault.chapter for fault in FAULTS})


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder with a copy of the package that a fault can be put into."""
    shutil.copytree(ROOT / "tensorlab", tmp_path / "tensorlab", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --nbval --nbval-current-env --nbval-cell-timeout=120\n")
    return tmp_path


def failing_cell(folder: Path, chapter: str) -> int | None:
    """Compare one chapter's stored outputs with those under the package in `folder`: the first cell that fails."""
    shutil.copy(NOTEBOOKS / chapter, folder)
    options = ["-x", "-q", "--color=no", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, chapter],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), "TENSORLAB_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode == 0:
        return None
    found = re.search(r"^FAILED .*::Cell (\d+)", ran.stdout, re.MULTILINE)
    assert found, f"the comparison itself did not work:\n{ran.stdout}\n{ran.stderr}"
    return int(found[1])


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_without_a_fault_the_chapter_passes(copied, chapter):
    assert failing_cell(copied, chapter) is None


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_chapter_notices_the_fault(copied, fault):
    file = copied / "tensorlab" / fault.file
    file.write_text(fault.applied(file.read_text(encoding="utf-8")), encoding="utf-8")
    cell = failing_cell(copied, fault.chapter)
    assert cell is not None, f"{fault.chapter} shows the same with the fault as without it"
    assert cell > 0, "the package could not even be imported"


def test_a_fault_whose_text_is_gone_or_stands_twice_says_so():
    fault = Fault("swapped", "layout.py", "a * b", "b + a", "01.ipynb")
    assert fault.applied("x = a * b\n") == "x = b + a\n"
    for text in ("x = b * a\n", "a * b, a * b\n"):
        with pytest.raises(ValueError, match="write the fault anew"):
            fault.applied(text)
