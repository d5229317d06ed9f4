"""The view operations, as pure functions from a layout to a layout.

A view never moves an element. It only picks another shape, other strides and another offset over the same buffer, so
this module needs no buffer and knows none. An operation that would have to move elements is refused.
"""

from math import prod
from textwrap import shorten
from types import EllipsisType

from tensorlab.errors import ArgumentError, AxisError, BoundsError, LayoutError, ShapeError
from tensorlab.layout import Layout, as_integer, as_integers, as_shape


def narrow(layout, axis, start, length) -> Layout:
    """Keep `length` indices of one axis, from `start` on. Nothing is clipped.

    Parameters
    ----------
    layout : Layout
    axis : int
        Negative axes count from the last.
    start, length : int
        The kept range is start <= index < start + length.

    Returns
    -------
    Layout
        offset grows by start * stride; the strides stay.

    Raises
    ------
    BoundsError
        If the range is not wholly inside the axis.

    Examples
    --------
    >>> narrow(Layout.row_major((3, 4)), axis=1, start=1, length=2)
    Layout(shape=(3, 2), strides=(4, 1), offset=1)
    """
    axis = as_axis("narrow", axis, layout.shape)
    start = as_integer("narrow", "start", start)
    length = as_integer("narrow", "length", length)
    have = layout.shape[axis]
    if length < 0:
        raise ShapeError("narrow", f"a range cannot have length {length}", expected="length >= 0", got=str(length))
    if start < 0 or start + length > have:
        raise BoundsError(
            "narrow",
            f"axis {axis} of length {have} does not hold the range [{start}, {start + length})",
            expected=f"0 <= start and start + length <= {have}",
            got=f"start {start}, length {length}",
            why="narrow never clips a range, and never counts from the end",
        )
    return _pick(layout, axis, start, length)


def step(layout, axis, step) -> Layout:
    """Keep every `step`-th index of one axis; a negative step starts from the last and walks back.

    Parameters
    ----------
    layout : Layout
    axis : int
    step : int
        Any integer but 0.

    Returns
    -------
    Layout
        The axis has its stride times `step`.

    Raises
    ------
    LayoutError
        If the step is 0.

    Examples
    --------
    >>> step(Layout.row_major(7), axis=0, step=3)
    Layout(shape=(3,), strides=(3,), offset=0)
    >>> step(Layout.row_major(7), axis=0, step=-3)
    Layout(shape=(3,), strides=(-3,), offset=6)
    """
    axis = as_axis("step", axis, layout.shape)
    start, length, step = _clipped("step", axis, layout.shape[axis], slice(None, None, step))
    return _pick(layout, axis, start, length, step)


def flip(layout, axis=None) -> Layout:
    """Walk one axis, some axes or all of them backwards.

    Parameters
    ----------
    layout : Layout
    axis : int or sequence of int, optional
        All axes if it is None.

    Returns
    -------
    Layout
        The offset moves to the last index of each flipped axis, whose stride changes sign.

    Examples
    --------
    >>> flip(Layout.row_major((3, 4)))
    Layout(shape=(3, 4), strides=(-4, -1), offset=11)
    """
    for flipped in range(layout.ndim) if axis is None else as_axes("flip", axis, layout.shape):
        layout = step(layout, flipped, -1)
    return layout


def index(layout, key) -> Layout:
    """Pick with what stands in the brackets of ``t[...]``: integers, slices, None and an Ellipsis.

    Parameters
    ----------
    layout : Layout
    key : int, slice, None, Ellipsis, or a tuple of these
        An integer picks one index and drops its axis; negative ones count from the end. A slice keeps a range and is
        clipped to the axis as everywhere in Python. None adds an axis of length 1. An Ellipsis stands for all the
        axes that are not named; axes that are not named at the end are kept whole.

    Returns
    -------
    Layout

    Raises
    ------
    BoundsError
        If an integer is outside its axis.
    ShapeError
        If the key names more axes than there are.
    ArgumentError
        If the key holds anything else, such as a list, a mask or a second Ellipsis.

    Examples
    --------
    >>> grid = Layout.row_major((3, 4))
    >>> index(grid, 2)
    Layout(shape=(4,), strides=(1,), offset=8)
    >>> index(grid, (slice(None), -1))
    Layout(shape=(3,), strides=(4,), offset=3)
    >>> index(grid, (..., slice(None, None, -2)))
    Layout(shape=(3, 2), strides=(4, -2), offset=3)
    """
    axis, shape, strides, offset = 0, [], [], layout.offset
    for item in _spelled_out(layout, key):
        if item is None:
            shape.append(1)
            strides.append(0)
            continue
        length, stride = layout.shape[axis], layout.strides[axis]
        if isinstance(item, slice):
            start, kept, step = _clipped("index", axis, length, item)
            shape.append(kept)
            strides.append(step * stride)
        elif -length <= item < length:
            start = item % length
        else:
            raise BoundsError(
                "index",
                f"axis {axis} of length {length} has no index {item}",
                expected=f"{-length} <= index < {length}" if length else "no index at all: the axis is empty",
                got=_written(key),
            )
        offset += start * stride
        axis += 1
    return Layout([*shape, *layout.shape[axis:]], [*strides, *layout.strides[axis:]], offset)


