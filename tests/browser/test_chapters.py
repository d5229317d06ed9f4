"""The chapters in JupyterLab, as a reader meets them."""

import pytest

from tensorlab.figures.shell import PALETTE
from tests.browser.conftest import untrusted
from tests.browser.lab import is_live, photograph, wait_until_it_fits, wait_until_live
from tests.browser.linked import assert_every_panel_shows, layout_of, shown
from tests.notebooks.surroundings import chapters

HOOK, GRIDS, FILES = "00-start-here", "01-where-does-an-element-live", "06-where-is-token-785"
TEXT = {theme: "rgb({}, {}, {})".format(*bytes.fromhex(PALETTE[theme]["fg"][1:])) for theme in PALETTE}


@pytest.fixture(scope="module", params=chapters(), ids=lambda path: path.stem)
def chapter(request, first_notebook):
    """Each chapter in turn; its notebook is closed when its tests are done."""
    yield request.param
    first_notebook.other(request.param.name).close()


def test_a_trusted_chapter_is_live_before_anything_has_run(opened, chapter):
    for figure in opened(chapter.name).figures():
        wait_until_live(figure)


def test_pointer_and_keys_move_all_panels_of_every_linked_figure(opened, chapter):
    notebook = opened(chapter.name)
    for figure in notebook.figures("linked"):
        wait_until_live(figure)
        shape, _, _ = layout_of(figure)
        if len(shape) != 2 or min(shape) < 2 or figure.locator("[data-c]").count() != shape[0] * shape[1]:
            continue
        figure.locator("[data-c='0']").hover()
        assert_every_panel_shows(figure, [0, 0])
        figure.locator("[data-c='0']").click()
        notebook.page.keyboard.press("ArrowDown")
        assert_every_panel_shows(figure, [1, 0])
        notebook.page.keyboard.press("ArrowRight")
        assert_every_panel_shows(figure, [1, 1])


def test_it_runs_from_top_to_bottom_and_every_figure_is_live_again(opened, chapter):
    notebook = opened(chapter.name)
    notebook.run_all()
    assert notebook.errors() == []
    assert notebook.not_run() == []
    for figure in notebook.figures():
        wait_until_live(figure)


def test_an_untrusted_copy_shows_still_pictures_and_runs_no_script(opened, chapter):
    notebook = opened(untrusted(chapter).name)
    for number, figure in enumerate(notebook.figures()):
        picture = figure.locator("img")
        picture.scroll_into_view_if_needed()
        assert picture.evaluate("img => img.decode().then(() => img.naturalWidth)") > 200
        assert len(picture.get_attribute("alt")) > 20
        assert "trust the notebook" in figure.inner_text()
        assert not is_live(figure)
        photograph(notebook.page, f"{chapter.stem}-{number}-untrusted", figure)
    notebook.close()


@pytest.mark.parametrize(("theme", "width"), [("light", 1200), ("dark", 1200), ("light", 420)])
@pytest.mark.parametrize("name", [HOOK, GRIDS, FILES])
def test_figures_follow_the_theme_and_fit_the_window(opened, name, theme, width):
    notebook = opened(f"{name}.ipynb")
    notebook.dress(theme, width)
    for number, figure in enumerate(notebook.figures()):
        wait_until_live(figure)
        assert figure.locator(".fig").evaluate("el => getComputedStyle(el).color") == TEXT[theme]
        wait_until_it_fits(figure)
        photograph(notebook.page, f"{name}-{number}-{theme}-{width}", figure)


def test_in_chapter_01_the_toggle_keeps_the_slot_and_moves_the_cell(opened):
    notebook = opened(f"{GRIDS}.ipynb")
    figure = next(figure for figure in notebook.figures("linked") if figure.locator("[role=radio]").count())
    wait_until_live(figure)
    figure.locator("[data-s='9']").click()
    assert shown(figure)["cells"][0].startswith("[2, 1], slot 9")
    figure.locator("[role=radio][aria-checked=false]").click()
    after = shown(figure)
    assert after["cells"][0].startswith("[0, 3], slot 9")
    assert after["slots"][0].startswith("slot 9")
    assert "Its cell moved from [2, 1] to [0, 3]." in after["said"]
    figure.locator("[role=radio][aria-checked=true]").focus()
    notebook.page.keyboard.press("ArrowLeft")
    assert shown(figure)["cells"][0].startswith("[2, 1], slot 9")


def test_in_chapter_06_striking_out_a_term_moves_the_landing_cell(opened):
    notebook = opened(f"{FILES}.ipynb")
    figure = notebook.figures("file")[0]
    wait_until_live(figure)
    said, strip = figure.locator("[aria-live=polite]"), figure.get_by_role("slider")
    strip.focus()
    notebook.page.keyboard.press("Home")
    before = said.text_content()
    assert before.startswith("Row 785, column 0: ")
    for term, lands in [("tensor.start", "row 782, column 0"), ("the 8", "row 784, column 1020")]:
        button = figure.get_by_role("button", name=term).first
        button.click()
        assert lands in said.text_content()
        assert button.get_attribute("aria-pressed") == "true"
        button.click()
        assert said.text_content() == before
    strip.focus()
    notebook.page.keyboard.press("ArrowRight")
    assert said.text_content().startswith("Row 785, column 1: ")
