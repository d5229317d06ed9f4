"""Hypothesis strategies for layouts: never only the packed ones."""

from math import prod

import numpy as np
from hypothesis import strategies as st

from tensorlab import views
from tensorlab.layout import Layout

LARGEST = 400  # elements; chains do not grow beyond it


def shapes(min_ndim=0, max_ndim=4, max_length=4):
    """Shapes of rank 0 and up: mostly of axes longer than 1, with lengths 1 and now and then 0 among them."""
    lengths = st.sampled_from([1, *range(2, max_length + 1), *range(2, max_length + 1), *range(2, max_length + 1), 0])
    return st.lists(lengths, min_size=min_ndim, max_size=max_ndim).map(tuple)


@st.composite
def layouts(draw, min_ndim=0, max_ndim=4, max_length=4):
    """Layouts that are permuted, padded, stepped, reversed or broadcast, or have strides of any kind."""
    shape = draw(shapes(min_ndim, max_ndim, max_length))
    offset = draw(st.integers(-20, 20))
    if draw(st.booleans()):
        anything = st.integers(-8, 8)
        return Layout(shape, draw(st.tuples(*[anything] * len(shape))), offset)
    strides = [0] * len(shape)
    stride = 1
    for axis in draw(st.permutations(range(len(shape)))):
        stride = stride * draw(st.sampled_from([1, 1, 1, 2])) + draw(st.sampled_from([0, 0, 0, 1, 3]))
        repeated = draw(st.sampled_from([False, False, False, True]))
        strides[axis] = 0 if repeated else stride * draw(st.sampled_from([1, -1]))
        stride *= 1 if repeated else max(shape[axis], 1)
    return Layout(shape, strides, offset)


def indices(layout):
    """The indices of a layout that has some."""
    return st.tuples(*[st.integers(0, length - 1) for length in layout.shape])


@st.composite
def view_chains(draw, max_steps=5):
    """A pair (array, layout): one chain of views over np.arange, made by NumPy and by tensorlab.

    The values of the array are its positions, so the two can be compared element by element.
    """
    shape = draw(shapes())
    array = np.arange(prod(shape)).reshape(shape)
    layout = Layout.row_major(shape)
    for move in draw(st.lists(st.sampled_from(MOVES), max_size=max_steps)):
        made = move(draw, array, layout)
        if made is not None and made[0].size <= LARGEST:
            array, layout = np.asarray(made[0]), made[1]
    return array, layout


@st.composite
def keys(draw, shape):
    """What may stand in the brackets of an array of this shape."""
    items = [draw(_items(length)) for length in shape]
    if draw(st.booleans()):
        start = draw(st.integers(0, len(items)))
        items[start : draw(st.integers(start, len(items)))] = [...]
    else:
        items = items[: draw(st.integers(0, len(items)))]
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        items.insert(draw(st.integers(0, len(items))), None)
    return items[0] if len(items) == 1 and draw(st.booleans()) else tuple(items)


def _items(length):
    bounds = st.none() | st.integers(-length - 2, length + 2)
    slices = st.builds(slice, bounds, bounds, st.sampled_from([None, 1, 2, 3, -1, -2, -3]))
    return slices | st.integers(-length, length - 1) if length else slices


def same_size_shapes(size):
    """Shapes with exactly this many elements."""
    if size == 0:
        return shapes(min_ndim=1).filter(lambda shape: 0 in shape)
    return (
        st.lists(st.integers(1, 6), max_size=3)
        .map(lambda cuts: _divided(size, cuts))
        .flatmap(st.permutations)
        .map(tuple)
    )


def _divided(size, cuts):
    shape = []
    for cut in cuts:
        if size % cut == 0:
            shape.append(cut)
            size //= cut
    return [*shape, size]


def _axis(draw, array):
    return draw(st.integers(-array.ndim, array.ndim - 1))


def _whole_but(array, axis, picked):
    key = [slice(None)] * array.ndim
    key[axis] = picked
    return array[tuple(key)]


def _narrow(draw, array, layout):
    if array.ndim == 0:
        return None
    axis = _axis(draw, array)
    start = draw(st.integers(0, array.shape[axis]))
    length = draw(st.integers(0, array.shape[axis] - start))
    narrowed = _whole_but(array, axis, slice(start, start + length))
    return narrowed, views.narrow(layout, axis, start, length)


def _step(draw, array, layout):
    if array.ndim == 0:
        return None
    axis, step = _axis(draw, array), draw(st.sampled_from([-3, -2, -1, 1, 2, 3]))
    return _whole_but(array, axis, slice(None, None, step)), views.step(layout, axis, step)


def _flip(draw, array, layout):
    axis = draw(st.none() | st.sets(st.integers(0, array.ndim - 1)).map(tuple)) if array.ndim else None
    return np.flip(array, axis), views.flip(layout, axis)


def _permute(draw, array, layout):
    axes = draw(st.permutations(range(array.ndim)))
    negative = draw(st.booleans())
    return array.transpose(axes), views.permute(layout, [axis - array.ndim if negative else axis for axis in axes])


def _transpose(draw, array, layout):
    if array.ndim == 0:
        return None
    axis0, axis1 = _axis(draw, array), _axis(draw, array)
    return array.swapaxes(axis0, axis1), views.transpose(layout, axis0, axis1)


def _unsqueeze(draw, array, layout):
    axis = draw(st.integers(-array.ndim - 1, array.ndim))
    return np.expand_dims(array, axis), views.unsqueeze(layout, axis)


def _squeeze(draw, array, layout):
    ones = [axis for axis, length in enumerate(array.shape) if length == 1]
    axis = draw(st.none() | st.sampled_from([*ones, tuple(ones)]))
    return np.squeeze(array, axis), views.squeeze(layout, axis)


def _broadcast(draw, array, layout):
    stretched = [draw(st.integers(0, 3)) if length == 1 else length for length in array.shape]
    shape = (*draw(shapes(0, 1, 3)), *stretched)
    return np.broadcast_to(array, shape), views.broadcast_to(layout, shape)


def _windows(draw, array, layout):
    if 0 in (array.ndim, array.size):
        return None
    axis = _axis(draw, array)
    size, step = draw(st.integers(1, array.shape[axis])), draw(st.integers(1, 3))
    slid = np.lib.stride_tricks.sliding_window_view(array, size, axis)
    axis_from_front = axis % array.ndim
    return _whole_but(slid, axis_from_front, slice(None, None, step)), views.windows(layout, axis, size, step)


def _diagonal(draw, array, layout):
    if array.ndim < 2:
        return None
    axis0, axis1 = draw(st.permutations(range(array.ndim)))[:2]
    return np.diagonal(array, 0, axis0, axis1), views.diagonal(layout, axis0, axis1 - array.ndim)


def _index(draw, array, layout):
    key = draw(keys(array.shape))
    return array[key], views.index(layout, key)


def _reshape(draw, array, layout):
    shape = draw(same_size_shapes(array.size))
    reshaped = array.reshape(shape)
    if array.size and not np.may_share_memory(reshaped, array):
        return None
    return reshaped, views.reshape(layout, shape)


MOVES = (
    _narrow,
    _step,
    _flip,
    _permute,
    _transpose,
    _unsqueeze,
    _squeeze,
    _broadcast,
    _windows,
    _diagonal,
    _index,
    _reshape,
)
