"""A fault in the package makes its chapter's comparison fail: the chapters are tests, not decoration."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.mutation.faults import FAULTS, Fault
from tests.notebooks.surroundings import NOTEBOOKS, ROOT

CHAPTERS = sorted({fault.chapter for fault in FAULTS})
QUIET = ["-p", "no:cacheprovider", "--color=no", "-c", os.devnull]


@dataclass
class Copy:
    """A copy of the package that a fault can be put into, and a cache that all copies share."""

    folder: Path
    cache: Path

    def failing_cell(self, chapter: str) -> int | None:
        """Compare one chapter's stored outputs with those under this copy: the first cell that differs."""
        shutil.copy(NOTEBOOKS / chapter, self.folder)
        options = ["-p", "nbval.plugin", "--nbval", "--nbval-current-env", "--nbval-cell-timeout=120", "-x", "-q"]
        ran = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                *options,
                "-p",
                "no:cacheprovider",
                "--color=no",
                "-c",
                os.devnull,
                chapter,
            ],
            cwd=self.folder,
            env=os.environ
            | {
                "PYTHONPATH": str(self.folder),
                "TENSORLAB_CACHE": str(self.cache),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode == 0:
            return None
        found = re.search(r"^FAILED .*::Cell (\d+)", ran.stdout, re.MULTILINE)
        assert found, f"the comparison itself did not work:\n{ran.stdout}\n{ran.stderr}"
        return int(found[1])


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def copied(tmp_path, cache) -> Copy:
    shutil.copytree(ROOT / "tensorlab", tmp_path / "tensorlab", ignore=shutil.ignore_patterns("__pycache__"))
    return Copy(tmp_path, cache)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_without_a_fault_the_chapter_passes(copied, chapter):
    assert copied.failing_cell(chapter) is None


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_chapter_notices_the_fault(copied, fault):
    file = copied.folder / "tensorlab" / fault.file
    file.write_text(fault.applied(file.read_text(encoding="utf-8")), encoding="utf-8")
    cell = copied.failing_cell(fault.chapter)
    assert cell is not None, f"{fault.chapter} shows the same with the fault as without it"
    assert cell > 0, "the package could not even be imported"


def test_a_fault_whose_text_is_gone_or_stands_twice_says_so():
    fault = Fault("swapped", "layout.py", "a * b", "b + a", "01.ipynb")
    assert fault.applied("x = a * b\n") == "x = b + a\n"
    for text in ("x = b * a\n", "a * b, a * b\n"):
        with pytest.raises(ValueError, match="write the fault anew"):
            fault.applied(text)
