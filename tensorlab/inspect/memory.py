"""Whose memory an array lives in: whatever shares its memory, taken as a `Tensor` without a copy."""

import sys
from dataclasses import dataclass, replace
from functools import partial
from math import gcd

import numpy as np

from tensorlab.dtypes import as_dtype, bfloat16
from tensorlab.errors import ArgumentError, BoundsError, DTypeError, TensorlabError
from tensorlab.layout import Layout
from tensorlab.matrix import Matrix
from tensorlab.tensor import Tensor, from_numpy

UNREADABLE = {
    "O": ("each slot holds the address of a Python object; the objects lie elsewhere", None),
    "M": ("each slot counts units of time in a 64-bit integer", "x.view(np.int64)"),
    "m": ("each slot counts units of time in a 64-bit integer", "x.view(np.int64)"),
    "c": ("each slot holds two floats, side by side", "x.real"),
    "S": ("each slot holds a text of fixed width", None),
    "U": ("each slot holds a text of fixed width", None),
    "f": ("its floats are wider than 8 bytes", None),
}
"""Why NumPy types of some kinds are no numbers of the course, and a view that is."""


@dataclass(frozen=True)
class Place:
    """An array and the memory it lives in.

    Parameters
    ----------
    kind : str
        What the reader handed over, such as ``"NumPy array"``.
    layout : Layout
        Where each element lives in the buffer of `tensor`.
    tensor : Tensor or None
        The array as a tensor over the same memory; None for a bare layout, which has none.
    owner : object
        Who keeps the memory alive, as far as it can be told.
    base : (int, int) or None
        The half-open range of addresses that stay alive.
    is_whole : bool
        Whether `base` is known to be all of the owner's memory.
    """

    kind: str
    layout: Layout
    tensor: Tensor | None = None
    owner: object = None
    base: tuple[int, int] | None = None
    is_whole: bool = True

    @property
    def shift(self):
        """How many bytes of the base come before the buffer."""
        return address(self.tensor.buffer) - self.base[0]

    @property
    def bytes_alive(self):
        """How many bytes the base has."""
        return self.base[1] - self.base[0]

    @property
    def owner_name(self):
        """What the owner is called in a sentence."""
        if self.owner is None:
            return "another library"
        return kind_of(self.owner) + " object" * (type(self.owner) is not np.ndarray)

    @property
    def in_memory(self):
        """The layout in bytes, counted from address 0."""
        layout = self.layout.in_bytes(self.tensor.itemsize)
        return Layout(layout.shape, layout.strides, layout.offset + address(self.tensor.buffer))

    @property
    def bytes_outside(self):
        """How many bytes the array spans before its base and behind it: (0, 0) for one that keeps to its memory."""
        start, stop = self.in_memory.span if self.layout.size else self.base
        return max(0, self.base[0] - start), max(0, stop - self.base[1])


def as_tensor(x, *, operation="as_tensor"):
    """Take whatever shares its memory as a `Tensor` over that very memory.

    Parameters
    ----------
    x : Tensor, Matrix, NumPy array, torch tensor, or any object with a memory protocol
        The buffer protocol, `__array_interface__`, `__dlpack__` and `__array__` are tried in this order. An object
        that hands out another copy each time is refused.
    operation : str
        What an error calls the operation that asked.

    Returns
    -------
    Tensor
        `x` itself, or a view. Its buffer is all of the owner's memory where that can be seen as whole slots, so that
        its offset says where `x` starts in its base.

    Raises
    ------
    ArgumentError
        If `x` does not share its memory.
    DTypeError, LayoutError
        If its elements are no numbers of the course, or no whole number of elements apart.

    Examples
    --------
    >>> as_tensor(bytearray(b"memory")[2:]).tolist()
    [109, 111, 114, 121]
    >>> records = np.zeros(3, dtype=[("id", "i4"), ("weight", "f4")])
    >>> as_tensor(records["weight"]).layout
    Layout(shape=(3,), strides=(2,), offset=1)
    """
    place = locate(x, operation=operation)
    if any(place.bytes_outside):
        before, after = place.bytes_outside
        raise BoundsError(
            operation,
            f"the array reaches {before:,} bytes before its memory and {after:,} behind it",
            expected=f"{place.bytes_alive:,} bytes at most",
            got=f"shape {place.layout.shape}, strides {place.layout.strides}",
            why="strides set by hand are not checked by NumPy",
        )
    return place.tensor


