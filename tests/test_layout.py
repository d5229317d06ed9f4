"""Where elements live: positions, their inverse, spans, flags and overlap, held against NumPy and brute force."""

import ast
import itertools
import pathlib
from dataclasses import FrozenInstanceError
from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import tensorlab.layout
from tensorlab.errors import ArgumentError, BoundsError, ShapeError
from tensorlab.layout import Layout, Overlap
from tests import strategies

HUGE = 2**40  # times itself, far beyond any machine word


def brute_walk(layout):
    """Every (index, position), by the formula and nothing else."""
    return [
        (index, layout.offset + sum(i * stride for i, stride in zip(index, layout.strides, strict=True)))
        for index in itertools.product(*map(range, layout.shape))
    ]


def in_memory(layout, dtype=np.int8):
    """The layout as a NumPy view, its lowest position at the start of a buffer, for flags and shares_memory."""
    itemsize = np.dtype(dtype).itemsize
    start, stop = layout.span
    buffer = np.zeros(stop - start + 1, dtype)
    strides = [stride * itemsize for stride in layout.strides]
    return np.lib.stride_tricks.as_strided(buffer[layout.offset - start :], layout.shape, strides)


# Making one


def test_a_layout_is_a_frozen_value_that_can_be_compared_hashed_and_printed():
    layout = Layout((2, 3), (3, 1))
    assert layout == Layout([2, 3], [3, 1], 0)
    assert len({layout, Layout.row_major((2, 3))}) == 1
    assert repr(layout) == "Layout(shape=(2, 3), strides=(3, 1), offset=0)"
    with pytest.raises(FrozenInstanceError):
        layout.offset = 1


def test_a_layout_holds_plain_integers_whatever_kind_it_was_given():
    layout = Layout(np.array([2, 3]), (np.int8(3), np.uint64(1)), np.int32(4))
    assert {type(number) for number in (*layout.shape, *layout.strides, layout.offset)} == {int}


def test_one_axis_may_be_given_as_an_integer():
    assert Layout(3, 2) == Layout((3,), (2,))
    assert Layout.row_major(3) == Layout.column_major(3) == Layout((3,), (1,))


@given(strategies.shapes())
def test_packed_layouts_have_numpys_strides(shape):
    for order, packed in (("C", Layout.row_major(shape, 7)), ("F", Layout.column_major(shape, 7))):
        assert (packed.shape, packed.offset) == (shape, 7)
        if packed.size:
            assert packed.strides == np.zeros(shape, np.int8, order=order).strides


def test_an_empty_axis_is_packed_as_if_it_had_length_1():
    assert Layout.row_major((3, 0, 2)).strides == (2, 2, 1)
    assert Layout.column_major((3, 0, 2)).strides == (1, 3, 3)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda: Layout((2, 3), (1,)),
            ShapeError,
            "Layout: shape (2, 3) has 2 axes, strides (1,) has 1\n"
            "  expected: one stride for each axis\n"
            "  got:      1 stride",
        ),
        (
            lambda: Layout((2, -3), (1, 1)),
            ShapeError,
            "Layout: axis 1 cannot have length -3\n  expected: lengths of 0 or more\n  got:      (2, -3)",
        ),
        (
            lambda: Layout((2, 3.0), (1, 1)),
            ArgumentError,
            "Layout: shape takes whole numbers only\n  expected: an integer\n  got:      3.0 (float)",
        ),
        (
            lambda: Layout((2, 3), (1, True)),
            ArgumentError,
            "Layout: strides takes whole numbers only\n  expected: an integer\n  got:      True (bool)",
        ),
        (
            lambda: Layout((2,), (1,), None),
            ArgumentError,
            "Layout: offset takes whole numbers only\n  expected: an integer\n  got:      None (NoneType)",
        ),
        (
            lambda: Layout.row_major("34"),
            ArgumentError,
            "row_major: shape takes whole numbers only\n  expected: an integer\n  got:      '34' (str)",
        ),
    ],
)
def test_what_cannot_be_a_layout_is_refused_with_its_reason(make, kind, message):
    with pytest.raises(kind) as caught:
        make()
    assert str(caught.value) == message


