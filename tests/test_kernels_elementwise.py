"""Element-wise kernels, copies and the mean: held against Python's own numbers, and against NumPy in float64."""

import math
import operator
import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tensorlab as tl
from tensorlab.dtypes import DTYPES, promote
from tensorlab.layout import Layout
from tests.strategies import shapes, view_chains

OPERATIONS = {
    "add": (tl.add, operator.add, operator.iadd),
    "subtract": (tl.subtract, operator.sub, operator.isub),
    "multiply": (tl.multiply, operator.mul, operator.imul),
}
COMPUTED = ["float32", "float64", "int32", "int64", "uint32", "uint64"]
UNMET = ({"int32", "uint64"}, {"int64", "uint64"})  # no integer holds both
SPECIAL = [0.0, -0.0, 1.0, -1.5, math.nan, math.inf, -math.inf, 3e38, 1e-45]

few = settings(max_examples=40)  # of each operation
each_operation = pytest.mark.parametrize("name", OPERATIONS)


@pytest.fixture(autouse=True)
def nothing_escapes():
    """Warnings are errors, and NumPy raises wherever it would have warned."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        yield


def result_of(fix, **names):
    """Run the code of an error's fix line: the value of an expression, or the names that statements leave."""
    names = {"tl": tl, "np": np, **names}
    try:
        return eval(fix, names)
    except SyntaxError:
        exec(fix, names)
        return names


def refusal(error, call, *args, **options):
    with pytest.raises(error) as caught:
        call(*args, **options)
    return caught.value


def same(left, right):
    """Equal in shape, type and every bit, but that one NaN is as good as another."""
    left, right = np.asarray(left), np.asarray(right)
    if (left.shape, left.dtype) != (right.shape, right.dtype):
        return False
    if left.dtype.kind == "f":
        nan = np.isnan(left)
        return np.array_equal(nan, np.isnan(right)) and left[~nan].tobytes() == right[~nan].tobytes()
    return left.tobytes() == right.tobytes()


def by_hand(operate, left, right, dtype):
    """The result, worked out pair by pair in Python: integers wrapped at the end, floats rounded once more."""
    left, right = np.broadcast_arrays(left, right)
    pairs = zip(left.flatten().tolist(), right.flatten().tolist(), strict=True)
    numbers = [operate(a, b) for a, b in pairs]
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            result = np.array(numbers, dtype=np.float64).astype(dtype)
    else:
        low, count = int(np.iinfo(dtype).min), 2 ** (8 * dtype.itemsize)
        result = np.array([(number - low) % count + low for number in numbers], dtype=dtype)
    return result.reshape(left.shape)


def words(size, dtype, special=SPECIAL):
    """Buffers of numbers of one dtype, odd ones among them."""
    if np.dtype(dtype).kind != "f":
        return hnp.arrays(dtype, size)
    with np.errstate(all="ignore"):
        special = [np.array(number, dtype).item() for number in special]
    elements = st.sampled_from(special) | st.floats(-100, 100, width=32)
    return st.lists(elements, min_size=size, max_size=size).map(lambda numbers: np.array(numbers, dtype=dtype))


@st.composite
def strides_of(draw, shape, apart=False):
    """Strides for a shape: permuted, padded, reversed, and unless the slots must be apart, repeated or anything."""
    if not apart and draw(st.booleans()):
        return draw(st.tuples(*[st.integers(-6, 6)] * len(shape)))
    strides, stride = [0] * len(shape), 1
    for axis in draw(st.permutations(range(len(shape)))):
        stride += draw(st.sampled_from([0, 0, 1, 2]))
        strides[axis] = stride * draw(st.sampled_from([1, -1]))
        stride *= max(shape[axis], 1)
    return tuple(strides)


@st.composite
def laid_out(draw, shape, dtype, apart=False):
    """A tensor of this shape in an odd layout, and the same elements as NumPy picks them."""
    layout = Layout(shape, draw(strides_of(shape, apart)))
    layout = Layout(shape, layout.strides, draw(st.integers(0, 2)) - layout.span[0])
    x = tl.Tensor(draw(words(layout.span[1] + draw(st.integers(0, 2)), dtype)), layout)
    return x, x.buffer[np.array(list(layout.positions()), dtype=np.intp).reshape(shape)]


@st.composite
def chained(draw, dtype, special=SPECIAL):
    """A tensor at the end of a chain of views, and the same elements as NumPy picks them."""
    positions, layout = draw(view_chains())
    positions = np.asarray(positions)
    x = tl.Tensor(draw(words(int(positions.max(initial=-1)) + 1, dtype, special)), layout)
    return x, x.buffer[positions]


