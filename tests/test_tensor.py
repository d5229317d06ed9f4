"""One buffer and one layout: held against NumPy on odd views of every kind."""

import copy
import gc
import math
import mmap
import pickle
import warnings
import weakref

import ml_dtypes
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tensorlab as tl
from tensorlab.dtypes import DTYPES
from tensorlab.layout import Layout
from tests.strategies import keys, layouts, shapes, view_chains

SPECIAL = [0.0, -0.0, 1.0, -1.5, math.nan, math.inf, -math.inf, 65504.0, 1e-40]
NUMPY_TYPES = [dtype.numpy for dtype in DTYPES.values() if dtype.numpy is not None]


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def run(fix, **names):
    """Run the code of an error's fix line; give the names it leaves."""
    names = {"tl": tl, "np": np, **names}
    exec(fix, names)
    return names


def value_of(fix, **names):
    return eval(fix, {"tl": tl, "np": np, **names})


def same(left, right):
    """Equal in shape, type and every bit, so that -0.0 is not 0.0 and NaN is NaN."""
    left, right = np.asarray(left), np.asarray(right)
    return (left.shape, left.dtype, left.tobytes()) == (right.shape, right.dtype, right.tobytes())


@st.composite
def buffers(draw, size, types=NUMPY_TYPES):
    dtype = draw(st.sampled_from(types))
    if dtype.kind == "f":
        elements = st.sampled_from(SPECIAL) | st.floats(width=16)
        array = np.array(draw(st.lists(elements, min_size=size, max_size=size)), dtype=np.float64).astype(dtype)
    else:
        array = draw(hnp.arrays(dtype, size))
    return array


@st.composite
def placed(draw, types=NUMPY_TYPES):
    """A tensor that is an odd view of its buffer, and the position of each element as NumPy counts it."""
    positions, layout = draw(view_chains())
    positions = np.asarray(positions)
    slots = int(positions.max(initial=-1)) + 1 + draw(st.integers(0, 3))
    return tl.Tensor(draw(buffers(slots, types)), layout), positions


@st.composite
def tensors(draw, types=NUMPY_TYPES):
    """A tensor that is an odd view of its buffer, and the same elements as NumPy picks them."""
    x, positions = draw(placed(types))
    return x, x.buffer[positions]


@st.composite
def odd_arrays(draw):
    """A NumPy array that is an odd view of some memory."""
    array, _ = draw(view_chains())
    return np.asarray(array)


# The constructor


@given(tensors())
def test_a_tensor_holds_what_its_layout_picks_from_its_buffer(made):
    x, expected = made
    assert same(x.numpy(), expected)
    assert x.tolist() == expected.tolist() or np.isnan(expected.astype(np.float64)).any()
    assert (x.shape, x.ndim, x.size, x.nbytes) == (expected.shape, expected.ndim, expected.size, expected.nbytes)


@given(layouts(), st.integers(0, 60))
def test_a_layout_that_leaves_the_buffer_is_refused_and_the_index_really_leaves(layout, slots):
    buffer = np.zeros(slots)
    outside = [(index, position) for index, position in layout.walk() if not 0 <= position < slots]
    if outside:
        with pytest.raises(tl.BoundsError) as caught:
            tl.Tensor(buffer, layout)
        index, position = outside[0]
        assert caught.value.problem == f"index {index} would land on slot {position} of a buffer of {slots}"
    else:
        assert tl.Tensor(buffer, layout).size == layout.size


def test_the_message_names_the_index_that_leaves_and_where_it_lands():
    with pytest.raises(tl.BoundsError) as caught:
        tl.Tensor(np.zeros(12), tl.Layout((3, 4), (-4, -1), offset=10))
    assert str(caught.value) == (
        "Tensor: index (2, 3) would land on slot -1 of a buffer of 12\n"
        "  expected: 0 <= position < 12\n"
        "  got:      shape (3, 4), strides (-4, -1), offset 10"
    )


def test_a_layout_without_indices_fits_any_buffer():
    empty = tl.Tensor(np.zeros(0), tl.Layout((0, 3), (7, -2), offset=99))
    assert empty.tolist() == []
    assert empty.numpy().shape == empty.flip().copy().shape == (0, 3)
    with pytest.raises(tl.BoundsError, match=r"index \(\) would land on slot 0 of a buffer of 0"):
        tl.Tensor(np.zeros(0), tl.Layout((), ()))


def test_a_buffer_must_be_flat_memory_and_the_fixes_help():
    layout = tl.Layout((2,), (1,))
    with pytest.raises(tl.ArgumentError, match="flat memory, not a list of numbers") as caught:
        tl.Tensor([1, 2], layout)
    assert value_of(caught.value.fix, data=[1, 2]).tolist() == [1, 2]
    for buffer in (np.zeros((2, 2)), np.zeros(4)[::2], np.zeros(4)[::-1], np.array(1.0)):
        with pytest.raises(tl.LayoutError, match="not one flat run of aligned memory") as caught:
            tl.Tensor(buffer, layout)
        assert same(value_of(caught.value.fix, buffer=buffer).numpy(), buffer)
    with pytest.raises(tl.LayoutError, match="aligned"):
        tl.Tensor(np.zeros(17, np.uint8)[1:].view(np.float64), layout)
    with pytest.raises(tl.DTypeError, match="bfloat16 words are uint16"):
        tl.Tensor(np.zeros(2, np.float32), layout, tl.bfloat16)
    with pytest.raises(tl.DTypeError, match="Tensor: not an element type of the course"):
        tl.Tensor(np.zeros(2, np.complex64), layout)
    with pytest.raises(tl.ArgumentError, match="a layout is missing") as caught:
        tl.Tensor(np.zeros(2), (2,))
    assert value_of(caught.value.fix, shape=2) == layout


def test_numpys_64_axes_are_the_limit():
    x = tl.zeros((1,) * 64)
    assert x.numpy().ndim == 64
    with pytest.raises(tl.ShapeError, match="65 axes are too many"):
        x.unsqueeze(axis=0)


def test_elements_and_bytes_are_counted_apart():
    x = tl.Tensor(np.zeros(13, np.float32), tl.Layout((2, 2), (8, 1), offset=3))
    assert (x.strides, x.offset, x.byte_strides, x.byte_offset) == ((8, 1), 3, (32, 4), 12)
    assert x.layout.span == (3, 13)
    assert x.layout.in_bytes(x.itemsize).span == (12, 12 + 40)
    assert (x.itemsize, x.nbytes) == (4, 16)


# Views


@given(st.data(), tensors())
def test_square_brackets_pick_what_numpy_picks_and_share_its_memory(data, made):
    x, expected = made
    key = data.draw(keys(x.shape))
    assert same(x[key].numpy(), np.asarray(expected[key]))
    assert x[key].buffer is x.buffer


