"""The broadcast explorer without a page: traits in, picture out, errors inside, nothing leaked."""

import json
import logging

import ipywidgets
import numpy as np
import pytest
from hypothesis import given, settings

from tensorlab import figures
from tensorlab.errors import ArgumentError, BoundsError, ShapeError
from tensorlab.explore import BroadcastExplorer
from tensorlab.explore.broadcast import LONGEST, MOST_AXES
from tests.broadcast_shots import explorers
from tests.strategies import shapes


def heard(explorer, *commands, n=1):
    """What the page sends."""
    explorer._listen({"n": n, "do": [list(command) for command in commands]})


def open_widgets():
    return len(ipywidgets.widgets.widget._instances)


# ---- traits in, picture out -----------------------------------------------------------------------------------------


def test_it_opens_with_sixteen_differences_from_eight_numbers():
    explorer = BroadcastExplorer()
    figure = explorer.picture["figure"]
    assert (explorer.a, explorer.b, explorer.operation) == ((4,), (4, 1), "-")
    assert figure["head"] == ["(4,) − (4, 1)", "→ (4, 4)"]
    assert figure["legend"].startswith("16 differences from 8 stored numbers.")
    assert [value[0] for value in figure["result"]["values"]].count("0") == 4


@settings(max_examples=60)
@given(shapes(), shapes())
def test_any_two_shapes_can_be_set_and_the_verdict_is_numpys(a, b):
    explorer = BroadcastExplorer()
    explorer.a = a
    explorer.b = b
    try:
        wanted = np.broadcast_shapes(a, b)
    except ValueError:
        wanted = None
    assert explorer.result == wanted
    assert (explorer.picture["figure"]["result"] is None) == (wanted is None)
    assert explorer.picture["shapes"] == [list(a), list(b)]
    assert explorer.error == ""
    json.dumps(explorer.picture)


def test_the_picture_is_the_figures_own():
    explorer = BroadcastExplorer(a=(2, 1), b=3, operation="*", select=(1, 2))
    figure = figures.broadcast((2, 1), (3,), operation="*", select=(1, 2))
    assert explorer.picture["figure"] == figure.data
    assert explorer.still().html == figure.html


def test_operation_and_selection_follow_the_traits():
    explorer = BroadcastExplorer()
    explorer.select = (0, 3)
    explorer.operation = "<"
    figure = explorer.picture["figure"]
    assert figure["start"] == [0, 3]
    assert figure["result"]["values"][3] == ["False"]
    explorer.select = None
    assert explorer.picture["figure"]["start"] == [2, 1]


def test_shapes_that_do_not_fit_are_a_state_like_any_other():
    explorer = BroadcastExplorer(a=(3,), b=(3, 4))
    assert (explorer.result, explorer.error) == (None, "")
    assert explorer.picture["figure"]["why"].startswith("axis −1: 3 against 4.")
    explorer.a = (3, 1)
    assert explorer.result == (3, 4)
    assert explorer.picture["figure"]["why"] == ""


def test_several_changes_can_be_made_one():
    explorer = BroadcastExplorer()
    painted = []
    explorer.observe(lambda change: painted.append(change["new"]["shapes"]), "picture")
    with explorer.held():
        explorer.a = (2, 3)
        explorer.b = (2, 1)
        explorer.select = (1, 2)
    assert painted == [[[2, 3], [2, 1]]]
    assert explorer.select == (1, 2)