def over_base(place):
    """The layout of an array over all of its base, and that base as words, whether or not it keeps to it.

    Parameters
    ----------
    place : Place

    Returns
    -------
    (Layout, array) or None
        None where the array does not start a whole number of elements into its base.

    Examples
    --------
    >>> a = np.arange(6)
    >>> too_long = np.lib.stride_tricks.as_strided(a[2:], (5,))
    >>> over_base(locate(too_long, operation="show"))
    (Layout(shape=(5,), strides=(1,), offset=2), array([0, 1, 2, 3, 4, 5]))
    """
    layout, tensor = place.layout, place.tensor
    if place.shift % tensor.itemsize:
        return None
    offset = layout.offset + place.shift // tensor.itemsize
    memory = _Memory(
        place.base[0],
        place.bytes_alive // tensor.itemsize,
        tensor.buffer.dtype,
        tensor.buffer.flags.writeable,
        tensor.buffer,
    )
    return Layout(layout.shape, layout.strides, offset), np.asarray(memory)


def locate(x, *, operation):
    """Find the memory of an array, and who owns it.

    Parameters
    ----------
    x : anything `as_tensor` takes
    operation : str

    Returns
    -------
    Place

    Examples
    --------
    >>> a = np.arange(10)
    >>> place = locate(a[4:], operation="explain")
    >>> place.owner is a, place.layout.offset, place.bytes_alive
    (True, 4, 80)
    """
    kind = kind_of(x)
    if isinstance(x, (Tensor, Matrix)):
        tensor = x.tensor() if isinstance(x, Matrix) else x
        return Place(kind, tensor.layout, tensor, *_owner(tensor.buffer, tensor))
    if _is_torch(x):
        tensor, storage = _from_torch(x, operation)
        return Place(kind, tensor.layout, tensor, storage, _extent(tensor.buffer))
    array = x if isinstance(x, np.ndarray) else _shared(x, operation)
    _check_numbers(array, operation)
    try:
        tensor = from_numpy(array)
    except TensorlabError as error:
        raise _said_by(operation, error) from None
    return _widened(Place(kind, tensor.layout, tensor, *_owner(array, x)))


def kind_of(x):
    """Name the type of an object, with its library where that helps.

    Parameters
    ----------
    x : object

    Returns
    -------
    str

    Examples
    --------
    >>> kind_of(np.zeros(3)), kind_of(bytearray(3)), kind_of(np.float32(3))
    ('NumPy array', 'bytearray', 'numpy.float32')
    """
    if type(x) is np.ndarray:
        return "NumPy array"
    kind = type(x)
    library = kind.__module__.partition(".")[0]
    return kind.__qualname__ if library in ("builtins", "tensorlab", "__main__") else f"{library}.{kind.__qualname__}"


def with_article(name):
    """Put "a" or "an" before a name that has no article.

    Examples
    --------
    >>> with_article("NumPy array"), with_article("array.array"), with_article("another library")
    ('a NumPy array', 'an array.array', 'another library')
    """
    return name if name.startswith("another ") else f"{'an' if name[0] in 'aeiouAEIO' else 'a'} {name}"


def distinct_slots(layout, *, limit=100_000):
    """Count the different positions of a layout, each once however many indices land on it.

    Parameters
    ----------
    layout : Layout
    limit : int
        How many indices may be walked where no formula counts.

    Returns
    -------
    int or None
        None past the limit.

    Notes
    -----
    Axes are taken from the smallest stride up, in units of their greatest common divisor. While what is reached has
    no hole, a stride that starts inside it or right behind it only makes it longer; a stride beyond all that is
    reached repeats it elsewhere. A layout that does neither is walked.

    Examples
    --------
    >>> distinct_slots(Layout((10**6, 3), (1, 1))), distinct_slots(Layout((5, 4), (0, 8)))
    (1000002, 4)
    """
    if layout.size == 0:
        return 0
    axes = sorted((abs(s), n) for n, s in zip(layout.shape, layout.strides, strict=True) if n > 1 and s)
    unit = gcd(*(stride for stride, _ in axes))
    count, reach = 1, 0
    for stride, length in axes:
        step = stride // unit
        if step <= reach + 1 and count == reach + 1:
            reach += (length - 1) * step
            count = reach + 1
        elif step > reach:
            reach += (length - 1) * step
            count *= length
        else:
            moving = Layout([n for _, n in axes], [s for s, _ in axes])
            return len(set(moving.positions())) if moving.size <= limit else None
    return count


def address(array):
    """The number of the first byte of an array's first element."""
    return array.__array_interface__["data"][0]


def _is_torch(x):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, getattr(torch, "Tensor", ()))


def _from_torch(x, operation):
    """A torch tensor over all of its storage, and that storage."""
    torch = sys.modules["torch"]
    dtype = as_dtype(str(x.dtype).removeprefix("torch."), operation=operation)
    try:
        x = x.detach()
        storage = x.untyped_storage()
        slots = storage.nbytes() // dtype.itemsize
        whole = x.as_strided((slots,), (1,), 0)
        words = (whole.view(torch.int16) if dtype is bfloat16 else whole).numpy()
        layout = Layout(tuple(x.shape), tuple(x.stride()), x.storage_offset())
    except Exception as error:
        fix = None if x.device.type in ("cpu", "meta") else "x.cpu()"
        raise _refused(operation, x, f"torch: {_first_line(error)}", fix) from None
    return Tensor(words.view(dtype.storage), layout, dtype), storage