@given(tensors(), st.data())
def test_every_view_method_is_its_function_over_the_same_buffer(made, data):
    x, _ = made
    calls = [("flip", ()), ("squeeze", ()), ("unsqueeze", (0,)), ("permute", (tuple(range(x.ndim))[::-1],))]
    calls += [("broadcast_to", ((2, *x.shape),)), ("reshape", ((1, *x.shape),))]
    if x.ndim:
        axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
        length = x.shape[axis]
        calls += [("flip", (axis,)), ("step", (axis, -2)), ("narrow", (axis, 0, length))]
        calls += [("windows", (axis, 1)), ("windows", (axis, length, 2))] if length else []
    if x.ndim > 1:
        calls += [("transpose", ()), ("transpose", (0, -1)), ("diagonal", ()), ("diagonal", (-1, 0))]
    for name, args in calls:
        layout = getattr(tl.views, name)(x.layout, *args)
        view = getattr(x, name)(*args)
        assert view.layout == layout
        assert view.buffer is x.buffer
        assert view.dtype == x.dtype


def test_no_view_moves_a_number():
    x = tl.arange(24).reshape((2, 3, 4))
    before = x.buffer.copy()
    view = x.permute((2, 0, 1)).flip(1).step(0, 2).narrow(2, 1, 2).unsqueeze(1).transpose().squeeze()
    assert view.shares_buffer(x)
    assert (x.buffer == before).all()


def test_reversed_axes_flatten_as_known():
    x = tl.arange(8).reshape((2, 2, 2)).permute((2, 1, 0))
    with pytest.raises(tl.LayoutError) as caught:
        x.reshape(8)
    assert caught.value.fix == "x.contiguous().reshape(8)"
    assert value_of(caught.value.fix, x=x).tolist() == [0, 4, 2, 6, 1, 5, 3, 7]


