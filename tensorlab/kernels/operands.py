"""What every kernel asks of its operands and of `out`, and how it words a refusal."""

from math import prod

import numpy as np

from tensorlab.dtypes import bool_, float32, float64, int32, int64, uint32, uint64
from tensorlab.errors import ArgumentError, DTypeError, ShapeError
from tensorlab.layout import Layout
from tensorlab.tensor import Tensor, from_numpy

COMPUTED = (float32, float64, int32, int64, uint32, uint64)


def as_operand(operation, name, x) -> Tensor:
    """Take a Tensor, a Matrix, or a NumPy array or scalar as a tensor over the same memory.

    Parameters
    ----------
    operation, name : str
        Who asks, and what it calls the operand: both appear in the message.
    x : Tensor, Matrix, NumPy array or NumPy scalar

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        If `x` is none of these.

    Examples
    --------
    >>> as_operand("add", "a", np.zeros((2, 3))[:, ::2]).strides
    (3, 2)
    """
    if hasattr(type(x), "tensor"):
        x = x.tensor()
    if isinstance(x, Tensor):
        return x
    if isinstance(x, (np.ndarray, np.generic)):
        return from_numpy(x if isinstance(x, np.ndarray) else np.asarray(x))
    raise ArgumentError(
        operation,
        f"{name} is no tensor",
        expected="a Tensor, a Matrix or a NumPy array",
        got=f"{name}: a {type(x).__name__}",
        fix=f"tl.tensor({name})" if isinstance(x, (list, tuple)) or hasattr(x, "__array__") else None,
    )


def as_code(name, x) -> str:
    """Write an operand so that a tensor's or an array's methods may follow: a Matrix has no `astype` and no `copy`.

    Parameters
    ----------
    name : str
    x : Tensor, Matrix, NumPy array or NumPy scalar

    Returns
    -------
    str

    Examples
    --------
    >>> from tensorlab.matrix import Matrix
    >>> as_code("a", np.zeros(3)), as_code("a", Matrix.zeros(2, 2))
    ('a', 'a.tensor()')
    """
    return f"{name}.tensor()" if hasattr(type(x), "tensor") else name


def cast_code(name, x, dtype) -> str:
    """Write the cast of an operand as code.

    Parameters
    ----------
    name : str
    x : Tensor, Matrix, NumPy array or NumPy scalar
    dtype : DType
        One that NumPy has, but bool.

    Returns
    -------
    str

    Examples
    --------
    >>> from tensorlab.tensor import zeros
    >>> cast_code("a", zeros(3), float64), cast_code("a", np.zeros(3), float64)
    ('a.astype(tl.float64)', 'a.astype(np.float64)')
    """
    room = "np" if isinstance(x, (np.ndarray, np.generic)) else "tl"
    return f"{as_code(name, x)}.astype({room}.{dtype})"


def check_computed(operation, name, x, dtype):
    """Refuse a dtype that is held and converted, but not computed with.

    Parameters
    ----------
    operation, name : str
    x : Tensor, Matrix, NumPy array or NumPy scalar
        The operand, as the reader gave it.
    dtype : DType
        Its dtype.

    Raises
    ------
    DTypeError
        Naming the cast to write: float32 for the short floats, int32 for the short integers and bool.

    Examples
    --------
    >>> from tensorlab.tensor import zeros
    >>> check_computed("add", "a", zeros(3, dtype="bfloat16"), zeros(3, dtype="bfloat16").dtype)
    Traceback (most recent call last):
    tensorlab.errors.DTypeError: add: bfloat16 is stored and converted, but not computed with
      expected: float32, float64, int32, int64, uint32 or uint64
      got:      a: bfloat16
      why:      float32 holds every bfloat16 exactly, and rounds each result far less
      fix:      a.astype(tl.float32)
    """
    if dtype in COMPUTED:
        return
    wide = float32 if dtype.kind == "float" else int32
    if dtype is bool_:
        problem, why = "bool is no number to compute with", "one cast says that True counts as 1"
    else:
        problem = f"{dtype} is stored and converted, but not computed with"
        why = f"{wide} holds every {dtype} exactly, and "
        why += "rounds each result far less" if wide is float32 else "its results have room to grow"
    raise DTypeError(
        operation,
        problem,
        expected=f"{', '.join(map(str, COMPUTED[:-1]))} or {COMPUTED[-1]}",
        got=f"{name}: {dtype}",
        why=why,
        fix=cast_code(name, x, wide),
    )


def destination(operation, out, shape, dtype, *, name="out", rebind=None):
    """Give the words to write a result to, and what to hand back: `out`, or a new row-major tensor.

    Parameters
    ----------
    operation : str
    out : Tensor, Matrix or NumPy array, or None
    shape : tuple of int
        The shape of the result.
    dtype : DType
        The dtype of the result.
    name : str
        What the reader calls `out`, where it is one of the operands.
    rebind : str, optional
        The code that makes a result of its own, as the fix for an `out` that does not fit.

    Returns
    -------
    Tensor, Matrix or NumPy array
    array of this shape

    Raises
    ------
    ShapeError, DTypeError
        If `out` has not exactly this shape and this dtype.
    ReadOnlyError
        If `out` may not be written.

    Examples
    --------
    >>> made, words = destination("add", None, (2, 3), float32)
    >>> words[...] = 7
    >>> made.tolist()
    [[7.0, 7.0, 7.0], [7.0, 7.0, 7.0]]
    """
    if out is None:
        buffer = np.empty(prod(shape), dtype=dtype.storage)
        return Tensor._fresh(buffer, Layout.row_major(shape), dtype), buffer.reshape(shape)
    if isinstance(out, np.generic):
        raise ArgumentError(
            operation, "a NumPy scalar is no memory to write to", expected="a Tensor", got=f"a {type(out).__name__}"
        )
    target = as_operand(operation, name, out)
    fix = rebind or f'{name} = tl.zeros({shape}, dtype="{dtype}")'
    if target.shape != shape:
        raise ShapeError(
            operation,
            f"the result has shape {shape}, {name} has shape {target.shape}",
            expected=str(shape),
            got=str(target.shape),
            why=f"{name} is written as it is, never resized or broadcast",
            fix=fix,
        )
    if target.dtype is not dtype:
        raise DTypeError(
            operation,
            f"the result is {dtype}, {name} is {target.dtype}",
            expected=dtype.name,
            got=target.dtype.name,
            why=f"{name} keeps its dtype, and a result is never converted silently",
            fix=fix,
        )
    target._check_writable(operation, fix=f"{name} = {as_code(name, out)}.copy()")
    return out, target._words()
