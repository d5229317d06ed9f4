"""The stride explorer in JupyterLab, driven by pointer and keys."""

import nbformat
import pytest
from nbclient import NotebookClient

from tests.browser.conftest import trust
from tests.browser.lab import IDLE, PATIENCE, Notebook, photograph
from tests.notebooks.samples import numbered, unrun

OPEN = "from tensorlab.explore import StrideExplorer\npanel = StrideExplorer(shape=(3, 4), length=12)\npanel"
TWO = "two = StrideExplorer(shape=(2, 3))\ntwo"
READ = """host => {
    const root = host.shadowRoot, figure = [...root.querySelectorAll('div')].find(el => el.shadowRoot).shadowRoot;
    const text = (where, what) => [...where.querySelectorAll(what)].map(el => el.textContent);
    const labels = (where, what) => [...where.querySelectorAll(what)].map(el => el.getAttribute('aria-label'));
    return {
        numbers: [...root.querySelectorAll('.numbers input')].map(el => el.value),
        facts: text(root, '.facts div'),
        error: root.querySelector('.error').textContent,
        effect: root.querySelector('.effect').textContent,
        links: text(root, '.link strong'),
        now: text(root, '.link[aria-current] strong').join(),
        gap: text(root, '.gap span'),
        walk: root.querySelector('.count').textContent,
        puzzle: root.querySelector('.goal').hidden ? null : text(root, '.goal .said').join(),
        meta: figure.querySelector('.top .mono').textContent,
        cells: text(figure, '[data-c] .num'),
        selected: labels(figure, '[data-c][aria-selected=true]').join(),
        offline: !root.querySelector('.offline').hidden,
        focus: root.activeElement && (root.activeElement.getAttribute('aria-label') || root.activeElement.textContent),
    };
}"""


@pytest.fixture(scope="module")
def notebook(browser, server):
    """A notebook with two explorers that has been run."""
    cells = [OPEN, TWO, "print(panel.offset, panel.select, panel.history, panel.error)"]
    cells.append("import ipywidgets\nprint(len(ipywidgets.widgets.widget._instances))")
    nbformat.write(numbered(unrun("# Explorers", *cells)), server.notebooks / "explorers.ipynb")
    context = browser.new_context(viewport={"width": 1100, "height": 1500})
    notebook = Notebook(context.new_page(), server, "explorers.ipynb")
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


def number(panel, name):
    """The field of one number."""
    return panel.get_by_role("spinbutton", name=name, exact=True)


def shown(panel):
    return panel.evaluate(READ)


def wait_for(panel, condition):
    """Wait until the panel shows something; `condition` is JavaScript about `now`."""
    handle = panel.element_handle()
    panel.page.wait_for_function(
        f"host => {{ const now = ({READ})(host); return {condition}; }}", arg=handle, timeout=15_000
    )


def printed(notebook, number):
    """What a cell prints when it runs now."""
    run_cell(notebook, number)
    return notebook.ask("cells[given].model.outputs.toJSON().map(out => out.text).join('')", number).strip()


def test_it_opens_with_every_number_and_fact(panel):
    now = shown(panel)
    assert now["numbers"] == ["3", "4", "4", "1", "0", "12"]
    assert now["facts"] == [
        "✓Every index stays inside: slots 0 to 11, 12 of 12 read.",
        "✓Every index has a slot of its own.",
    ]
    assert now["cells"] == [str(k) for k in range(12)]
    assert now["links"] == ["start"]
    photograph(panel.page, "strides-open", panel)


def test_a_stepper_leads_to_the_index_that_leaves_the_buffer_and_back(notebook, panel):
    offset = number(panel, "offset")
    offset.focus()
    panel.page.keyboard.press("ArrowUp")
    wait_for(panel, "now.facts[0].startsWith('✗')")
    now = shown(panel)
    assert now["facts"][0] == "✗[2, 3] leaves the buffer: slot 12, but the buffer ends at slot 11."
    assert now["selected"].startswith("[2, 3], outside the buffer")
    assert now["focus"] == "offset"
    photograph(panel.page, "strides-outside", panel)
    assert printed(notebook, 3) == "1 None ('offset = 1',)"
    panel.get_by_label("offset: one less").click()
    wait_for(panel, "now.facts[0].startsWith('✓')")


