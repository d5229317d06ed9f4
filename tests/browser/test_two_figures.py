"""Figures on one page do not know each other, and a cell that runs again has a live figure again."""

from tests.browser.conftest import TWO_FIGURES
from tests.browser.lab import photograph, wait_until_live
from tests.browser.linked import assert_every_panel_shows, shown

ACTIVE = "cells.findIndex(cell => cell.node.classList.contains('jp-mod-active'))"


def test_two_figures_are_live_and_independent_and_running_again_makes_new_live_ones(opened):
    notebook = opened(TWO_FIGURES)
    notebook.run_all()
    assert notebook.errors() == []
    first, second = notebook.figures()
    for figure in (first, second):
        wait_until_live(figure)
    before = shown(second)
    first.locator("[data-c='6']").click()
    assert_every_panel_shows(first, [1, 2])
    assert shown(second) == before

    notebook.run_all()
    for figure in notebook.figures():
        wait_until_live(figure)
        assert shown(figure) == before
        figure.locator("[data-c='6']").hover()
        assert_every_panel_shows(figure, [1, 2])
    photograph(notebook.page, "two-figures")


def test_pointer_and_keys_move_every_panel_and_leave_the_notebook_where_it_is(opened):
    notebook = opened(TWO_FIGURES)
    notebook.run_all()
    figure = notebook.figures()[0]
    wait_until_live(figure)
    figure.locator("[data-c='5']").click()
    active = notebook.ask(ACTIVE)
    for key, index in [("ArrowRight", [1, 2]), ("ArrowDown", [2, 2]), ("ArrowDown", [2, 2]), ("ArrowLeft", [2, 1])]:
        notebook.page.keyboard.press(key)
        assert_every_panel_shows(figure, index)
    figure.locator("[data-s='4']").click()
    for key, index in [("ArrowLeft", [0, 3]), ("End", [2, 3]), ("Home", [0, 0])]:
        notebook.page.keyboard.press(key)
        assert_every_panel_shows(figure, index)
    figure.locator("[data-b='3']").click()
    notebook.page.keyboard.press("ArrowRight")
    assert shown(figure)["said"].startswith("Byte 4 belongs to slot 1. [0, 1] is slot 1")
    assert shown(figure)["bytes"] == ["byte 4, hex 00", "byte 5, hex 00", "byte 6, hex 80", "byte 7, hex 3f"]
    assert notebook.ask(ACTIVE) == active
