"""No rule is idle: each is shown a chapter that breaks it, and finds it."""

import re
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from tests.notebooks import guards
from tests.notebooks.guards import FIRST_CELL, GUARDS, Chapter
from tests.notebooks.normalise import WIDGET_STATE, as_text, normalise
from tests.notebooks.samples import unrun

ALT = "a grid of three rows and five columns"
PAGE = (
    f'<div class="tl-figure"><img alt="{ALT}" src="data:image/png;base64,AAAA/tmp/AAAA"><script>"<img>"</script></div>'
)


@pytest.fixture(autouse=True)
def one_exercise(monkeypatch):
    """The sample chapter has one exercise, whatever the real chapter 01 has."""
    registered = {"01": (SimpleNamespace(key="01.slot"),)}
    monkeypatch.setattr(guards, "exercises_of", lambda number: registered.get(number, ()))


def a_good_chapter() -> nbformat.NotebookNode:
    notebook = unrun(
        "# Where does an element live?\n\nOne sentence.\nAnother, e.g. `this. That`, see [A](https://b.example/c).",
        FIRST_CELL,
        "## Predict\n\n1. First. \n\n```\nTwo. Sentences.\n```",
        'predict("01.slot", None)',
        f"## See the grid\n\n![{ALT}](grid.png)\n\n| a. B | c |\n|---|---|\n\nThe end.",
        "figures.linked(tl.zeros((3, 5)))",
        "### Build",
        "a = [3]\na.append(4)",
        "## Break it.",
        ("1 / 3", "measure"),
        "## Key points\n\n- Is it so?\n\n## Terms\n\n**Next.** None.",
    )
    notebook.cells[9].metadata.tags.append("nbval-ignore-output")
    notebook.cells[3].outputs = [new_output("stream", text="○ Which slot holds it?\n")]
    notebook.cells[5].outputs = [new_output("execute_result", {"text/html": PAGE, "text/plain": "a grid"})]
    notebook.cells[9].outputs = [new_output("execute_result", {"text/plain": "0.3333333333333333"})]
    return normalise(notebook, "01")


def source(number, text):
    """A change of one cell's source."""

    def change(notebook):
        notebook.cells[number].source = text

    return change


def output(number, data, metadata=None):
    """A change that puts one more output below a cell."""

    def change(notebook):
        notebook.cells[number].outputs.append(new_output("display_data", data, metadata=metadata or {}))

    return change


def tagged(number, *tags):
    """A change of one cell's tags."""

    def change(notebook):
        notebook.cells[number].metadata = {"tags": list(tags)}

    return change


