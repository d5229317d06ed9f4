"""The broadcast explorer in JupyterLab, driven by pointer and keys."""

import re

import nbformat
import pytest

from tests.browser.lab import IDLE, PATIENCE, Notebook, photograph
from tests.notebooks.samples import numbered, unrun

OPEN = "from tensorlab.explore import BroadcastExplorer\npanel = BroadcastExplorer()\npanel"
TWO = "two = BroadcastExplorer(a=(3,), b=(2, 1), operation='+')\ntwo"
PRINT = "print(panel.a, panel.b, panel.operation, panel.select, panel.result, panel.error)"
COUNT = "import ipywidgets\nprint(len(ipywidgets.widgets.widget._instances))"
DRIVE = "panel.a = (2, 3)\npanel.b = (3,)\npanel.operation = '+'\npanel.select = (0, 2)"
REFUSED = "panel.a = (2, 2, 2, 2, 2)"
READ = """host => {
    const root = host.shadowRoot;
    const labels = what => [...root.querySelectorAll(what)].map(el => el.getAttribute('aria-label'));
    const texts = [...root.querySelectorAll('.stage > svg text')].map(el => el.textContent);
    return {
        texts, head: texts[0], said: root.querySelector('.say').textContent, error: root.querySelector('.error').textContent,
        lengths: labels('.len').map((label, k) => [label.split(': ')[0], root.querySelectorAll('.len')[k].getAttribute('aria-valuenow')].join(' ')),
        cells: labels('[role=gridcell][aria-selected=true]'), slots: labels('[role=option][aria-selected=true]'),
        same: root.querySelectorAll('rect.same').length,
        operation: labels('.choice [aria-checked=true]').join(),
        offline: !root.querySelector('.offline').hidden,
        focus: root.activeElement && root.activeElement.getAttribute('aria-label'),
    };
}"""  # noqa: E501


@pytest.fixture(scope="module")
def notebook(browser, server):
    """A notebook with two explorers that has been run."""
    cells = [OPEN, TWO, PRINT, COUNT, DRIVE, REFUSED]
    nbformat.write(numbered(unrun("# Broadcast", *cells)), server.notebooks / "broadcast.ipynb")
    context = browser.new_context(viewport={"width": 1100, "height": 1400})
    notebook = Notebook(context.new_page(), server, "broadcast.ipynb")
    notebook.run_all()
    assert notebook.errors() == []
    yield notebook
    assert notebook.complaints == []
    context.close()


@pytest.fixture
def panel(notebook):
    """The first explorer, as its cell opens it."""
    run_cell(notebook, 1)
    notebook.page.mouse.move(0, 0)
    return explorer_of(notebook, 1)


def run_cell(notebook, number):
    """Run one cell again and wait for it."""
    notebook.ask("(window.jupyterapp.shell.currentWidget.content.activeCellIndex = given)", number)
    notebook.command("notebook:run-cell")
    notebook.page.wait_for_function(IDLE, timeout=PATIENCE)


def explorer_of(notebook, number):
    """The explorer below one cell."""
    notebook.page.evaluate("n => window.jupyterapp.shell.currentWidget.content.scrollToItem(n, 'start')", number)
    notebook.ask("(cells[given].node.dataset.number = given)", number)
    explorer = notebook.page.locator(f'[data-number="{number}"] .tl-explorer')
    explorer.locator("svg").first.wait_for(timeout=PATIENCE)
    return explorer


def shown(panel):
    return panel.evaluate(READ)


def wait_for(panel, condition):
    """Wait until the panel shows something; `condition` is JavaScript about `now`."""
    panel.page.wait_for_function(
        f"host => {{ const now = ({READ})(host); return {condition}; }}", arg=panel.element_handle(), timeout=PATIENCE
    )


def wait_for_head(panel, head):
    wait_for(panel, f"now.head === {head!r}")


