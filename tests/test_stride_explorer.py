"""The stride explorer without a page: traits in, picture out, errors inside, nothing leaked."""

import json
import logging

import ipywidgets
import numpy as np
import pytest
from hypothesis import given, settings
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from tensorlab.errors import ArgumentError, BoundsError, ShapeError
from tensorlab.explore import StrideExplorer, panel
from tensorlab.explore.moves import MOVES, State, follow, uneven_jumps
from tensorlab.explore.puzzles import PUZZLES
from tensorlab.layout import Layout
from tests.strategies import layouts


def numbers(explorer):
    """What the grid of the picture shows, as an array."""
    figure = explorer.picture["figure"]
    texts = [figure["slots"][item][1] for item in figure["views"][0]["cells"]]
    return np.array([int(text) for text in texts]).reshape(explorer.shape)


def heard(explorer, *commands, n=1):
    explorer._listen({"n": n, "do": [list(command) for command in commands]})


def open_widgets():
    return len(ipywidgets.widgets.widget._instances)


# ---- traits in, picture out -----------------------------------------------------------------------------------------


def test_it_opens_row_major_with_one_line():
    explorer = StrideExplorer(shape=(3, 4))
    assert (explorer.strides, explorer.offset, explorer.length) == ((4, 1), 0, 12)
    assert numbers(explorer).tolist() == np.arange(12).reshape(3, 4).tolist()
    assert explorer.error == ""


@settings(max_examples=60)
@given(layouts())
def test_every_layout_can_be_set_and_every_slot_is_where_the_formula_says(layout):
    explorer = StrideExplorer(shape=2, length=16)
    explorer.current = layout
    if explorer.error:
        assert "more than" in explorer.error
        return
    assert (explorer.shape, explorer.strides, explorer.offset) == (layout.shape, layout.strides, layout.offset)
    figure = explorer.picture["figure"]
    if layout.size <= 64 and max(layout.shape, default=0) <= 64:
        shown = [int(figure["slots"][item][0]) for item in figure["views"][0]["cells"]]
        steps = [np.dot(index, layout.strides) for index in np.ndindex(layout.shape)]
        assert shown == [layout.offset + int(step) for step in steps]
    json.dumps(explorer.picture)


def test_the_corner_that_leaves_the_buffer_is_named_and_selected():
    explorer = StrideExplorer(strides=(-4, -1), offset=11, select=(1, 1), length=12)
    assert numbers(explorer).tolist() == np.arange(12)[::-1].reshape(3, 4).tolist()
    explorer.offset = 10
    assert explorer.picture["facts"][0] == {
        "holds": 0,
        "words": "[2, 3] leaves the buffer: slot −1, but the buffer starts at slot 0.",
    }
    figure = explorer.picture["figure"]
    assert figure["slots"][figure["start"][1]][0] == -1
    explorer.offset = 13
    assert "[0, 0] leaves the buffer: slot 13, but the buffer ends at slot 11." in explorer.picture["facts"][0]["words"]


def test_two_indices_on_one_slot_are_both_named():
    explorer = StrideExplorer(shape=(3, 3), strides=(1, 1), length=8)
    assert explorer.picture["facts"] == [
        {"holds": 1, "words": "Every index stays inside: slots 0 to 4, 5 of 8 read."},
        {"holds": 0, "words": "[0, 1] and [1, 0] share slot 1: read-only."},
    ]


@pytest.mark.parametrize(
    ("code", "same"),
    [
        (".transpose(0, 1)", lambda x: x.T),
        (".permute((1, 0))", lambda x: x.T),
        (".flip(1)", lambda x: x[:, ::-1]),
        (".narrow(0, 1, 2)", lambda x: x[1:3]),
        (".step(1, 2)", lambda x: x[:, ::2]),
        (".step(1, -3)", lambda x: x[:, ::-3]),
        (".windows(1, 3)", lambda x: sliding_window_view(x, 3, axis=1)),
        (".diagonal(0, 1)", lambda x: x.diagonal()),
        (".broadcast_to((2, 3, 4))", lambda x: np.broadcast_to(x, (2, 3, 4))),
        (".unsqueeze(1)", lambda x: x[:, None]),
        (".reshape((2, 6))", lambda x: x.reshape(2, 6)),
        (".reshape(-1)", lambda x: x.reshape(-1)),
        ("[1]", lambda x: x[1]),
        ("[:, 2]", lambda x: x[:, 2]),
        ("[1:, ::-2]", lambda x: x[1:, ::-2]),
        (".contiguous()", lambda x: x.copy()),
        ("strides[0] = 1", lambda x: as_strided(x, (3, 4), (x.itemsize, x.itemsize))),
        ("shape[1] = 2", lambda x: x[:, :2]),
        ("Layout((4,), (2,), 3)", lambda x: x.reshape(-1)[3:10:2]),
    ],
)
def test_a_move_shows_what_numpy_shows(code, same):
    explorer = StrideExplorer(shape=(3, 4))
    explorer.move(code)
    assert explorer.error == ""
    assert numbers(explorer).tolist() == same(np.arange(12).reshape(3, 4)).tolist()
    assert explorer.history == (code,)