def partners(shape):
    """Shapes that broadcast with this one without making it larger."""
    lengths = [st.sampled_from([length, length, 1]) for length in shape]
    return st.tuples(*lengths).flatmap(lambda full: st.integers(0, len(full)).map(lambda cut: full[cut:]))


def forms(x):
    """What stands for the same elements: the tensor, its NumPy array, and a matrix where it is one."""
    matrix = [x.matrix()] if x.ndim == 2 and x.is_contiguous else []
    return st.sampled_from([x, x.numpy(), *matrix])


# What add, subtract and multiply give


@each_operation
@few
@given(data=st.data())
def test_every_element_is_what_python_works_out_for_its_pair(name, data):
    call, operate, _ = OPERATIONS[name]
    dtype = data.draw(st.sampled_from(COMPUTED))
    x, left = data.draw(chained(dtype))
    y, right = data.draw(laid_out(data.draw(partners(x.shape)), dtype))
    a, b, first, second = (x, y, left, right) if data.draw(st.booleans()) else (y, x, right, left)
    result = call(data.draw(forms(a)), data.draw(forms(b)))
    assert isinstance(result, tl.Tensor)
    assert same(result.numpy(), by_hand(operate, first, second, dtype))
    assert result.is_contiguous
    assert not result.overlaps(x).possible
    assert not result.overlaps(y).possible
    assert same(x.numpy(), left)
    assert same(y.numpy(), right)


@pytest.mark.parametrize("left", COMPUTED)
@pytest.mark.parametrize("right", COMPUTED)
def test_two_dtypes_meet_where_promote_says_or_the_error_names_the_cast(left, right):
    a, b = tl.tensor([1, 2, 3], dtype=left), tl.tensor([[4], [5]], dtype=right)
    if ("float" in left) == ("float" in right) and {left, right} not in UNMET:
        dtype = promote(left, right)
    else:
        problem = refusal(tl.DTypeError, promote, left, right).problem
        error = refusal(tl.DTypeError, tl.subtract, a, b)
        assert error.problem == problem
        assert error.got == f"a: {left}, b: {right}"
        cast = result_of(error.fix, a=a, b=b)
        assert cast.dtype.kind == ("int" if {left, right} in UNMET else "float")
        a, b = (cast, b) if error.fix.startswith("a.") else (a, cast)
        dtype = promote(a.dtype, b.dtype)
    result = tl.subtract(a, b)
    assert result.dtype is dtype
    assert result.tolist() == [[-3, -2, -1], [-4, -3, -2]] or dtype.kind == "uint"
    assert same(result.numpy(), by_hand(operator.sub, a.numpy(), b.numpy(), dtype.numpy))


def test_the_message_across_kinds_shows_both_dtypes_and_the_cast_to_write():
    assert str(refusal(tl.DTypeError, tl.add, tl.arange(3), np.zeros(3, dtype=np.float32))) == (
        "add: int64 and float32 are of different kinds\n"
        "  expected: two floats, two integers or two bools\n"
        "  got:      a: int64, b: float32\n"
        "  why:      a silent choice would lose digits: int64 counts further than float32 can\n"
        "  fix:      a.astype(tl.float32)"
    )


@pytest.mark.parametrize("dtype", [name for name in DTYPES if name not in COMPUTED])
@each_operation
def test_a_dtype_that_is_only_held_is_refused_and_the_fix_casts_it(name, dtype):
    call, operate, _ = OPERATIONS[name]
    held = tl.tensor([[True, False, True]] if dtype == "bool" else [[1, 0, 2]], dtype=dtype)
    wide = tl.float32 if "float" in dtype else tl.int32
    other = tl.tensor([3, 4, 5], dtype=wide)
    for b in [held, held.matrix(), *([held.numpy()] if held.dtype.numpy else [])]:
        error = refusal(tl.DTypeError, call, other, b)
        assert error.got == f"b: {dtype}"
        assert error.expected == "float32, float64, int32, int64, uint32 or uint64"
        assert f"{name}: {dtype} is " in str(error)
        result = call(other, result_of(error.fix, b=b))
        assert result.dtype is wide
        assert result.tolist() == [list(map(operate, [3, 4, 5], map(int, held.tolist()[0])))]
    with pytest.raises(tl.DTypeError, match=f"{name}: {dtype} is "):
        call(held, 1)


