"""Views against NumPy: the same positions, the same strides, a refusal exactly where NumPy would copy."""

import ast
import pathlib
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab import views
from tensorlab.errors import ArgumentError, AxisError, BoundsError, LayoutError, ShapeError
from tensorlab.layout import Layout
from tests import strategies

GRID = Layout.row_major((3, 4))
HUGE = 2**70


def assert_same_view(array, layout):
    """The array's values are its positions; strides count on axes longer than 1 only, as for NumPy's flags."""
    assert layout.shape == array.shape
    assert list(layout.positions()) == array.ravel().tolist()
    assert layout.is_row_major == array.flags.c_contiguous
    assert layout.is_column_major == array.flags.f_contiguous
    if array.size:
        steps = zip(layout.strides, array.strides, array.shape, strict=True)
        assert all(own * array.itemsize == theirs for own, theirs, length in steps if length > 1)


@given(strategies.view_chains())
def test_a_chain_of_views_reaches_numpys_positions_with_numpys_strides(chain):
    assert_same_view(*chain)


@given(st.data())
def test_reshape_is_a_view_exactly_where_numpys_is(data):
    array, layout = data.draw(strategies.view_chains())
    shape = data.draw(strategies.same_size_shapes(array.size))
    reshaped = array.reshape(shape)
    if array.size == 0 or np.may_share_memory(reshaped, array):
        assert_same_view(reshaped, views.reshape(layout, shape))
    else:
        with pytest.raises(LayoutError) as caught:
            views.reshape(layout, shape)
        assert_the_jumps_are_real(caught.value, reshaped, shape)


def assert_the_jumps_are_real(error, copied, shape):
    """The walk along the named axis does make both jumps, wherever it is that they fall."""
    named = error.why.rsplit(": axis ", 1)[1]
    axis, first, second = (
        int(word.strip(",")) for word in named.replace(" would jump", "").replace("then ", "").split()
    )
    jumps = set(np.diff(copied, axis=axis).ravel().tolist())
    assert {first, second} <= jumps
    assert first != second
    assert copied.shape == shape


@given(st.data())
def test_minus_one_is_the_length_numpy_works_out(data):
    shape = data.draw(strategies.shapes(min_ndim=1))
    wanted = list(data.draw(strategies.same_size_shapes(prod(shape))))
    wanted[data.draw(st.integers(0, len(wanted) - 1))] = -1
    array = np.arange(prod(shape)).reshape(shape)
    try:
        reshaped = array.reshape(wanted)
    except ValueError:
        with pytest.raises(ShapeError):
            views.reshape(Layout.row_major(shape), wanted)
    else:
        assert_same_view(reshaped, views.reshape(Layout.row_major(shape), wanted))


@given(st.data())
def test_brackets_mean_what_they_mean_in_numpy(data):
    array, layout = data.draw(strategies.view_chains())
    key = data.draw(strategies.keys(array.shape))
    assert_same_view(np.asarray(array[key]), views.index(layout, key))


@given(st.lists(strategies.shapes(), max_size=4))
def test_shapes_broadcast_together_as_in_numpy(shapes):
    try:
        expected = np.broadcast_shapes(*shapes)
    except ValueError:
        with pytest.raises(ShapeError):
            views.broadcast_shapes(*shapes)
    else:
        assert views.broadcast_shapes(*shapes) == expected


@given(strategies.view_chains(), strategies.shapes())
def test_broadcast_to_is_refused_exactly_where_numpy_refuses(chain, shape):
    array, layout = chain
    try:
        expected = np.broadcast_to(array, shape)
    except ValueError:
        with pytest.raises(ShapeError):
            views.broadcast_to(layout, shape)
    else:
        assert_same_view(expected, views.broadcast_to(layout, shape))


@given(st.data())
def test_permuting_back_by_the_inverse_gives_the_layout_back(data):
    layout = data.draw(strategies.layouts())
    axes = data.draw(st.permutations(range(layout.ndim)))
    inverse = [axes.index(axis) for axis in range(layout.ndim)]
    assert views.permute(views.permute(layout, axes), inverse) == layout


@given(strategies.layouts())
def test_flipping_twice_gives_the_layout_back(layout):
    assert views.flip(views.flip(layout)) == layout