def permute(layout, axes) -> Layout:
    """Put the axes in another order: axis i of the result is axis `axes[i]` of the layout.

    Parameters
    ----------
    layout : Layout
    axes : sequence of int
        Every axis once.

    Returns
    -------
    Layout

    Raises
    ------
    AxisError
        If an axis does not exist, is named twice, or is missing.

    Examples
    --------
    >>> permute(Layout.row_major((2, 3, 4)), (2, 0, 1))
    Layout(shape=(4, 2, 3), strides=(1, 12, 4), offset=0)
    """
    axes = as_axes("permute", axes, layout.shape)
    for axis in range(layout.ndim):
        if axis not in axes:
            raise AxisError(
                "permute",
                f"axis {axis} is missing",
                expected=f"each of the {layout.ndim} axes of shape {layout.shape} once",
                got=str(axes),
            )
    return Layout([layout.shape[a] for a in axes], [layout.strides[a] for a in axes], layout.offset)


def transpose(layout, axis0=-2, axis1=-1) -> Layout:
    """Swap two axes, the last two if not told otherwise.

    Parameters
    ----------
    layout : Layout
    axis0, axis1 : int

    Returns
    -------
    Layout

    Examples
    --------
    >>> transpose(Layout.row_major((3, 4)))
    Layout(shape=(4, 3), strides=(1, 4), offset=0)
    """
    axis0 = as_axis("transpose", axis0, layout.shape)
    axis1 = as_axis("transpose", axis1, layout.shape)
    axes = list(range(layout.ndim))
    axes[axis0], axes[axis1] = axis1, axis0
    return permute(layout, axes)


def diagonal(layout, axis0=-2, axis1=-1) -> Layout:
    """Walk two axes in step: they become one new last axis, whose stride is the sum of theirs.

    Parameters
    ----------
    layout : Layout
    axis0, axis1 : int
        Two different axes, the last two if not told otherwise.

    Returns
    -------
    Layout

    Examples
    --------
    >>> diagonal(Layout.row_major((3, 4)))
    Layout(shape=(3,), strides=(5,), offset=0)
    """
    pair = as_axes("diagonal", (axis0, axis1), layout.shape)
    kept = [axis for axis in range(layout.ndim) if axis not in pair]
    shape = [*(layout.shape[axis] for axis in kept), min(layout.shape[axis] for axis in pair)]
    strides = [*(layout.strides[axis] for axis in kept), sum(layout.strides[axis] for axis in pair)]
    return Layout(shape, strides, layout.offset)