@pytest.mark.parametrize(
    "code",
    [
        "",
        "flip(0)",
        ".flip",
        ".flip(0).flip(1)",
        ".tolist()",
        ".flip(a)",
        "offset",
        "y = 3",
        "import os",
        ".flip(0, 1, 2)",
        ".__class__()",
        "[__import__('os')]",
        "Layout(1)",
        "shape[0] = 1; 2",
        "\x00",
    ],
)
def test_what_is_no_move_is_refused_by_name(code):
    with pytest.raises(ArgumentError, match="is no move"):
        follow(State(Layout.row_major((3, 4)), tuple(range(12))), code)


def test_all_moves_on_offer_are_the_code_that_they_show():
    explorer = StrideExplorer(shape=(2, 3, 4))
    assert [one["name"] for one in explorer.picture["moves"]] == list(MOVES)
    heard(explorer, ("choose", "axis", 2), ("choose", "other", 0), ("choose", "at", 1), ("choose", "by", 3))
    heard(explorer, ("choose", "into", "6, 4"))
    assert {one["name"]: one["code"] for one in explorer.picture["moves"]} == {
        "swap": ".transpose(0, 2)",
        "reverse": ".flip(2)",
        "range": ".narrow(2, 1, 3)",
        "step": ".step(2, 3)",
        "diagonal": ".diagonal(0, 2)",
        "repeat": ".broadcast_to((3, 2, 3, 4))",
        "windows": ".windows(2, 3)",
        "add": ".unsqueeze(2)",
        "pick": "[:, :, 1]",
        "copy": ".contiguous()",
        "reshape": ".reshape((6, 4))",
    }
    assert all(one["possible"] for one in explorer.picture["moves"])


def test_a_move_that_cannot_be_made_is_marked_and_says_why_when_tried():
    explorer = StrideExplorer(shape=4)
    moves = {one["name"]: one for one in explorer.picture["moves"]}
    assert not moves["diagonal"]["possible"]
    explorer.move(moves["diagonal"]["code"])
    assert "does not exist" in explorer.error or "named twice" in explorer.error
    assert explorer.history == ()


# ---- history --------------------------------------------------------------------------------------------------------


def test_a_link_says_which_numbers_changed_and_that_no_byte_moved():
    explorer = StrideExplorer(shape=(3, 4))
    explorer.move(".transpose(0, 1)")
    start, link = explorer.picture["chain"]["links"]
    assert start["code"] == "start"
    assert link == {
        "code": ".transpose(0, 1)",
        "numbers": [["shape", "(4, 3)"], ["strides", "(1, 4)"], ["offset", "0"]],
        "changed": ["shape", "strides"],
        "bytes": 0,
    }
    assert explorer.picture["effect"] == "shape (3, 4) → (4, 3), strides (4, 1) → (1, 4). 0 bytes moved."
    assert explorer.picture["changed"] == ["shape:0", "shape:1", "strides:0", "strides:1"]


def test_the_history_can_be_walked_back_and_forth_until_another_move_is_made():
    explorer = StrideExplorer(shape=(3, 4))
    for code in (".transpose(0, 1)", ".flip(0)", ".step(1, 2)"):
        explorer.move(code)
    explorer.link = 1
    assert (explorer.shape, explorer.strides) == ((4, 3), (1, 4))
    explorer.link = 3
    assert (explorer.shape, explorer.strides, explorer.offset) == ((4, 2), (-1, 8), 3)
    explorer.link = 1
    explorer.move(".flip(1)")
    assert explorer.history == (".transpose(0, 1)", ".flip(1)")
    explorer.link = 7
    assert explorer.error == "link: the history has no link 7 (expected 0 to 2)"
    assert explorer.link == 2