def test_the_message_for_a_held_dtype_says_why():
    assert str(refusal(tl.DTypeError, tl.multiply, tl.zeros(3, dtype="uint8"), 2)) == (
        "multiply: uint8 is stored and converted, but not computed with\n"
        "  expected: float32, float64, int32, int64, uint32 or uint64\n"
        "  got:      a: uint8\n"
        "  why:      int32 holds every uint8 exactly, and its results have room to grow\n"
        "  fix:      a.astype(tl.int32)"
    )
    assert refusal(tl.DTypeError, tl.add, True, tl.tensor([True])).fix == "b.astype(tl.int32)"


def test_integers_wrap_and_floats_become_infinite():
    assert tl.add(tl.tensor([2**31 - 1], dtype="int32"), 1).tolist() == [-(2**31)]
    assert tl.subtract(tl.tensor([0], dtype="uint32"), 1).tolist() == [2**32 - 1]
    assert tl.multiply(tl.tensor([2**63], dtype="uint64"), 2).tolist() == [0]
    assert tl.add(tl.tensor(2**63 - 1), tl.tensor(1)).item() == -(2**63)
    assert tl.multiply(tl.tensor([3e38, 1e-45, -0.0]), tl.tensor([10.0, 0.25, 1.0])).tolist() == [math.inf, 0.0, -0.0]
    assert all(math.isnan(number) for number in (tl.tensor([math.nan, math.inf]) * 0.0).tolist())
    assert math.isnan(tl.subtract(tl.tensor(math.inf), math.inf).item())


def test_rank_0_and_empty_tensors_are_tensors_like_others():
    x = tl.tensor(3.0)
    assert (x + x).shape == ()
    assert (x * 2).item() == 6.0
    assert (tl.zeros((0, 3)) + tl.zeros(3)).shape == (0, 3)
    assert (tl.zeros((2, 0, 1)) - tl.zeros((1, 4))).shape == (2, 0, 4)


# Python's numbers are weak, NumPy's are not


@pytest.mark.parametrize("dtype", COMPUTED)
@each_operation
def test_a_python_number_takes_the_dtype_of_the_tensor_on_either_side(name, dtype):
    call, operate, _ = OPERATIONS[name]
    x = tl.tensor([5, 7], dtype=dtype)
    for number in [3, 2.5] if "float" in dtype else [3]:
        assert call(x, number).dtype is x.dtype
        assert call(x, number).tolist() == [operate(5, number), operate(7, number)]
        assert call(number, x).dtype is x.dtype
        assert same(call(number, x).numpy(), by_hand(operate, np.array(number), np.array([5, 7]), dtype))


def test_a_python_float_is_rounded_once_to_the_dtype_it_takes():
    assert (tl.zeros(1) + 0.1).item() == float(np.float32(0.1))
    assert (tl.zeros(1, dtype="float64") + 0.1).item() == 0.1
    assert (tl.zeros(1) + 1e300).item() == math.inf


@pytest.mark.parametrize(
    ("dtype", "number", "problem", "fix"),
    [
        ("int64", 0.5, "add: 0.5 is no int64", "a.astype(tl.float64)"),
        ("uint32", 2.0, "add: 2.0 is no uint32", "a.astype(tl.float64)"),
        ("int32", True, "add: True is no int32", "int(b)"),
        ("float32", False, "add: False is no float32", "int(b)"),
        ("int32", 2**31, "add: 2147483648 does not fit int32", None),
        ("uint64", -1, "add: -1 does not fit uint64", None),
        ("float32", 10**39, f"add: {10**39} does not fit float32", None),
    ],
)
def test_a_python_number_that_the_tensor_cannot_say_is_refused(dtype, number, problem, fix):
    a = tl.tensor([1, 2], dtype=dtype)
    error = refusal(tl.DTypeError, tl.add, a, number)
    assert str(error).splitlines()[0] == problem
    assert error.fix == fix
    mirrored = refusal(tl.DTypeError, tl.add, number, a)
    assert mirrored.problem == error.problem
    if fix is not None:
        assert mirrored.fix == (fix.replace("a.", "b.", 1) if fix.startswith("a.") else "int(a)")
        mended = result_of(fix, a=a, b=number)
        result = tl.add(a, mended) if fix == "int(b)" else tl.add(mended, number)
        assert result.tolist() == [1 + number, 2 + number]


def test_a_float_beside_an_array_or_a_matrix_of_integers_names_a_cast_that_runs():
    for a in (np.arange(4).reshape(2, 2), tl.arange(4).reshape((2, 2)).matrix()):
        error = refusal(tl.DTypeError, tl.multiply, a, 0.5)
        assert tl.multiply(result_of(error.fix, a=a), 0.5).tolist() == [[0.0, 0.5], [1.0, 1.5]]