def windows(layout, axis, size, step=1) -> Layout:
    """Slide a window along one axis: the axis counts the windows, a new last axis runs inside each.

    Parameters
    ----------
    layout : Layout
    axis : int
    size : int
        The length of a window, from 1 to the length of the axis.
    step : int
        How far each window starts after the one before, at least 1.

    Returns
    -------
    Layout
        Only whole windows count: (length - size) // step + 1 of them. With a step below the size they overlap.

    Raises
    ------
    ShapeError
        If no window of this size fits.
    LayoutError
        If the step is below 1.

    Examples
    --------
    >>> windows(Layout.row_major(5), axis=0, size=3)
    Layout(shape=(3, 3), strides=(1, 1), offset=0)
    """
    axis = as_axis("windows", axis, layout.shape)
    size = as_integer("windows", "size", size)
    step = as_integer("windows", "step", step)
    have = layout.shape[axis]
    if not 1 <= size <= have:
        raise ShapeError(
            "windows",
            f"axis {axis} of length {have} has no window of size {size}",
            expected=f"1 <= size <= {have}" if have else "an axis that is not empty",
            got=str(size),
        )
    if step < 1:
        raise LayoutError("windows", f"windows cannot advance by {step}", expected="step >= 1", got=str(step))
    counted = _pick(layout, axis, 0, (have - size) // step + 1, step)
    return Layout((*counted.shape, size), (*counted.strides, layout.strides[axis]), layout.offset)


def squeeze(layout, axis=None) -> Layout:
    """Drop axes of length 1: all of them, or the named ones.

    Parameters
    ----------
    layout : Layout
    axis : int or sequence of int, optional

    Returns
    -------
    Layout

    Raises
    ------
    ShapeError
        If a named axis does not have length 1.

    Examples
    --------
    >>> squeeze(Layout.row_major((1, 3, 1)))
    Layout(shape=(3,), strides=(1,), offset=0)
    """
    if axis is None:
        dropped = {axis for axis, length in enumerate(layout.shape) if length == 1}
    else:
        dropped = set(as_axes("squeeze", axis, layout.shape))
    for axis in sorted(dropped):
        if layout.shape[axis] != 1:
            raise ShapeError(
                "squeeze",
                f"axis {axis} has length {layout.shape[axis]}",
                expected="an axis of length 1",
                got=f"axis {axis} of shape {layout.shape}",
                why="dropping a longer axis would lose elements; an integer in t[...] picks one",
            )
    kept = [axis for axis in range(layout.ndim) if axis not in dropped]
    return Layout([layout.shape[a] for a in kept], [layout.strides[a] for a in kept], layout.offset)


def unsqueeze(layout, axis) -> Layout:
    """Add an axis of length 1, which will be axis `axis` of the result.

    Parameters
    ----------
    layout : Layout
    axis : int
        From 0 to ndim, or negative: -1 adds a last axis.

    Returns
    -------
    Layout
        The new stride is 0; an axis of length 1 never uses it.

    Examples
    --------
    >>> unsqueeze(Layout.row_major(3), axis=0)
    Layout(shape=(1, 3), strides=(0, 1), offset=0)
    """
    axis, ndim = as_integer("unsqueeze", "axis", axis), layout.ndim + 1
    if not -ndim <= axis < ndim:
        raise AxisError(
            "unsqueeze",
            f"axis {axis} does not exist",
            expected=f"{-ndim} <= axis < {ndim}",
            got=f"axis {axis} of the new rank {ndim}, shape {layout.shape}",
        )
    axis %= ndim
    shape, strides = list(layout.shape), list(layout.strides)
    shape.insert(axis, 1)
    strides.insert(axis, 0)
    return Layout(shape, strides, layout.offset)


def broadcast_to(layout, shape) -> Layout:
    """Repeat axes of length 1, and add leading axes, by a stride of 0.

    Parameters
    ----------
    layout : Layout
    shape : int or sequence of int
        Paired with the layout's shape from the right; each pair must be equal, or the layout's length 1.

    Returns
    -------
    Layout

    Raises
    ------
    ShapeError
        If a pair differs and the layout's axis is not of length 1, or the shape has too few axes.

    Examples
    --------
    >>> broadcast_to(Layout.row_major((3, 1)), (2, 3, 4))
    Layout(shape=(2, 3, 4), strides=(0, 1, 0), offset=0)
    """
    shape = as_shape("broadcast_to", shape)
    extra = len(shape) - layout.ndim
    if extra < 0:
        raise ShapeError(
            "broadcast_to",
            f"{layout.shape} has more axes than {shape}",
            expected=f"a shape of at least {layout.ndim} axes",
            got=str(shape),
        )
    strides = [0] * extra
    for axis, (length, stride) in enumerate(zip(layout.shape, layout.strides, strict=True)):
        wanted = shape[extra + axis]
        if length not in (1, wanted):
            raise ShapeError(
                "broadcast_to",
                f"axis {axis} of {layout.shape} has length {length}, "
                f"axis {extra + axis} of {shape} has length {wanted}",
                expected=f"length {length} there, or length 1 here",
                got=f"{layout.shape} -> {shape}",
                why="axes pair up from the right, and only an axis of length 1 can be repeated",
            )
        strides.append(stride if length == wanted else 0)
    return Layout(shape, strides, layout.offset)


def broadcast_shapes(*shapes) -> tuple[int, ...]:
    """Find the shape that all of these broadcast to.

    Parameters
    ----------
    *shapes : int or sequence of int
        Paired from the right; in each pair the lengths are equal, or one of them is 1.

    Returns
    -------
    tuple of int

    Raises
    ------
    ShapeError
        If two lengths differ and neither is 1.

    Examples
    --------
    >>> broadcast_shapes((3,), (4, 1))
    (4, 3)
    """
    shapes = [as_shape("broadcast_shapes", shape) for shape in shapes]
    ndim = max(map(len, shapes), default=0)
    result = [1] * ndim
    source = [()] * ndim  # the shape that gave each length
    for shape in shapes:
        for back in range(1, len(shape) + 1):
            length = shape[-back]
            if result[-back] == 1:
                result[-back], source[-back] = length, shape
            elif length not in (1, result[-back]):
                other = source[-back]
                raise ShapeError(
                    "broadcast_shapes",
                    f"axis {len(other) - back} of {other} has length {result[-back]}, "
                    f"axis {len(shape) - back} of {shape} has length {length}",
                    expected="equal lengths, or length 1 in one of them",
                    got=", ".join(map(str, shapes)),
                    why="axes pair up from the right, and only an axis of length 1 can be repeated",
                )
    return tuple(result)


def reshape(layout, shape) -> Layout:
    """Give the same elements, in the same logical order, another shape. It never moves one.

    Parameters
    ----------
    layout : Layout
    shape : int or sequence of int
        As many elements as before. One length may be -1: it is worked out from the others.

    Returns
    -------
    Layout

    Raises
    ------
    ShapeError
        If the element counts differ, or the -1 cannot be worked out.
    LayoutError
        If the counts agree but one stride per new axis cannot walk the elements in their order.

    Notes
    -----
    Neighbouring axes that step as one (the outer stride is the inner length times the inner stride) are joined into
    runs. New axes are then cut off the runs, the last axis first; an axis that does not end where a run ends would
    need two strides.

    Examples
    --------
    >>> reshape(Layout.row_major((2, 6)), (3, -1))
    Layout(shape=(3, 4), strides=(4, 1), offset=0)
    >>> reshape(Layout((3, 2, 4), (16, 4, 1)), (3, 8))
    Layout(shape=(3, 8), strides=(16, 1), offset=0)
    """
    shape = _complete(layout, shape)
    if layout.size == 0:
        return Layout.row_major(shape, layout.offset)
    runs = _runs(layout)
    left, stride = 1, 1
    strides = []
    for axis in reversed(range(len(shape))):
        length = shape[axis]
        if left == 1 and length > 1:
            left, stride = runs.pop()
        if left % length:
            raise _conflict(layout, shape, axis, jumps=(stride, runs[-1][1] - (left - 1) * stride))
        strides.append(stride)
        left //= length
        stride *= length
    return Layout(shape, strides[::-1], layout.offset)


def as_axis(operation, axis, shape) -> int:
    """Take an axis of a shape, counted from the first or back from the last, as a number from 0 on.

    Parameters
    ----------
    operation : str
        Who asks: it appears in the message.
    axis : int-like
    shape : tuple of int

    Returns
    -------
    int

    Raises
    ------
    AxisError
        If the shape has no such axis.

    Examples
    --------
    >>> as_axis("flip", -1, (3, 4))
    1
    """
    axis, ndim = as_integer(operation, "axis", axis), len(shape)
    if not -ndim <= axis < ndim:
        raise AxisError(
            operation,
            f"axis {axis} does not exist",
            expected=f"{-ndim} <= axis < {ndim}" if ndim else "no axis at all: rank 0 has none",
            got=f"axis {axis} of rank {ndim}, shape {shape}",
        )
    return axis % ndim


def as_axes(operation, axes, shape) -> tuple[int, ...]:
    """Take one axis or several different ones of a shape as numbers from 0 on.

    Parameters
    ----------
    operation : str
        Who asks.
    axes : int-like or sequence of int-like
    shape : tuple of int

    Returns
    -------
    tuple of int

    Raises
    ------
    AxisError
        If an axis does not exist or is named twice.

    Examples
    --------
    >>> as_axes("permute", (-1, 0), (3, 4))
    (1, 0)
    """
    axes = tuple(as_axis(operation, axis, shape) for axis in as_integers(operation, "axis", axes))
    for i, axis in enumerate(axes):
        if axis in axes[:i]:
            raise AxisError(
                operation,
                f"axis {axis} is named twice",
                expected=f"different axes of rank {len(shape)}, shape {shape}",
                got=str(axes),
            )
    return axes


def _pick(layout, axis, start, length, step=1):
    """Keep the indices start, start + step, ... of one axis."""
    shape, strides = list(layout.shape), list(layout.strides)
    shape[axis], strides[axis] = length, step * strides[axis]
    return Layout(shape, strides, layout.offset + start * layout.strides[axis])


def _clipped(operation, axis, length, bounds):
    """What a slice keeps of an axis, clipped to it: (start, how many, step)."""
    for name in ("start", "stop", "step"):
        if getattr(bounds, name) is not None:
            as_integer(operation, name, getattr(bounds, name))
    if bounds.step == 0:
        raise LayoutError(
            operation,
            f"a step of 0 on axis {axis} never leaves its element",
            expected="any other step",
            got="step 0",
            why="repeating an element needs a length, so broadcast_to asks for one",
        )
    start, stop, step = bounds.indices(length)
    kept = -((start - stop) // step)
    return (start, kept, step) if kept > 0 else (0, 0, 1)


def _spelled_out(layout, key):
    """The items of a key with the Ellipsis replaced by whole slices, each checked to be something a view can do."""
    items = [_as_item(item) for item in (key if isinstance(key, tuple) else (key,))]
    named = sum(item is not None and item is not ... for item in items)
    if named > layout.ndim:
        raise ShapeError(
            "index",
            f"the key names {named} axes, shape {layout.shape} has {layout.ndim}",
            expected=f"at most {layout.ndim} integers and slices",
            got=_written(key),
        )
    if items.count(...) > 1:
        raise ArgumentError(
            "index",
            "an Ellipsis can stand only once",
            expected="one ... at most",
            got=_written(key),
            why="with two it is not clear which axes each stands for",
        )
    if ... in items:
        at = items.index(...)
        items[at : at + 1] = [slice(None)] * (layout.ndim - named)
    return items


def _as_item(item):
    if item is None or isinstance(item, (slice, EllipsisType)):
        return item
    try:
        return as_integer("index", "index", item)
    except ArgumentError:
        raise ArgumentError(
            "index",
            f"a key of type {type(item).__name__} does not pick a view",
            expected="integers, slices, None and ...",
            got=shorten(repr(item), 60),
            why="a view keeps even steps; a mask or a list of indices picks one by one, and that is a copy",
        ) from None


def _written(key):
    """A key as it stands in the brackets."""
    items = []
    for item in key if isinstance(key, tuple) else (key,):
        if isinstance(item, slice):
            bounds = ["" if bound is None else str(bound) for bound in (item.start, item.stop, item.step)]
            items.append(":".join(bounds if bounds[2] else bounds[:2]))
        else:
            items.append("..." if item is ... else str(item))
    return f"t[{', '.join(items)}]"


def _complete(layout, shape):
    """The shape with its -1 worked out and its element count checked."""
    shape = as_integers("reshape", "shape", shape)
    for axis, length in enumerate(shape):
        if length < -1:
            raise ShapeError(
                "reshape",
                f"axis {axis} cannot have length {length}",
                expected="lengths of 0 or more, and one -1 at most",
                got=str(shape),
            )
    unknown = shape.count(-1)
    if unknown > 1:
        raise ShapeError("reshape", f"{shape} leaves {unknown} lengths open", expected="one -1 at most", got=str(shape))
    size, count = layout.size, prod(length for length in shape if length != -1)
    if unknown and count == 0:
        raise ShapeError(
            "reshape",
            f"-1 in {shape} could be any length",
            expected="no -1 beside an axis of length 0",
            got=str(shape),
            why="any length times 0 is 0",
        )
    if unknown and size % count == 0:
        return tuple(size // count if length == -1 else length for length in shape)
    if unknown:
        raise ShapeError(
            "reshape",
            f"{size} elements do not divide into {shape}",
            expected=f"a count that is a multiple of {count}",
            got=f"{size} elements, shape {layout.shape}",
        )
    if size != count:
        raise ShapeError(
            "reshape",
            f"{layout.shape} holds {size} elements, {shape} holds {count}",
            expected=f"a shape of {size} elements",
            got=f"{shape}, {count} elements",
        )
    return shape


def _runs(layout):
    """The axes longer than 1, joined where they step as one: (length, stride) of each run, outermost first."""
    runs = []
    for length, stride in zip(layout.shape, layout.strides, strict=True):
        if length == 1:
            continue
        if runs and runs[-1][1] == length * stride:
            length *= runs.pop()[0]
        runs.append((length, stride))
    return runs


def _conflict(layout, shape, axis, jumps):
    wanted = str(shape[0]) if len(shape) == 1 else str(shape)
    return LayoutError(
        "reshape",
        f"{layout.shape} -> {shape} would have to move elements",
        expected=f"strides that step evenly, such as {Layout.row_major(layout.shape).strides}",
        got=f"strides {layout.strides}, offset {layout.offset}",
        why="a reshape only renames positions; this one needs a new order in memory: "
        f"axis {axis} would jump {jumps[0]:+}, then {jumps[1]:+}",
        fix=f"x.contiguous().reshape({wanted})",
    )
