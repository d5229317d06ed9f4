"""Element types: how wide a number is, what its bits mean, and which numbers may meet.

Memory holds *words*: fixed runs of bits. A dtype says what a word means. Every dtype here has a NumPy twin except
bfloat16, whose words are held as uint16 and computed with as float32: a bfloat16 is the upper half of a float32.
"""

import math
from dataclasses import dataclass

import numpy as np

from tensorlab.errors import ArgumentError, DTypeError
from tensorlab.layout import as_integer


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DType:
    """One element type. There is one object for each, also after pickling.

    Parameters
    ----------
    name : str
        What the course calls it, such as ``"bfloat16"``.
    kind : str
        ``"float"``, ``"int"``, ``"uint"`` or ``"bool"``.
    itemsize : int
        Bytes per element.
    file_tag : str
        What a safetensors header calls it, such as ``"BF16"``.
    storage : numpy.dtype
        The NumPy type that holds its words.
    numpy : numpy.dtype or None
        The NumPy type that computes with it; None where NumPy has none.

    Examples
    --------
    >>> bfloat16, bfloat16.itemsize, bfloat16.file_tag, bfloat16.storage, bfloat16.numpy
    (bfloat16, 2, 'BF16', dtype('uint16'), None)
    """

    name: str
    kind: str
    itemsize: int
    file_tag: str
    storage: np.dtype
    numpy: np.dtype | None

    def __repr__(self):
        return self.name

    def __reduce__(self):
        return as_dtype, (self.name,)


def _numpy_dtype(name, file_tag):
    """Describe a type that NumPy knows under the same name."""
    storage = np.dtype(name)
    kind = {"f": "float", "i": "int", "u": "uint", "b": "bool"}[storage.kind]
    return DType(name, kind, storage.itemsize, file_tag, storage, storage)


float64 = _numpy_dtype("float64", "F64")
float32 = _numpy_dtype("float32", "F32")
float16 = _numpy_dtype("float16", "F16")
bfloat16 = DType("bfloat16", "float", 2, "BF16", np.dtype("uint16"), None)
int64 = _numpy_dtype("int64", "I64")
int32 = _numpy_dtype("int32", "I32")
int16 = _numpy_dtype("int16", "I16")
int8 = _numpy_dtype("int8", "I8")
uint64 = _numpy_dtype("uint64", "U64")
uint32 = _numpy_dtype("uint32", "U32")
uint16 = _numpy_dtype("uint16", "U16")
uint8 = _numpy_dtype("uint8", "U8")
bool_ = _numpy_dtype("bool", "BOOL")

_ALL = (float64, float32, float16, bfloat16, int64, int32, int16, int8, uint64, uint32, uint16, uint8, bool_)
DTYPES = {dtype.name: dtype for dtype in _ALL}
FILE_TAGS = {dtype.file_tag: dtype for dtype in _ALL}

_PYTHON = {bool: bool_, int: int64, float: float32}
_NUMPY = {(dtype.numpy.kind, dtype.itemsize): dtype for dtype in _ALL if dtype.numpy is not None}


