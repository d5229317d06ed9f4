"""Where element (i, j, ...) lives: a shape, one stride per axis, and an offset. Integers only.

An *index* names a cell of the grid, a *position* numbers a slot of the flat buffer, and one sum joins them:

    position = offset + i0 * stride0 + i1 * stride1 + ...

Strides and offset count elements. They may be negative, zero or larger than any machine word, and a layout knows no
buffer: whether its positions exist in one is asked with `Layout.first_outside`.
"""

import operator
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import gcd, prod

from tensorlab.errors import ArgumentError, BoundsError, ShapeError

MAX_WORK = 10_000  # choices an overlap search may try: below a second even with dozens of axes


@dataclass(frozen=True, slots=True)
class Overlap:
    """The answer to "do two indices share a position?": yes with an example, no, or undecided.

    It has three answers, so it has no truth value: ask `possible`, or compare `verdict`.

    Parameters
    ----------
    verdict : str
        ``"yes"``, ``"no"``, or ``"undecided"`` when the search passed its work limit.
    position : int, optional
        The shared position, when the verdict is yes.
    first, second : tuple of int, optional
        The two indices on it: both of one layout, or one of each.
    work : int
        How many choices the search tried.

    Examples
    --------
    >>> Layout((3, 3), (1, 1)).self_overlap()
    Overlap(verdict='yes', position=1, first=(0, 1), second=(1, 0), work=1)
    """

    verdict: str
    position: int | None = None
    first: tuple[int, ...] | None = None
    second: tuple[int, ...] | None = None
    work: int = 0

    @property
    def possible(self) -> bool:
        """Whether an overlap must be reckoned with: true for yes and for undecided.

        Examples
        --------
        >>> Layout((2, 3), (3, 1)).self_overlap().possible
        False
        """
        return self.verdict != "no"

    def __bool__(self):
        raise ArgumentError(
            "overlap",
            "yes, no and undecided are three answers, not true and false",
            expected="a question with two answers",
            got=f"verdict {self.verdict!r}",
            fix="ask .possible, or compare .verdict",
        )