def test_the_same_number_set_again_is_one_link():
    explorer = StrideExplorer(shape=(3, 4))
    for offset in (1, 2, 3):
        explorer.offset = offset
    explorer.strides = (4, 2)
    assert explorer.history == ("offset = 3", "strides[1] = 2")


def test_a_history_set_from_python_is_made_at_once_and_a_wrong_one_changes_nothing():
    explorer = StrideExplorer(shape=(3, 4))
    explorer.history = [".flip(0)", ".flip(1)"]
    assert (explorer.strides, explorer.offset, explorer.link) == ((-4, -1), 11, 2)
    explorer.history = [".flip(0)", ".flip(7)"]
    assert "axis 7 does not exist" in explorer.error
    assert explorer.history == (".flip(0)", ".flip(1)")
    explorer.history = "flip"
    assert explorer.error == 'history: moves are texts (expected such as (".flip(0)",))'
    explorer.history = ()
    assert (explorer.strides, explorer.offset, explorer.error) == ((4, 1), 0, "")


def test_a_reshape_that_needs_a_copy_tears_the_chain_and_shows_two_jumps():
    explorer = StrideExplorer(shape=(3, 4), history=[".transpose(0, 1)"])
    explorer.move(".reshape(12)")
    broken = explorer.picture["broken"]
    assert (broken["words"], broken["bytes"]) == ("axis 0 would jump +4, then −7", 48)
    assert broken["jumps"] == [{"steps": (0, 1), "jump": "+4"}, {"steps": (2, 3), "jump": "−7"}]
    assert "would have to move elements" in explorer.error
    heard(explorer, ("move", ".contiguous()"), ("move", ".reshape(12)"))
    assert explorer.picture["broken"] is None
    assert [link["bytes"] for link in explorer.picture["chain"]["links"]] == [0, 0, 48, 0]
    assert numbers(explorer).tolist() == np.arange(12).reshape(3, 4).T.reshape(-1).tolist()
    explorer.link = 0
    assert numbers(explorer).tolist() == np.arange(12).reshape(3, 4).tolist()


@settings(max_examples=60)
@given(layouts())
def test_uneven_jumps_exist_exactly_where_numpy_would_copy(layout):
    if not 1 < layout.size <= 48:
        return
    start, stop = layout.span
    memory = np.arange(stop - start)
    array = as_strided(memory[layout.offset - start :], layout.shape, [8 * stride for stride in layout.strides])
    for shape in [(layout.size,), layout.shape[::-1], (*layout.shape, 1)]:
        copies = not np.shares_memory(memory, array.reshape(shape))
        assert (uneven_jumps(layout, shape) is not None) == copies


def test_a_copy_of_what_is_not_there_is_refused():
    explorer = StrideExplorer(shape=3, strides=-1, offset=1, length=4)
    explorer.move(".contiguous()")
    assert explorer.error == "contiguous: [2] is slot −1: there is nothing to copy (expected positions from 0 to 3)"


# ---- the walk -------------------------------------------------------------------------------------------------------


def test_the_walk_counts_the_cache_lines_that_it_touches():
    explorer = StrideExplorer(shape=(3, 4))
    assert explorer.picture["walk"]["touched"] == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    assert explorer.picture["walk"]["loads"][-1] == 3
    explorer.move(".transpose(0, 1)")
    walk = explorer.picture["walk"]
    assert walk["positions"] == [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]
    assert (walk["touched"][-1], walk["loads"][-1], walk["bytes"]) == (3, 12, 16)
    assert walk["looks"][:3] == ["a1", "a1", "a0"]
    explorer.line = 12
    assert (explorer.picture["walk"]["touched"][-1], explorer.picture["walk"]["loads"][-1]) == (1, 1)


def test_the_walk_ends_where_it_leaves_the_buffer():
    walk = StrideExplorer(shape=(3, 4), length=10).picture["walk"]
    assert (walk["positions"][-1], walk["left"], walk["lines"][-1], len(walk["positions"])) == (10, 1, -1, 11)


