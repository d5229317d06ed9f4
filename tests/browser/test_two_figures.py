"""Figures on one page do not know each other, and a cell that runs again has a live figure again."""

from tests.browser.conftest import TWO_FIGURES
from tests.browser.lab import photograph, wait_until_live


def test_two_figures_are_both_live_and_running_one_again_makes_it_live_again(opened, page):
    notebook = opened(TWO_FIGURES)
    notebook.run_all()
    assert notebook.errors() == []
    assert notebook.not_run() == []
    first, second = notebook.figures()
    for figure in (first, second):
        wait_until_live(figure)
    first.locator("button").click()
    assert first.locator("button").text_content() == "n=1"
    assert second.locator("button").text_content() == "n=0"
    notebook.run_all()
    first, second = notebook.figures()
    for figure in (first, second):
        wait_until_live(figure)
    assert first.locator("button").text_content() == "n=0"
    photograph(page, "two")
    assert notebook.complaints == []