@dataclass(frozen=True, slots=True)
class Layout:
    """The map from an index to a position: a shape, one stride per axis, and an offset.

    position = offset + sum(index[k] * strides[k])

    Parameters
    ----------
    shape : int or sequence of int
        How many indices each axis has. Zero is allowed.
    strides : int or sequence of int
        How many positions one step along each axis moves; negative and zero are allowed.
    offset : int
        The position of index (0, 0, ...). It may be negative: such a layout fits no buffer, but can be explained.

    Raises
    ------
    ShapeError
        If a length is negative, or shape and strides differ in their number of axes.
    ArgumentError
        If anything is not an integer.

    Examples
    --------
    >>> upside_down = Layout((3, 4), (-4, -1), offset=11)
    >>> upside_down.position((0, 0)), upside_down.position((2, 3))
    (11, 0)
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in elements
    offset: int = 0  # in elements

    def __post_init__(self):
        shape = as_shape("Layout", self.shape)
        strides = as_integers("Layout", "strides", self.strides)
        if len(shape) != len(strides):
            raise ShapeError(
                "Layout",
                f"shape {shape} has {_count(len(shape), 'axis')}, strides {strides} has {len(strides)}",
                expected="one stride for each axis",
                got=_count(len(strides), "stride"),
            )
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "strides", strides)
        object.__setattr__(self, "offset", as_integer("Layout", "offset", self.offset))

    @classmethod
    def row_major(cls, shape, offset=0) -> "Layout":
        """Pack a shape row by row: the last axis moves by 1.

        Parameters
        ----------
        shape : int or sequence of int
        offset : int

        Returns
        -------
        Layout

        Examples
        --------
        >>> Layout.row_major((3, 4))
        Layout(shape=(3, 4), strides=(4, 1), offset=0)
        """
        shape = as_shape("row_major", shape)
        return cls(shape, _packed(shape[::-1])[::-1], offset)

    @classmethod
    def column_major(cls, shape, offset=0) -> "Layout":
        """Pack a shape column by column: the first axis moves by 1.

        Parameters
        ----------
        shape : int or sequence of int
        offset : int

        Returns
        -------
        Layout

        Examples
        --------
        >>> Layout.column_major((3, 4))
        Layout(shape=(3, 4), strides=(1, 3), offset=0)
        """
        shape = as_shape("column_major", shape)
        return cls(shape, _packed(shape), offset)

    @property
    def ndim(self) -> int:
        """How many axes there are.

        Examples
        --------
        >>> Layout.row_major((3, 4)).ndim
        2
        """
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many indices there are: the product of the shape, 1 for rank 0.

        Examples
        --------
        >>> Layout.row_major((2**40, 2**40)).size == 2**80
        True
        """
        return prod(self.shape)

    @property
    def span(self) -> tuple[int, int]:
        """The half-open range (start, stop) of positions from the lowest reached to the highest.

        A layout without indices reaches none: its span is (offset, offset).

        Examples
        --------
        >>> Layout((2, 2), (8, 1), offset=3).span
        (3, 13)
        """
        if self.size == 0:
            return self.offset, self.offset
        low, high = _reach(self.shape, self.strides)
        return self.offset + low, self.offset + high + 1

    @property
    def is_row_major(self) -> bool:
        """Whether logical order is memory order, without gaps: what NumPy calls C-contiguous.

        Axes of length 1 do not matter; a layout without indices always is. The offset does not matter.

        Examples
        --------
        >>> Layout((3, 4), (4, 1)).is_row_major, Layout((3, 4), (1, 3)).is_row_major
        (True, False)
        """
        return self._steps_as(_packed(self.shape[::-1])[::-1])

    @property
    def is_column_major(self) -> bool:
        """Whether the first axis is the fastest in memory, without gaps: what NumPy calls F-contiguous.

        Examples
        --------
        >>> Layout((3, 4), (4, 1)).is_column_major, Layout((3, 4), (1, 3)).is_column_major
        (False, True)
        """
        return self._steps_as(_packed(self.shape))

    def _steps_as(self, strides):
        axes = zip(self.shape, self.strides, strides, strict=True)
        return self.size == 0 or all(own == other for length, own, other in axes if length > 1)

    def position(self, index) -> int:
        """Find the slot of one cell: offset + sum(index[k] * strides[k]).

        Parameters
        ----------
        index : int or sequence of int
            One number for each axis, counted from 0.

        Returns
        -------
        int

        Raises
        ------
        ShapeError
            If there is not one number for each axis.
        BoundsError
            If a number is negative, or not below the length of its axis.

        Examples
        --------
        >>> Layout.row_major((151936, 1024)).position((785, 0))
        803840
        """
        index = as_integers("position", "index", index)
        if len(index) != self.ndim:
            raise ShapeError(
                "position",
                f"index {index} names {_count(len(index), 'axis')}, shape {self.shape} has {self.ndim}",
                expected="one number for each axis",
                got=str(index),
            )
        for axis, (i, length) in enumerate(zip(index, self.shape, strict=True)):
            if not 0 <= i < length:
                raise BoundsError(
                    "position",
                    f"axis {axis} has no index {i}",
                    expected=f"0 <= index < {length}" if length else "no index at all: the axis has length 0",
                    got=str(index),
                )
        return self.offset + sum(map(operator.mul, index, self.strides))

    def walk(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """Visit every index with its position, in logical order: the last axis turns fastest.

        Like a mileage counter, each visit adds one stride, and takes an axis back when it is full.

        Yields
        ------
        (index, position) : tuple of int, int

        Examples
        --------
        >>> list(Layout((2, 2), (1, 2)).walk())
        [((0, 0), 0), ((0, 1), 2), ((1, 0), 1), ((1, 1), 3)]
        """
        if self.size == 0:
            return
        index, position = [0] * self.ndim, self.offset
        while True:
            yield tuple(index), position
            for axis in reversed(range(self.ndim)):
                index[axis] += 1
                position += self.strides[axis]
                if index[axis] < self.shape[axis]:
                    break
                position -= index[axis] * self.strides[axis]
                index[axis] = 0
            else:
                return

    def positions(self) -> Iterator[int]:
        """Visit every position in logical order.

        Yields
        ------
        int

        Examples
        --------
        >>> list(Layout((2, 2, 2), (1, 2, 4)).positions())
        [0, 4, 2, 6, 1, 5, 3, 7]
        """
        return (position for _, position in self.walk())

    def indices(self, position) -> Iterator[tuple[int, ...]]:
        """Find every index that lands on a position, in logical order, one at a time.

        Parameters
        ----------
        position : int

        Yields
        ------
        tuple of int

        Notes
        -----
        It solves sum(index[k] * strides[k]) == position - offset axis by axis, and tries only the numbers that leave
        the other axes a sum within their reach and a multiple of their strides' greatest common divisor.

        Examples
        --------
        >>> list(Layout.row_major((3, 4)).indices(9)), list(Layout.column_major((3, 4)).indices(9))
        ([(2, 1)], [(0, 3)])
        >>> list(Layout((2, 3), (0, 1)).indices(1)), list(Layout((2, 3), (0, 1)).indices(5))
        ([(0, 1), (1, 1)], [])
        """
        target = as_integer("indices", "position", position) - self.offset
        if self.size == 0:
            return iter(())
        axes = list(zip(range(self.ndim), self.shape, self.strides, strict=True))
        answers = _answers(axes, target, _Work(), in_order=True)
        return (tuple(answer[axis] for axis in range(self.ndim)) for answer in answers)

    def first_outside(self, length) -> tuple[tuple[int, ...], int] | None:
        """Find the first index, in logical order, that falls outside a buffer of `length` slots.

        Parameters
        ----------
        length : int
            The buffer has the positions 0 <= position < length.

        Returns
        -------
        (index, position) or None
            None if every index stays inside.

        Notes
        -----
        The corners decide, so the cost depends on the number of axes only: on each axis it takes the first number
        from which the later axes, at their farthest, leave the buffer.

        Examples
        --------
        >>> Layout((3, 4), (-4, -1), offset=10).first_outside(12)
        ((2, 3), -1)
        >>> Layout((3, 4), (-4, -1), offset=11).first_outside(12) is None
        True
        """
        length = as_integer("first_outside", "length", length)
        start, stop = self.span
        if self.size == 0 or (start >= 0 and stop <= length):
            return None
        index, position = [], self.offset
        for axis, stride in enumerate(self.strides):
            low, high = _reach(self.shape[axis + 1 :], self.strides[axis + 1 :])
            i = 0
            if position + low >= 0 and position + high < length:
                room = position + low if stride < 0 else length - 1 - position - high
                i = room // abs(stride) + 1
            index.append(i)
            position += i * stride
        return tuple(index), position

    def self_overlap(self, *, max_work=MAX_WORK) -> Overlap:
        """Ask whether two different indices share a position.

        Parameters
        ----------
        max_work : int or None
            How many choices the search may try before it answers "undecided"; None for as many as it takes. With 0 it
            only compares ranges and greatest common divisors, which settles everyday layouts of any size.

        Returns
        -------
        Overlap
            With a pair of indices of this layout, in logical order, if the verdict is yes.

        Notes
        -----
        Two indices share a position when their difference d is not zero but sum(d[k] * strides[k]) is. Deciding that
        is as hard as the knapsack problem in general; where the later strides fit inside the earlier ones, as they do
        in packed, padded, permuted, stepped and reversed layouts, no choice is left to try.

        Examples
        --------
        >>> Layout((4, 3), (4, 2)).self_overlap()
        Overlap(verdict='yes', position=4, first=(0, 2), second=(1, 0), work=2)
        >>> Layout.row_major((2**20, 2**20)).self_overlap().verdict
        'no'
        """
        work = _limited("self_overlap", max_work)
        try:
            pair = _collision(self, work)
        except _OutOfWorkError:
            return Overlap("undecided", work=work.done)
        if pair is None:
            return Overlap("no", work=work.done)
        first, second = sorted(pair)
        return Overlap("yes", self.position(first), first, second, work.done)

    def overlaps(self, other, *, max_work=MAX_WORK) -> Overlap:
        """Ask whether an index of this layout and one of another share a position.

        Parameters
        ----------
        other : Layout
            Over the same buffer, in the same unit; see `in_bytes`.
        max_work : int or None
            How many choices the search may try before it answers "undecided"; None for as many as it takes.

        Returns
        -------
        Overlap
            With an index of this layout and one of the other, if the verdict is yes.

        Examples
        --------
        >>> even, odd = Layout(4, 2), Layout(4, 2, offset=1)
        >>> even.envelope_overlaps(odd), even.overlaps(odd).verdict
        (True, 'no')
        """
        _expect_layout("overlaps", other)
        work = _limited("overlaps", max_work)
        try:
            pair = _meeting(self, other, work)
        except _OutOfWorkError:
            return Overlap("undecided", work=work.done)
        if pair is None:
            return Overlap("no", work=work.done)
        first, second = pair
        return Overlap("yes", self.position(first), first, second, work.done)

    def envelope_overlaps(self, other) -> bool:
        """Ask whether the spans of two layouts share a position: the quick answer, which may be a false alarm.

        Parameters
        ----------
        other : Layout

        Returns
        -------
        bool

        Examples
        --------
        >>> Layout(3, 1).envelope_overlaps(Layout(3, 1, offset=3))
        False
        """
        _expect_layout("envelope_overlaps", other)
        (start, stop), (other_start, other_stop) = self.span, other.span
        return max(start, other_start) < min(stop, other_stop)

    def in_bytes(self, itemsize) -> "Layout":
        """Count the same places in bytes: every stride times `itemsize`, and one more axis for the bytes of an element.

        Parameters
        ----------
        itemsize : int
            Bytes per element, at least 1.

        Returns
        -------
        Layout

        Examples
        --------
        >>> Layout((2, 2), (8, 1), offset=3).in_bytes(4)
        Layout(shape=(2, 2, 4), strides=(32, 4, 1), offset=12)
        """
        itemsize = as_integer("in_bytes", "itemsize", itemsize)
        if itemsize < 1:
            raise ShapeError("in_bytes", "an element has 1 byte or more", expected="itemsize >= 1", got=str(itemsize))
        strides = (*(stride * itemsize for stride in self.strides), 1)
        return Layout((*self.shape, itemsize), strides, self.offset * itemsize)


def as_integer(operation, name, value) -> int:
    """Take anything Python can use as an index as a plain integer, but no bool and no float.

    Parameters
    ----------
    operation, name : str
        Who asks, and what the argument is called: both appear in the message.
    value : int-like

    Returns
    -------
    int

    Raises
    ------
    ArgumentError
        If it is no integer.

    Examples
    --------
    >>> as_integer("narrow", "start", 2)
    2
    """
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise ArgumentError(
        operation,
        f"{name} takes whole numbers only",
        expected="an integer",
        got=f"{value!r} ({type(value).__name__})",
    )


def as_integers(operation, name, values) -> tuple[int, ...]:
    """Take an integer or a sequence of integers as a tuple of plain integers.

    Parameters
    ----------
    operation, name : str
        Who asks, and what the argument is called.
    values : int-like or sequence of int-like

    Returns
    -------
    tuple of int

    Examples
    --------
    >>> as_integers("permute", "axes", [2, 0, 1]), as_integers("permute", "axes", 0)
    ((2, 0, 1), (0,))
    """
    if isinstance(values, str):
        values = (values,)
    try:
        values = tuple(values)
    except TypeError:
        values = (values,)
    return tuple(as_integer(operation, name, value) for value in values)


def as_shape(operation, shape) -> tuple[int, ...]:
    """Take an integer or a sequence of integers as a shape: lengths of 0 or more.

    Parameters
    ----------
    operation : str
        Who asks.
    shape : int-like or sequence of int-like

    Returns
    -------
    tuple of int

    Raises
    ------
    ShapeError
        If a length is negative.

    Examples
    --------
    >>> as_shape("zeros", 3), as_shape("zeros", [2, 0])
    ((3,), (2, 0))
    """
    shape = as_integers(operation, "shape", shape)
    for axis, length in enumerate(shape):
        if length < 0:
            raise ShapeError(
                operation, f"axis {axis} cannot have length {length}", expected="lengths of 0 or more", got=str(shape)
            )
    return shape


def _expect_layout(operation, other):
    if not isinstance(other, Layout):
        raise ArgumentError(
            operation, "only layouts can be compared", expected="a Layout", got=f"{other!r} ({type(other).__name__})"
        )


def _count(n, noun):
    plural = "axes" if noun == "axis" else noun + "s"
    return f"{n} {noun if n == 1 else plural}"


def _packed(lengths):
    """Strides that leave no gap, fastest axis first; a length of 0 counts as 1, so that only a repeat has stride 0."""
    strides, stride = [], 1
    for length in lengths:
        strides.append(stride)
        stride *= max(length, 1)
    return tuple(strides)


def _reach(shape, strides):
    """The lowest and the highest sum of steps from index (0, 0, ...): each axis at one of its two ends."""
    ends = [(length - 1) * stride for length, stride in zip(shape, strides, strict=True)]
    return sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)