def as_dtype(x, *, operation="as_dtype"):
    """Find the dtype that `x` names.

    Python's ``float`` means the course's default, float32; ``int`` means int64. A NumPy extension type is known by
    its name, so an array of ``ml_dtypes.bfloat16`` is understood although nothing here imports that package.

    Parameters
    ----------
    x : DType, str, numpy dtype or scalar type, or Python's bool, int, float
        The name of an element type, in any of these forms.
    operation : str
        What an error calls the operation that asked.

    Returns
    -------
    DType

    Raises
    ------
    DTypeError
        If the course does not hold that type, or its bytes are in the other machine's order.

    Examples
    --------
    >>> import numpy as np
    >>> as_dtype("bfloat16"), as_dtype(np.int32), as_dtype(float)
    (bfloat16, int32, float32)
    """
    if isinstance(x, DType):
        return x
    if isinstance(x, type) and x in _PYTHON:
        return _PYTHON[x]
    if isinstance(x, str):
        if x in DTYPES:
            return DTYPES[x]
        raise _unknown(operation, repr(x))
    if not (isinstance(x, np.dtype) or (isinstance(x, type) and issubclass(x, np.generic))):
        raise _unknown(operation, repr(x))
    try:
        numpy = np.dtype(x)
    except TypeError:  # np.floating and its like are families of types
        raise _unknown(operation, f"np.{x.__name__}") from None
    if numpy.name == "bfloat16" and numpy.itemsize == 2:
        return bfloat16
    dtype = _NUMPY.get((numpy.kind, numpy.itemsize))
    if dtype is None:
        raise _unknown(operation, f"NumPy's {numpy}")
    if not numpy.isnative:
        raise DTypeError(
            operation,
            f"the bytes of {numpy.str} are in the other order than this machine's",
            expected=dtype.storage.str,
            got=numpy.str,
            why="reading them needs every element's bytes reversed, which is a copy",
            fix=f"array.astype(np.{numpy.name})",
        )
    return dtype


def _unknown(operation, got):
    return DTypeError(operation, "not an element type of the course", expected="one of " + " ".join(DTYPES), got=got)


def promote(a, b, *, operation="promote"):
    """Find the dtype in which two dtypes of one kind can meet.

    The table is the Array API's: the wider of two floats, of two signed or of two unsigned integers; a signed and an
    unsigned integer meet in the narrowest signed one that holds both. float16 and bfloat16 meet in float32, because
    neither holds the other.

    Parameters
    ----------
    a, b : DType, or any name `as_dtype` takes
        The two types.
    operation : str
        What an error calls the operation that asked.

    Returns
    -------
    DType

    Raises
    ------
    DTypeError
        Across kinds (bool, integer, float), and for uint64 with a signed integer, which no integer type holds.

    Examples
    --------
    >>> promote(float32, float64), promote(int8, uint8), promote(float16, bfloat16)
    (float64, int16, float32)
    >>> promote(int64, float32)
    Traceback (most recent call last):
    tensorlab.errors.DTypeError: promote: int64 and float32 are of different kinds
      expected: two floats, two integers or two bools
      got:      int64 and float32
      why:      a silent choice would lose digits: int64 counts further than float32 can
      fix:      x.astype(tl.float32)  # x is the int64 one
    """
    a, b = as_dtype(a), as_dtype(b)
    if a == b:
        return a
    if a.kind == b.kind:
        return float32 if a.itemsize == b.itemsize else max(a, b, key=lambda dtype: dtype.itemsize)
    if {a.kind, b.kind} == {"int", "uint"}:
        signed, unsigned = (a, b) if a.kind == "int" else (b, a)
        bits = 8 * max(signed.itemsize, 2 * unsigned.itemsize)
        if bits <= 64:
            return DTYPES[f"int{bits}"]
        raise DTypeError(
            operation,
            f"no integer type holds every {a} and every {b}",
            got=f"{a} and {b}",
            fix=f"x.astype({_spelled(signed)})  # x is the {unsigned} one",
        )
    low, high = sorted((a, b), key=lambda dtype: _RANK[dtype.kind])
    why = "True is not a number here; say which number it stands for"
    if low.kind != "bool":
        why = f"a silent choice would lose digits: {low} counts further than {high} can"
        if _exact_integers(high) >= _largest(low):
            why = "kinds never mix by themselves; one cast says what is meant"
    raise DTypeError(
        operation,
        f"{a} and {b} are of different kinds",
        expected="two floats, two integers or two bools",
        got=f"{a} and {b}",
        why=why,
        fix=f"x.astype({_spelled(high)})  # x is the {low} one",
    )


_RANK = {"bool": 0, "int": 1, "uint": 1, "float": 2}
_FIELD_BITS = {"float64": (11, 52), "float32": (8, 23), "float16": (5, 10), "bfloat16": (8, 7)}
_LARGEST_FLOAT = {"float64": "1.8e308", "float32": "3.4e38", "float16": "65504", "bfloat16": "3.4e38"}