def test_axis_0_is_what_len_and_iteration_walk_along():
    x = tl.arange(6).reshape((3, 2))
    assert len(x) == 3
    assert [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    assert all(row.buffer is x.buffer for row in x)
    for refused in (len, iter):
        with pytest.raises(tl.ArgumentError, match="rank 0 has no axis to walk along") as caught:
            refused(x[0, 0])
        assert value_of(caught.value.fix, x=x[0, 0]) == 0


# Writing


@given(st.data(), placed())
def test_a_write_lands_where_numpy_would_put_it_and_nowhere_else(data, made):
    x, positions = made
    key = data.draw(keys(x.shape))
    targets = np.asarray(positions[key])
    values = data.draw(buffers(3, [x.dtype.numpy]))
    value = values[:1].reshape(()) if data.draw(st.booleans()) else np.resize(values, targets.shape)
    expected = x.buffer.copy()
    if len(set(positions.flat)) < positions.size:
        with pytest.raises(tl.ReadOnlyError, match="share slot"):
            x[key] = value
    else:
        expected[targets] = value
        x[key] = data.draw(st.sampled_from([value, tl.tensor(value)]))
    assert same(x.buffer, expected)


def test_a_write_through_a_transposed_view_stores_by_columns():
    x = tl.zeros(4)
    x.reshape((2, 2)).transpose()[...] = [[1, 2], [3, 4]]
    assert x.tolist() == [1, 3, 2, 4]


def test_ones_added_through_two_overlapping_ranges_meet_in_the_middle():
    x = tl.zeros(4, dtype=tl.int64)
    for part in (x[0:3], x[1:4]):
        part[...] = part.numpy() + 1
    assert x.tolist() == [1, 2, 2, 1]


@given(st.data())
def test_a_value_that_shares_memory_is_read_before_it_is_written(data):
    n = data.draw(st.integers(1, 12))
    target_slice, value_slice = (
        slice(*sorted(data.draw(st.tuples(*[st.integers(0, n)] * 2))), data.draw(st.sampled_from([1, 2, 3])))
        for _ in range(2)
    )
    x = tl.arange(n)
    target, value = x[target_slice], x[value_slice]
    if data.draw(st.booleans()):
        target = target.flip()
    if data.draw(st.booleans()):
        value = value.flip()
    assume(len(target) == len(value))
    positions, numbers = list(target.layout.positions()), value.tolist()
    target[...] = value if data.draw(st.booleans()) else value.numpy()
    expected = list(range(n))
    for position, number in zip(positions, numbers, strict=True):
        expected[position] = number
    assert x.tolist() == expected


def test_every_run_of_four_is_read_before_any_other_is_written_over_it():
    runs = [slice(start, start + 4 * step, step) for step in (1, 2, 3) for start in range(13 - 4 * step)]
    for target in runs:
        for value in runs:
            for backwards in (False, True):
                x = tl.arange(12)
                numbers = x[value].flip().tolist() if backwards else x[value].tolist()
                x[target] = x[value].flip() if backwards else x[value]
                assert x[target].tolist() == numbers


def test_a_tensor_may_be_written_to_itself_turned_round():
    x = tl.arange(9).reshape((3, 3))
    x[...] = x.transpose()
    assert x.tolist() == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    x[...] = x[0].broadcast_to((3, 3))
    assert x.tolist() == [[0, 3, 6]] * 3
    x.fill(x[1, 2])
    assert x.tolist() == [[6, 6, 6]] * 3


@pytest.mark.parametrize(
    ("view", "said"),
    [
        (lambda x: x.broadcast_to((2, 6)), "the elements [0, 0] and [1, 0] share slot 0"),
        (lambda x: x.windows(0, 3), "the elements [0, 1] and [1, 0] share slot 1"),
    ],
)
def test_a_view_whose_elements_share_a_slot_is_read_only_and_the_message_shows_two(view, said):
    x = view(tl.arange(6))
    before = x.tolist()
    assert not x.is_writable
    assert not x.numpy().flags.writeable
    assert not x.words().flags.writeable
    for write in (lambda: x.__setitem__(..., 1), lambda: x.fill(1), lambda: x.__setitem__(0, 1)):
        with pytest.raises(tl.ReadOnlyError) as caught:
            write()
        assert caught.value.problem == said
    assert x.tolist() == before
    x = run(caught.value.fix, x=x)["x"]
    x.fill(1)
    assert x.is_writable
    assert set(x.numpy().flat) == {1}


def distinct_sums(n):
    """Conway and Guy's n numbers: no two sets of them have the same sum, but only a long search shows it."""
    u = [0, 1]
    for k in range(1, n):
        u.append(2 * u[k] - u[k - round(math.sqrt(2 * k))])
    return [u[n] - u[n - i] for i in range(1, n + 1)]


def test_an_undecided_overlap_counts_as_one_and_says_so():
    strides = distinct_sums(20)
    buffer = np.zeros(sum(strides) + 1, np.uint8)
    x = tl.Tensor(buffer, Layout((2,) * 20, strides))
    assert x.layout.self_overlap().verdict == "undecided"
    with pytest.raises(
        tl.ReadOnlyError, match=r"fill: undecided after \d+ tries whether two elements share a slot"
    ) as c:
        x.fill(1)
    assert "undecided counts as shared" in c.value.why
    assert not buffer.any()
    assert not x.is_writable
    assert not x.numpy().flags.writeable
    run(c.value.fix, x=x)["x"].fill(1)


def test_read_only_memory_stays_read_only_through_every_view():
    array = np.arange(6)
    array.flags.writeable = False
    x = tl.from_numpy(array)
    for view in (x, x[::2], x.reshape((2, 3)).transpose()):
        assert not view.is_writable
        assert not view.numpy().flags.writeable
        with pytest.raises(tl.ReadOnlyError, match="write: the memory is read-only") as caught:
            view[...] = 0
        copied = run(caught.value.fix, x=view)["x"]
        copied[...] = 0
    assert array.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_read_only_view_of_writable_memory_gives_a_read_only_tensor():
    array = np.arange(6)
    locked = array[1:4]
    locked.flags.writeable = False
    assert not tl.from_numpy(locked).is_writable
    assert tl.from_numpy(array[1:4]).is_writable
    assert array.flags.writeable


def test_a_writable_view_stays_writable_when_its_base_was_locked_later():
    array = np.arange(6)
    view = array[2:5]
    array.flags.writeable = False
    x = tl.from_numpy(view)
    x.fill(9)
    assert array.tolist() == [0, 1, 9, 9, 9, 5]


@pytest.mark.parametrize(
    ("shape", "value"), [((2, 2), [1, 2, 3]), ((3,), [[1, 2, 3]]), ((), [1]), ((2, 0), [[1, 2], [3, 4]])]
)
def test_a_value_whose_shape_does_not_broadcast_to_the_target_is_refused(shape, value):
    x = tl.zeros(shape)
    with pytest.raises(tl.ShapeError) as caught:
        x[...] = value
    assert caught.value.problem == f"a value of shape {np.shape(value)} does not fit the target of shape {shape}"


def test_fill_takes_one_number():
    with pytest.raises(tl.ShapeError, match=r"fill: a value of shape \(2,\) is not one number"):
        tl.zeros(2).fill([1, 2])
    x = tl.zeros(2)
    x.fill(np.float64(2))
    x[:1].fill(tl.tensor(3.0))
    assert x.tolist() == [3, 2]


@pytest.mark.parametrize(
    ("dtype", "value", "said"),
    [
        (tl.int64, 1.5, "1.5 is no int64"),
        (tl.float32, True, "True is no float32"),
        (tl.bool_, 1, "1 is no bool"),
        (tl.uint8, 256, "256 does not fit uint8"),
        (tl.uint8, -1, "-1 does not fit uint8"),
        (tl.int8, [1, 128], "128 does not fit int8"),
        (tl.int8, np.array([1, 128]), "128 does not fit int8"),
        (tl.uint64, np.array([-3]), "-3 does not fit uint64"),
        (tl.int64, np.array([2**63], dtype=np.uint64), "9223372036854775808 does not fit int64"),
        (tl.float32, "x", "data is no number"),
        (tl.float32, None, "data is no number"),
        (tl.float32, 1j, "data is no number"),
        (tl.float32, np.complex64(1), "not an element type of the course"),
    ],
)
def test_a_number_that_cannot_stand_there_is_refused_and_nothing_is_written(dtype, value, said):
    x = tl.zeros(2, dtype=dtype)
    with pytest.raises((tl.DTypeError, tl.ArgumentError), match=f"write: {said}"):
        x[...] = value
    assert x.words().tolist() == tl.zeros(2, dtype=dtype).words().tolist()


def test_across_kinds_a_write_names_the_cast_that_helps():
    for dtype, value, stored in [
        (tl.float32, np.arange(3), [0, 1, 2]),
        (tl.float32, np.int64(4), [4, 4, 4]),
        (tl.bfloat16, np.arange(3), [0, 1, 2]),
        (tl.int64, tl.tensor([0.5, 1.5, -2.5]), [0, 1, -2]),
        (tl.bool_, tl.arange(3), [False, True, True]),
        (tl.bool_, np.arange(3), [False, True, True]),
        (tl.int32, np.array([True, False, True]), [1, 0, 1]),
        (tl.bfloat16, tl.arange(3), [0, 1, 2]),
    ]:
        x = tl.zeros(3, dtype=dtype)
        with pytest.raises(
            tl.DTypeError, match=f"write: {value.dtype} values do not become {dtype} by themselves"
        ) as c:
            x[...] = value
        x[...] = value_of(c.value.fix, value=value)
        assert x.tolist() == stored


def test_within_a_kind_a_write_rounds_once_or_checks_the_range():
    x = tl.zeros(2, dtype=tl.bfloat16)
    x[...] = np.array([1 + 2**-8 + 2**-40, 3.0])
    assert x.tolist() == [1 + 2**-7, 3]
    ids = tl.zeros(2, dtype=tl.uint8)
    ids[...] = np.array([255, 0])
    assert ids.tolist() == [255, 0]
    wide = tl.zeros(2, dtype=tl.float64)
    wide[...] = x
    assert wide.tolist() == [1 + 2**-7, 3]


@given(placed([np.dtype(np.uint16)]), st.data())
def test_bfloat16_words_are_viewed_copied_and_written_like_any_other(made, data):
    raw, positions = made
    x = tl.Tensor(raw.buffer, raw.layout, tl.bfloat16)
    words = raw.buffer[positions]
    assert same(x.words(), words)
    for made in (x.copy(), tl.tensor(x), x.contiguous()):
        assert same(made.words(), words)
    assert same(x.astype("float32").numpy(), np.asarray(words.view(ml_dtypes.bfloat16).astype(np.float32)))
    assert same((x == x).numpy(), ~np.isnan(x.astype("float64").numpy()))
    other = data.draw(buffers(1, [np.dtype(np.uint16)])).reshape(())
    if x.is_writable:
        x[...] = tl.from_numpy(other, dtype=tl.bfloat16)
        assert same(x.words(), np.broadcast_to(other, x.shape))


def test_a_bfloat16_tensor_is_written_word_for_word():
    words = np.array([0x7F81, 0xFFC1, 0x8000], dtype=np.uint16)
    x = tl.zeros(3, dtype=tl.bfloat16)
    x[...] = tl.from_numpy(words, dtype=tl.bfloat16)
    assert x.words().tolist() == words.tolist()
    y = tl.zeros(3, dtype=tl.bfloat16)
    y[...] = words.view(ml_dtypes.bfloat16)
    assert y.words().tolist() == words.tolist()


# From NumPy and back


@given(odd_arrays())
def test_any_view_comes_in_and_goes_out_over_the_same_memory_with_the_same_strides(array):
    x = tl.from_numpy(array)
    out = x.numpy()
    assert same(out, array)
    if array.size:
        assert np.shares_memory(out, array)
        assert out.__array_interface__["data"][0] == array.__array_interface__["data"][0]
        assert x.buffer.size > max(x.layout.positions())
    assert out.strides == array.strides == x.byte_strides
    assert out.flags.writeable == (array.flags.writeable and not x.layout.self_overlap().possible)


@given(odd_arrays())
def test_the_buffer_of_a_view_is_the_whole_array_under_it(array):
    root = array
    while root.base is not None:  # NumPy's own arrays and the holders that as_strided leaves between them
        root = root.base
    x = tl.from_numpy(array)
    if array.size:
        assert x.buffer.size == root.size
        assert x.buffer.__array_interface__["data"][0] == root.__array_interface__["data"][0]


@given(odd_arrays())
def test_what_went_out_comes_in_again_as_the_same_tensor(array):
    x = tl.from_numpy(array)
    again = tl.from_numpy(x.numpy())
    assert same(again.numpy(), array)
    if array.size:
        assert again.layout == x.layout
        assert again.shares_buffer(x)


@pytest.mark.parametrize("numpy", NUMPY_TYPES, ids=str)
def test_every_dtype_comes_in_and_goes_out(numpy):
    array = np.ones((2, 3), dtype=numpy)
    x = tl.from_numpy(array)
    assert x.dtype.numpy == numpy
    assert same(x.numpy(), array)
    assert same(x.copy().numpy(), array)
    assert x.copy().numpy().dtype == numpy


def test_a_write_on_either_side_is_seen_on_the_other():
    array = np.zeros((2, 3), dtype=np.float32)
    x = tl.from_numpy(array.T)
    array[1, 2] = 5
    x[0, 1] = 7
    x.numpy()[2, 0] = 9
    assert x.tolist() == [[0, 7], [0, 0], [9, 5]]
    assert array.tolist() == [[0, 0, 9], [7, 0, 5]]


def test_the_buffer_skips_holders_and_takes_arrays_of_any_axis_order():
    array = np.arange(24)
    strided = np.lib.stride_tricks.as_strided(array[4:], (3, 2), (16, 8))
    assert tl.from_numpy(strided).buffer.size == 24
    assert tl.from_numpy(strided).offset == 4
    turned = np.zeros((2, 3, 4)).transpose(1, 0, 2).copy(order="K")
    assert turned.base is None
    assert not turned.flags.c_contiguous
    assert not turned.flags.f_contiguous
    x = tl.from_numpy(turned[1:, ::-1, 2])
    assert x.buffer.size == 24
    assert tl.from_numpy(np.asfortranarray(np.ones((3, 4)))[:, 1]).buffer.size == 12


def test_where_no_array_of_the_type_lies_under_it_the_buffer_is_the_span_that_is_reached():
    pairs = np.zeros(5, dtype=[("a", "f4"), ("b", "f4")])
    pairs["b"] = [0, 1, 2, 3, 4]
    x = tl.from_numpy(pairs["b"][1:4])
    assert x.tolist() == [1, 2, 3]
    assert (x.buffer.size, x.offset, x.strides) == (5, 0, (2,))
    back = tl.from_numpy(pairs["b"][::-1])
    assert (back.buffer.size, back.offset, back.strides) == (9, 8, (-2,))
    back.fill(7)
    assert pairs["b"].tolist() == [7] * 5
    assert pairs["a"].tolist() == [0] * 5
    parts = tl.from_numpy(np.array([1 + 2j, 3 + 4j]).imag)
    assert parts.tolist() == [2, 4]


def test_bytes_maps_and_memory_views_come_in_without_a_copy(tmp_path):
    raw = np.frombuffer(bytes(range(16)), dtype=np.uint32)
    x = tl.from_numpy(raw[1:3])
    assert not x.is_writable
    assert np.shares_memory(x.numpy(), raw)
    path = tmp_path / "numbers"
    np.arange(8, dtype=np.float32).tofile(path)
    mapped = np.memmap(path, dtype=np.float32, mode="r+", shape=(2, 4))
    y = tl.from_numpy(mapped[1])
    assert type(y.numpy()) is type(y.buffer) is np.ndarray
    assert y.buffer.size == 8
    y[0] = 99
    assert mapped[1, 0] == 99
    array = np.arange(6)
    assert tl.from_numpy(np.asarray(memoryview(array)[2:])).shares_buffer(tl.from_numpy(array))
    with mmap.mmap(-1, 64) as anonymous:
        z = tl.from_numpy(np.frombuffer(anonymous, dtype=np.int64))
        z[3] = 7
        assert anonymous[24] == 7
        del z
        gc.collect()


def test_the_owner_of_the_memory_is_kept_alive():
    class Owner(np.ndarray):
        pass

    array = np.arange(1000).view(Owner).copy()
    assert array.base is None
    alive = weakref.ref(array)
    x = tl.from_numpy(array[10:20])
    del array
    gc.collect()
    assert alive() is not None
    assert x.tolist() == list(range(10, 20))
    del x
    gc.collect()
    assert alive() is None


def test_uint16_words_are_read_as_bfloat16_without_a_copy():
    words = np.array([[0x3F80, 0xC049], [0x8000, 0x4198]], dtype=np.uint16)
    x = tl.from_numpy(words[:, ::-1], dtype=tl.bfloat16)
    assert x.tolist() == [[-3.140625, 1.0], [19.0, -0.0]]
    assert np.shares_memory(x.words(), words)
    assert same(x.words(), words[:, ::-1])
    words[0, 0] = 0
    assert x[0, 1].item() == 0
    y = tl.from_numpy(words.view(ml_dtypes.bfloat16).T)
    assert y.dtype == tl.bfloat16
    assert np.shares_memory(y.words(), words)
    assert y.buffer.size == 4


def test_bfloat16_goes_out_as_words_and_the_error_says_so():
    x = tl.tensor([1.5, -2.0], dtype=tl.bfloat16)
    for out in (x.numpy, lambda: np.asarray(x)):
        with pytest.raises(tl.DTypeError) as caught:
            out()
    assert str(caught.value) == (
        "numpy: NumPy has no bfloat16\n"
        "  expected: a dtype that NumPy has\n"
        "  got:      bfloat16\n"
        "  why:      words() shares its stored words; x.astype(tl.float32).numpy() is a copy of its numbers\n"
        "  fix:      x.words()"
    )
    assert value_of(caught.value.fix, x=x).tolist() == [0x3FC0, 0xC000]
    assert np.shares_memory(x.words(), x.buffer)
    assert same(x.astype(tl.float32).numpy(), np.array([1.5, -2], np.float32))
    assert same(np.asarray(x, dtype=np.float64), np.array([1.5, -2]))
    with pytest.raises(tl.DTypeError, match="becomes float32 only in a copy"):
        np.asarray(x, dtype=np.float32, copy=False)


def test_memory_that_a_layout_cannot_count_is_refused_and_the_fixes_help():
    records = np.zeros((2, 3), dtype=[("a", "f4"), ("b", "i2")])
    records["a"] = [[1, 2, 3], [4, 5, 6]]
    packed = np.zeros(25, np.uint8)[1:].view(np.float64)
    swapped = np.arange(3, dtype=np.dtype("f4").newbyteorder("S"))
    for array, kind, said in [
        (records["a"], tl.LayoutError, "byte stride 18 of axis 0 is not a whole number of 4-byte elements"),
        (records["a"][0], tl.LayoutError, "byte stride 6 of axis 0 is not a whole number of 4-byte elements"),
        (packed, tl.LayoutError, "the elements do not start at addresses that are multiples of 8"),
        (swapped, tl.DTypeError, "in the other order than this machine's"),
    ]:
        with pytest.raises(kind, match=f"from_numpy: .*{said}") as caught:
            tl.from_numpy(array)
        fixed = value_of(caught.value.fix, array=array)
        np.testing.assert_array_equal(np.asarray(fixed), array)
    assert tl.from_numpy(records["a"][0, ::2]).strides == (3,)


def test_a_length_1_axis_or_an_empty_array_may_have_any_stride():
    one = np.lib.stride_tricks.as_strided(np.arange(3.0), (1, 3), (3, 8))
    assert tl.from_numpy(one).tolist() == [[0, 1, 2]]
    none = np.lib.stride_tricks.as_strided(np.arange(3.0), (0, 2), (8, 3))
    assert tl.from_numpy(none).shape == (0, 2)


def test_an_empty_view_still_knows_the_array_it_was_taken_from():
    array = np.arange(3)
    for start in range(4):
        x = tl.from_numpy(array[start:start])
        assert (x.buffer.size, x.tolist()) == (3, [])
        assert x.shares_buffer(tl.from_numpy(array))
    end = tl.from_numpy(np.ndarray((0,), array.dtype, array, offset=24))
    assert (end.buffer.size, end.offset) == (3, 3)


@pytest.mark.parametrize("wrong", [[1, 2], 3, np.float32(1), tl.zeros(2), None])
def test_only_numpy_arrays_have_memory_to_share(wrong):
    with pytest.raises(tl.ArgumentError, match="has no memory to share") as caught:
        tl.from_numpy(wrong)
    if wrong is not None:
        assert value_of(caught.value.fix, data=wrong).size in (1, 2)


def test_a_dtype_that_would_need_a_conversion_is_refused_and_the_fix_copies():
    for array, dtype in [(np.arange(3), tl.float32), (np.zeros(2, np.int16), tl.bfloat16), (np.ones(2), tl.bool_)]:
        with pytest.raises(tl.DTypeError, match=f"{array.dtype} memory does not hold {dtype} words") as caught:
            tl.from_numpy(array, dtype=dtype)
        assert value_of(caught.value.fix, array=array).tolist() == array.tolist()
    with pytest.raises(tl.DTypeError, match="from_numpy: not an element type of the course"):
        tl.from_numpy(np.zeros(2, np.complex128))


def test_a_masked_array_is_refused_because_its_mask_would_be_lost():
    masked = np.ma.array([1, 2], mask=[False, True])
    for make in (tl.from_numpy, tl.tensor):
        with pytest.raises(tl.ArgumentError, match="says which elements do not count") as caught:
            make(masked)
        assert make(value_of(caught.value.fix, array=masked)).tolist() == [1, 0]


def test_numpy_takes_a_tensor_as_an_array():
    x = tl.arange(6).reshape((2, 3)).transpose()
    assert np.shares_memory(np.asarray(x), x.buffer)
    assert np.asarray(x).strides == x.byte_strides
    assert not np.shares_memory(np.array(x), x.buffer)
    assert np.shares_memory(np.asarray(x, dtype=np.int64, copy=False), x.buffer)
    assert same(np.asarray(x, dtype=np.float32), x.numpy().astype(np.float32))
    assert np.sqrt(x).shape == (3, 2)
    assert np.add(x, 1).sum() == 21
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, dtype=np.float32, copy=False)