def test_the_room_needs_no_numpy():
    tree = ast.parse(pathlib.Path(tensorlab.layout.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {getattr(node, "module", None) or node.names[0].name for node in imports}
    assert names == {
        "operator",
        "collections",
        "collections.abc",
        "dataclasses",
        "itertools",
        "math",
        "tensorlab.errors",
    }


# From index to position, and back


@pytest.mark.parametrize(
    ("layout", "index", "position"),
    [
        (Layout.row_major((151936, 1024)), (785, 0), 803_840),
        (Layout.row_major((3, 4)), (2, 1), 9),
        (Layout.column_major((3, 4)), (0, 3), 9),
        (Layout((3, 4), (-4, -1), 11), (0, 0), 11),
        (Layout((3, 4), (-4, -1), 10), (2, 3), -1),
        (Layout((), (), 5), (), 5),
        (Layout(4, 2, 1), 3, 7),
        (Layout.row_major((HUGE, HUGE)), (HUGE - 1, HUGE - 1), HUGE**2 - 1),
    ],
)
def test_known_indices_have_their_known_positions(layout, index, position):
    assert layout.position(index) == position


@pytest.mark.parametrize(
    ("layout", "index", "kind", "message"),
    [
        (
            Layout.row_major((2, 3)),
            (0, 5),
            BoundsError,
            "position: axis 1 has no index 5\n  expected: 0 <= index < 3\n  got:      (0, 5)",
        ),
        (
            Layout.row_major((2, 3)),
            (-1, 0),
            BoundsError,
            "position: axis 0 has no index -1\n  expected: 0 <= index < 2\n  got:      (-1, 0)",
        ),
        (
            Layout.row_major((2, 0)),
            (1, 0),
            BoundsError,
            "position: axis 1 has no index 0\n  expected: no index at all: the axis has length 0\n  got:      (1, 0)",
        ),
        (
            Layout.row_major((2, 3)),
            1,
            ShapeError,
            "position: index (1,) names 1 axis, shape (2, 3) has 2\n"
            "  expected: one number for each axis\n"
            "  got:      (1,)",
        ),
        (
            Layout.row_major((2, 3)),
            (0, 1.0),
            ArgumentError,
            "position: index takes whole numbers only\n  expected: an integer\n  got:      1.0 (float)",
        ),
    ],
)
def test_an_index_that_does_not_exist_is_refused_by_axis(layout, index, kind, message):
    with pytest.raises(kind) as caught:
        layout.position(index)
    assert str(caught.value) == message


@given(strategies.layouts())
def test_a_walk_visits_every_index_in_logical_order_with_its_position(layout):
    walked = list(layout.walk())
    assert walked == brute_walk(layout)
    assert list(layout.positions()) == [position for _, position in walked]
    assert [layout.position(index) for index, _ in walked] == [position for _, position in walked]


def test_reversing_the_axes_of_a_cube_walks_it_sideways():
    assert list(Layout((2, 2, 2), (1, 2, 4)).positions()) == [0, 4, 2, 6, 1, 5, 3, 7]


def test_a_walk_is_lazy():
    assert list(islice(Layout.row_major((HUGE, HUGE)).walk(), 2)) == [((0, 0), 0), ((0, 1), 1)]
    assert list(Layout.row_major((HUGE, HUGE, 0)).walk()) == []


@given(strategies.layouts())
def test_indices_are_exactly_those_whose_position_it_is_in_logical_order(layout):
    start, stop = layout.span
    walked = brute_walk(layout)
    for position in range(start - 2, stop + 2):
        assert list(layout.indices(position)) == [index for index, reached in walked if reached == position]


def test_a_slot_says_which_cell_it_is_in_either_order():
    assert list(Layout.row_major((3, 4)).indices(9)) == [(2, 1)]
    assert list(Layout.column_major((3, 4)).indices(9)) == [(0, 3)]


@pytest.mark.parametrize(
    "layout",
    [
        Layout.row_major((HUGE, HUGE)),
        Layout.column_major((HUGE, HUGE, HUGE)),
        Layout((HUGE, HUGE), (-HUGE - 24, 1), HUGE**3),
        Layout((1000, HUGE, 3, 7), (7, 49_000, 1 << 62, -7_000), 5),
    ],
)
def test_the_index_of_a_slot_is_found_at_once_however_many_there_are(layout):
    for index in ((0,) * layout.ndim, tuple(length // 2 for length in layout.shape)):
        assert list(layout.indices(layout.position(index))) == [index]


def test_a_slot_that_is_repeated_for_ever_yields_its_indices_one_at_a_time():
    repeated = Layout((HUGE, 3, HUGE), (0, 1, 0))
    assert list(islice(repeated.indices(2), 3)) == [(0, 2, 0), (0, 2, 1), (0, 2, 2)]
    assert list(repeated.indices(3)) == []


def test_a_repeated_axis_is_not_searched_again_for_what_is_not_there():
    sums_of_some = Layout((HUGE, 2, 2, 2, 2, 2, 2), (0, 100, 101, 103, 107, 109, 113))
    assert list(islice(sums_of_some.indices(201), 2)) == [(0, 1, 1, 0, 0, 0, 0), (1, 1, 1, 0, 0, 0, 0)]
    assert list(sums_of_some.indices(250)) == []


def test_indices_of_something_that_is_no_position_are_refused():
    with pytest.raises(ArgumentError, match=r"indices: position takes whole numbers only"):
        Layout.row_major(3).indices(1.5)


# Span and the first index outside


@given(strategies.layouts())
def test_the_span_runs_from_the_lowest_position_to_one_past_the_highest(layout):
    positions = [position for _, position in brute_walk(layout)]
    assert layout.span == ((min(positions), max(positions) + 1) if positions else (layout.offset, layout.offset))
    assert layout.size == len(positions)
    assert layout.ndim == len(layout.shape)


@given(strategies.layouts(), st.integers(0, 40))
def test_the_first_index_outside_is_the_first_that_a_walk_meets(layout, length):
    outside = [(index, position) for index, position in brute_walk(layout) if not 0 <= position < length]
    assert layout.first_outside(length) == (outside[0] if outside else None)


@pytest.mark.parametrize(
    ("layout", "length", "first"),
    [
        (Layout((3, 4), (-4, -1), 11), 12, None),
        (Layout((3, 4), (-4, -1), 10), 12, ((2, 3), -1)),
        (Layout((4, 3), (4, 2)), 16, ((3, 2), 16)),
        (Layout((4, 3), (4, 2)), 17, None),
        (Layout((HUGE, HUGE), (HUGE, 1), -1), HUGE**2, ((0, 0), -1)),
        (Layout((HUGE, HUGE), (HUGE, 1), 1), HUGE**2, ((HUGE - 1, HUGE - 1), HUGE**2)),
        (Layout((), (), 3), 3, ((), 3)),
        (Layout((0, 3), (1, 1), -5), 0, None),
    ],
)
def test_the_corners_decide_whether_a_layout_fits(layout, length, first):
    assert layout.first_outside(length) == first


# Contiguity


@given(strategies.layouts())
def test_contiguity_is_judged_as_numpy_judges_its_flags(layout):
    flags = in_memory(layout).flags
    assert (layout.is_row_major, layout.is_column_major) == (flags.c_contiguous, flags.f_contiguous)


@pytest.mark.parametrize(
    ("layout", "row_major", "column_major"),
    [
        (Layout((2, 2), (9, 1)), False, False),
        (Layout((2, 2), (-2, -1), 3), False, False),
        (Layout((1, 3), (99, 1)), True, True),
        (Layout((3, 1), (1, -5)), True, True),
        (Layout((3, 0), (7, 7)), True, True),
        (Layout((), (), 9), True, True),
        (Layout((2, 3), (3, 1), 5), True, False),
    ],
)
def test_axes_that_never_step_do_not_spoil_contiguity(layout, row_major, column_major):
    assert (layout.is_row_major, layout.is_column_major) == (row_major, column_major)


# Overlap


@given(strategies.layouts())
def test_self_overlap_is_what_brute_force_finds_with_two_indices_that_show_it(layout):
    positions = [position for _, position in brute_walk(layout)]
    answer = layout.self_overlap(max_work=None)
    assert answer.verdict == ("yes" if len(set(positions)) < len(positions) else "no")
    if answer.verdict == "yes":
        assert answer.first < answer.second
        assert layout.position(answer.first) == layout.position(answer.second) == answer.position
    else:
        assert (answer.position, answer.first, answer.second) == (None, None, None)


@given(strategies.layouts(), strategies.layouts())
def test_overlap_is_what_brute_force_finds_with_an_index_of_each_that_shows_it(one, other):
    theirs = {position for _, position in brute_walk(other)}
    shared = [position for _, position in brute_walk(one) if position in theirs]
    answer = one.overlaps(other, max_work=None)
    assert answer.verdict == ("yes" if shared else "no")
    assert answer.possible == bool(shared)
    if shared:
        assert one.position(answer.first) == other.position(answer.second) == answer.position
        assert one.envelope_overlaps(other)


@given(strategies.layouts(), strategies.layouts())
def test_the_envelope_answer_compares_the_spans(one, other):
    assert one.envelope_overlaps(other) == bool(set(range(*one.span)) & set(range(*other.span)))


@given(strategies.layouts(), strategies.layouts(), st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 4, 8]))
def test_views_of_different_dtypes_overlap_when_numpy_says_they_share_memory(one, other, itemsize, other_itemsize):
    both = [one.in_bytes(itemsize), other.in_bytes(other_itemsize)]
    origin = min(layout.span[0] for layout in both)
    memory = np.zeros(max(layout.span[1] for layout in both) - origin + 1, np.int8)
    arrays = [
        np.lib.stride_tricks.as_strided(memory[layout.offset - origin :], layout.shape, layout.strides)
        for layout in both
    ]
    assert both[0].overlaps(both[1]).verdict == ("yes" if np.shares_memory(*arrays) else "no")


@st.composite
def wide_layouts(draw):
    """Layouts too large to walk, with strides that have little or much in common."""
    ndim = draw(st.integers(1, 4))
    stride = st.integers(-2000, 2000) | st.sampled_from([1, 2, 3, 16, 48, 1000, 1001, -1, -1000])
    shape = draw(st.tuples(*[st.integers(1, 300)] * ndim))
    return Layout(shape, draw(st.tuples(*[stride] * ndim)), draw(st.integers(0, 5000)))


@given(wide_layouts(), wide_layouts())
@example(Layout((130, 188, 212), (-2000, 1001, 1001), 3245), Layout((40, 1, 128, 2), (995, 125, 2, 1), 0))
def test_large_odd_layouts_overlap_when_numpy_says_they_share_memory(one, other):
    answer = one.overlaps(other, max_work=1_000_000)
    assert one.overlaps(other).verdict in (answer.verdict, "undecided")
    origin = min(one.span[0], other.span[0])
    memory = np.empty(max(one.span[1], other.span[1]) - origin, np.int8)
    arrays = [
        np.lib.stride_tricks.as_strided(memory[layout.offset - origin :], layout.shape, layout.strides)
        for layout in (one, other)
    ]
    assert answer.verdict == ("yes" if np.shares_memory(*arrays) else "no")
    if answer.verdict == "yes":
        assert one.position(answer.first) == other.position(answer.second) == answer.position


@given(strategies.layouts(), st.sampled_from([1, 2, 8]))
def test_bytes_of_an_element_follow_one_another_from_its_position_times_the_item_size(layout, itemsize):
    expected = [position * itemsize + byte for position in layout.positions() for byte in range(itemsize)]
    assert list(layout.in_bytes(itemsize).positions()) == expected


def test_the_bytes_of_a_known_layout():
    layout = Layout((2, 2), (8, 1), 3)
    assert layout.span == (3, 13)
    in_bytes = layout.in_bytes(4)
    assert in_bytes.offset == 12
    assert in_bytes.span == (12, 52)


@pytest.mark.parametrize("itemsize", [0, -4])
def test_an_element_without_bytes_is_refused(itemsize):
    with pytest.raises(ShapeError) as caught:
        Layout.row_major(3).in_bytes(itemsize)
    assert str(caught.value) == (
        f"in_bytes: an element has 1 byte or more\n  expected: itemsize >= 1\n  got:      {itemsize}"
    )


@pytest.mark.parametrize(
    ("layout", "pair"),
    [
        (Layout((3, 4), (0, 1)), ((0, 0), (1, 0))),
        (Layout((4, 3), (4, 2)), ((0, 2), (1, 0))),
        (Layout((5, 3), (1, 1)), ((0, 1), (1, 0))),
        (Layout((5, 3), (-1, -1), 9), ((0, 1), (1, 0))),
        (Layout((5, 3), (1, -1), 9), ((0, 0), (1, 1))),
        (Layout((HUGE, HUGE), (HUGE - 1, 1)), ((0, HUGE - 1), (1, 0))),
    ],
)
def test_a_counter_example_is_the_pair_nearest_to_the_first_index(layout, pair):
    answer = layout.self_overlap()
    assert (answer.first, answer.second) == pair


@pytest.mark.parametrize(
    "layout",
    [
        Layout.row_major((HUGE, HUGE)),
        Layout.column_major((HUGE, HUGE, HUGE)),
        Layout((HUGE, HUGE), (-3 * HUGE - 17, 3), 5),
        Layout((HUGE, 1, HUGE), (HUGE, 0, -1)),
        Layout((HUGE, 0), (0, 0)),
        Layout((), ()),
    ],
)
def test_everyday_layouts_of_any_size_do_not_overlap_and_need_no_search(layout):
    assert layout.self_overlap(max_work=0) == Overlap("no", work=0)


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (Layout(HUGE, 2), Layout(HUGE, 2, 1), "no"),
        (Layout((HUGE, 512), (1024, 1)), Layout((HUGE, 512), (1024, 1), 512), "no"),
        (Layout((HUGE, 513), (1024, 1)), Layout((HUGE, 512), (1024, 1), 512), "yes"),
        (Layout.row_major((HUGE, HUGE)), Layout.column_major((HUGE, HUGE)), "yes"),
        (Layout.row_major((HUGE, 1024)), Layout(HUGE, -1024, HUGE * 1024 - 1), "yes"),
        (Layout((HUGE, 7), (16, 1)), Layout((HUGE, 2), (-32, 1), 16 * HUGE - 2), "no"),
        (Layout((HUGE, 7), (48, 1)), Layout((HUGE, 2), (-32, 1), 32 * HUGE - 2), "no"),
        (Layout((HUGE, 2), (48, 10)), Layout((HUGE, 2), (32, 9), 3), "no"),
        (Layout((HUGE, 1000), (3003, 1)), Layout((HUGE, 1000), (2002, 1), 999), "yes"),
        (Layout.row_major(HUGE), Layout.row_major(HUGE, HUGE), "no"),
        (Layout((0, HUGE), (1, 1)), Layout.row_major(HUGE), "no"),
    ],
)
def test_everyday_pairs_of_any_size_are_decided_within_a_few_steps(one, other, verdict):
    answer = one.overlaps(other, max_work=20)
    assert answer.verdict == verdict
    if verdict == "yes":
        assert one.position(answer.first) == other.position(answer.second) == answer.position


