"""Axes that disappear: many elements become one."""

from math import prod

import numpy as np

from tensorlab.dtypes import float32, float64
from tensorlab.errors import DTypeError, ShapeError
from tensorlab.kernels.operands import as_operand, cast_code, destination
from tensorlab.views import as_axes


def mean(x, axis=None, *, keepdims=False, out=None):
    """Average the elements along some axes, or all of them.

    result[i, ...] = (x[i, ..., 0] + x[i, ..., 1] + ... + x[i, ..., n - 1]) / n, where the last axis is averaged

    Parameters
    ----------
    x : Tensor, Matrix or NumPy array
        float32 or float64, which the result keeps.
    axis : int or sequence of int, optional
        The axes that disappear: all of them if it is None. Negative ones count from the last.
    keepdims : bool
        Whether they stay, with length 1, so that the result broadcasts against `x`.
    out : Tensor, Matrix or NumPy array, optional
        Where the result goes: exactly its shape and dtype, and no two indices on one slot. It may overlap `x`.

    Returns
    -------
    Tensor, or `out`
        A new row-major tensor, of rank 0 if every axis disappears, or `out` itself.

    Raises
    ------
    ShapeError
        If there is no element to average, or `out` has another shape than the result.
    AxisError
        If an axis does not exist or is named twice.
    DTypeError
        If `x` is neither float32 nor float64, or `out` has another dtype. The fix is the cast to write.
    ReadOnlyError
        If `out` may not be written.
    ArgumentError
        If `x` is no tensor.

    Notes
    -----
    One addition per element of `x` and one division per element of the result; reads `x` once.

    The order of addition is NumPy's, and part of the answer. NumPy walks memory, not indices. Where the axis with the
    smallest stride is averaged, elements are added in runs along it (longer ones, where axes join or everything is
    averaged). A run is added pairwise: in blocks of at most 128 with eight running sums, then the sums of the blocks
    two by two, so that the error grows like log n. Where that axis stays, and between one run and the next, the sum
    is a running sum: one number after another. All of it happens in the dtype of `x`, and a float32 running sum of
    ones stops at 16777216: the mean over axis 0 of float32 ones of shape (20000000, 2) is 0.8388608; over axis 1 of
    the same numbers stored transposed it is 1. A float64 running sum of ones goes on to 9007199254740992:
    `mean(x.astype(tl.float64), axis=0)`.

    NumPy's own mean of integers is a float64; here the reader writes the cast.

    Source of the pairwise rule: numpy.sum, section Notes, of the NumPy reference.

    Examples
    --------
    >>> import tensorlab as tl
    >>> x = tl.tensor([[1.0, 2.0, 3.0], [5.0, 6.0, 10.0]])
    >>> mean(x, axis=0).tolist(), mean(x, axis=-1).tolist(), mean(x).item()
    ([3.0, 4.0, 6.5], [2.0, 7.0], 4.5)
    >>> (x - mean(x, axis=1, keepdims=True)).tolist()
    [[-1.0, 0.0, 1.0], [-2.0, -1.0, 3.0]]
    >>> mean(tl.arange(4))
    Traceback (most recent call last):
    tensorlab.errors.DTypeError: mean: the mean of int64 elements is rarely an int64
      expected: float32 or float64
      got:      x: int64
      why:      kinds never change by themselves
      fix:      tl.mean(x.astype(tl.float64))
    """
    source = as_operand("mean", "x", x)
    axes = tuple(range(source.ndim)) if axis is None else as_axes("mean", axis, source.shape)
    _check_averaged(x, source.dtype)
    if prod(source.shape[axis] for axis in axes) == 0:
        raise _no_elements(source.shape, axes)
    shape = [1 if axis in axes else length for axis, length in enumerate(source.shape)]
    if not keepdims:
        shape = [length for axis, length in enumerate(shape) if axis not in axes]
    result, words = destination("mean", out, tuple(shape), source.dtype)
    with np.errstate(all="ignore"):
        np.mean(source._words(), axis=axes, out=words, keepdims=bool(keepdims))
    return result


def _check_averaged(x, dtype):
    if dtype in (float32, float64):
        return
    if dtype.kind == "float":
        problem = f"{dtype} is stored and converted, but not computed with"
        why = f"a running sum in {dtype} stops growing early: float32 counts further"
    else:
        problem = f"the mean of {dtype} elements is rarely {'an' if dtype.name.startswith('i') else 'a'} {dtype}"
        why = "kinds never change by themselves"
    raise DTypeError(
        "mean",
        problem,
        expected="float32 or float64",
        got=f"x: {dtype}",
        why=why,
        fix=f"tl.mean({cast_code('x', x, float32 if dtype.itemsize <= 2 else float64)})",
    )


def _no_elements(shape, axes):
    empty = next(axis for axis in axes if shape[axis] == 0)
    return ShapeError(
        "mean",
        f"axis {empty} of {shape} has no elements to average",
        expected=f"length 1 or more on {'axis' if len(axes) == 1 else 'axes'} {', '.join(map(str, axes))}",
        got=str(shape),
        why="0 / 0 is no number",
    )