def _spelled(dtype):
    """Write a dtype as a reader would in code."""
    return "tl.bool_" if dtype == bool_ else f"tl.{dtype}"


def _exact_integers(dtype):
    """The largest n such that a float type holds every integer up to n."""
    return 2 ** (_FIELD_BITS[dtype.name][1] + 1)


def _largest(dtype):
    return int(np.iinfo(dtype.storage).max)


def widen_bf16(words):
    """Turn bfloat16 words into the float32 numbers they stand for, exactly.

    float32 bits = word * 2**16: the word is the upper half, sixteen zero bits are appended.

    Parameters
    ----------
    words : (...) uint16
        The stored words, in any layout.

    Returns
    -------
    (...) float32
        A new array. Nothing is rounded, since every bfloat16 is a float32.

    Raises
    ------
    DTypeError
        If `words` is not uint16.

    Examples
    --------
    >>> import numpy as np
    >>> widen_bf16(np.array([0x3F80, 0xC049, 0x8000], dtype=np.uint16))
    array([ 1.      , -3.140625, -0.      ], dtype=float32)
    """
    words = np.asarray(words)
    if words.dtype != np.uint16:
        raise DTypeError("widen_bf16", "bfloat16 words are 16 bits", expected="uint16", got=str(words.dtype))
    wide = np.empty(words.shape, dtype=np.float32)
    np.left_shift(words, np.uint32(16), out=wide.view(np.uint32), dtype=np.uint32)
    return wide


def narrow_bf16(values):
    """Round numbers to bfloat16 words, to the nearest, ties to the even word.

    word = (bits + 0x7FFF + bit 16) >> 16: add half a step (a hair less if the kept part is even), drop the lower half.

    Parameters
    ----------
    values : (...) float32 or float64
        The numbers to round. float64 is rounded once, not by way of float32.

    Returns
    -------
    (...) uint16
        The words. A number beyond the largest bfloat16 becomes an infinity. A NaN stays a NaN: its upper half is kept,
        and where that alone would read as infinity one bit is set.

    Raises
    ------
    DTypeError
        If `values` is neither float32 nor float64.

    Examples
    --------
    >>> import numpy as np
    >>> [hex(word) for word in narrow_bf16(np.array([1.0, -3.140625, 0.2691408770272292], dtype=np.float32))]
    ['0x3f80', '0xc049', '0x3e8a']
    """
    values = np.asarray(values)
    if values.dtype == np.float64:
        values = _float32_odd(values)
    if values.dtype != np.float32:
        raise DTypeError("narrow_bf16", "only floats are rounded", expected="float32 or float64", got=str(values.dtype))
    bits = values.view(np.uint32)
    upper = bits >> 16
    rounded = (bits + (upper & 1) + 0x7FFF) >> 16
    nan = (upper & 0x7F == 0) << 6 | upper
    return np.asarray(np.where(np.isnan(values), nan, rounded)).astype(np.uint16)