# New tensors


def test_a_matrix_is_taken_wherever_a_tensor_is():
    m = tl.Matrix([1.5, -2.0], 1, 2, dtype=tl.bfloat16)
    assert tl.tensor(m).dtype == tl.bfloat16
    assert tl.tensor(m).tolist() == [[1.5, -2]]
    x = tl.zeros((3, 2), dtype=tl.bfloat16)
    x[...] = m
    assert x.tolist() == [[1.5, -2]] * 3
    assert (x == m).tolist() == [[True, True]] * 3
    assert m.tensor().shares_buffer(m)
    assert m.row(0).overlaps(m).verdict == "yes"


def test_an_array_of_another_library_is_copied():
    class Foreign:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3, dtype=np.int16)

    assert tl.tensor(Foreign()).dtype == tl.int16
    x = tl.zeros(3, dtype=tl.int64)
    x[...] = Foreign()
    assert x.tolist() == [0, 1, 2]


def test_python_numbers_give_bool_int64_or_float32():
    assert tl.tensor([[1, 2], [3, 4]]).dtype == tl.int64
    assert tl.tensor([1, 2.5]).dtype == tl.float32
    assert tl.tensor([True, False]).dtype == tl.bool_
    assert tl.tensor([]).dtype == tl.float32
    assert tl.tensor(0.1).item() == float(np.float32(0.1))