def length(panel, name):
    """The box of one length, such as "a, axis −1"."""
    return panel.get_by_role("spinbutton", name=re.compile(f"^{name}: length"))


def printed(notebook, number):
    """What a cell prints when it runs now."""
    run_cell(notebook, number)
    return notebook.ask("cells[given].model.outputs.toJSON().map(out => out.text).join('')", number).strip()


def test_it_opens_with_sixteen_differences_and_one_slot_lit_in_each_operand(panel):
    now = shown(panel)
    assert now["head"] == "(4,) − (4, 1) → (4, 4)"
    assert now["lengths"] == ["a, axis −1 4", "b, axis −2 4", "b, axis −1 1"]
    assert (now["cells"], now["slots"]) == (["[2, 1], −10"], ["slot 1, 20", "slot 2, 30"])
    assert (now["operation"], now["error"], now["offline"]) == ("minus", "", False)
    photograph(panel.page, "broadcast-open", panel)


def test_buttons_lead_to_the_pair_that_fails_and_out_of_it_again(notebook, panel):
    panel.get_by_label("b, axis −1: one longer").click()
    wait_for_head(panel, "(4,) − (4, 2) → no result")
    now = shown(panel)
    assert now["said"].startswith("axis −1: 4 against 2. Neither is 1, so neither can be repeated.")
    assert "4 against 2" in now["texts"]
    assert now["cells"] == []
    photograph(panel.page, "broadcast-fails", panel)
    assert printed(notebook, 3) == "(4,) (4, 2) - None None"
    panel.get_by_label("a: add a last axis of length 1").click()
    wait_for_head(panel, "(4, 1) − (4, 2) → (4, 2)")
    panel.get_by_label("b, axis −2: remove this axis").click()
    wait_for_head(panel, "(4, 1) − (2,) → (4, 2)")
    panel.get_by_label("b: add a first axis of length 1").click()
    wait_for_head(panel, "(4, 1) − (1, 2) → (4, 2)")
    assert shown(panel)["lengths"] == ["a, axis −2 4", "a, axis −1 1", "b, axis −2 1", "b, axis −1 2"]


def test_keys_change_type_walk_and_remove_lengths_and_the_focus_stays(notebook, panel):
    page = panel.page
    length(panel, "a, axis −1").focus()
    page.keyboard.press("ArrowDown")
    wait_for_head(panel, "(3,) − (4, 1) → (4, 3)")
    assert shown(panel)["focus"].startswith("a, axis −1")
    page.keyboard.press("6")
    wait_for_head(panel, "(6,) − (4, 1) → (4, 6)")
    length(panel, "b, axis −2").focus()
    page.keyboard.press("ArrowRight")
    assert shown(panel)["focus"].startswith("b, axis −1")
    page.keyboard.press("Delete")
    wait_for_head(panel, "(6,) − (4,) → no result")
    assert shown(panel)["focus"].startswith("b, axis −1")
    page.keyboard.press("1")
    wait_for_head(panel, "(6,) − (1,) → (6,)")
    page.keyboard.press("Delete")
    wait_for_head(panel, "(6,) − () → (6,)")
    assert printed(notebook, 3) == "(6,) () - None (6,)"


def test_lengths_of_zero_are_reached_and_explained(panel):
    length(panel, "a, axis −1").focus()
    panel.page.keyboard.press("0")
    wait_for_head(panel, "(0,) − (4, 1) → (4, 0)")
    now = shown(panel)
    assert now["said"] == "The result has no cell: nothing is read."
    assert "1 → 0" in now["texts"]
    assert panel.get_by_label("a, axis −1: one shorter").is_disabled()
    photograph(panel.page, "broadcast-empty", panel)


def test_a_burst_of_keys_ends_in_the_last_state(notebook, panel):
    length(panel, "a, axis −1").focus()
    for _ in range(30):
        panel.page.keyboard.press("ArrowUp")
    wait_for_head(panel, "(34,) − (4, 1) → (4, 34)")
    assert printed(notebook, 3) == "(34,) (4, 1) - None (4, 34)"


