"""Plain pytest compares every chapter's stored outputs, in quiet surroundings."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from nbformat.v4 import new_output

from tests.notebooks.samples import numbered, unrun, written
from tests.notebooks.surroundings import ROOT

PYTEST = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]


def test_plain_pytest_runs_the_chapters_strictly_in_its_own_interpreter():
    options = PYTEST["addopts"].split()
    assert {"--nbval", "--nbval-current-env"} < set(options)
    assert not {"--nbval-lax", "--nbval-sanitize-with"} & set(options)
    assert set(PYTEST["testpaths"]) == {"tests", "tensorlab", "notebooks"}


def test_a_changed_text_page_or_drawing_fails_and_a_true_one_passes(tmp_path):
    page = "from IPython.display import HTML\nHTML('<b>{}</b>')"
    notebook = numbered(unrun("# Title", "1 + 1", "1 + 1", page.format("one"), page.format("two")))
    html = {"text/plain": "<IPython.core.display.HTML object>"}
    stored = [{"text/plain": "2"}, {"text/plain": "3"}]
    stored += [html | {"text/html": "<b>one</b>"}, html | {"text/html": "<b>2</b>"}]
    for number, data in enumerate(stored, start=1):
        notebook.cells[number].outputs = [new_output("execute_result", data, execution_count=number)]
    written(notebook, tmp_path)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = {PYTEST['addopts']}\n")

    command = [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", "no:cacheprovider", "-rfp"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    cells = {cell: verdict for verdict, cell in re.findall(r"^(PASSED|FAILED) .*::Cell (\d)", told, re.MULTILINE)}
    assert cells == {"0": "PASSED", "1": "FAILED", "2": "PASSED", "3": "FAILED"}, told


def test_each_test_has_an_empty_home_and_no_settings_of_the_user(home_of_this_test):
    assert Path(os.environ["TENSORLAB_HOME"]) == home_of_this_test
    assert list(home_of_this_test.iterdir()) == []
    for name in ("TENSORLAB_HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR"):
        assert not Path(os.environ[name]).is_relative_to(Path.home())
    home_of_this_test.joinpath("left-over").touch()


def test_what_another_test_left_in_its_home_is_not_in_this_one(home_of_this_test):
    assert list(home_of_this_test.iterdir()) == []