@given(shapes(), st.data())
def test_nested_lists_are_copied_row_by_row(shape, data):
    array = data.draw(hnp.arrays(np.int64, shape))
    x = tl.tensor(array.tolist(), dtype=tl.int64)
    seen = np.array(array.tolist())  # a list cannot say what comes after a length of 0
    assert x.shape == seen.shape
    assert x.tolist() == array.tolist()
    assert x.is_contiguous
    assert x.buffer.flags.owndata


@given(tensors([*NUMPY_TYPES]))
def test_a_copy_has_the_same_bits_and_other_memory(made):
    x, expected = made
    for made in (x.copy(), tl.tensor(x), tl.tensor(x.numpy()), x.astype(x.dtype)):
        assert same(made.numpy(), expected)
        assert made.dtype == x.dtype
        assert made.layout == Layout.row_major(x.shape)
        assert made.buffer.flags.owndata
        assert made.is_writable
        assert not made.shares_buffer(x)


def test_lists_of_tensors_and_arrays_are_stacked():
    x = tl.arange(6).reshape((2, 3))
    assert tl.tensor([x[1], x[0], [7, 8, 9]]).tolist() == [[3, 4, 5], [0, 1, 2], [7, 8, 9]]
    assert tl.tensor([x[0, 1], np.int64(4), 5]).tolist() == [1, 4, 5]
    assert tl.tensor([np.float32(1), np.float64(0.1)]).dtype == tl.float64
    assert tl.tensor([np.float32(1), 2]).dtype == tl.float32
    assert tl.tensor([tl.zeros(2, dtype=tl.bfloat16), [1, 2]]).dtype == tl.bfloat16
    assert tl.tensor(range(3)).tolist() == [0, 1, 2]
    assert tl.tensor([x[0], [7, 8, 9]], dtype=tl.float32).tolist() == [[0, 1, 2], [7, 8, 9]]
    assert tl.tensor([x.matrix(), x]).shape == (2, 2, 3)
    with pytest.raises(tl.DTypeError, match="tensor: int64 and float32 are of different kinds"):
        tl.tensor([x[0], tl.zeros(3)])
    with pytest.raises(tl.DTypeError, match="write: int64 values do not become float32 by themselves"):
        tl.zeros(2)[...] = [np.int64(1), 2.5]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([[1, 2, 3], [4, 5]], "data[1] has shape (2,), data[0] has shape (3,)"),
        ([1, [2]], "data[1] has shape (1,), data[0] has shape ()"),
        ([[[1], [2]], [[3], [4, 5]]], "data[1][1] has shape (2,), data[1][0] has shape (1,)"),
        ([np.zeros(2), np.zeros(3)], "data[1] has shape (3,), data[0] has shape (2,)"),
        ([[], [1]], "data[1] has shape (1,), data[0] has shape (0,)"),
    ],
)
def test_ragged_lists_are_refused_with_the_two_that_differ(data, said):
    with pytest.raises(tl.ShapeError) as caught:
        tl.tensor(data)
    assert caught.value.problem == f"the lists are ragged: {said}"