def test_the_cursor_walks_with_keys_and_python_knows_where_it_is(notebook, panel):
    panel.locator("[role=grid]").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        panel.page.keyboard.press(key)
    now = shown(panel)
    assert (now["cells"], now["slots"]) == (["[3, 3], 0"], ["slot 3, 40", "slot 3, 40"])
    assert "position(3, 3)" in now["texts"]
    wait_for(panel, "!now.offline")
    panel.page.wait_for_timeout(500)
    assert shown(panel)["cells"] == ["[3, 3], 0"]
    assert printed(notebook, 3) == "(4,) (4, 1) - (3, 3) (4, 4)"


def test_pointing_at_a_slot_outlines_all_cells_that_read_it(panel):
    panel.locator("[role=listbox]").first.locator("[data-at='3']").hover()
    now = shown(panel)
    assert now["same"] == 4
    assert now["said"].startswith("Slot 3 of a holds 40. 4 of 16 results read it: [0, 3], [1, 3], [2, 3] and [3, 3].")
    panel.page.mouse.move(0, 0)
    wait_for(panel, "now.same === 0")
    assert shown(panel)["cells"] == ["[2, 1], −10"]


def test_the_operation_is_chosen_by_pointer_and_by_key(panel):
    panel.get_by_role("radio", name="times").click()
    wait_for_head(panel, "(4,) × (4, 1) → (4, 4)")
    assert shown(panel)["said"].endswith("20 × 30 = 600.")
    panel.page.keyboard.press("ArrowLeft")
    wait_for_head(panel, "(4,) − (4, 1) → (4, 4)")


def test_python_drives_it_by_its_traits_and_errors_show_inside(notebook, panel):
    run_cell(notebook, 5)
    panel = explorer_of(notebook, 1)
    wait_for_head(panel, "(2, 3) + (3,) → (2, 3)")
    assert shown(panel)["cells"] == ["[0, 2], 60"]
    run_cell(notebook, 6)
    wait_for(panel, "now.error")
    now = shown(panel)
    assert now["error"] == "✗ a: 5 axes are too many here (expected 4 at most)"
    assert now["head"] == "(2, 3) + (3,) → (2, 3)"
    photograph(panel.page, "broadcast-refused", panel)
    panel.get_by_label("b, axis −1: one shorter").click()
    wait_for(panel, "!now.error")


def test_keys_in_a_panel_leave_the_notebook_alone(notebook, panel):
    active = "cells.findIndex(cell => cell.node.classList.contains('jp-mod-active'))"
    count = notebook.ask("cells.length")
    panel.locator("[role=grid]").focus()
    before = notebook.ask(active)
    for key in ("ArrowDown", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp"):
        panel.page.keyboard.press(key)
    length(panel, "a, axis −1").focus()
    for key in ("ArrowDown", "ArrowUp", "Delete"):
        panel.page.keyboard.press(key)
    wait_for_head(panel, "() − (4, 1) → (4, 1)")
    assert notebook.ask(active) == before
    assert notebook.ask("cells.length") == count


def test_two_panels_do_not_know_each_other(notebook, panel):
    other = explorer_of(notebook, 2)
    before = shown(other)
    assert before["head"] == "(3,) + (2, 1) → (2, 3)"
    panel.get_by_label("a, axis −1: one shorter").click()
    wait_for_head(panel, "(3,) − (4, 1) → (4, 3)")
    assert shown(other) == before


def test_running_a_cell_twenty_times_leaks_nothing(notebook, panel):
    before = printed(notebook, 4)
    for _ in range(20):
        run_cell(notebook, 1)
    assert printed(notebook, 4) == before
    assert notebook.page.locator('[data-number="1"] .tl-explorer').count() == 1
    assert notebook.errors() == []