def test_a_numpy_scalar_brings_its_dtype():
    assert tl.add(tl.zeros(2), np.float64(1)).dtype is tl.float64
    assert tl.add(np.float32(1), tl.zeros(2)).dtype is tl.float32
    assert "int64 and float32" in refusal(tl.DTypeError, tl.add, np.int64(1), tl.zeros(2)).problem


def test_what_is_no_operand_is_refused_by_name():
    error = refusal(tl.ArgumentError, tl.add, tl.arange(3), [1, 2, 3])
    assert str(error) == (
        "add: b is no tensor\n"
        "  expected: a Tensor, a Matrix or a NumPy array\n"
        "  got:      b: a list\n"
        "  fix:      tl.tensor(b)"
    )
    assert tl.add(tl.arange(3), result_of(error.fix, b=[1, 2, 3])).tolist() == [1, 3, 5]
    assert refusal(tl.ArgumentError, tl.add, "text", tl.arange(3)).got == "a: a str"
    error = refusal(tl.ArgumentError, tl.subtract, 5, 2)
    assert str(error) == (
        "subtract: neither operand is a tensor\n"
        "  expected: a Tensor, a Matrix or a NumPy array on at least one side\n"
        "  got:      5 and 2\n"
        "  fix:      tl.subtract(tl.tensor(a), b)"
    )
    assert result_of(error.fix, a=5, b=2).item() == 3


# Shapes


@each_operation
@few
@given(st.data())
def test_shapes_broadcast_as_numpys_do_or_the_failing_pair_of_axes_is_named(name, data):
    call, _, _ = OPERATIONS[name]
    left, right = data.draw(shapes(max_ndim=3)), data.draw(shapes(max_ndim=3))
    try:
        expected = np.broadcast_shapes(left, right)
    except ValueError:
        problem = refusal(tl.ShapeError, call, tl.zeros(left), tl.zeros(right)).problem
        back = next(k for k in range(1, 4) if len({left[-k], right[-k]} - {1}) == 2)
        assert problem == (
            f"axis {len(left) - back} of {left} has length {left[-back]}, "
            f"axis {len(right) - back} of {right} has length {right[-back]}"
        )
    else:
        assert call(tl.zeros(left), tl.zeros(right)).shape == expected


# Where the result goes


@each_operation
@few
@given(st.data())
def test_out_is_written_whatever_its_layout_and_handed_back_itself(name, data):
    call, operate, _ = OPERATIONS[name]
    dtype = data.draw(st.sampled_from(COMPUTED))
    shape = data.draw(shapes(max_ndim=3))
    x, left = data.draw(laid_out(shape, dtype))
    y, right = data.draw(laid_out(data.draw(partners(shape)), dtype))
    target, _ = data.draw(laid_out(shape, dtype, apart=True))
    untouched = np.ones(target.buffer.size, dtype=bool)
    untouched[list(target.layout.positions())] = False
    before = target.buffer[untouched]
    out = data.draw(forms(target))
    assert call(x, y, out=out) is out
    assert same(target.numpy(), by_hand(operate, left, right, dtype))
    assert same(target.buffer[untouched], before)


@each_operation
@few
@given(st.data())
def test_out_may_overlap_the_operands_in_any_way(name, data):
    call, operate, _ = OPERATIONS[name]
    dtype = data.draw(st.sampled_from(["int64", "float32"]))
    shape = data.draw(shapes(max_ndim=3, max_length=5))
    made = [Layout(shape, data.draw(strides_of(shape, apart)), data.draw(st.integers(0, 4))) for apart in (0, 0, 1)]
    lowest = min(layout.span[0] for layout in made)
    made = [Layout(shape, layout.strides, layout.offset - lowest) for layout in made]
    buffer = data.draw(words(max(layout.span[1] for layout in made), dtype))
    a, b, out = (tl.Tensor(buffer, layout) for layout in made)
    if data.draw(st.booleans()):
        a = out
    expected = by_hand(operate, a.copy().numpy(), b.copy().numpy(), dtype)
    assert call(a, b, out=out) is out
    assert same(out.numpy(), expected)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (lambda x: x.reshape(10_000)[:-1], lambda x: x.reshape(10_000)[1:]),
        (lambda x: x.reshape(10_000)[1:], lambda x: x.reshape(10_000)[:-1]),
        (lambda x: x.flip(), lambda x: x),
        (lambda x: x.transpose(), lambda x: x),
        (lambda x: x[:, :-1].transpose(), lambda x: x[1:]),
        (lambda x: x[3].broadcast_to((100, 100)), lambda x: x),
    ],
    ids=["shifted up", "shifted down", "reversed", "transposed", "transposed and shifted", "one row of it"],
)
@pytest.mark.parametrize("name", [*OPERATIONS, "copy"])
def test_large_overlapping_views_give_what_a_fresh_copy_gives(name, source, target):
    x = tl.arange(10_000, dtype="float32").reshape((100, 100))
    a, out = source(x), target(x)
    if name == "copy":
        expected = a.copy()
        tl.copy(a, out=out)
    else:
        expected = OPERATIONS[name][0](a.copy(), out.copy())
        OPERATIONS[name][0](a, out, out=out)
    assert same(out.numpy(), expected.numpy())