# Hand answers


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (views.narrow(GRID, 0, 1, 2), Layout((2, 4), (4, 1), 4)),
        (views.narrow(GRID, -1, 4, 0), Layout((3, 0), (4, 1), 4)),
        (views.step(GRID, 1, 2), Layout((3, 2), (4, 2), 0)),
        (views.step(GRID, 1, -3), Layout((3, 2), (4, -3), 3)),
        (views.flip(GRID), Layout((3, 4), (-4, -1), 11)),
        (views.flip(GRID, 0), Layout((3, 4), (-4, 1), 8)),
        (views.flip(GRID, (0, -1)), Layout((3, 4), (-4, -1), 11)),
        (views.flip(GRID, ()), GRID),
        (views.transpose(GRID), Layout((4, 3), (1, 4), 0)),
        (views.transpose(Layout.row_major((2, 3, 4)), 0, -1), Layout((4, 3, 2), (1, 4, 12), 0)),
        (views.permute(Layout.row_major((2, 3, 4)), (1, 2, 0)), Layout((3, 4, 2), (4, 1, 12), 0)),
        (views.diagonal(GRID), Layout((3,), (5,), 0)),
        (views.windows(Layout.row_major(7), 0, 3, 2), Layout((3, 3), (2, 1), 0)),
        (views.windows(Layout.row_major(7), 0, 3, step=5), Layout((1, 3), (5, 1), 0)),
        (views.windows(GRID, 0, 2), Layout((2, 4, 2), (4, 1, 4), 0)),
        (views.squeeze(Layout.row_major((1, 3, 1)), 0), Layout((3, 1), (1, 1), 0)),
        (views.unsqueeze(GRID, -1), Layout((3, 4, 1), (4, 1, 0), 0)),
        (views.broadcast_to(Layout((), (), 5), (2, 3)), Layout((2, 3), (0, 0), 5)),
        (views.broadcast_to(Layout.row_major((2, 1)), (2, 0)), Layout((2, 0), (1, 0), 0)),
        (views.reshape(GRID, 12), Layout(12, 1)),
        (views.reshape(Layout(1, 9, 4), ()), Layout((), (), 4)),
        (views.reshape(Layout((), (), 4), (1, 1)), Layout((1, 1), (1, 1), 4)),
        (views.reshape(views.flip(GRID), (2, 6)), Layout((2, 6), (-6, -1), 11)),
        (views.reshape(Layout((2, 3), (0, 0), 5), (3, 2)), Layout((3, 2), (0, 0), 5)),
        (views.reshape(Layout.row_major((0, 3)), (-1, 3)), Layout.row_major((0, 3))),
        (views.index(GRID, (-1, slice(1, None))), Layout((3,), (1,), 9)),
        (views.index(GRID, (slice(1, 99), np.int64(2))), Layout((2,), (4,), 6)),
        (views.index(GRID, (None, ..., 0)), Layout((1, 3), (0, 4), 0)),
        (views.index(GRID, ()), GRID),
        (views.index(GRID, (slice(2, 1), slice(9, None))), Layout((0, 0), (4, 1), 0)),
        (views.flip(Layout.row_major((0, 3)), 0), Layout.row_major((0, 3))),
        (views.index(Layout.row_major(HUGE), slice(None, None, -3)), Layout((HUGE // 3 + 1,), (-3,), HUGE - 1)),
    ],
)
def test_views_worked_out_by_hand(view, expected):
    assert view == expected


def test_grouped_heads_repeat_by_a_stride_of_0():
    heads = Layout.row_major((2, 8))
    repeated = views.broadcast_to(views.unsqueeze(heads, 1), (2, 2, 8))
    assert repeated == Layout((2, 2, 8), (8, 0, 1))
    assert list(views.index(repeated, (..., 0)).positions()) == [0, 0, 8, 8]


def test_a_reversed_cube_walks_in_its_known_order():
    cube = views.permute(Layout.row_major((2, 2, 2)), (2, 1, 0))
    assert list(cube.positions()) == [0, 4, 2, 6, 1, 5, 3, 7]


def test_the_row_of_token_785_starts_at_its_known_element():
    table = Layout.row_major((151936, 1024))
    assert views.index(table, 785) == views.squeeze(views.narrow(table, 0, 785, 1)) == Layout(1024, 1, 803_840)


def test_a_chain_over_astronomic_sizes_costs_nothing():
    layout = Layout.row_major((HUGE, HUGE))
    turned = views.transpose(views.step(views.reshape(layout, (HUGE // 2, -1)), 1, -2))
    assert turned == Layout((HUGE, HUGE // 2), (-2, 2 * HUGE), 2 * HUGE - 1)
    assert views.windows(layout, 1, 3, 2).shape == (HUGE, HUGE // 2 - 1, 3)


# Refusals


def message_of(kind, refused, *args):
    with pytest.raises(kind) as caught:
        refused(*args)
    return str(caught.value)


def test_a_reshape_that_would_move_elements_says_which_two_jumps_are_not_one_stride():
    turned = views.transpose(Layout.row_major((2, 3)))
    assert message_of(LayoutError, views.reshape, turned, 6) == (
        "reshape: (3, 2) -> (6,) would have to move elements\n"
        "  expected: strides that step evenly, such as (2, 1)\n"
        "  got:      strides (1, 3), offset 0\n"
        "  why:      a reshape only renames positions; this one needs a new order in memory: "
        "axis 0 would jump +3, then -2\n"
        "  fix:      x.contiguous().reshape(6)"
    )


def test_the_jumps_are_named_where_an_axis_ends_inside_a_run():
    padded = Layout((2, 3), (5, 1))
    assert message_of(LayoutError, views.reshape, padded, (3, 2)).split("\n")[3:] == [
        "  why:      a reshape only renames positions; this one needs a new order in memory: "
        "axis 1 would jump +1, then +3",
        "  fix:      x.contiguous().reshape((3, 2))",
    ]


def test_axes_that_walk_in_opposite_directions_are_no_one_run():
    assert message_of(LayoutError, views.reshape, views.flip(GRID, 1), 12).split("\n")[2:4] == [
        "  got:      strides (4, -1), offset 3",
        "  why:      a reshape only renames positions; this one needs a new order in memory: "
        "axis 0 would jump -1, then +7",
    ]


@pytest.mark.parametrize("shape", [6, (2, 3)])
def test_the_fix_of_a_refused_reshape_works(shape):
    x = tl.tensor([[1, 2, 3], [4, 5, 6]]).transpose()
    with pytest.raises(LayoutError) as caught:
        x.reshape(shape)
    fixed = eval(caught.value.fix, {"x": x})
    np.testing.assert_array_equal(fixed.numpy(), x.numpy().reshape(shape))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (
            (4, 2),
            "reshape: (3, 4) holds 12 elements, (4, 2) holds 8\n"
            "  expected: a shape of 12 elements\n"
            "  got:      (4, 2), 8 elements",
        ),
        (
            (5, -1),
            "reshape: 12 elements do not divide into (5, -1)\n"
            "  expected: a count that is a multiple of 5\n"
            "  got:      12 elements, shape (3, 4)",
        ),
        (
            (-1, 3, -1),
            "reshape: (-1, 3, -1) leaves 2 lengths open\n  expected: one -1 at most\n  got:      (-1, 3, -1)",
        ),
        (
            (0, -1),
            "reshape: -1 in (0, -1) could be any length\n"
            "  expected: no -1 beside an axis of length 0\n"
            "  got:      (0, -1)\n"
            "  why:      any length times 0 is 0",
        ),
        (
            (-1, -2),
            "reshape: axis 1 cannot have length -2\n"
            "  expected: lengths of 0 or more, and one -1 at most\n"
            "  got:      (-1, -2)",
        ),
    ],
)
def test_a_reshape_whose_counts_differ_is_a_matter_of_shapes(shape, message):
    assert message_of(ShapeError, views.reshape, GRID, shape) == message


@pytest.mark.parametrize(
    ("start", "length", "kind", "message"),
    [
        (
            3,
            2,
            BoundsError,
            "narrow: axis 1 of length 4 does not hold the range [3, 5)\n"
            "  expected: 0 <= start and start + length <= 4\n"
            "  got:      start 3, length 2\n"
            "  why:      narrow never clips a range, and never counts from the end",
        ),
        (
            -1,
            1,
            BoundsError,
            "narrow: axis 1 of length 4 does not hold the range [-1, 0)\n"
            "  expected: 0 <= start and start + length <= 4\n"
            "  got:      start -1, length 1\n"
            "  why:      narrow never clips a range, and never counts from the end",
        ),
        (
            1,
            -1,
            ShapeError,
            "narrow: a range cannot have length -1\n  expected: length >= 0\n  got:      -1",
        ),
        (
            1.0,
            1,
            ArgumentError,
            "narrow: start takes whole numbers only\n  expected: an integer\n  got:      1.0 (float)",
        ),
    ],
)
def test_narrow_is_strict(start, length, kind, message):
    assert message_of(kind, views.narrow, GRID, 1, start, length) == message


@pytest.mark.parametrize(
    ("refused", "arguments"),
    [
        (views.narrow, (2, 0, 1)),
        (views.step, (2, 1)),
        (views.flip, (2,)),
        (views.transpose, (0, 2)),
        (views.permute, ((0, 2),)),
        (views.diagonal, (0, 2)),
        (views.windows, (2, 1)),
        (views.squeeze, (2,)),
    ],
)
def test_an_axis_that_does_not_exist_is_named_with_rank_and_shape(refused, arguments):
    assert message_of(AxisError, refused, GRID, *arguments) == (
        f"{refused.__name__}: axis 2 does not exist\n"
        "  expected: -2 <= axis < 2\n"
        "  got:      axis 2 of rank 2, shape (3, 4)"
    )


def test_a_new_axis_may_stand_one_place_further():
    assert message_of(AxisError, views.unsqueeze, GRID, 3) == (
        "unsqueeze: axis 3 does not exist\n"
        "  expected: -3 <= axis < 3\n"
        "  got:      axis 3 of the new rank 3, shape (3, 4)"
    )


def test_rank_0_has_no_axis():
    assert message_of(AxisError, views.flip, Layout((), ()), 0) == (
        "flip: axis 0 does not exist\n"
        "  expected: no axis at all: rank 0 has none\n"
        "  got:      axis 0 of rank 0, shape ()"
    )


@pytest.mark.parametrize(
    ("refused", "arguments"),
    [(views.permute, ((1, -1),)), (views.flip, ((1, -1),)), (views.squeeze, ((1, 1),)), (views.diagonal, (1, -1))],
)
def test_an_axis_named_twice_is_refused(refused, arguments):
    assert message_of(AxisError, refused, GRID, *arguments) == (
        f"{refused.__name__}: axis 1 is named twice\n"
        "  expected: different axes of rank 2, shape (3, 4)\n"
        "  got:      (1, 1)"
    )


def test_a_missing_axis_is_refused():
    assert message_of(AxisError, views.permute, Layout.row_major((2, 3, 4)), (2, 0)) == (
        "permute: axis 1 is missing\n  expected: each of the 3 axes of shape (2, 3, 4) once\n  got:      (2, 0)"
    )


def test_squeeze_never_drops_an_axis_with_elements_to_lose():
    assert message_of(ShapeError, views.squeeze, GRID, 0) == (
        "squeeze: axis 0 has length 3\n"
        "  expected: an axis of length 1\n"
        "  got:      axis 0 of shape (3, 4)\n"
        "  why:      dropping a longer axis would lose elements; an integer in t[...] picks one"
    )


@pytest.mark.parametrize(
    ("operation", "refused"),
    [
        ("step", lambda: views.step(GRID, 0, 0)),
        ("index", lambda: views.index(GRID, slice(None, None, 0))),
    ],
)
def test_a_step_of_0_is_refused(operation, refused):
    assert message_of(LayoutError, refused) == (
        f"{operation}: a step of 0 on axis 0 never leaves its element\n"
        "  expected: any other step\n"
        "  got:      step 0\n"
        "  why:      repeating an element needs a length, so broadcast_to asks for one"
    )


@pytest.mark.parametrize(
    ("layout", "size", "step", "kind", "message"),
    [
        (
            GRID,
            5,
            1,
            ShapeError,
            "windows: axis 1 of length 4 has no window of size 5\n  expected: 1 <= size <= 4\n  got:      5",
        ),
        (
            GRID,
            0,
            1,
            ShapeError,
            "windows: axis 1 of length 4 has no window of size 0\n  expected: 1 <= size <= 4\n  got:      0",
        ),
        (
            Layout.row_major((3, 0)),
            1,
            1,
            ShapeError,
            "windows: axis 1 of length 0 has no window of size 1\n  expected: an axis that is not empty\n  got:      1",
        ),
        (GRID, 2, 0, LayoutError, "windows: windows cannot advance by 0\n  expected: step >= 1\n  got:      0"),
    ],
)
def test_windows_must_fit_and_advance(layout, size, step, kind, message):
    assert message_of(kind, views.windows, layout, 1, size, step) == message


def test_broadcast_to_names_the_pair_of_axes_that_fails():
    assert message_of(ShapeError, views.broadcast_to, Layout.row_major((3, 1)), (5, 4, 2)) == (
        "broadcast_to: axis 0 of (3, 1) has length 3, axis 1 of (5, 4, 2) has length 4\n"
        "  expected: length 3 there, or length 1 here\n"
        "  got:      (3, 1) -> (5, 4, 2)\n"
        "  why:      axes pair up from the right, and only an axis of length 1 can be repeated"
    )


def test_broadcast_to_never_drops_an_axis():
    assert message_of(ShapeError, views.broadcast_to, GRID, 4) == (
        "broadcast_to: (3, 4) has more axes than (4,)\n  expected: a shape of at least 2 axes\n  got:      (4,)"
    )


def test_shapes_that_do_not_broadcast_name_both_axes_and_both_shapes():
    assert message_of(ShapeError, views.broadcast_shapes, (1,), (4, 2), (3, 4, 3)) == (
        "broadcast_shapes: axis 1 of (4, 2) has length 2, axis 2 of (3, 4, 3) has length 3\n"
        "  expected: equal lengths, or length 1 in one of them\n"
        "  got:      (1,), (4, 2), (3, 4, 3)\n"
        "  why:      axes pair up from the right, and only an axis of length 1 can be repeated"
    )


@pytest.mark.parametrize(
    ("layout", "key", "kind", "message"),
    [
        (
            GRID,
            (0, 4),
            BoundsError,
            "index: axis 1 of length 4 has no index 4\n  expected: -4 <= index < 4\n  got:      t[0, 4]",
        ),
        (
            GRID,
            (None, -4),
            BoundsError,
            "index: axis 0 of length 3 has no index -4\n  expected: -3 <= index < 3\n  got:      t[None, -4]",
        ),
        (
            Layout.row_major((3, 0)),
            (..., 0),
            BoundsError,
            "index: axis 1 of length 0 has no index 0\n"
            "  expected: no index at all: the axis is empty\n"
            "  got:      t[..., 0]",
        ),
        (
            GRID,
            (0, 0, slice(None)),
            ShapeError,
            "index: the key names 3 axes, shape (3, 4) has 2\n"
            "  expected: at most 2 integers and slices\n"
            "  got:      t[0, 0, :]",
        ),
        (
            GRID,
            (slice(2, None, -1), slice(1, 3), None, 7),
            ShapeError,
            "index: the key names 3 axes, shape (3, 4) has 2\n"
            "  expected: at most 2 integers and slices\n"
            "  got:      t[2::-1, 1:3, None, 7]",
        ),
        (
            GRID,
            (..., 0, ...),
            ArgumentError,
            "index: an Ellipsis can stand only once\n"
            "  expected: one ... at most\n"
            "  got:      t[..., 0, ...]\n"
            "  why:      with two it is not clear which axes each stands for",
        ),
        (
            GRID,
            [0, 1],
            ArgumentError,
            "index: a key of type list does not pick a view\n"
            "  expected: integers, slices, None and ...\n"
            "  got:      [0, 1]\n"
            "  why:      a view keeps even steps; a mask or a list of indices picks one by one, and that is a copy",
        ),
        (
            GRID,
            np.array([True, False, True]),
            ArgumentError,
            "index: a key of type ndarray does not pick a view\n"
            "  expected: integers, slices, None and ...\n"
            "  got:      array([ True, False, True])\n"
            "  why:      a view keeps even steps; a mask or a list of indices picks one by one, and that is a copy",
        ),
        (
            GRID,
            True,
            ArgumentError,
            "index: a key of type bool does not pick a view\n"
            "  expected: integers, slices, None and ...\n"
            "  got:      True\n"
            "  why:      a view keeps even steps; a mask or a list of indices picks one by one, and that is a copy",
        ),
        (
            GRID,
            0.0,
            ArgumentError,
            "index: a key of type float does not pick a view\n"
            "  expected: integers, slices, None and ...\n"
            "  got:      0.0\n"
            "  why:      a view keeps even steps; a mask or a list of indices picks one by one, and that is a copy",
        ),
        (
            GRID,
            slice(0, 1.5),
            ArgumentError,
            "index: stop takes whole numbers only\n  expected: an integer\n  got:      1.5 (float)",
        ),
    ],
)
def test_a_key_that_picks_no_view_is_refused(layout, key, kind, message):
    assert message_of(kind, views.index, layout, key) == message


def test_views_know_no_buffer():
    tree = ast.parse(pathlib.Path(views.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {getattr(node, "module", None) or node.names[0].name for node in imports}
    assert names == {"math", "textwrap", "types", "tensorlab.errors", "tensorlab.layout"}