@pytest.mark.parametrize("shape", [(), (0, 3), (3,), (2, 2, 2, 2), (1,), (40, 50)])
def test_every_shape_can_be_shown(shape):
    explorer = StrideExplorer(shape=shape)
    assert explorer.error == ""
    json.dumps(explorer.picture)
    assert explorer.picture["walk"]["size"] == int(np.prod(shape))


# ---- errors stay inside ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("shape", "wide", "shape takes whole numbers only"),
        ("shape", (2, -1), "axis 1 cannot have length -1"),
        ("strides", (1.5, 2), "strides takes whole numbers only"),
        ("offset", None, "offset takes whole numbers only"),
        ("length", -1, "-1 is out of reach"),
        ("length", 10**9, "out of reach"),
        ("puzzle", 99, "99 is out of reach"),
        ("select", (9, 9), "axis 0 has no index 9"),
        ("select", (1,), "names 1 axis"),
        ("history", (3,), "moves are texts"),
        ("shape", (1000, 1000), "is more than the panel can show"),
        ("offset", 10**12, "more than nine digits"),
    ],
)
def test_an_illegal_trait_shows_its_error_inside_the_panel_and_in_the_log(name, value, words, caplog):
    explorer = StrideExplorer(shape=(3, 4))
    before = numbers(explorer).tolist()
    with caplog.at_level(logging.WARNING, logger="tensorlab.explore"):
        setattr(explorer, name, value)
    assert words in explorer.error
    assert words in explorer.picture["error"]
    assert words in caplog.text
    explorer.shape = (3, 4)
    explorer.offset = 0
    explorer.offset = 1
    explorer.offset = 0
    assert explorer.error == ""
    assert numbers(explorer).tolist() == before


def test_shape_and_strides_of_different_rank_wait_for_each_other():
    explorer = StrideExplorer(shape=(3, 4))
    explorer.shape = (2, 3, 2)
    assert explorer.error == (
        "Layout: shape (2, 3, 2) has 3 axes, strides (4, 1) has 2 (expected one stride for each axis)"
    )
    assert explorer.current == Layout((3, 4), (4, 1))
    explorer.strides = (6, 2, 1)
    assert explorer.error == ""
    assert explorer.current == Layout((2, 3, 2), (6, 2, 1))
    assert explorer.history == ("Layout((2, 3, 2), (6, 2, 1), 0)",)


def test_an_unforeseen_error_shows_inside_the_panel_and_in_the_log_with_its_trace(monkeypatch, caplog):
    explorer = StrideExplorer(shape=(3, 4))
    picture = explorer.picture["figure"]
    with monkeypatch.context() as broken:
        broken.setattr(StrideExplorer, "_describe", lambda self: 1 / 0)
        explorer.offset = 1
    assert explorer.picture["error"] == "ZeroDivisionError: division by zero"
    assert explorer.picture["figure"] == picture
    assert "Traceback" in caplog.text
    explorer.offset = 2
    assert explorer.error == ""


def test_only_the_constructor_raises():
    with pytest.raises(ShapeError, match="one stride"):
        StrideExplorer(shape=(3, 4), strides=(1,))
    with pytest.raises(ArgumentError, match="whole numbers"):
        StrideExplorer(shape="abc")
    with pytest.raises(BoundsError, match="puzzle: 13 is out of reach"):
        StrideExplorer(puzzle=13)
    with pytest.raises(BoundsError, match="axis 0 has no index 5"):
        StrideExplorer(select=(5, 0))


# ---- commands of the page -------------------------------------------------------------------------------------------


def test_a_burst_of_commands_ends_in_one_picture_of_the_last_state():
    explorer = StrideExplorer(shape=(3, 4), length=40)
    pictures = []
    explorer.observe(lambda change: pictures.append(change["new"]), "picture")
    heard(explorer, *(("number", "offset", offset) for offset in range(1, 21)), n=5)
    assert len(pictures) <= 2
    assert (pictures[-1]["offset"], pictures[-1]["heard"]) == (20, 5)
    assert explorer.history == ("offset = 20",)