def stripped(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []


def outputs_forgotten(notebook):
    notebook.cells[5].outputs = []


def swapped_counts(notebook):
    notebook.cells[3].execution_count = 5


def an_output_widget(notebook):
    state = {"1": {"model_name": "OutputModel", "model_module": "@jupyter-widgets/output", "state": {}}}
    notebook.metadata.widgets = {WIDGET_STATE: {"state": state, "version_major": 2, "version_minor": 0}}


def an_error(notebook):
    notebook.cells[7].outputs.append(new_output("error", ename="ShapeError", evalue="", traceback=[]))


def a_warning(notebook):
    notebook.cells[7].outputs.append(new_output("stream", name="stderr", text="Warning: old"))


def code_after_code(notebook):
    notebook.cells.insert(8, new_code_cell("b = 2", id="01-012"))


def code_first(notebook):
    notebook.cells.insert(0, new_code_cell("b = 2", id="01-012"))


def another_first_cell(notebook):
    notebook.cells[1].source = "import numpy as np"


def a_second_title(notebook):
    notebook.cells.append(new_markdown_cell("# And where do two live?", id="01-012"))


def other_order(notebook):
    notebook.cells[2].source, notebook.cells[4].source = notebook.cells[4].source, notebook.cells[2].source


def a_random_id(notebook):
    notebook.cells[4].id = "d1ce5eed"


def timing(notebook):
    notebook.cells[5].metadata = {"execution": {"iopub.status.busy": "2026-01-01"}}


def a_version_of_python(notebook):
    notebook.metadata.language_info.version = "3.11.7"


def two_long_cells(notebook):
    for number in (3, 5, 7):
        notebook.cells[number].source = "a = 1\n" * 5


NOTEBOOK_BREAKS = [
    (guards.every_cell_was_run_in_order, stripped, "None"),
    (guards.every_cell_was_run_in_order, swapped_counts, r"\[1, 5, 3, 4, 5\]"),
    (guards.no_cell_is_silenced_by_a_semicolon, source(7, "a.append(4); "), "01-008: ends in ;"),
    (guards.cells_are_short, source(7, "a = 1\n" * 13), "01-008: 13 lines"),
    (guards.cells_are_short, two_long_cells, "median is 5"),
    (guards.every_picture_says_what_it_shows, source(4, "## See\n![](grid.png)"), "01-005: alt text ''"),
    (guards.every_picture_says_what_it_shows, source(4, '## See\n<img src="grid.png">'), "01-005"),
    (guards.every_picture_says_what_it_shows, output(5, {"text/html": '<img alt="figure" src="">'}), "'figure'"),
    (guards.every_picture_says_what_it_shows, output(5, {"text/html": "<p><svg></svg>"}), "01-006"),
    (guards.every_picture_says_what_it_shows, output(5, {"text/markdown": "![a grid](g.png)"}), "'a grid'"),
    (guards.every_picture_says_what_it_shows, output(5, {"image/svg+xml": "<svg/>"}), "01-006"),
    (guards.every_picture_says_what_it_shows, output(5, {"image/png": "AAAA"}), "01-006"),
    (guards.no_widget_captures_output, an_output_widget, "is an Output"),
    (guards.no_cell_ends_in_an_error_or_a_warning, an_error, "01-008: shows ShapeError"),
    (guards.no_cell_ends_in_an_error_or_a_warning, a_warning, "stderr"),
    (guards.the_first_code_cell_is_the_same_everywhere, another_first_cell, "should be\nimport numpy as np\nimport"),
    (guards.code_is_plain_python_that_a_test_can_follow, source(7, "from numpy import *"), "a star import"),
    (guards.code_is_plain_python_that_a_test_can_follow, source(7, "a = 1\n%matplotlib inline"), "a magic"),
    (guards.code_is_plain_python_that_a_test_can_follow, source(7, "!pip list"), "a magic"),
    (guards.code_is_plain_python_that_a_test_can_follow, source(7, "import sys\nsys.path.append('.')"), "sys.path"),
    (guards.code_is_plain_python_that_a_test_can_follow, source(7, "# NBVAL_SKIP\na"), "a comment that steers"),
    (guards.code_is_plain_python_that_a_test_can_follow, source(7, "clear_output()"), "an updated display"),
    (guards.code_is_plain_python_that_a_test_can_follow, source(7, "widgets.interact(f)"), "a captured output"),
    (guards.every_sentence_has_its_own_line, source(6, "### Build\n\nOne step. Another step."), "One step. Another"),
    (guards.every_sentence_has_its_own_line, source(6, "### Build\n- Is it? *Yes*, it is."), "two sentences"),
    (guards.prose_comes_before_code, code_after_code, "01-012: no prose"),
    (guards.prose_comes_before_code, code_first, "01-012: no prose"),
    (guards.nothing_names_a_machine_or_a_registry, source(6, "See /home/reader/x."), "a path of one machine"),
    (
        guards.nothing_names_a_machine_or_a_registry,
        output(5, {"text/html": "<b>C:\\Users\\x"}),
        "a path of one machine",
    ),
    (
        guards.nothing_names_a_machine_or_a_registry,
        output(5, {"text/plain": "[PosixPath('" + "/root" + "/a')]"}),
        "a path of one",
    ),
    (guards.nothing_names_a_machine_or_a_registry, source(6, "On " + "pypi" + ".org."), "a host of a package registry"),
    (guards.nothing_names_a_machine_or_a_registry, output(5, {"text/plain": "<A at 0x7f00aa11>"}), "memory address"),
    (guards.nothing_names_a_machine_or_a_registry, output(5, {"text/plain": "\x1b[0mA"}), "terminal colours"),
    (guards.a_cell_that_shows_something_has_it_stored, outputs_forgotten, "01-006"),
    (guards.a_cell_that_shows_something_has_it_stored, source(7, "a[0]"), "01-008"),
    (guards.only_cells_that_cannot_be_compared_are_not, tagged(5, "nbval-skip"), "nbval-skip"),
    (guards.only_cells_that_cannot_be_compared_are_not, tagged(5, "nbval-ignore-output"), "nbval-ignore-output"),
    (guards.only_cells_that_cannot_be_compared_are_not, tagged(5, "raises-exception"), "raises-exception"),
    (guards.only_cells_that_cannot_be_compared_are_not, tagged(9, "measure"), "measure"),
    (guards.only_cells_that_cannot_be_compared_are_not, tagged(4, "measure", "nbval-ignore-output"), "01-005"),
    (guards.only_cells_that_cannot_be_compared_are_not, tagged(9, "real-file", "nbval-ignore-output"), "too many"),
    (guards.the_file_is_as_a_rebuild_writes_it, a_random_id, "d1ce5eed"),
    (guards.the_file_is_as_a_rebuild_writes_it, timing, "not in the normal form"),
    (guards.the_file_is_as_a_rebuild_writes_it, a_version_of_python, "not in the normal form"),
    (guards.the_title_is_a_question, source(0, "# Where an element lives"), "asks nothing"),
    (guards.the_title_is_a_question, source(0, "Where does an element live?"), "one title"),
    (guards.the_title_is_a_question, a_second_title, "one title"),
    (guards.the_sections_come_in_their_order, source(6, "### Building"), "begins with Build"),
    (guards.the_sections_come_in_their_order, other_order, "another order"),
    (guards.it_asks_each_of_its_exercises_once_and_in_order, source(3, 'predict("01.slit", 3)'), "asks .'01.slit'"),
    (guards.it_asks_each_of_its_exercises_once_and_in_order, source(7, 'check("01.slot", a)'), "slot', '01.slot'"),
    (guards.it_asks_each_of_its_exercises_once_and_in_order, source(3, "8"), r"asks \[\], registered are \['01.slot'"),
]


@pytest.mark.parametrize(("guard", "change", "told"), NOTEBOOK_BREAKS)
def test_a_rule_finds_the_chapter_that_breaks_it(guard, change, told):
    notebook = a_good_chapter()
    change(notebook)
    problems = "\n".join(guard(Chapter(as_text(notebook), "01-sample.ipynb")))
    assert re.search(told, problems)


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_a_good_chapter_keeps_to_every_rule(guard):
    assert guard(Chapter(as_text(a_good_chapter()), "01-sample.ipynb")) == []


def test_every_rule_is_shown_a_chapter_that_breaks_it():
    assert {guard for guard, _, _ in NOTEBOOK_BREAKS} == set(GUARDS)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text.replace("\n", "\r\n"), "Windows line ends"),
        (lambda text: text.replace('"01-003"', '"01-004"'), "the id 01-004 stands on 2 cells"),
        (lambda text: text.rstrip(), "not in the normal form"),
        (lambda text: text + "\n", "not in the normal form"),
    ],
)
def test_a_file_that_a_rebuild_would_not_write_is_found(change, told):
    chapter = Chapter(change(as_text(a_good_chapter())), "01-sample.ipynb")
    assert told in "\n".join(guards.the_file_is_as_a_rebuild_writes_it(chapter))