class _OutOfWorkError(Exception):
    """The search tried as many choices as it may."""


class _Work:
    """Counts the choices a search tries, up to a limit if there is one."""

    def __init__(self, limit=None):
        self.done = 0
        self.limit = limit

    def count(self):
        if self.limit is not None and self.done >= self.limit:
            raise _OutOfWorkError
        self.done += 1


def _limited(operation, max_work):
    return _Work(None if max_work is None else as_integer(operation, "max_work", max_work))


def _answers(axes, target, work, in_order=False):
    """Yield every {name: i} with sum(i * stride) == target and 0 <= i < length, for `axes` of (name, length, stride).

    Whatever the other axes can add, an axis has only some choices left. The axis with the fewest is decided next, so
    that one without any ends the branch. `in_order` keeps the answers in logical order: then an axis may jump the
    queue only if at most one choice is left to it.
    """
    if not axes:
        if target == 0:
            yield {}
        return
    options = _options(axes, target)
    counts = [_length(numbers) for numbers in options]
    fewest = min(counts)
    at = 0 if in_order and fewest > 1 else counts.index(fewest)
    name, _, stride = axes[at]
    others = axes[:at] + axes[at + 1 :]
    for i in options[at]:
        work.count()
        barren = True
        for answer in _answers(others, target - i * stride, work, in_order):
            barren = False
            yield {name: i, **answer}
        if barren and stride == 0:  # the next i would leave the others the same target
            return


