"""What readers hand over, made plain: compared, and shown in one line, whatever it is."""

import math
import reprlib
from collections.abc import Coroutine, Generator, Iterator
from dataclasses import dataclass

import numpy as np

LARGEST = 100_000  # items of an array that is still looked at one by one

_short = reprlib.Repr()
_short.maxlist = _short.maxtuple = _short.maxdict = 12
_short.maxstring = _short.maxother = 60
_short.maxlong = 40
_short.maxlevel = 4


@dataclass(frozen=True)
class Opaque:
    """Something that is not plain data; only its description is kept."""

    text: str

    def __repr__(self):
        return self.text


def plain(value):
    """Turn numbers, sequences, arrays and tensors into plain Python values; anything else into an `Opaque`.

    Examples
    --------
    >>> plain((np.int64(2), np.array([1, 2])))
    (2, [1, 2])
    >>> plain(x for x in "ab")
    a generator
    """
    if value is None or value is Ellipsis or type(value) in (bool, int, float, complex, str, bytes, Opaque):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    if isinstance(value, list | range):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, type):
        return Opaque(f"the type {value.__name__}")
    if hasattr(value, "tolist") and hasattr(value, "shape"):
        size = math.prod(value.shape)
        return plain(value.tolist()) if size <= LARGEST else Opaque(f"an array of {size:,} items")
    if hasattr(value, "numpy"):
        return plain(value.numpy())
    return Opaque(_describe(value))


def _describe(value):
    if isinstance(value, Coroutine):
        value.close()
        return "a coroutine: write def, not async def"
    if isinstance(value, Generator):
        return "a generator"
    if callable(value):
        return f"the function {getattr(value, '__name__', type(value).__name__)}"
    if isinstance(value, Iterator):
        return f"{article(type(value).__name__)} iterator"
    text = show(value)
    return article(type(value).__name__) if text.startswith("<") else text  # <...> holds addresses and paths


def article(noun):
    """Put `a` or `an` before a noun.

    Examples
    --------
    >>> article("int")
    'an int'
    """
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def show(value):
    """Write a value in one short line; never fails.

    Examples
    --------
    >>> show(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...]'
    """
    if value is Ellipsis:
        return "..."
    try:
        return " ".join(_short.repr(value).split())
    except KeyboardInterrupt:
        raise
    except BaseException:
        return article(type(value).__name__)


def say(value):
    """Write a value as a sentence has it: an int with its thousands apart.

    Examples
    --------
    >>> say(1607680), say((2, 1))
    ('1,607,680', '(2, 1)')
    """
    return f"{value:,}" if type(value) is int and abs(value) < 10**15 else show(value)


def equal(value, expected, *, tolerance=0.0, exact_types=True):
    """Say whether two plain values agree: lists and tuples alike, floats within a tolerance, NaN equal to NaN.

    With `exact_types`, an int is only matched by an int: 2.0 cannot number a slot.

    Examples
    --------
    >>> equal([2, 1], (2, 1)), equal(2.0, 2), equal(2.0, 2, exact_types=False)
    (True, False, True)
    """
    if isinstance(expected, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(expected)
            and all(
                equal(one, other, tolerance=tolerance, exact_types=exact_types)
                for one, other in zip(value, expected, strict=True)
            )
        )
    if isinstance(expected, dict):
        return (
            isinstance(value, dict)
            and value.keys() == expected.keys()
            and all(equal(value[key], expected[key], tolerance=tolerance, exact_types=exact_types) for key in expected)
        )
    if type(expected) is float:
        return type(value) in (int, float) and _close(value, expected, tolerance)
    if type(expected) is int and not exact_types:
        return type(value) in (int, float) and value == expected
    return type(value) is type(expected) and value == expected


def _close(value, expected, tolerance):
    try:
        return (
            value == expected
            or (math.isnan(value) and math.isnan(expected))
            or math.isclose(value, expected, rel_tol=tolerance, abs_tol=tolerance * 1e-3)
        )
    except OverflowError:
        return False


def first_difference(value, expected, *, tolerance=0.0):
    """Name the first place where two nested sequences differ, or None where that says nothing new.

    Examples
    --------
    >>> first_difference([[1, 2], [3, 4]], [[1, 2], [3, 5]])
    ('[1][1]', 4, 5)
    """
    place = ""
    while isinstance(value, list | tuple) and isinstance(expected, list | tuple) and len(value) == len(expected):
        unequal = (n for n, one in enumerate(value) if not equal(one, expected[n], tolerance=tolerance))
        n = next(unequal, None)
        if n is None:
            return None
        place, value, expected = f"{place}[{n}]", value[n], expected[n]
    return (place, value, expected) if place else None