@pytest.mark.parametrize("step", [1, -1])
def test_out_may_lie_over_an_operand_of_another_width(step):
    memory = np.arange(5000) * 3**20
    narrow, other = memory.view(np.int32)[:5000][::step], np.arange(5000)
    expected = narrow.astype(np.int64) + other
    tl.add(narrow, other, out=memory)
    assert same(memory, expected)


@pytest.mark.parametrize("name", [*OPERATIONS, "copy"])
def test_every_run_of_four_is_read_before_any_other_is_written_over_it(name):
    runs = [slice(start, start + 4 * step, step) for step in (1, 2, 3) for start in range(13 - 4 * step)]
    for target in runs:
        for source in runs:
            x = tl.arange(12)
            if name == "copy":
                expected = x[source].tolist()
                tl.copy(x[source], out=x[target])
            else:
                call, operate, _ = OPERATIONS[name]
                expected = list(map(operate, x[source].tolist(), x[target].tolist()))
                call(x[source], x[target], out=x[target])
            assert x[target].tolist() == expected


def test_ones_added_through_two_overlapping_ranges_meet_in_the_middle():
    x = tl.zeros(4)
    tl.add(x[0:3], 1, out=x[0:3])
    tl.add(x[1:4], 1, out=x[1:4])
    assert x.tolist() == [1, 2, 2, 1]


def test_out_must_have_the_shape_of_the_result():
    a, b, out = tl.zeros((2, 3)), tl.zeros(3) + 1, tl.zeros(3)
    error = refusal(tl.ShapeError, tl.add, a, b, out=out)
    assert str(error) == (
        "add: the result has shape (2, 3), out has shape (3,)\n"
        "  expected: (2, 3)\n"
        "  got:      (3,)\n"
        "  why:      out is written as it is, never resized or broadcast\n"
        '  fix:      out = tl.zeros((2, 3), dtype="float32")'
    )
    assert out.tolist() == [0, 0, 0]
    assert tl.add(a, b, out=result_of(error.fix)["out"]).tolist() == [[1, 1, 1]] * 2
    assert "out has shape (1, 3)" in refusal(tl.ShapeError, tl.add, b, b, out=tl.zeros((1, 3))).problem
    assert "out has shape (2, 3)" in refusal(tl.ShapeError, tl.add, b, b, out=a).problem


def test_out_must_have_the_dtype_of_the_result():
    a, out = tl.arange(3, dtype="int32"), tl.zeros(3, dtype="int64")
    error = refusal(tl.DTypeError, tl.multiply, a, a, out=out)
    assert str(error) == (
        "multiply: the result is int32, out is int64\n"
        "  expected: int32\n"
        "  got:      int64\n"
        "  why:      out keeps its dtype, and a result is never converted silently\n"
        '  fix:      out = tl.zeros((3,), dtype="int32")'
    )
    assert tl.multiply(a, a, out=result_of(error.fix)["out"]).tolist() == [0, 1, 4]
    assert refusal(tl.DTypeError, tl.add, a, a, out=tl.zeros(3, dtype="bfloat16")).got == "bfloat16"