def _float32_odd(values):
    """Drop float64 numbers to float32 so that a later rounding still sees which side they were on."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        near = np.asarray(values.astype(np.float32))
    inexact = (near != values) & ~np.isnan(values)
    toward_zero = near.view(np.uint32) - (np.abs(near) > np.abs(values))
    return np.asarray(np.where(inexact, toward_zero | 1, near.view(np.uint32))).astype(np.uint32).view(np.float32)


def to_values(words, dtype):
    """Give stored words as numbers that NumPy can compute with.

    Parameters
    ----------
    words : (...) array of the storage type of `dtype`
        What memory holds.
    dtype : DType, or any name `as_dtype` takes
        What the words mean.

    Returns
    -------
    (...) array
        `words` itself where NumPy has the type; a new float32 array for bfloat16.

    Raises
    ------
    DTypeError
        If `words` is not of the storage type of `dtype`.

    Examples
    --------
    >>> import numpy as np
    >>> to_values(np.array([0x4198], dtype=np.uint16), bfloat16)
    array([19.], dtype=float32)
    """
    dtype = as_dtype(dtype)
    words = np.asarray(words)
    if words.dtype != dtype.storage:
        raise DTypeError(
            "to_values", f"words of {dtype} are {dtype.storage}", expected=str(dtype.storage), got=str(words.dtype)
        )
    return widen_bf16(words) if dtype == bfloat16 else words


def from_values(values, dtype, *, operation="from_values"):
    """Give numbers as the words that memory holds, if they may stand there.

    Floats round to the nearest, ties to even, and become infinite beyond the largest. Integers must fit. An integer
    may become a float; nothing else changes its kind (`cast` does, on purpose).

    Parameters
    ----------
    values : (...) array of bool, integers or floats
        The numbers.
    dtype : DType, or any name `as_dtype` takes
        What the words shall mean.
    operation : str
        What an error calls the operation that asked.

    Returns
    -------
    (...) array of the storage type of `dtype`
        A new array, or `values` itself where nothing has to change.

    Raises
    ------
    DTypeError
        If the kind would change, or an integer does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from_values(np.array([1.0, 19.0]), bfloat16)
    array([16256, 16792], dtype=uint16)
    >>> from_values(np.array([7, 300]), uint8)
    Traceback (most recent call last):
    tensorlab.errors.DTypeError: from_values: 300 does not fit uint8
      expected: 0 <= value <= 255
      got:      300
    """
    dtype = as_dtype(dtype)
    values = np.asarray(values)
    source = as_dtype(values.dtype)
    if source == dtype:
        return values.view(dtype.storage)
    if source == bfloat16:
        values = widen_bf16(values.view(np.uint16))
    if _RANK[source.kind] > _RANK[dtype.kind] or (source.kind == "bool" and dtype.kind != "bool"):
        how = "gives 0 and 1" if source.kind == "bool" else "x != 0" if dtype.kind == "bool" else "drops fractions"
        raise DTypeError(
            operation,
            f"{source} values are no {dtype}",
            expected=f"{dtype.kind} values",
            got=str(source),
            why="kinds never change by themselves",
            fix=f"x.astype({_spelled(dtype)})  # {how}",
        )
    if dtype.kind in ("int", "uint"):
        return _fit(values, dtype, operation)
    return _to_float(values, dtype, operation)


def cast(values, dtype, *, operation="cast"):
    """Convert numbers to the words of any dtype, because the caller says so.

    Floats become integers by dropping the fraction; anything but zero becomes True; True becomes 1. What cannot be
    said in the new type raises, so that no cast gives a wrong number.

    Parameters
    ----------
    values : (...) array of bool, integers or floats
        The numbers.
    dtype : DType, or any name `as_dtype` takes
        What the words shall mean.
    operation : str
        What an error calls the operation that asked.

    Returns
    -------
    (...) array of the storage type of `dtype`
        A new array, or `values` itself where nothing has to change.

    Raises
    ------
    DTypeError
        If an integer does not fit, or a NaN or infinity shall become one.

    Examples
    --------
    >>> import numpy as np
    >>> cast(np.array([2.75, -2.75]), int8)
    array([ 2, -2], dtype=int8)
    """
    dtype = as_dtype(dtype)
    values = np.asarray(values)
    source = as_dtype(values.dtype)
    if source == bfloat16 and dtype != bfloat16:
        values = widen_bf16(values.view(np.uint16))
    if dtype.kind == "bool":
        return values != 0
    if source.kind == "bool":
        values = values.astype(np.uint8)
    elif source.kind == "float" and dtype.kind in ("int", "uint"):
        return _fit(np.trunc(values), dtype, operation)
    return from_values(values, dtype, operation=operation)


def _fit(values, dtype, operation):
    """Check that whole numbers lie within an integer dtype, then store them in it."""
    limits = np.iinfo(dtype.storage)
    low, high = int(limits.min), int(limits.max)
    if values.dtype.kind == "f":
        # No float holds 2**63 - 1, but every wide one holds 2**63: compare with the first number that is too large.
        values = values.astype(np.float64, copy=False)
        outside = ~((values >= low) & (values < high + 1))
    else:
        outside = (values < low) | (values > high)
    if outside.any():
        raise _misfit(operation, values[outside].flat[0].item(), dtype)
    return values.astype(dtype.storage)


def _misfit(operation, value, dtype):
    if dtype.kind == "float":
        expected = f"a size of {_LARGEST_FLOAT[dtype.name]} at most"
    else:
        limits = np.iinfo(dtype.storage)
        expected = f"{limits.min} <= value <= {limits.max}"
    return DTypeError(operation, f"{value} does not fit {dtype}", expected=expected, got=str(value))


def _to_float(values, dtype, operation):
    """Round integers or floats once, to the nearest number of a float dtype."""
    whole = values.dtype.kind in "iu"
    if dtype == bfloat16:
        if whole:
            values = _float64_odd(values)
        return narrow_bf16(values if values.dtype.itemsize > 2 else values.astype(np.float32))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        result = values.astype(dtype.storage)
    if whole and not np.isfinite(result).all():
        raise _misfit(operation, values[~np.isfinite(result)].flat[0].item(), dtype)
    return result


def _float64_odd(values):
    """Turn integers into float64 so that a later rounding still sees which side they were on."""
    negative = values < 0
    size = np.where(negative, 0 - values.astype(np.uint64), values.astype(np.uint64))
    beyond = size >= 2**53
    dropped = size & 0x7FF
    size = np.where(beyond, (size - dropped) | ((dropped != 0) * np.uint64(0x800)), size)
    return np.where(negative, -1.0, 1.0) * size.astype(np.float64)


def from_python(numbers, dtype=None, *, operation="from_python"):
    """Give Python's own numbers as words; they take the dtype they meet, if it can say them.

    A bool is only a bool, an integer may be an integer or a float, a float only a float. Each is rounded once.

    Parameters
    ----------
    numbers : sequence of bool, int or float
        Plain Python numbers.
    dtype : DType, or any name `as_dtype` takes, optional
        What the words shall mean. Left out, bools give bool, integers int64, and anything with a float float32.
    operation : str
        What an error calls the operation that asked.

    Returns
    -------
    (n,) array, DType
        The words in a new array, and what they mean.

    Raises
    ------
    DTypeError
        If a number is of a kind that `dtype` does not take, or does not fit.

    Examples
    --------
    >>> from_python([1, 2.5])
    (array([1. , 2.5], dtype=float32), float32)
    >>> from_python([2**63])
    Traceback (most recent call last):
    tensorlab.errors.DTypeError: from_python: 9223372036854775808 does not fit int64
      expected: -9223372036854775808 <= value <= 9223372036854775807
      got:      9223372036854775808
    """
    kinds = set(map(type, numbers))
    if bool in kinds and len(kinds) > 1:
        raise DTypeError(
            operation,
            "True and False are mixed with numbers",
            expected="only bools or only numbers",
            got=", ".join(sorted(kind.__name__ for kind in kinds)),
            why="True is not a number here",
        )
    if dtype is None:
        dtype = bool_ if bool in kinds else int64 if kinds == {int} else float32
    dtype = as_dtype(dtype, operation=operation)
    if kinds - {"bool": {bool}, "float": {int, float}}.get(dtype.kind, {int}):
        kind = (float if float in kinds else kinds.pop()).__name__
        example = next(number for number in numbers if type(number).__name__ == kind)
        raise DTypeError(
            operation,
            f"{example!r} is no {dtype}",
            expected={"bool": "True or False", "float": "numbers"}.get(dtype.kind, "whole numbers"),
            got=f"{example!r}, a Python {kind}",
            why="kinds never change by themselves",
        )
    if dtype.kind in ("int", "uint"):
        limits = np.iinfo(dtype.storage)
        for number in (min(numbers, default=0), max(numbers, default=0)):
            if not limits.min <= number <= limits.max:
                raise _misfit(operation, number, dtype)
        return np.array(numbers, dtype=dtype.storage), dtype
    if dtype.kind == "bool":
        return np.array(numbers, dtype=np.bool_), dtype
    values = np.empty(len(numbers), dtype=np.float64)
    for i, number in enumerate(numbers):
        try:
            values[i] = number if dtype == float64 else _odd(number)
        except OverflowError:
            raise _misfit(operation, number, dtype) from None
    words = from_values(values, dtype, operation=operation)
    if dtype.itemsize < 8:
        for i in np.flatnonzero(np.isinf(to_values(words, dtype))):
            if type(numbers[i]) is int:
                raise _misfit(operation, numbers[i], dtype)
    return words, dtype


def _odd(number):
    """Cut an integer too long for float64 so that a later rounding still sees which side it was on."""
    if type(number) is float or number.bit_length() <= 53:
        return number
    spare = abs(number).bit_length() - 53
    kept = abs(number) >> spare
    cut = (kept | (kept << spare != abs(number))) << spare
    return cut if number > 0 else -cut


@dataclass(frozen=True, slots=True)
class BitFields:
    """The three parts of a floating point word, and the number they stand for.

    A normal number is (-1)**sign * 2**(exponent - bias) * (1 + fraction / 2**fraction_bits). The lowest exponent drops
    the 1 and counts as 1 - bias (subnormal numbers and zero); the highest means infinity or NaN.

    Examples
    --------
    >>> fields = bit_fields(0xC049, bfloat16)
    >>> fields.sign, fields.exponent - fields.bias, 1 + fields.fraction / 2**fields.fraction_bits
    (1, 1, 1.5703125)
    """

    sign: int
    exponent: int
    fraction: int
    exponent_bits: int
    fraction_bits: int
    bias: int
    value: float


def bit_fields(word, dtype):
    """Take a floating point word apart into sign, exponent and fraction.

    Parameters
    ----------
    word : int
        The stored bits as a number, such as 0x3F80.
    dtype : DType, or any name `as_dtype` takes
        float64, float32, float16 or bfloat16.

    Returns
    -------
    BitFields

    Raises
    ------
    DTypeError
        If `dtype` is not a float type.
    ArgumentError
        If `word` does not fit the width of `dtype`.

    Examples
    --------
    >>> bit_fields(0x3F80, bfloat16)
    BitFields(sign=0, exponent=127, fraction=0, exponent_bits=8, fraction_bits=7, bias=127, value=1.0)
    """
    dtype = as_dtype(dtype)
    if dtype.kind != "float":
        raise DTypeError("bit_fields", f"{dtype} has no exponent", expected="a float type", got=dtype.name)
    exponent_bits, fraction_bits = _FIELD_BITS[dtype.name]
    word, width = as_integer("bit_fields", "word", word), 8 * dtype.itemsize
    if not 0 <= word < 2**width:
        raise ArgumentError(
            "bit_fields", f"not a word of {width} bits", expected=f"0 <= word < 2**{width}", got=str(word)
        )
    sign = word >> (width - 1)
    exponent = (word >> fraction_bits) % 2**exponent_bits
    fraction = word % 2**fraction_bits
    bias = 2 ** (exponent_bits - 1) - 1
    if exponent == 2**exponent_bits - 1:
        value = math.nan if fraction else math.inf
    else:
        lead = 2**fraction_bits if exponent else 0
        value = math.ldexp(lead + fraction, max(exponent, 1) - bias - fraction_bits)
    return BitFields(
        sign, exponent, fraction, exponent_bits, fraction_bits, bias, math.copysign(value, -1.0 if sign else 1.0)
    )