HARD = Layout((3,) * 40, [3**40 + 3**k + 7 * k * k for k in range(40)])


def test_past_its_work_limit_a_search_says_that_it_is_undecided():
    answer = HARD.self_overlap(max_work=1000)
    assert answer == Overlap("undecided", work=1000)
    assert answer.possible
    row = Layout.row_major((3,) * 40, offset=1)
    assert HARD.overlaps(row, max_work=0) == Overlap("undecided", work=0)


def test_the_default_work_limit_is_stated_and_kept():
    assert HARD.self_overlap().work <= tensorlab.layout.MAX_WORK


@given(strategies.layouts(), st.integers(0, 3))
def test_a_work_limit_may_leave_an_answer_open_but_never_makes_it_wrong(layout, max_work):
    limited, exact = layout.self_overlap(max_work=max_work), layout.self_overlap(max_work=None)
    assert limited.work <= max_work
    assume(limited.verdict != "undecided")
    assert limited == exact


def test_three_answers_have_no_truth_value():
    answer = Layout((2, 3), (3, 1)).self_overlap()
    with pytest.raises(ArgumentError) as caught:
        bool(answer)
    assert str(caught.value) == (
        "overlap: yes, no and undecided are three answers, not true and false\n"
        "  expected: a question with two answers\n"
        "  got:      verdict 'no'\n"
        "  fix:      ask .possible, or compare .verdict"
    )


@pytest.mark.parametrize("ask", [Layout.overlaps, Layout.envelope_overlaps])
def test_only_layouts_can_be_compared(ask):
    with pytest.raises(ArgumentError) as caught:
        ask(Layout.row_major(3), (3,))
    assert str(caught.value) == (
        f"{ask.__name__}: only layouts can be compared\n  expected: a Layout\n  got:      (3,) (tuple)"
    )