def test_every_change_from_python_ends_in_the_last_state_too():
    explorer = StrideExplorer(shape=(3, 4), length=40)
    with explorer.held():
        for offset in range(1, 21):
            explorer.offset = offset
    assert explorer.picture["offset"] == 20


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("number", "offset", "ten"), "offset takes whole numbers only"),
        (("number", "shape[0]", -1), "cannot have length -1"),
        (("number", "shape[9]", 1), "axis 9 does not exist"),
        (("move", ".flip(4)"), "axis 4 does not exist"),
        (("select", "abc"), "whole numbers"),
        (("choose", "at", -1), "out of reach"),
        (("choose", "nothing", 1), "asked for 'choose'"),
        (("open", "/etc/passwd"), "asked for 'open'"),
        (("__init__",), "asked for '__init__'"),
        ((), "TypeError"),
    ],
)
def test_a_command_that_cannot_be_obeyed_is_answered_with_an_error(command, words):
    explorer = StrideExplorer(shape=(3, 4))
    heard(explorer, command, n=3)
    assert words in explorer.picture["error"]
    assert explorer.picture["heard"] == 3
    assert explorer.current == Layout((3, 4), (4, 1))


def test_what_the_page_selects_is_a_trait_and_stays_while_it_names_a_cell():
    explorer = StrideExplorer(shape=(3, 4))
    heard(explorer, ("select", [2, 3]))
    assert explorer.select == (2, 3)
    explorer.offset = 1
    assert explorer.select is None
    explorer.offset = 0
    explorer.select = (0, 3)
    explorer.move(".flip(1)")
    assert explorer.select == (0, 3)
    explorer.move(".transpose(0, 1)")
    assert explorer.select is None


# ---- puzzles --------------------------------------------------------------------------------------------------------


def test_there_are_eight_to_twelve_puzzles_and_no_two_ask_for_the_same():
    assert 8 <= len(PUZZLES) <= 12
    targets = {(puzzle.shape, puzzle.target.shape, tuple(puzzle.target.positions())) for puzzle in PUZZLES}
    assert len(targets) == len({puzzle.title for puzzle in PUZZLES}) == len(PUZZLES)


@pytest.mark.parametrize("number", range(1, len(PUZZLES) + 1))
def test_a_puzzle_is_not_solved_at_its_start_and_its_listed_moves_solve_it(number):
    puzzle = PUZZLES[number - 1]
    explorer = StrideExplorer(puzzle=number)
    shown = explorer.picture["puzzle"]
    assert (shown["title"], shown["solved"]) == (puzzle.title, 0)
    offered = {one["code"].partition("(")[0] for one in explorer.picture["moves"]}
    for code in puzzle.solution:
        assert code.partition("(")[0] in offered
        assert number not in explorer.solved
        explorer.move(code)
    assert explorer.error == ""
    assert explorer.picture["puzzle"]["solved"] == 1
    assert explorer.solved == (number,)
    assert numbers(explorer).reshape(-1).tolist() == shown["cells"]
    assert explorer.picture["chain"]["links"][-1]["bytes"] == 0


@pytest.mark.parametrize("number", range(1, len(PUZZLES) + 1))
def test_a_puzzle_is_solved_by_numbers_alone_too(number):
    target = PUZZLES[number - 1].target
    explorer = StrideExplorer(puzzle=number)
    explorer.current = target
    assert explorer.solved == (number,)


@pytest.mark.parametrize(
    ("number", "rows"),
    [
        (1, [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]),
        (4, [[11, 10, 9, 8], [7, 6, 5, 4], [3, 2, 1, 0]]),
        (5, [0, 5, 10, 15]),
        (6, [3, 6, 9, 12]),
        (7, [[4, 5, 6, 7]] * 3),
        (10, [[2, 1, 0], [3, 2, 1], [4, 3, 2], [5, 4, 3], [6, 5, 4], [7, 6, 5]]),
        (12, [[[0, 2], [5, 7]], [[8, 10], [13, 15]]]),
    ],
)
def test_the_picture_of_a_puzzle_is_the_one_worked_out_by_hand(number, rows):
    shown = StrideExplorer(puzzle=number).picture["puzzle"]
    assert np.array(shown["cells"]).reshape(shown["shape"]).tolist() == rows