def locked(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("out", "problem"),
    [
        (tl.zeros(3).broadcast_to((2, 3)), "the elements [0, 0] and [1, 0] share slot 0"),
        (tl.zeros(4).windows(axis=0, size=3), "the elements [0, 1] and [1, 0] share slot 1"),
        (tl.from_numpy(locked(np.zeros((2, 3), np.float32))), "the memory is read-only"),
        (tl.from_numpy(locked(np.zeros((2, 3), np.float32))).matrix(), "the memory is read-only"),
        (locked(np.zeros((2, 3), np.float32)), "the memory is read-only"),
        (np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (2, 3), (4, 4)), "the elements [0, 1] and [1, 0] sh"),
    ],
)
def test_out_must_be_writable_with_a_slot_for_every_index_and_the_fix_copies(out, problem):
    x = tl.arange(6, dtype="float32").reshape((2, 3))
    for call in (lambda out: tl.add(x, 0, out=out), lambda out: tl.copy(x, out=out)):
        error = refusal(tl.ReadOnlyError, call, out)
        assert error.problem.startswith(problem)
        assert not np.asarray(out).any()
        mended = result_of(error.fix, out=out)["out"]
        assert call(mended) is mended
        assert same(np.asarray(mended), x.numpy())


def test_only_memory_can_be_written_to():
    assert "out is no tensor" in refusal(tl.ArgumentError, tl.add, tl.zeros(2), 1, out=[0, 0]).problem
    error = refusal(tl.ArgumentError, tl.add, tl.tensor(1.0), 1, out=np.float32(0))
    assert error.problem == "a NumPy scalar is no memory to write to"


# Operators


@each_operation
def test_an_operator_is_its_function_on_either_side_of_every_operand(name):
    call, operate, _ = OPERATIONS[name]
    x = tl.tensor([[1, 2], [3, 5]])
    for other in (x.transpose(), x.matrix(), x.numpy().T, x.numpy()[0], np.int64(7), np.array(7), 7):
        assert isinstance(operate(x, other), tl.Tensor)
        assert isinstance(operate(other, x), tl.Tensor)
        assert same(operate(x, other).numpy(), operate(x.numpy(), np.asarray(other)))
        assert same(operate(other, x).numpy(), operate(np.asarray(other), x.numpy()))
    assert operate(x, x) is not x
    with pytest.raises(tl.DTypeError, match=rf"{name}: 0\.5 is no int64"):
        operate(0.5, x)
    with pytest.raises(tl.ArgumentError, match=f"{name}: a is no tensor"):
        operate([1, 2], x)
    with pytest.raises(TypeError, match="unsupported operand type"):
        operate(x, None)
    assert sum([x, x]).tolist() == [[2, 4], [6, 10]]
    assert call(x, 1).tolist() == operate(x, 1).tolist()


@each_operation
@few
@given(st.data())
def test_an_operator_with_an_equals_sign_writes_into_its_left_side_and_never_rebinds(name, data):
    _, operate, assign = OPERATIONS[name]
    dtype = data.draw(st.sampled_from(COMPUTED))
    x, left = data.draw(laid_out(data.draw(shapes(max_ndim=3)), dtype, apart=True))
    y, right = data.draw(laid_out(data.draw(partners(x.shape)), dtype))
    buffer = x.buffer
    assert assign(x, data.draw(forms(y))) is x
    assert x.buffer is buffer
    assert same(x.numpy(), by_hand(operate, left, right, dtype))


def test_an_operator_with_an_equals_sign_writes_through_views():
    x = tl.zeros((2, 3))
    x[:, 1] += 5
    x.transpose()[2] -= tl.tensor([1.0, 2.0])
    row = x[0]
    row *= 2
    assert x.tolist() == [[0, 10, -2], [0, 5, -2]]
    y = tl.arange(4)
    y[0:3] += 1
    y[1:4] += 1
    assert y.tolist() == [1, 3, 4, 4]


def test_an_operator_with_an_equals_sign_never_promotes_and_never_grows():
    a, b = tl.zeros(3), tl.zeros(3, dtype="float64") + 1
    with pytest.raises(tl.DTypeError) as caught:
        a += b
    assert str(caught.value) == (
        "add: the result is float64, a is float32\n"
        "  expected: float64\n"
        "  got:      float32\n"
        "  why:      a keeps its dtype, and a result is never converted silently\n"
        "  fix:      a = tl.add(a, b)"
    )
    assert a.tolist() == [0, 0, 0]
    assert result_of(caught.value.fix, a=a, b=b)["a"].dtype is tl.float64
    with pytest.raises(tl.ShapeError, match=r"the result has shape \(2, 3\), a has shape \(3,\)") as caught:
        a -= tl.zeros((2, 3))
    assert result_of(caught.value.fix, a=a, b=tl.zeros((2, 3)))["a"].shape == (2, 3)
    a = tl.zeros(3).broadcast_to((2, 3))
    with pytest.raises(tl.ReadOnlyError, match=r"the elements \[0, 0\] and \[1, 0\] share slot 0") as caught:
        a *= 2
    a = result_of(caught.value.fix, a=a)["a"]
    a += 1
    assert a.tolist() == [[1, 1, 1]] * 2