def test_typed_numbers_are_judged_by_python(panel):
    stride = number(panel, "stride of axis 1")
    stride.fill("-1")
    stride.press("Enter")
    wait_for(panel, "now.facts[0].includes('slot −1')")
    stride.fill("one")
    stride.press("Enter")
    wait_for(panel, "now.error")
    assert "strides[1] takes whole numbers only" in shown(panel)["error"]
    assert shown(panel)["numbers"][3] == "−1"
    stride.fill("0")
    stride.press("Enter")
    wait_for(panel, "now.facts[1].startsWith('✗')")
    assert shown(panel)["facts"][1] == "✗[0, 0] and [0, 1] share slot 0: read-only."
    assert shown(panel)["error"] == ""


def test_a_burst_of_keys_ends_in_the_last_state(notebook, panel):
    number(panel, "offset").focus()
    for _ in range(40):
        panel.page.keyboard.press("ArrowUp")
    wait_for(panel, "now.meta.includes('offset 40')")
    assert shown(panel)["numbers"][4] == "40"
    assert printed(notebook, 3) == "40 None ('offset = 40',)"


def test_moves_make_a_chain_that_can_be_walked_back_with_keys(panel):
    panel.locator("[data-move=swap]").click()
    wait_for(panel, "now.links.length === 2")
    panel.locator("[data-move=reverse]").focus()
    panel.page.keyboard.press("Enter")
    wait_for(panel, "now.links.length === 3")
    now = shown(panel)
    assert now["links"] == ["start", ".transpose(0, 1)", ".flip(0)"]
    assert now["effect"] == "strides (1, 4) → (−1, 4), offset 0 → 3. 0 bytes moved."
    assert now["focus"].startswith("reverse")
    panel.locator(".link").nth(2).focus()
    for key in ("ArrowLeft", "ArrowLeft", "Enter"):
        panel.page.keyboard.press(key)
    wait_for(panel, "now.now === 'start'")
    assert shown(panel)["numbers"] == ["3", "4", "4", "1", "0", "12"]
    assert shown(panel)["links"] == ["start", ".transpose(0, 1)", ".flip(0)"]


def test_a_reshape_tears_the_chain_until_something_is_copied(panel):
    panel.locator("[data-move=swap]").click()
    wait_for(panel, "now.links.length === 2")
    into = panel.locator(".into")
    into.fill("2, 6")
    into.press("Enter")
    wait_for(panel, "now.gap.join().includes('axis 1')")
    assert shown(panel)["gap"] == ["axis 1 would jump +4, then −7", "needs a copy: 48 bytes"]
    photograph(panel.page, "strides-torn", panel)
    panel.get_by_text("Copy first").click()
    wait_for(panel, "now.links.length === 4")
    assert shown(panel)["cells"] == [str(k) for k in (0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11)]


def test_the_walk_steps_plays_and_pauses(panel):
    panel.locator("[data-move=swap]").click()
    wait_for(panel, "now.walk.includes('12 loads')")
    area = panel.get_by_role("slider")
    area.focus()
    for key in ("Home", "ArrowRight", "ArrowRight"):
        panel.page.keyboard.press(key)
    assert shown(panel)["walk"].startswith("Step 3 of 12, slot 8: 3 cache lines of 16 bytes touched")
    assert shown(panel)["selected"].startswith("[0, 2], slot 8")
    panel.page.keyboard.press(" ")
    wait_for(panel, "now.walk.startsWith('Step 5')")
    panel.get_by_label("pause the walk").click()
    step = shown(panel)["walk"]
    panel.page.wait_for_timeout(700)
    assert shown(panel)["walk"] == step
    photograph(panel.page, "strides-walk", panel)


def test_a_cell_is_chosen_in_the_figure_and_python_knows(notebook, panel):
    panel.locator("[data-c='6']").click()
    panel.page.keyboard.press("ArrowRight")
    panel.page.wait_for_timeout(200)
    assert printed(notebook, 3) == "0 (1, 3) ()"
    assert shown(panel)["selected"].startswith("[1, 3], slot 7")


def test_a_puzzle_is_marked_solved_by_numbers_and_followed_by_the_next(panel):
    panel.get_by_role("radio", name="Puzzle 3: Every other column").click()
    wait_for(panel, "now.puzzle !== null")
    panel.get_by_text("Mark the first difference").click()
    wait_for(panel, "now.puzzle.startsWith('[0, 1] should be')")
    photograph(panel.page, "strides-puzzle", panel)
    number(panel, "stride of axis 1").press("ArrowUp")
    number(panel, "length of axis 1").press("ArrowDown")
    number(panel, "length of axis 1").press("ArrowDown")
    wait_for(panel, "now.puzzle.includes('Solved')")
    assert shown(panel)["cells"] == ["0", "2", "4", "6", "8", "10"]
    panel.get_by_text("Next puzzle").click()
    wait_for(panel, "now.links.length === 1")
    radio = panel.get_by_role("radio", name="Puzzle 4: Last number first")
    assert radio.get_attribute("aria-checked") == "true"
    radio.focus()
    panel.page.keyboard.press("ArrowRight")
    panel.get_by_role("radio", name="Puzzle 5").and_(panel.locator("[aria-checked=true]")).wait_for()