def test_the_first_difference_is_marked_when_asked_and_forgotten_at_the_next_change():
    explorer = StrideExplorer(puzzle=3)
    assert explorer.picture["puzzle"]["marked"] == -1
    heard(explorer, ("compare",))
    shown = explorer.picture["puzzle"]
    assert (shown["marked"], shown["said"]) == (1, "[0, 1] should be slot 2; yours is slot 1.")
    explorer.strides = (4, 2)
    assert explorer.picture["puzzle"]["marked"] == -1
    heard(explorer, ("compare",))
    said = explorer.picture["puzzle"]["said"]
    assert said == "Every cell of the target is there, but your shape is (3, 4), not (3, 2)."


def test_moves_are_unlocked_as_they_are_needed_and_a_copy_never_is():
    first = StrideExplorer(puzzle=1)
    assert [one["name"] for one in first.picture["moves"]] == ["swap"]
    last = StrideExplorer(puzzle=len(PUZZLES))
    assert {one["name"] for one in last.picture["moves"]} == set(MOVES) - {"copy"}
    copied = StrideExplorer(puzzle=1)
    for code in (".transpose(0, 1)", ".contiguous()"):
        copied.move(code)
    assert copied.picture["puzzle"]["solved"] == 0


def test_leaving_the_puzzles_goes_back_to_what_was_explored():
    explorer = StrideExplorer(shape=(2, 5))
    explorer.puzzle = 5
    assert explorer.shape == (4, 4)
    explorer.puzzle = 0
    assert (explorer.shape, explorer.history, explorer.picture["puzzle"]) == ((2, 5), (), None)


# ---- showing, and showing again -------------------------------------------------------------------------------------


@pytest.fixture
def cell(monkeypatch):
    """Say which cell runs, for the n-th time."""
    now = {"cell": None, "run": None}
    monkeypatch.setattr(panel, "_running_cell", lambda: (now["cell"], now["run"]))
    monkeypatch.setattr(panel, "_shown", {})

    def run(cell, number):
        now.update(cell=cell, run=number)

    return run


def test_running_a_cell_twenty_times_leaks_nothing(cell):
    before = open_widgets()
    for number in range(20):
        cell("a", number)
        StrideExplorer(shape=(3, 4))._repr_mimebundle_()
        assert open_widgets() <= before + 2


def test_an_explorer_that_is_never_shown_opens_nothing(cell):
    before = open_widgets()
    for _ in range(20):
        StrideExplorer(shape=(3, 4)).offset = 3
    assert open_widgets() == before


def test_two_panels_of_one_cell_are_independent_and_both_stay_open(cell):
    cell("a", 1)
    one, two = StrideExplorer(shape=(3, 4)), StrideExplorer(shape=(3, 4))
    for shown in (one, two):
        shown._repr_mimebundle_()
    assert one.comm is not None
    assert two.comm is not None
    assert one.model_id != two.model_id
    one.offset = 1
    assert two.offset == 0
    assert two.picture["offset"] == 0


def test_a_panel_that_another_cell_shows_stays_open_and_a_closed_one_opens_again(cell):
    kept = StrideExplorer(shape=(3, 4))
    for name in ("a", "b"):
        cell(name, 1)
        kept._repr_mimebundle_()
    cell("a", 2)
    StrideExplorer(shape=2)._repr_mimebundle_()
    assert kept.comm is not None
    cell("b", 2)
    StrideExplorer(shape=2)._repr_mimebundle_()
    assert kept.comm is None
    kept.offset = 5
    cell("c", 1)
    bundle, _ = kept._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == kept.model_id
    assert kept.picture["offset"] == 5


def test_its_twin_is_stable_text_and_a_still_figure():
    one, two = StrideExplorer(shape=(3, 4), history=[".flip(0)"]), StrideExplorer(shape=(3, 4), history=[".flip(0)"])
    assert repr(one) == repr(two)
    assert "0x" not in repr(one)
    assert repr(one).startswith("x.flip(0)\nshape (3, 4) · strides (−4, 1) · offset 8")
    first, second = one._repr_mimebundle_()[0], two._repr_mimebundle_()[0]
    assert first["text/html"] == second["text/html"]
    assert first["text/plain"] == repr(one)
    assert "<img alt=" in first["text/html"]


def test_only_the_picture_is_shared_with_the_page():
    keys = {key for key in StrideExplorer().get_state() if not key.startswith("_")}
    assert keys <= {"picture", "layout", "tabbable", "tooltip"}
