"""One result for each pair of elements, and plain copies: add, subtract, multiply, copy, contiguous.

The loops are NumPy's, over views of the tensors' own memory. An `out` that overlaps an operand gets what separate
memory would get: NumPy computes to a temporary wherever a write could come before a read of the same slot.
"""

import numpy as np

from tensorlab.dtypes import float64, from_python, promote
from tensorlab.errors import ArgumentError, DTypeError, ShapeError
from tensorlab.kernels.operands import as_operand, cast_code, check_computed, destination
from tensorlab.layout import Layout
from tensorlab.tensor import Tensor, assign_words
from tensorlab.views import broadcast_shapes


def add(a, b, *, out=None):
    """Add two tensors, element by element. `a + b` is this, and `a += b` is `add(a, b, out=a)`.

    result[i, j, ...] = a[i, j, ...] + b[i, j, ...]

    Parameters
    ----------
    a, b : Tensor, Matrix, NumPy array or Python number
        float32, float64, int32, int64, uint32 or uint64; their shapes broadcast. A Python number takes the dtype of
        the other operand, if it can say it: an integer may become a float, never the other way round.
    out : Tensor, Matrix or NumPy array, optional
        Where the result goes: exactly its shape and dtype, and no two indices on one slot. It may overlap `a` and
        `b` in any way; the result is the same as in separate memory.

    Returns
    -------
    Tensor, or `out`
        A new row-major tensor that shares no memory with `a` or `b`, or `out` itself. Its dtype is the one in which
        the two meet; see `promote` in `tensorlab.dtypes`.

    Raises
    ------
    ShapeError
        If the shapes do not broadcast, or `out` has another shape than the result.
    DTypeError
        If a dtype is not computed with, the two do not meet, a Python number does not fit, or `out` has another
        dtype than the result. The fix is the cast to write.
    ReadOnlyError
        If `out` may not be written.
    ArgumentError
        If an operand is no tensor, or both are Python numbers.

    Notes
    -----
    One operation per element of the result; reads both operands once and writes the result once. Integers wrap as
    NumPy's do: the int32 after 2147483647 is -2147483648. Floats that overflow become infinite, without a warning.
    float32 and int32 meet in float64 in NumPy; here the reader writes the cast.

    Examples
    --------
    >>> import tensorlab as tl
    >>> add(tl.tensor([[1], [2]]), tl.tensor([10, 20, 30]))
    Tensor (2, 3) int64 | strides (3, 1) | offset 0 | owns its buffer of 6 slots
    [[11 21 31]
     [12 22 32]]
    >>> x = tl.zeros(4)
    >>> x[0:3] += 1
    >>> x[1:4] += 1
    >>> x.tolist()
    [1.0, 2.0, 2.0, 1.0]
    >>> add(tl.zeros((2, 3)), tl.zeros(2))
    Traceback (most recent call last):
    tensorlab.errors.ShapeError: add: axis 1 of (2, 3) has length 3, axis 0 of (2,) has length 2
      expected: equal lengths, or length 1 in one of them
      got:      (2, 3), (2,)
      why:      axes pair up from the right, and only an axis of length 1 can be repeated
    """
    return _binary("add", np.add, a, b, out)


def subtract(a, b, *, out=None):
    """Subtract b from a, element by element. `a - b` is this, and `a -= b` is `subtract(a, b, out=a)`.

    result[i, j, ...] = a[i, j, ...] - b[i, j, ...]

    Parameters
    ----------
    a, b : Tensor, Matrix, NumPy array or Python number
        As for `add`.
    out : Tensor, Matrix or NumPy array, optional
        As for `add`.

    Returns
    -------
    Tensor, or `out`
        As for `add`.

    Raises
    ------
    ShapeError, DTypeError, ReadOnlyError, ArgumentError
        As for `add`.

    Notes
    -----
    Integers wrap: the uint32 before 0 is 4294967295.

    Examples
    --------
    A prediction of shape (4, 1) beside a truth of shape (4,) compares every row with every column:

    >>> import tensorlab as tl
    >>> y = tl.tensor([1, 2, 3, 4])
    >>> subtract(y.unsqueeze(axis=1), y).tolist()
    [[0, -1, -2, -3], [1, 0, -1, -2], [2, 1, 0, -1], [3, 2, 1, 0]]
    """
    return _binary("subtract", np.subtract, a, b, out)


def multiply(a, b, *, out=None):
    """Multiply two tensors, element by element. `a * b` is this, and `a *= b` is `multiply(a, b, out=a)`.

    result[i, j, ...] = a[i, j, ...] * b[i, j, ...]

    Parameters
    ----------
    a, b : Tensor, Matrix, NumPy array or Python number
        As for `add`.
    out : Tensor, Matrix or NumPy array, optional
        As for `add`.

    Returns
    -------
    Tensor, or `out`
        As for `add`.

    Raises
    ------
    ShapeError, DTypeError, ReadOnlyError, ArgumentError
        As for `add`.

    Notes
    -----
    This is no matrix product: nothing is summed. Integers wrap, and 0 times NaN or infinity is NaN.

    Examples
    --------
    >>> import tensorlab as tl
    >>> x = tl.tensor([1.0, 2.0, 3.0])
    >>> multiply(x, 2, out=x) is x, x.tolist()
    (True, [2.0, 4.0, 6.0])
    >>> multiply(tl.tensor([1, 2, 3]), 0.5)
    Traceback (most recent call last):
    tensorlab.errors.DTypeError: multiply: 0.5 is no int64
      expected: whole numbers
      got:      0.5, a Python float
      why:      kinds never change by themselves
      fix:      a.astype(tl.float64)
    """
    return _binary("multiply", np.multiply, a, b, out)