def test_only_the_chapter_about_files_has_a_real_file_cell_and_only_one():
    notebook = a_good_chapter()
    tagged(9, "nbval-ignore-output", "real-file")(notebook)
    check = guards.only_cells_that_cannot_be_compared_are_not
    assert check(Chapter(as_text(notebook), "06-sample.ipynb")) == []
    tagged(5, "nbval-ignore-output", "real-file")(notebook)
    assert check(Chapter(as_text(notebook), "06-sample.ipynb")) == ["cell 01-010: is one real-file cell too many"]


def test_the_chapter_before_the_pattern_needs_no_sections_and_no_question():
    notebook = a_good_chapter()
    notebook.cells = [notebook.cells[0], notebook.cells[1]]
    notebook.cells[0].source = "# Start here"
    chapter = Chapter(as_text(notebook), "00-sample.ipynb")
    assert guards.the_title_is_a_question(chapter) == []
    assert guards.the_sections_come_in_their_order(chapter) == []


def test_the_exercises_of_a_chapter_are_its_predict_and_check_calls():
    notebook = a_good_chapter()
    notebook.cells[7].source = 'def f(i):\n    return ...\n\ncheck("01.f", f)'
    assert Chapter(as_text(notebook), "01-sample.ipynb").exercises == ["01.slot", "01.f"]