# Copies


@given(st.data())
def test_a_copy_has_the_same_words_in_memory_of_its_own(data):
    x, expected = data.draw(chained(data.draw(st.sampled_from(["float32", "int64", "uint8", "bool", "float16"]))))
    made = tl.copy(data.draw(forms(x)))
    assert made.numpy().tobytes() == expected.tobytes()
    assert (made.shape, made.dtype, made.strides) == (x.shape, x.dtype, Layout.row_major(x.shape).strides)
    assert not made.shares_buffer(x)


@given(st.data())
def test_a_copy_into_out_reads_every_element_before_its_slot_is_written(data):
    shape = data.draw(shapes(max_ndim=3, max_length=5))
    made = [Layout(shape, data.draw(strides_of(shape, apart)), data.draw(st.integers(0, 4))) for apart in (0, 1)]
    lowest = min(layout.span[0] for layout in made)
    made = [Layout(shape, layout.strides, layout.offset - lowest) for layout in made]
    buffer = np.arange(max(layout.span[1] for layout in made), dtype=np.uint16)
    source, out = (tl.Tensor(buffer, layout, "bfloat16") for layout in made)
    expected = source.copy().words()
    assert tl.copy(source, out=out) is out
    assert same(out.words(), expected)


def test_a_copy_never_broadcasts_or_converts():
    x = tl.arange(3)
    assert "the result has shape (3,), out has shape (2, 3)" in str(
        refusal(tl.ShapeError, tl.copy, x, out=tl.zeros((2, 3), dtype="int64"))
    )
    error = refusal(tl.DTypeError, tl.copy, tl.tensor([True]), out=tl.zeros(1))
    assert error.problem == "the result is bool, out is float32"
    assert tl.copy(tl.tensor([True]), out=result_of(error.fix)["out"]).tolist() == [True]
    for call in (tl.copy, tl.contiguous, tl.mean):
        error = refusal(tl.ArgumentError, call, [1.0, 3.0])
        assert error.problem == "x is no tensor"
        assert result_of(error.fix, x=[1.0, 3.0]).tolist() == [1.0, 3.0]


@given(st.data())
def test_contiguous_copies_only_where_the_elements_do_not_lie_in_their_order(data):
    x, expected = data.draw(chained("float32"))
    made = tl.contiguous(data.draw(forms(x)))
    assert same(made.numpy(), expected)
    assert made.is_contiguous
    assert made.overlaps(x).possible == (x.is_contiguous and x.size > 0)
    assert (tl.contiguous(x) is x) == x.is_contiguous


# The mean


@st.composite
def averaged(draw, ndim):
    """An axis argument for this rank, and the axes that it names."""
    if draw(st.booleans()) or ndim == 0:
        return draw(st.sampled_from([(None, tuple(range(ndim))), ((), ())]))
    axes = draw(st.lists(st.integers(0, ndim - 1), unique=True, max_size=ndim).map(tuple))
    if len(axes) == 1 and draw(st.booleans()):
        return draw(st.sampled_from([axes[0], axes[0] - ndim])), axes
    return draw(st.sampled_from([axes, list(axes), tuple(axis - ndim for axis in axes)])), axes


@given(st.data())
def test_a_mean_is_numpys_in_float64_rounded(data):
    dtype = data.draw(st.sampled_from(["float32", "float64"]))
    x, expected = data.draw(chained(dtype, special=[0.0, -0.0, math.nan, math.inf, -math.inf]))
    axis, axes = data.draw(averaged(x.ndim))
    keepdims = data.draw(st.booleans())
    if 0 in [x.shape[axis] for axis in axes]:
        error = refusal(tl.ShapeError, tl.mean, x, axis, keepdims=keepdims)
        assert f"of {x.shape} has no elements to average" in error.problem
        return
    result = tl.mean(data.draw(forms(x)), axis, keepdims=keepdims)
    with np.errstate(all="ignore"):
        reference = np.mean(expected.astype(np.float64), axis=axes, keepdims=keepdims)
    assert isinstance(result, tl.Tensor)
    assert result.dtype is x.dtype
    assert result.is_contiguous
    assert result.shape == np.shape(reference)
    np.testing.assert_allclose(result.numpy(), reference, rtol=0, atol=1e-4 if dtype == "float32" else 1e-12)