def test_what_is_no_number_is_named_with_its_place():
    with pytest.raises(tl.ArgumentError, match=r"tensor: data\[0\]\[1\] is no number"):
        tl.tensor([[1, "2"]])
    for wrong in ("12", None, {1, 2}, {"a": 1}, object()):
        with pytest.raises(tl.ArgumentError, match="data is no number"):
            tl.tensor(wrong)


def test_an_explicit_dtype_rounds_or_refuses():
    assert tl.tensor([1, 2], dtype="float64").tolist() == [1.0, 2.0]
    assert tl.tensor(np.arange(3), dtype=tl.float32).dtype == tl.float32
    assert tl.tensor(0.2691408770272292, dtype=tl.bfloat16).item() == 0.26953125
    for data, dtype, said in [
        ([1.0], tl.int64, "1.0 is no int64"),
        (np.array([1.0]), tl.int64, "float64 values are no int64"),
        ([300], tl.uint8, "300 does not fit uint8"),
        ([2**63], None, "9223372036854775808 does not fit int64"),
        ([True, 2], None, "True and False are mixed with numbers"),
        ([1], "float33", "not an element type of the course"),
    ]:
        with pytest.raises(tl.DTypeError, match=f"tensor: {said}"):
            tl.tensor(data, dtype=dtype)


@given(shapes(), st.sampled_from(sorted(DTYPES)))
def test_zeros_are_zero_in_every_dtype(shape, name):
    x = tl.zeros(shape, dtype=name)
    assert x.shape == shape
    assert x.dtype == DTYPES[name]
    assert not x.words().any()
    assert x.is_writable


def test_zeros_takes_an_int_as_a_shape_and_refuses_what_is_none():
    assert tl.zeros(3).shape == (3,)
    assert tl.zeros(3).dtype == tl.float32
    with pytest.raises(tl.ShapeError, match="zeros: axis 1 cannot have length -1"):
        tl.zeros((2, -1))
    with pytest.raises(tl.ArgumentError, match="zeros: shape takes whole numbers only"):
        tl.zeros(2.5)


@given(st.integers(-30, 30), st.integers(-30, 30), st.integers(-7, 7).filter(bool))
def test_arange_counts_as_range_does(start, stop, step):
    assert tl.arange(start, stop, step).tolist() == list(range(start, stop, step))
    assert tl.arange(stop).tolist() == list(range(stop))


def test_arange_counts_in_any_dtype_that_can_say_it():
    assert tl.arange(3, dtype="float32").tolist() == [0.0, 1.0, 2.0]
    assert tl.arange(2**64 - 2, 2**64, dtype=tl.uint64).tolist() == [2**64 - 2, 2**64 - 1]
    assert tl.arange(5, 2**80, 2**80).tolist() == [5]
    assert tl.arange(255, 257, dtype=tl.bfloat16).tolist() == [255, 256]
    for args, dtype, kind, said in [
        ((257,), tl.uint8, tl.DTypeError, "arange: 256 does not fit uint8"),
        ((2**63, 2**63 + 1), tl.int64, tl.DTypeError, "9223372036854775808 does not fit int64"),
        ((2,), tl.bool_, tl.DTypeError, "no bool"),
        ((0, 1, 0), tl.int64, tl.ArgumentError, "a step of 0 never arrives"),
        ((0.5,), tl.int64, tl.ArgumentError, "stop takes whole numbers only"),
    ]:
        with pytest.raises(kind, match=said):
            tl.arange(*args, dtype=dtype)


@given(tensors())
def test_contiguous_copies_only_where_the_order_in_memory_is_another(made):
    x, expected = made
    made = x.contiguous()
    assert same(made.numpy(), expected)
    assert made.is_contiguous
    assert (made is x) == x.is_contiguous == expected_contiguous(x)


def expected_contiguous(x):
    return np.ndarray(
        x.shape, x.dtype.storage, x.buffer, x.byte_offset if x.size else 0, x.byte_strides
    ).flags.c_contiguous


@given(st.data(), st.sampled_from(sorted(DTYPES)), st.sampled_from(sorted(DTYPES)))
def test_astype_is_numpys_where_the_number_fits(data, source, target):
    small = st.integers(0, 100) if DTYPES[source].kind != "bool" else st.booleans()
    numbers = data.draw(st.lists(small, max_size=5))
    x = tl.tensor(numbers, dtype=source)
    made = x.astype(target)
    kind = {"bool": bool, "float": float}.get(DTYPES[target].kind, int)
    assert made.tolist() == [kind(number) for number in numbers]
    assert all(type(number) is kind for number in made.tolist())
    assert made.dtype == DTYPES[target]
    assert made.buffer is not x.buffer


def test_astype_drops_fractions_and_says_what_does_not_fit():
    x = tl.tensor([[2.75, -2.75]])
    assert x.transpose().astype(tl.int8).tolist() == [[2], [-2]]
    assert x.astype("bool").tolist() == [[True, True]]
    assert tl.tensor([math.nan, 0.0, -0.0]).astype(tl.bool_).tolist() == [True, False, False]
    with pytest.raises(tl.DTypeError, match=r"astype: 300\.0 does not fit uint8"):
        tl.tensor([300.0]).astype(tl.uint8)
    with pytest.raises(tl.DTypeError, match="astype: -1 does not fit uint8"):
        tl.tensor([-1]).astype(tl.uint8)


# One number