def copy(x, *, out=None):
    """Copy the elements, word for word, into memory of their own.

    result[i, j, ...] = x[i, j, ...]

    Parameters
    ----------
    x : Tensor, Matrix or NumPy array
        Of any dtype.
    out : Tensor, Matrix or NumPy array, optional
        Where they go: exactly the shape and dtype of `x`, and no two indices on one slot. It may overlap `x`; every
        element is read before its slot is written.

    Returns
    -------
    Tensor, or `out`
        A new row-major tensor, as from `Tensor.copy`, or `out` itself.

    Raises
    ------
    ShapeError, DTypeError
        If `out` has another shape or dtype than `x`.
    ReadOnlyError
        If `out` may not be written.
    ArgumentError
        If `x` is no tensor.

    Examples
    --------
    >>> import tensorlab as tl
    >>> copy(tl.arange(6).reshape((2, 3)).transpose()).strides
    (2, 1)
    >>> x = tl.arange(6)
    >>> copy(x.flip(), out=x).tolist()
    [5, 4, 3, 2, 1, 0]
    """
    source = as_operand("copy", "x", x)
    if out is None:
        return source.copy()
    result, words = destination("copy", out, source.shape, source.dtype)
    assign_words(words, source._words())
    return result


def contiguous(x) -> Tensor:
    """Give the elements one after another, the last axis fastest: over the same memory if they are, else a copy.

    Parameters
    ----------
    x : Tensor, Matrix or NumPy array
        Of any dtype.

    Returns
    -------
    Tensor
        `x` itself, or a tensor over its memory, where that is row-major; else a new one that owns its buffer.

    Raises
    ------
    ArgumentError
        If `x` is no tensor.

    Notes
    -----
    Only the order of the elements counts: a row-major view may start anywhere in its buffer, and keeps all of the
    buffer alive. `copy` always copies.

    Examples
    --------
    >>> import tensorlab as tl
    >>> x = tl.arange(6).reshape((2, 3))
    >>> contiguous(x) is x, contiguous(x.transpose()).shares_buffer(x)
    (True, False)
    """
    return as_operand("contiguous", "x", x).contiguous()


def _binary(operation, ufunc, a, b, out):
    left, right = _pair(operation, a, b)
    dtype = _meeting(operation, (a, left), (b, right))
    shape = left.shape if left.shape == right.shape else _broadcast(operation, left.shape, right.shape)
    if out is not None and out is a:
        result, words = destination(operation, out, shape, dtype, name="a", rebind=f"a = tl.{operation}(a, b)")
    else:
        result, words = destination(operation, out, shape, dtype)
    with np.errstate(all="ignore"):
        ufunc(left._words(), right._words(), out=words, dtype=dtype.storage)
    return result


def _broadcast(operation, *shapes):
    try:
        return broadcast_shapes(*shapes)
    except ShapeError as error:
        raise ShapeError(operation, error.problem, expected=error.expected, got=error.got, why=error.why) from None


def _pair(operation, a, b):
    """Take both operands as tensors that are computed with; a Python number becomes one of the other's dtype."""
    numbers = [_is_number(a), _is_number(b)]
    if all(numbers):
        raise ArgumentError(
            operation,
            "neither operand is a tensor",
            expected="a Tensor, a Matrix or a NumPy array on at least one side",
            got=f"{a!r} and {b!r}",
            fix=f"tl.{operation}(tl.tensor(a), b)",
        )
    pair = []
    for name, x, number in zip("ab", (a, b), numbers, strict=True):
        pair.append(None if number else as_operand(operation, name, x))
        if not number:
            check_computed(operation, name, x, pair[-1].dtype)
    if numbers[0]:
        pair[0] = _weak(operation, ("a", a), ("b", b), pair[1].dtype)
    if numbers[1]:
        pair[1] = _weak(operation, ("b", b), ("a", a), pair[0].dtype)
    return pair


def _is_number(x):
    """Tell a Python number, which takes the other operand's dtype, from a NumPy scalar, which brings its own."""
    return isinstance(x, (bool, int, float)) and not isinstance(x, np.generic)


def _weak(operation, number, other, dtype):
    """Give a Python number as a tensor of rank 0 of this dtype. `number` and `other` are (name, operand)."""
    name, x = number
    kind = next(kind for kind in (bool, int, float) if isinstance(x, kind))
    try:
        words, _ = from_python([kind(x)], dtype, operation=operation)
    except DTypeError as error:
        fix = None
        if kind is bool:
            fix = f"int({name})"
        elif kind is float:
            fix = cast_code(*other, float64)
        raise DTypeError(
            operation, error.problem, expected=error.expected, got=error.got, why=error.why, fix=fix
        ) from None
    return Tensor(words, Layout((), ()), dtype)


def _meeting(operation, *operands):
    """Find the dtype in which two (operand, tensor) meet; an error names the operand to cast."""
    (a, left), (b, right) = operands
    try:
        return promote(left.dtype, right.dtype, operation=operation)
    except DTypeError as error:
        cast, dtype = ("a", a), right.dtype
        if left.dtype.kind == "float" or right.dtype.kind == "uint":
            cast, dtype = ("b", b), left.dtype
        raise DTypeError(
            operation,
            error.problem,
            expected=error.expected,
            got=f"a: {left.dtype}, b: {right.dtype}",
            why=error.why,
            fix=cast_code(*cast, dtype),
        ) from None