# ---- errors inside the panel ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("a", (-1,), "a: axis 0 cannot have length -1 (expected lengths of 0 or more)"),
        ("b", (2,) * (MOST_AXES + 1), "b: 5 axes are too many here (expected 4 at most)"),
        ("b", (3, LONGEST + 1), "b: axis 1 of length 1000 is too long here (expected 999 at most)"),
        ("a", "four", "a: "),
        ("operation", "%", "operation: there is no '%' (expected one of + - * / == != < <= > >=)"),
        ("select", (4, 0), "select: axis 0 has no index 4 (expected 0 <= index < 4)"),
        ("select", (1,), "select: index (1,) names 1 axis, shape (4, 4) has 2 (expected one number for each axis)"),
        ("select", (1.5, 2), "select: "),
    ],
)
def test_what_is_refused_shows_as_one_line_and_changes_nothing(name, value, line, caplog):
    explorer = BroadcastExplorer()
    before = explorer.picture["figure"]
    with caplog.at_level(logging.WARNING, logger="tensorlab.explore"):
        setattr(explorer, name, value)
    assert explorer.error.startswith(line)
    assert "\n" not in explorer.error
    assert explorer.picture["error"] == explorer.error
    assert explorer.picture["figure"] == before
    assert (explorer.a, explorer.b, explorer.operation, explorer.select) == ((4,), (4, 1), "-", None)
    assert line in caplog.text
    explorer.a = (2,)
    assert (explorer.error, explorer.picture["error"]) == ("", "")


def test_a_selection_is_refused_where_there_is_no_result():
    explorer = BroadcastExplorer(a=(3,), b=(4,))
    explorer.select = (0,)
    assert explorer.error == "select: there is no result to select a cell of (expected shapes that fit)"
    assert explorer.select is None


def test_a_selection_that_a_new_shape_has_no_cell_for_is_let_go_without_complaint():
    explorer = BroadcastExplorer(select=(3, 3))
    explorer.a = (1,)
    assert (explorer.select, explorer.error) == (None, "")
    assert explorer.picture["figure"]["start"] == [2, 0]
    explorer.select = (3, 0)
    explorer.a = (2,)
    assert explorer.select == (3, 0)
    assert explorer.picture["figure"]["start"] == [3, 0]
    explorer.b = (3, 3)
    assert (explorer.select, explorer.error) == (None, "")


def test_only_the_constructor_raises():
    with pytest.raises(ShapeError, match="axis 0 cannot have length -2"):
        BroadcastExplorer(a=(-2,))
    with pytest.raises(ArgumentError, match="there is no '%'"):
        BroadcastExplorer(operation="%")
    with pytest.raises(BoundsError, match="axis 1 has no index 7"):
        BroadcastExplorer(select=(0, 7))


# ---- the page's commands --------------------------------------------------------------------------------------------


def test_the_page_sets_shapes_operation_and_selection():
    explorer = BroadcastExplorer()
    heard(explorer, ["a", [3, 1]], ["b", [1, 2]], ["operation", "*"], ["select", [2, 1]], n=7)
    assert (explorer.a, explorer.b, explorer.operation, explorer.select) == ((3, 1), (1, 2), "*", (2, 1))
    assert explorer.picture["heard"] == 7
    assert explorer.picture["figure"]["start"] == [2, 1]


def test_a_command_that_does_not_exist_is_shown_and_the_others_are_obeyed():
    explorer = BroadcastExplorer()
    heard(explorer, ["format", "disk"], ["a", [1]])
    assert explorer.error == "BroadcastExplorer: the page asked for 'format' (expected a command)"
    assert explorer.a == (1,)


# ---- twins and leaks ------------------------------------------------------------------------------------------------


def test_the_text_form_is_the_figures_and_holds_no_address():
    explorer = BroadcastExplorer(a=(3,), b=(2, 1))
    assert repr(explorer) == repr(figures.broadcast((3,), (2, 1), operation="-"))
    assert repr(explorer) == repr(BroadcastExplorer(a=(3,), b=(2, 1)))


def test_every_state_has_a_still_twin():
    for name, explorer in explorers().items():
        assert explorer.still().alt, name
        bundle, _ = explorer._repr_mimebundle_()
        assert bundle["text/plain"] == repr(explorer)
        assert "<img" in bundle["text/html"]
        explorer.close()


def test_making_panels_that_nobody_shows_opens_no_widgets():
    before = open_widgets()
    for _ in range(20):
        BroadcastExplorer(a=(2, 3), b=(3,)).a = (1, 3)
    assert open_widgets() == before


def test_two_panels_do_not_know_each_other():
    one, two = BroadcastExplorer(), BroadcastExplorer()
    before = two.picture
    one.a = (2, 2)
    one.operation = "+"
    assert two.picture == before