def test_one_element_is_one_python_number():
    for data, number in [([[2.5]], 2.5), (3, 3), ([True], True)]:
        x = tl.tensor(data)
        assert x.item() == number
        assert type(x.item()) is type(number)
    assert float(tl.tensor(2)) == 2.0
    assert int(tl.tensor([2.75])) == 2
    assert bool(tl.tensor(0.0)) is False
    assert bool(tl.tensor(1.0, dtype=tl.bfloat16)) is True
    assert tl.tensor(19.0, dtype=tl.bfloat16).item() == 19.0


@pytest.mark.parametrize(("ask", "name"), [(tl.Tensor.item, "item"), (float, "float"), (int, "int"), (bool, "bool")])
@pytest.mark.parametrize("shape", [(2,), (0,), (1, 2)])
def test_more_or_fewer_elements_are_not_one_number(ask, name, shape):
    x = tl.zeros(shape)
    with pytest.raises(tl.ShapeError, match=f"{name}: {x.size} elements are not one number") as caught:
        ask(x)
    if name == "bool":
        assert value_of(caught.value.fix, x=x) is (x.size == 0)


def test_an_integer_of_rank_0_may_stand_where_python_wants_an_index():
    x = tl.arange(12).reshape((3, 4))
    ids = tl.tensor([2, 0])
    assert [x[i].tolist() for i in ids] == [[8, 9, 10, 11], [0, 1, 2, 3]]
    assert x.reshape(tl.tensor([2, 6])).shape == (2, 6)
    for wrong in (tl.tensor([1]), tl.tensor(1.0), tl.tensor(True)):
        with pytest.raises(tl.ArgumentError, match="only an integer tensor of rank 0 counts as a number"):
            range(wrong)


# Comparing


@given(tensors(), st.data())
def test_equality_is_element_by_element_and_broadcasts_as_numpy_does(made, data):
    x, expected = made
    number = data.draw(buffers(1, [x.dtype.numpy]))[0]
    other = data.draw(st.sampled_from([expected, expected[..., :1] if expected.ndim else expected, number]))
    for value in (other, tl.tensor(other)):
        for ours, theirs in (((x == value), (expected == other)), ((x != value), (expected != other))):
            assert isinstance(ours, tl.Tensor)
            assert ours.dtype == tl.bool_
            assert same(ours.numpy(), np.asarray(theirs))


def test_equality_with_numbers_lists_and_arrays_on_either_side():
    x = tl.tensor([1.0, math.nan, -0.0])
    assert (x == 1).tolist() == [True, False, False]
    assert (1 == x).tolist() == [True, False, False]  # noqa: SIM300
    assert (x == [1, 2, 0]).tolist() == [True, False, True]
    assert (x != x).tolist() == [False, True, False]
    left = np.array([1.0, 2.0, 0.0], dtype=np.float32) == x
    assert isinstance(left, tl.Tensor)
    assert left.tolist() == [True, False, True]
    assert (tl.tensor([0.1], dtype=tl.bfloat16) == 0.1).tolist() == [True]
    assert (tl.tensor([255], dtype=tl.uint8) == tl.tensor([-1], dtype=tl.int8)).tolist() == [False]


def test_equality_across_kinds_and_shapes_is_refused():
    with pytest.raises(tl.DTypeError, match="==: float32 and int64 are of different kinds"):
        _ = tl.zeros(3) == tl.arange(3)
    with pytest.raises(tl.DTypeError, match=r"!=: 1\.5 is no int64"):
        _ = tl.arange(3) != 1.5
    with pytest.raises(tl.ShapeError, match=r"==: the shapes \(3,\) and \(2,\) do not broadcast"):
        _ = tl.arange(3) == tl.arange(2)


def test_a_tensor_is_not_equal_to_what_is_no_number_and_has_no_hash():
    assert (tl.zeros(2) == None) is False  # noqa: E711
    assert (tl.zeros(2) != "text") is True
    with pytest.raises(TypeError, match="unhashable"):
        hash(tl.zeros(2))


# Whose memory


@given(odd_arrays(), st.data())
def test_two_tensors_of_one_memory_overlap_where_numpy_says_so(array, data):
    keys_of = data.draw(keys(array.shape)), data.draw(keys(array.shape))
    one, two = (np.asarray(array[key]) for key in keys_of)
    x, y = tl.from_numpy(one), tl.from_numpy(two)
    answer = x.overlaps(y)
    assert answer.verdict == ("yes" if np.shares_memory(one, two) else "no")
    if answer.verdict == "yes":
        assert x.layout.position(answer.first) == answer.position
        assert (
            x[answer.first].numpy().__array_interface__["data"] == y[answer.second].numpy().__array_interface__["data"]
        )


def test_tensors_of_different_dtypes_are_compared_in_bytes():
    array = np.zeros(8, dtype=np.float32)
    whole, halves = tl.from_numpy(array), tl.from_numpy(array.view(np.uint16))
    assert whole[1:2].overlaps(halves[2:4]).verdict == "yes"
    assert whole[1:2].overlaps(halves[4:]).verdict == "no"
    answer = whole[1:2].overlaps(halves[3:4])
    assert (answer.position, answer.first, answer.second) == (6, (0, 2), (0, 0))
    assert halves[::2].overlaps(halves[1::2]).verdict == "no"
    assert whole.overlaps(halves[1::2]).verdict == "yes"
    assert whole.shares_buffer(halves)


def test_memory_that_starts_between_two_elements_is_compared_in_bytes():
    raw = np.zeros(64, np.uint8)
    one, two = raw[:32].view(np.uint64), raw[4:36].view(np.uint32)[::2]
    shifted = tl.from_numpy(np.lib.stride_tricks.as_strided(raw[4:].view(np.uint32), (4,), (8,)))
    x = tl.from_numpy(one)
    assert x.overlaps(tl.from_numpy(two)).verdict == "yes"
    assert x[:1].overlaps(shifted[1:]).verdict == "no"


def test_tensors_made_apart_from_one_array_know_each_other():
    array = np.arange(12)
    x, y, z = tl.from_numpy(array[:6]), tl.from_numpy(array[6:]), tl.from_numpy(array.copy())
    assert x.shares_buffer(y)
    assert x.overlaps(y).verdict == "no"
    assert not x.shares_buffer(z)
    assert x.overlaps(z).verdict == "no"
    fields = np.zeros(3, dtype=[("a", "f4"), ("b", "f4")])
    a, b = tl.from_numpy(fields["a"]), tl.from_numpy(fields["b"])
    assert a.shares_buffer(b)
    assert a.overlaps(b).verdict == "no"
    assert a.overlaps(tl.from_numpy(fields["a"][::-1])).verdict == "yes"


def test_nothing_overlaps_a_tensor_without_elements():
    x = tl.zeros((2, 0))
    assert x.overlaps(x).verdict == "no"
    assert tl.zeros(3)[:0].overlaps(tl.zeros(3)).verdict == "no"


def test_overlap_answers_stop_at_the_work_limit():
    x = tl.zeros(200)
    odd = tl.Tensor(x.buffer, tl.Layout((5, 5, 5), (6, 10, 15)))
    even = tl.Tensor(x.buffer, tl.Layout((5, 5, 5), (14, 21, 6), offset=1))
    assert odd.overlaps(even, max_work=0).verdict in ("undecided", "no")
    assert odd.overlaps(even).verdict != "undecided"