@given(st.data())
def test_a_mean_may_be_written_over_the_numbers_it_is_made_of(data):
    shape = data.draw(shapes(min_ndim=1, max_ndim=3).filter(all))
    axis, axes = data.draw(averaged(len(shape)))
    x = tl.Tensor(np.arange(math.prod(shape), dtype=np.float64), Layout.row_major(shape))
    kept = tuple(1 if axis in axes else length for axis, length in enumerate(shape))
    strides = data.draw(strides_of(kept, apart=True))
    offset = -Layout(kept, strides).span[0]
    assume(Layout(kept, strides, offset).span[1] <= x.size)
    out = tl.Tensor(x.buffer, Layout(kept, strides, offset))
    expected = np.mean(x.copy().numpy(), axis=axes, keepdims=True)
    assert tl.mean(x, axis, keepdims=True, out=out) is out
    assert same(out.numpy(), expected)


def test_means_by_hand():
    x = tl.tensor([[1.0, 2.0, 3.0], [5.0, 6.0, 10.0]])
    assert tl.mean(x).item() == 4.5
    assert tl.mean(x).shape == ()
    assert tl.mean(x, keepdims=True).tolist() == [[4.5]]
    assert tl.mean(x, axis=(0, -1)).item() == 4.5
    assert tl.mean(x, ()).tolist() == x.tolist()
    assert (x - tl.mean(x, 1, keepdims=True)).tolist() == [[-1, 0, 1], [-2, -1, 3]]
    out = tl.zeros(3)
    assert tl.mean(x, 0, out=out) is out
    assert out.tolist() == [3, 4, 6.5]
    assert tl.mean(tl.zeros((0, 3)), axis=1).shape == (0,)
    assert tl.mean(tl.tensor([3e38, 3e38])).item() == math.inf
    assert math.isnan(tl.mean(tl.tensor([math.inf, -math.inf])).item())


def test_a_mean_over_nothing_is_refused():
    assert str(refusal(tl.ShapeError, tl.mean, tl.zeros((2, 0)), axis=-1)) == (
        "mean: axis 1 of (2, 0) has no elements to average\n"
        "  expected: length 1 or more on axis 1\n"
        "  got:      (2, 0)\n"
        "  why:      0 / 0 is no number"
    )
    assert refusal(tl.ShapeError, tl.mean, tl.zeros((2, 0))).expected == "length 1 or more on axes 0, 1"


def test_an_axis_that_does_not_exist_or_comes_twice_is_refused():
    assert str(refusal(tl.AxisError, tl.mean, tl.zeros((2, 3)), axis=2)) == (
        "mean: axis 2 does not exist\n  expected: -2 <= axis < 2\n  got:      axis 2 of rank 2, shape (2, 3)"
    )
    assert refusal(tl.AxisError, tl.mean, tl.zeros((2, 3)), axis=(0, -2)).problem == "axis 0 is named twice"
    assert refusal(tl.AxisError, tl.mean, tl.tensor(1.0), axis=0).problem == "axis 0 does not exist"
    assert "axis" in refusal(tl.ArgumentError, tl.mean, tl.zeros(3), axis=0.5).problem


@pytest.mark.parametrize("dtype", [name for name in DTYPES if name not in ("float32", "float64")])
def test_a_mean_of_what_is_no_wide_float_is_refused_and_the_fix_runs(dtype):
    x = tl.tensor([[True, False]] if dtype == "bool" else [[1, 2]], dtype=dtype)
    for form in [x, x.matrix(), *([x.numpy()] if x.dtype.numpy else [])]:
        error = refusal(tl.DTypeError, tl.mean, form)
        assert error.expected == "float32 or float64"
        assert error.got == f"x: {dtype}"
        result = result_of(error.fix, x=form)
        assert result.item() == (0.5 if dtype == "bool" else 1.5)
        assert result.dtype is (tl.float32 if x.itemsize <= 2 else tl.float64)


def test_the_order_of_addition_follows_memory_and_is_part_of_the_answer():
    x = tl.zeros((4096, 2)) + 1
    x[0] = 2.0**24
    running = 2.0**24 / 4096
    assert tl.mean(x, axis=0).tolist() == [running, running]
    turned = x.transpose().contiguous()
    exact = (2.0**24 + 4095) / 4096
    for mean in tl.mean(turned, axis=1).tolist() + tl.mean(turned.transpose(), axis=0).tolist():
        assert running < mean
        assert abs(mean - exact) < 0.02
    assert tl.mean(x.astype("float64"), axis=0).tolist() == [exact, exact]