def _shared(x, operation):
    """The memory of a foreign object as a NumPy array, by the first protocol that shares it."""
    refusals = []
    for protocol, take in _protocols(x):
        try:
            array, again = take(), take()
        except Exception as error:  # whatever another library raises is its reason
            refusals.append(f"{protocol}: {_first_line(error)}")
            continue
        if array.size == 0 or address(array) == address(again):
            return array
        refusals.append(f"{protocol} hands out another copy each time")
    if isinstance(x, (list, tuple)):
        raise _refused(operation, x, "a list holds references to numbers, not the numbers side by side", "tl.tensor(x)")
    raise _refused(operation, x, "; ".join(refusals) or None)


def _protocols(x):
    """Every way in which an object offers its memory, the most direct one first."""
    try:
        view = memoryview(x)
    except (TypeError, BufferError, ValueError):
        pass
    else:
        yield "the buffer protocol", partial(np.asarray, view, copy=False)
    as_array = partial(np.asarray, x, copy=False)
    for protocol, take in (
        ("__array_interface__", as_array),
        ("__dlpack__", partial(np.from_dlpack, x)),
        ("__array__", as_array),
    ):
        if hasattr(x, protocol):
            yield protocol, take


def _first_line(error):
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _refused(operation, x, why, fix=None):
    return ArgumentError(
        operation,
        f"{with_article(kind_of(x))} shares no memory that could be looked at",
        expected="a Tensor, Matrix or array, or an object that shares its memory within the CPU's reach",
        got=f"an object of type {kind_of(x)}",
        why=why,
        fix=fix,
    )


def _said_by(operation, error):
    """The same error in the name of the operation that the reader called."""
    return type(error)(operation, error.problem, expected=error.expected, got=error.got, why=error.why, fix=error.fix)


def _check_numbers(array, operation):
    """Refuse element types that the course does not hold, and say why."""
    try:
        as_dtype(array.dtype, operation=operation)
    except DTypeError as error:
        if error.why is not None:
            raise
        why, fix = UNREADABLE.get(array.dtype.kind, (None, None))
        if array.dtype.names:
            why, fix = "each slot holds a record of several fields", f"x[{array.dtype.names[0]!r}]"
        raise DTypeError(operation, error.problem, expected=error.expected, got=error.got, why=why, fix=fix) from None


def _holders(array):
    """An array, what it is a view of, and so on to the owner of the memory."""
    while array is not None:
        yield array
        array = array.obj if isinstance(array, memoryview) else getattr(array, "base", None)


def _owner(array, source):
    """Who keeps the memory alive, the addresses that stay alive, and whether these are all."""
    own = _extent(array)
    owner, base, is_whole = array, own, True
    for holder in _holders(array):
        extent = _extent(holder)
        is_whole = extent is not None and (array.size == 0 or (extent[0] < own[1] and own[0] < extent[1]))
        owner, base = holder, extent if is_whole else base
    if type(owner).__name__ == "PyCapsule":
        owner = None if isinstance(source, np.ndarray) else source
    return owner, base, is_whole


def _extent(holder):
    """The half-open range of addresses of an object's memory, if it tells."""
    if not isinstance(holder, np.ndarray):
        try:
            holder = np.frombuffer(holder, dtype=np.uint8)
        except (TypeError, ValueError, BufferError):
            return None
    if holder.size == 0:
        return address(holder), address(holder)
    return np.lib.array_utils.byte_bounds(holder)


class _Memory:
    """A range of addresses as NumPy takes it, which keeps alive whom it belongs to."""

    def __init__(self, begin, slots, storage, writable, base):
        self.base = base
        self.__array_interface__ = {
            "data": (begin, not writable),
            "shape": (slots,),
            "typestr": storage.str,
            "version": 3,
        }


def _widened(place):
    """The same place with a tensor over all of the owner's memory, where that is whole slots of its dtype."""
    holds_objects = isinstance(place.owner, np.ndarray) and place.owner.dtype.hasobject
    is_all = place.bytes_alive // place.tensor.itemsize == place.tensor.buffer.size
    if is_all or place.layout.size == 0 or any(place.bytes_outside) or holds_objects:
        return place
    wide = over_base(place)
    if wide is None:
        return place
    layout, words = wide
    return replace(place, layout=layout, tensor=Tensor(words, layout, place.tensor.dtype))