@pytest.mark.parametrize("ask", ["shares_buffer", "overlaps"])
def test_only_tensors_are_compared(ask):
    with pytest.raises(tl.ArgumentError, match=f"{ask}: only a tensor can be compared"):
        getattr(tl.zeros(2), ask)(np.zeros(2))


# Drawing


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (
            tl.tensor([[1, -2], [30, 4]]),
            "Tensor (2, 2) int64 | strides (2, 1) | offset 0 | owns its buffer of 4 slots\n[[ 1 -2]\n [30  4]]",
        ),
        (
            tl.arange(6).reshape((2, 3)).transpose()[1:],
            "Tensor (2, 2) int64 | strides (1, 3) | offset 1 | view of a buffer of 6 slots\n[[1 4]\n [2 5]]",
        ),
        (
            tl.tensor([1.0, -3.140625, math.nan, math.inf, -0.0], dtype="bfloat16"),
            "Tensor (5,) bfloat16 | strides (1,) | offset 0 | owns its buffer of 5 slots\n"
            "[ 1.       -3.140625       nan       inf -0.      ]",
        ),
        (tl.tensor(5), "Tensor () int64 | strides () | offset 0 | owns its buffer of 1 slot\n5"),
        (tl.zeros((0, 3)), "Tensor (0, 3) float32 | strides (3, 1) | offset 0 | owns its buffer of 0 slots\n[]"),
        (
            tl.from_numpy(np.arange(4, dtype=np.uint8)[::-1]),
            "Tensor (4,) uint8 | strides (-1,) | offset 3 | memory of a NumPy array, 4 slots\n[3 2 1 0]",
        ),
        (
            tl.from_numpy(np.arange(4, dtype=np.uint8))[2:],
            "Tensor (2,) uint8 | strides (1,) | offset 2 | view into memory of a NumPy array, 4 slots\n[2 3]",
        ),
        (
            tl.from_numpy(np.frombuffer(b"\x01\x02", dtype=np.uint8)),
            "Tensor (2,) uint8 | strides (1,) | offset 0 | memory of a bytes object, 2 slots\n[1 2]",
        ),
        (
            tl.tensor([True, False]),
            "Tensor (2,) bool | strides (1,) | offset 0 | owns its buffer of 2 slots\n[ True False]",
        ),
    ],
)
def test_the_drawing_shows_values_layout_and_whose_memory_it_is(x, text):
    assert repr(x) == text


def test_a_large_tensor_is_drawn_by_its_ends_without_reading_the_rest():
    x = tl.zeros((151936, 1024), dtype=tl.bfloat16)
    x[785] = 1
    text = repr(x)
    assert text.count("\n") == 7
    assert "[0. 0. 0. ... 0. 0. 0.]\n ...\n" in text
    assert repr(tl.arange(1000)).endswith("[  0   1   2 ... 997 998 999]")
    assert repr(tl.arange(200)).count("...") == 0
    assert repr(tl.zeros((2,) * 12)).endswith("(4096 elements in 12 axes: too many to draw)")


def test_the_drawing_does_not_depend_on_numpys_print_options():
    x = tl.tensor([0.5, math.nan, 1e-9])
    plain = repr(x)
    with np.printoptions(precision=1, suppress=True, nanstr="?", linewidth=10, threshold=1, floatmode="fixed"):
        assert repr(x) == plain


@given(tensors())
def test_every_tensor_can_be_drawn_and_the_drawing_holds_no_address(made):
    x, _ = made
    assert repr(x) == repr(x)
    assert "0x" not in repr(x)
    assert len(repr(x)) < 6000


# Python's own copies


def test_pickle_and_deepcopy_keep_what_a_tensor_is():
    x = tl.arange(6).reshape((2, 3)).transpose()
    for made in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x)):
        assert made.tolist() == x.tolist()
        assert made.layout == x.layout
        assert made.dtype is x.dtype
        assert not made.shares_buffer(x)
    assert copy.copy(x).buffer is x.buffer


# Matrix from a tensor


def test_a_matrix_needs_rank_2_and_rows_one_after_another():
    with pytest.raises(tl.ShapeError, match="matrix: a matrix has 2 axes, not 3"):
        tl.zeros((2, 2, 2)).matrix()
    x = tl.arange(6).reshape((2, 3)).transpose()
    with pytest.raises(tl.LayoutError, match="matrix: the rows do not lie one after another") as caught:
        x.matrix()
    assert caught.value.fix == "x.contiguous().matrix()"
    assert value_of(caught.value.fix, x=x).tolist() == x.tolist()


@pytest.mark.parametrize(
    "make",
    [
        lambda: tl.zeros((0, 2**70)),
        lambda: tl.zeros((0, 2**62, 4)),
        lambda: tl.zeros(1).broadcast_to((2**62,)),
        lambda: tl.zeros(1).broadcast_to((2**70, 3)),
        lambda: tl.Tensor(np.zeros(1), Layout((1,), (2**70,))),
    ],
)
def test_a_layout_beyond_numpy_can_be_held_and_says_why_it_cannot_be_read(make):
    x = make()
    assert x.shape == x.layout.shape
    assert repr(x).endswith("\n(a layout beyond what NumPy can hold)")
    for read in (x.numpy, x.tolist, x.copy, lambda: x == 0):
        with pytest.raises(tl.ShapeError, match="beyond what NumPy can hold"):
            read()


def test_more_elements_than_any_memory_holds_are_refused():
    for make in (lambda: tl.zeros(2**62), lambda: tl.zeros((2**40, 2**40)), lambda: tl.arange(-(2**63), 2**63)):
        with pytest.raises(tl.ShapeError, match="more than any memory holds"):
            make()
    assert tl.arange(2**70, 0).size == tl.arange(0, 2**70, step=-1).size == 0
    assert tl.arange(0, 2**62, step=2**61).tolist() == [0, 2**61]


def test_a_list_that_holds_itself_is_refused():
    ring = [1]
    ring.append(ring)
    own = []
    own.append(own)
    deep = 1
    for _ in range(5000):
        deep = [deep]
    for data in (ring, own, deep):
        with pytest.raises(tl.ShapeError, match="nested more than 64 deep"):
            tl.tensor(data)
    for _ in range(5000 - 64):
        deep = deep[0]
    assert tl.tensor(deep).shape == (1,) * 64


def test_a_masked_array_is_no_buffer():
    masked = np.ma.array([1, 2, 3], mask=[False, True, False])
    with pytest.raises(tl.ArgumentError, match="masked") as caught:
        tl.Tensor(masked, Layout(3, 1))
    filled = eval(caught.value.fix, {"array": masked})
    assert tl.Tensor(filled, Layout(3, 1)).tolist() == [1, 0, 3]