def _options(axes, target):
    """For each axis the numbers that leave the other axes a target they may reach, as a range."""
    ends = [(length - 1) * stride for _, length, stride in axes]
    low, high = sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)
    steps = [stride if end else 0 for (_, _, stride), end in zip(axes, ends, strict=True)]
    before = [0, *accumulate(steps, gcd)]  # before[k] divides the steps of the first k axes
    after = [0, *accumulate(reversed(steps), gcd)][::-1]  # after[k] those of axis k and later
    return [
        _choices(target, length, stride, low - min(end, 0), high - max(end, 0), gcd(before[k], after[k + 1]))
        for k, ((_, length, stride), end) in enumerate(zip(axes, ends, strict=True))
    ]


def _choices(target, length, stride, low, high, divisor):
    """The numbers i of one axis that leave the other axes a sum in [low, high] that is a multiple of `divisor`."""
    if stride == 0:
        return range(length if low <= target <= high and target % (divisor or 1) == 0 else 0)
    if stride < 0:
        target, stride, low, high = -target, -stride, -high, -low
    first = max(0, -((high - target) // stride))  # the least i with target - i * stride <= high
    last = min(length - 1, (target - low) // stride)
    shared = gcd(stride, divisor)
    if target % shared:
        return range(0)
    period = divisor // shared or 1
    remainder = target // shared * pow(stride // shared, -1, period) % period
    return range(first + (remainder - first) % period, last + 1, period)


def _length(numbers):
    """The length of a range, which `len` refuses to tell beyond the machine word."""
    return max(0, -((numbers.start - numbers.stop) // numbers.step))


def _meeting(first, second, work):
    """An index of each layout on one position, or None.

    Climb from the lowest position of `first`, descend from the highest of `second`: they meet where both journeys
    together make the distance. Steps of one size count together, whichever layout makes them.
    """
    if not first.envelope_overlaps(second):
        return None
    available = Counter()
    for layout in (first, second):
        for length, stride in zip(layout.shape, layout.strides, strict=True):
            if length > 1 and stride != 0:
                available[abs(stride)] += length - 1
    distance = second.span[1] - 1 - first.span[0]
    axes = [(size, limit + 1, size) for size, limit in available.items()]
    steps = next(_answers(axes, distance, work), None)
    if steps is None:
        return None
    descent = _spend(second, steps, upward=False)
    return _spend(first, steps, upward=True), descent


def _spend(layout, steps, upward):
    """The index reached from the lowest (or highest) position by as many of the steps as the layout can make."""
    index = []
    for length, stride in zip(layout.shape, layout.strides, strict=True):
        made = min(steps.get(abs(stride), 0), length - 1)
        if made:
            steps[abs(stride)] -= made
        from_zero = stride == 0 or (stride > 0) == upward
        index.append(made if from_zero else length - 1 - made)
    return tuple(index)


def _collision(layout, work):
    """Two different indices of one layout on one position, or None.

    Let the axis with the largest stride on which they differ be the leading one. Then an index that starts at 1 there
    meets one that stays at 0 there, and only the axes with smaller strides take part. Try each axis as the leading
    one; where its stride is longer than all the smaller ones together reach, the two cannot meet.
    """
    if layout.size == 0:
        return None
    strides = [abs(stride) for stride in layout.strides]
    shape, reach = [1] * layout.ndim, 0
    for leading in sorted(range(layout.ndim), key=strides.__getitem__):
        length, stride = layout.shape[leading], strides[leading]
        if length > 1 and stride <= reach:
            ahead = shape.copy()
            ahead[leading] = length - 1
            pair = _meeting(Layout(ahead, strides, stride), Layout(shape, strides), work)
            if pair is not None:
                return _nearest_pair(layout, leading, *pair)
        shape[leading] = length
        reach += (length - 1) * stride
    return None


def _nearest_pair(layout, leading, ahead, behind):
    """The same collision in the layout's own directions, moved together as near to index (0, 0, ...) as they go."""
    ahead = [i + (axis == leading) for axis, i in enumerate(ahead)]
    differences = [
        (i - j) if stride >= 0 else (j - i) for i, j, stride in zip(ahead, behind, layout.strides, strict=True)
    ]
    return tuple(max(d, 0) for d in differences), tuple(max(-d, 0) for d in differences)