def test_keys_leave_the_notebook_where_it_is_and_tab_goes_through_every_control(notebook, panel):
    cells = notebook.ask("cells.length")
    number(panel, "length of axis 0").focus()
    seen = []
    for _ in range(24):
        seen.append(shown(panel)["focus"])
        panel.page.keyboard.press("Tab")
    assert seen[:6] == [
        "length of axis 0",
        "length of axis 1",
        "stride of axis 0",
        "stride of axis 1",
        "offset",
        "slots in the buffer",
    ]
    assert [name for name in seen if name and name.startswith("swap axes")]
    panel.locator("[data-move=swap]").focus()
    for key in ("Enter", " ", "ArrowDown"):
        panel.page.keyboard.press(key)
    number(panel, "offset").focus()
    for key in ("d", "d", "a", "b", "Enter"):
        panel.page.keyboard.press(key)
    assert notebook.ask("cells.length") == cells
    assert notebook.ask("window.jupyterapp.shell.currentWidget.content.mode") == "command"


def test_two_panels_are_independent(notebook, panel):
    other = explorer_of(notebook, 2)
    before = shown(other)
    panel = explorer_of(notebook, 1)
    panel.locator("[data-move=reverse]").click()
    wait_for(panel, "now.links.length === 2")
    assert shown(explorer_of(notebook, 2)) == before


def test_running_a_cell_twenty_times_leaves_no_widget_behind(notebook, panel):
    before = int(printed(notebook, 4))
    for _ in range(20):
        run_cell(notebook, 1)
    assert int(printed(notebook, 4)) == before


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [420, 700, 1600])
def test_it_fits_every_width_in_both_themes(notebook, panel, theme, width):
    page = notebook.page
    notebook.command("apputils:change-theme", {"theme": f"JupyterLab {theme.title()}"})
    page.set_viewport_size({"width": width, "height": 1700})
    try:
        panel = explorer_of(notebook, 1)
        page.wait_for_timeout(300)
        assert panel.evaluate("host => host.scrollWidth <= host.clientWidth + 1")
        assert panel.locator(".fig").first.get_attribute("data-theme") == theme
        photograph(page, f"strides-{theme}-{width}", panel)
    finally:
        page.set_viewport_size({"width": 1100, "height": 1500})
        notebook.command("apputils:change-theme", {"theme": "JupyterLab Light"})


def test_after_a_kernel_restart_the_panel_says_that_nobody_answers_and_can_still_be_pointed_at(notebook, panel):
    session = "window.jupyterapp.shell.currentWidget.sessionContext.session"
    panel.locator("[data-move=swap]").click()
    wait_for(panel, "now.links.length === 2")
    notebook.page.evaluate(f"{session}.kernel.restart()")
    notebook.page.wait_for_function(IDLE, timeout=PATIENCE)
    panel.locator("[data-move=reverse]").click()
    wait_for(panel, "now.offline")
    panel.locator("[data-c='5']").click()
    assert shown(panel)["selected"].startswith("[1, 2], slot 9")
    assert shown(panel)["links"] == ["start", ".transpose(0, 1)"]
    photograph(notebook.page, "strides-offline", panel)
    notebook.run_all()
    assert shown(explorer_of(notebook, 1))["links"] == ["start"]


def test_a_stored_notebook_shows_the_still_twin_until_it_is_trusted_then_the_panel(browser, server):
    source = numbered(unrun("# Stored", OPEN))
    NotebookClient(source, store_widget_state=True).execute()
    path = server.notebooks / "stored.ipynb"
    nbformat.write(source, path)
    context = browser.new_context(viewport={"width": 1100, "height": 1500})
    stored = Notebook(context.new_page(), server, path.name)
    picture = stored.page.locator(".jp-OutputArea img[alt*='strides (4, 1)']")
    picture.scroll_into_view_if_needed()
    assert picture.evaluate("img => img.decode().then(() => img.naturalWidth)") > 200
    assert stored.page.locator(".tl-explorer").count() == 0
    trust(server, [path])
    stored = Notebook(context.new_page(), server, path.name)
    panel = explorer_of(stored, 1)
    assert shown(panel)["cells"] == [str(k) for k in range(12)]
    panel.locator("[data-c='6']").click()
    assert shown(panel)["selected"].startswith("[1, 2], slot 6")
    assert stored.complaints == []
    context.close()
