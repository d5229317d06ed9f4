"""Two axes, always row-major: held against NumPy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tensorlab as tl
from tensorlab.dtypes import DTYPES
from tensorlab.matrix import TILE

NUMPY_TYPES = [dtype.numpy for dtype in DTYPES.values() if dtype.numpy is not None]
lengths = st.integers(0, 5)


def grids(dtypes=NUMPY_TYPES):
    """Arrays of rank 2 with any bits in them: NaN, infinities and -0.0 among them."""
    return st.sampled_from(dtypes).flatmap(lambda dtype: hnp.arrays(dtype, st.tuples(lengths, lengths)))


def same_bits(left, right):
    return (left.shape, left.dtype, left.tobytes()) == (right.shape, right.dtype, right.tobytes())


def counted(rows, cols):
    return tl.Matrix(range(rows * cols), rows, cols)


@given(grids())
def test_values_fill_the_rows_one_after_another(array):
    for m in (tl.Matrix(array.reshape(-1), *array.shape), tl.Matrix.from_rows(array), tl.tensor(array).matrix()):
        assert same_bits(m.numpy(), array)
        assert (m.rows, m.cols, m.shape, m.size) == (*array.shape, array.shape, array.size)
        assert m.dtype.numpy == array.dtype
        assert m.tensor().is_contiguous
        assert m.tensor().strides == (max(m.cols, 1), 1)


def test_values_are_copied_and_take_a_dtype_as_tensor_does():
    values = np.arange(6)
    m = tl.Matrix(values, 2, 3)
    values[0] = 99
    assert m.at(0, 0) == 0
    assert tl.Matrix([1, 2], 1, 2, dtype=tl.float32).tolist() == [[1.0, 2.0]]
    assert tl.Matrix.from_rows([[1, 2]], dtype="uint8").dtype == tl.uint8
    assert tl.Matrix([0.1], 1, 1).dtype == tl.float32
    assert tl.Matrix.zeros(2, 2, dtype=tl.bfloat16).words().tolist() == [[0, 0], [0, 0]]


@given(lengths, lengths, st.integers(0, 30))
def test_a_wrong_number_of_values_names_the_shape_what_it_needs_and_what_it_got(rows, cols, n):
    if n == rows * cols:
        assert tl.Matrix([0] * n, rows, cols).size == n
        return
    with pytest.raises(tl.ShapeError) as caught:
        tl.Matrix([0] * n, rows, cols)
    assert str(caught.value) == (
        f"Matrix: {n} values do not fill a ({rows}, {cols}) matrix\n"
        f"  expected: {rows * cols} values, {rows} rows of {cols}\n"
        f"  got:      {n} values"
    )


def test_rows_go_to_from_rows_and_only_rank_2_is_taken_there():
    with pytest.raises(
        tl.ShapeError, match=r"Matrix: the values come in shape \(2, 2\), not in one flat run"
    ) as caught:
        tl.Matrix([[1, 2], [3, 4]], 2, 2)
    assert eval(caught.value.fix, {"tl": tl, "values": [[1, 2], [3, 4]]}).tolist() == [[1, 2], [3, 4]]
    for rows in ([1, 2], 5, [[[1]]], []):
        with pytest.raises(tl.ShapeError, match="from_rows: rows have 2 axes"):
            tl.Matrix.from_rows(rows)
    with pytest.raises(tl.ShapeError, match="the lists are ragged"):
        tl.Matrix.from_rows([[1, 2], [3]])


@pytest.mark.parametrize(("rows", "cols", "said"), [(-1, 2, "-1 rows"), (2, -3, "-3 cols")])
def test_a_negative_length_is_refused(rows, cols, said):
    for make in (tl.Matrix.zeros, lambda *shape: tl.Matrix([], *shape)):
        with pytest.raises(tl.ShapeError, match=f"a matrix cannot have {said}"):
            make(rows, cols)
    with pytest.raises(tl.ArgumentError, match="rows takes whole numbers only"):
        tl.Matrix.zeros(1.5, 2)


@given(lengths, lengths, st.integers(-2, 6), st.integers(-2, 6))
def test_a_value_is_read_only_where_it_is(rows, cols, i, j):
    m = counted(rows, cols)
    if 0 <= i < rows and 0 <= j < cols:
        assert m.at(i, j) == m.flat_index(i, j) == np.arange(rows * cols).reshape(rows, cols)[i, j]
        return
    axis, number, length = ("row", i, rows) if not 0 <= i < rows else ("column", j, cols)
    for ask in (m.at, m.flat_index, lambda *index: m.set(*index, 0)):
        with pytest.raises(tl.BoundsError) as caught:
            ask(i, j)
        assert caught.value.problem == f"{axis} {number} does not exist in a ({rows}, {cols}) matrix"
        assert caught.value.got == f"({i}, {j})"
        expected = f"0 <= {axis} < {length}" if length else f"no {axis} at all: the matrix is empty"
        assert caught.value.expected == expected


def test_a_column_past_the_end_is_not_the_next_rows():
    m = tl.Matrix([1, 2, 3, 4, 5, 6], 2, 3)
    with pytest.raises(tl.BoundsError) as caught:
        m.at(0, 5)
    assert str(caught.value) == (
        "at: column 5 does not exist in a (2, 3) matrix\n"
        "  expected: 0 <= column < 3\n"
        "  got:      (0, 5)\n"
        "  why:      0 * 3 + 5 = 5 counts a number too, but one of row 1"
    )
    with pytest.raises(tl.BoundsError) as caught:
        m.at(1, -1)
    assert caught.value.why == "1 * 3 + -1 = 2 counts a number too, but one of row 0"
    with pytest.raises(tl.BoundsError) as caught:
        m.at(1, 5)
    assert caught.value.why is None
    with pytest.raises(tl.ArgumentError, match="at: column takes whole numbers only"):
        m.at(0, 1.0)


@given(grids(), st.data())
def test_set_writes_one_value_and_no_other(array, data):
    m = tl.Matrix.from_rows(array)
    if not array.size:
        return
    i, j = (data.draw(st.integers(0, length - 1)) for length in array.shape)
    value = data.draw(hnp.arrays(array.dtype, ())).item()
    expected = array.copy()
    m.set(i, j, value)
    expected[i, j] = value
    np.testing.assert_array_equal(m.numpy(), expected)


def test_set_refuses_what_does_not_fit():
    m = tl.Matrix.zeros(1, 2, dtype=tl.uint8)
    with pytest.raises(tl.DTypeError, match="256 does not fit uint8"):
        m.set(0, 0, 256)
    with pytest.raises(tl.DTypeError, match=r"0\.5 is no uint8"):
        m.set(0, 0, 0.5)
    array = np.zeros((1, 2))
    array.flags.writeable = False
    with pytest.raises(tl.ReadOnlyError, match="the memory is read-only"):
        tl.from_numpy(array).matrix().set(0, 0, 1)
    with pytest.raises(tl.ShapeError, match="not one number"):
        m.set(0, 0, [1, 2])


@given(lengths, lengths)
def test_a_row_is_one_uninterrupted_run_of_the_same_memory(rows, cols):
    m = counted(rows, cols)
    for r in range(rows):
        row = m.row(r)
        assert row.tolist() == list(range(r * cols, (r + 1) * cols))
        assert list(row.layout.positions()) == list(range(r * cols, (r + 1) * cols))
        assert row.is_contiguous
        assert row.buffer is m.tensor().buffer
    for r in (-1, rows):
        with pytest.raises(tl.BoundsError, match=f"row: row {r} does not exist in a"):
            m.row(r)


def test_writing_to_a_row_writes_to_the_matrix():
    m = tl.Matrix.zeros(2, 3)
    m.row(1)[...] = [1, 2, 3]
    assert m.tolist() == [[0, 0, 0], [1, 2, 3]]


@given(grids())
def test_transposed_is_a_copy_turned_round(array):
    m = tl.Matrix.from_rows(array)
    turned = m.transposed()
    assert same_bits(turned.numpy(), np.ascontiguousarray(array.T))
    assert not turned.tensor().shares_buffer(m.tensor())
    assert turned.tensor().is_contiguous


@pytest.mark.parametrize(
    "shape", [(TILE, TILE), (TILE + 1, TILE - 1), (3 * TILE + 5, 2 * TILE + 1), (1, 300), (300, 1)]
)
def test_tiles_that_do_not_divide_the_shape_leave_nothing_out(shape):
    array = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)
    assert (tl.Matrix.from_rows(array).transposed().numpy() == array.T).all()


def test_bfloat16_words_survive_turning_round():
    words = np.array([[0x7F81, 0x8000, 0x3F80], [0xFFC1, 0x0001, 0xC049]], dtype=np.uint16)
    m = tl.from_numpy(words, dtype=tl.bfloat16).matrix()
    assert m.transposed().words().tolist() == words.T.tolist()
    assert m.transposed().dtype == tl.bfloat16
    with pytest.raises(tl.DTypeError, match="NumPy has no bfloat16"):
        m.numpy()


def test_a_matrix_and_its_tensor_share_memory_both_ways():
    m = tl.Matrix.zeros(2, 3)
    x = m.tensor()
    x[0, 1] = 5
    m.set(1, 2, 7)
    assert x.tolist() == m.tolist() == [[0, 5, 0], [0, 0, 7]]
    again = x.matrix()
    again.set(0, 0, 1)
    assert m.at(0, 0) == 1
    assert again.tensor().shares_buffer(x)
    assert np.shares_memory(m.numpy(), x.buffer)
    assert np.shares_memory(np.asarray(m), x.buffer)


def test_a_matrix_may_begin_anywhere_in_its_buffer():
    x = tl.arange(12).reshape((4, 3)).narrow(0, 2, 2)
    m = x.matrix()
    assert m.flat_index(1, 2) == 5
    assert m.tensor().layout.position((1, 2)) == 11
    assert m.at(1, 2) == 11
    m.set(0, 0, -6)
    assert m.row(0).tolist() == [-6, 7, 8]
    assert m.transposed().tolist() == [[-6, 9], [7, 10], [8, 11]]
    assert x.buffer.tolist() == [0, 1, 2, 3, 4, 5, -6, 7, 8, 9, 10, 11]


def test_a_single_row_or_column_is_a_matrix_whatever_stride_its_other_axis_has():
    x = tl.arange(12).reshape((3, 4))
    row = x.narrow(0, 1, 1).matrix()
    assert row.tolist() == [[4, 5, 6, 7]]
    one = tl.Tensor(x.buffer, tl.Layout((1, 3), (99, 1), offset=2)).matrix()
    assert one.tensor().strides == (3, 1)
    assert one.row(0).tolist() == [2, 3, 4]
    with pytest.raises(tl.LayoutError, match="do not lie one after another"):
        x.narrow(1, 0, 1).matrix()
    assert x.narrow(1, 0, 1).contiguous().matrix().tolist() == [[0], [4], [8]]


@given(lengths, lengths)
def test_shapes_with_nothing_in_them_work_everywhere(rows, cols):
    for shape in [(0, cols), (rows, 0)]:
        m = tl.Matrix([], *shape)
        assert m.tolist() == [[]] * shape[0]
        assert m.transposed().shape == shape[::-1]
        assert m.tensor().matrix().shape == shape
        assert [m.row(r).size for r in range(shape[0])] == [0] * shape[0]
        assert repr(m).endswith("owns its buffer of 0 slots\n[]")


def test_equality_is_element_by_element_and_a_matrix_has_no_hash():
    m, other = counted(2, 2), tl.Matrix([0, 1, 9, 3], 2, 2)
    assert (m == other).tolist() == [[True, True], [False, True]]
    assert (m != other.tensor()).tolist() == [[False, False], [True, False]]
    assert (other.tensor() == m).tolist() == [[True, True], [False, True]]
    assert (m == 1).tolist() == [[False, True], [False, False]]
    assert (np.array([[0, 1], [9, 3]]) == m).tolist() == [[True, True], [False, True]]
    assert (m == None) is False  # noqa: E711
    with pytest.raises(TypeError, match="unhashable"):
        hash(m)


def test_the_drawing_shows_values_and_whose_memory_it_is():
    assert repr(tl.Matrix([1, -2, 30, 4], 2, 2)) == (
        "Matrix (2, 2) int64 | row-major | owns its buffer of 4 slots\n[[ 1 -2]\n [30  4]]"
    )
    assert repr(tl.from_numpy(np.zeros((1, 2))).matrix()) == (
        "Matrix (1, 2) float64 | row-major | view into memory of a NumPy array, 2 slots\n[[0. 0.]]"
    )


def test_a_matrix_is_walked_row_by_row():
    m = counted(2, 2)
    assert len(m) == 2
    assert [row.tolist() for row in m] == [[0, 1], [2, 3]]


def test_a_read_only_matrix_says_how_to_get_one_that_can_be_written():
    array = np.ones((2, 2))
    array.flags.writeable = False
    m = tl.from_numpy(array).matrix()
    with pytest.raises(tl.ReadOnlyError, match=r"^set: the memory is read-only") as caught:
        m.set(0, 1, 5)
    names = {"tl": tl, "m": m}
    exec(caught.value.fix, names)
    names["m"].set(0, 1, 5)
    assert names["m"].tolist() == [[1.0, 5.0], [1.0, 1.0]]
    assert m.at(0, 1) == 1.0


def test_a_value_that_is_no_number_is_refused_in_the_name_of_set():
    for value, problem in (("a", "no number"), ([1, 2], "not one number"), (2.5j, "no number")):
        with pytest.raises(tl.TensorlabError, match=f"^set: .*{problem}"):
            tl.Matrix.zeros(2, 2).set(0, 0, value)
