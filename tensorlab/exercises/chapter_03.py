"""Exercises of chapter 03, when is it a copy: jumps, joined axes, and writes through a view."""

import numpy as np

from tensorlab.errors import LayoutError
from tensorlab.exercises.model import Build, Prediction, Trap, Wrong
from tensorlab.layout import Layout
from tensorlab.views import reshape

TURNED = Layout((4, 2), (1, 4))


def joined_stride(outer, inner):
    _, outer_stride = outer
    inner_length, inner_stride = inner
    if outer_stride == inner_length * inner_stride:
        return inner_stride
    return None


def write_through(buffer, shape, strides, offset, values):
    written = list(buffer)
    for n, value in enumerate(values):
        i, j = divmod(n, shape[1])
        written[offset + i * strides[0] + j * strides[1]] = value
    return written


def _true_joined_stride(outer, inner):
    layout = Layout((outer[0], inner[0]), (outer[1], inner[1]))
    try:
        return reshape(layout, layout.size).strides[0]
    except LayoutError:
        return None


def _true_write(buffer, shape, strides, offset, values):
    memory = np.array(buffer)
    eight = memory.itemsize
    view = np.lib.stride_tricks.as_strided(memory[offset:], shape, [stride * eight for stride in strides])
    view[...] = np.reshape(values, shape)
    return memory.tolist()


def _written():
    memory = np.zeros(6, dtype=int)
    memory.reshape(3, 2).T[...] = [[1, 2, 3], [4, 5, 6]]
    return tuple(memory.tolist())


def _draw_joined(source):
    inner = (source.randint(2, 5), source.randint(-4, 4))
    stride = inner[0] * inner[1] if source.random() < 0.5 else source.randint(-12, 12)
    return (source.randint(2, 5), stride), inner


def _draw_write(source):
    rows, cols = source.randint(1, 4), source.randint(1, 4)
    strides = source.choice(((cols, 1), (1, rows), (2 * cols, 2)))
    offset = source.randint(0, 3)
    last = offset + (rows - 1) * strides[0] + (cols - 1) * strides[1]
    values = source.sample(range(1, 100), rows * cols)
    return [0] * (last + 1 + source.randint(0, 2)), (rows, cols), strides, offset, values


EXERCISES = [
    Prediction(
        key="03.walk",
        asks="A (2, 4) grid is stored row by row. Its transpose has shape (4, 2) and strides (1, 4). "
        "Walk the transpose in row order: which slots come first, second and third?",
        form="(a, b, c)",
        answer=lambda: tuple(TURNED.positions())[:3],
        right="{answer}: down the first column of the grid, then back to the next one.",
        nudge="The first row of the transpose is [0, 0] and [0, 1]. Which slots are they?",
        shows="[0, 0] is slot 0 and [0, 1] is slot 4 = 0·1 + 1·4. Then comes [1, 0], slot 1. "
        "The jumps are +4 and −3, so no single stride makes them.",
        traps=(
            Trap(
                guess=lambda: (0, 1, 2), says="{guess} is memory order. Row order of the transpose jumps about in it."
            ),
            Trap(guess=lambda: (0, 4, 8), says="{guess} goes on by 4, but a row of the transpose has two cells only."),
            Trap(guess=lambda: (0, 2, 4), says="{guess} takes the slots of a (2, 4) transpose of a (4, 2) grid."),
        ),
    ),
    Prediction(
        key="03.write",
        asks="A (3, 2) grid of zeros is stored row by row. 1 to 6 are written, in row order, into its transpose. "
        "What does the buffer hold?",
        form="(a, b, c, d, e, f)",
        answer=_written,
        right="{answer}: each number stands where its cell lives.",
        nudge="Cell [0, 1] of the transpose is cell [1, 0] of the grid. In which slot does it live?",
        shows="The transpose has strides (1, 2). [0, 0], [0, 1], [0, 2] are slots 0, 2, 4 and get the first three "
        "numbers; [1, 0], [1, 1], [1, 2] are slots 1, 3, 5 and get the rest: {answer}.",
        traps=(
            Trap(
                guess=lambda: (1, 2, 3, 4, 5, 6),
                says="{guess} is what a write into the grid itself would leave. The transpose has strides (1, 2).",
            ),
            Trap(
                guess=lambda: (0, 0, 0, 0, 0, 0),
                says="{guess} takes the transpose for a copy. It is a view: it has no slots of its own.",
            ),
            Trap(
                guess=lambda: (1, 3, 5, 2, 4, 6),
                says="{guess} writes the other way round: it reads with those strides.",
            ),
        ),
    ),
    Build(
        key="03.joined_stride",
        call="joined_stride(outer, inner)",
        task="`outer` and `inner` are (length, stride) of two neighbouring axes, both lengths at least 2. Return the "
        "stride of the one axis that visits the same slots in the same order, or None if there is none.",
        solution=joined_stride,
        truth=_true_joined_stride,
        cases=[
            ((2, 2), (2, 1)),
            ((2, 3), (2, 1)),
            ((2, 1), (2, 2)),
            ((2, 4), (2, 2)),
            ((3, 0), (2, 0)),
            ((2, -2), (2, -1)),
            ((3, 1), (2, 3)),
            ((2, 12), (3, 4)),
        ],
        draw=_draw_joined,
        right="The outer step has to land where the inner axis would have gone on.",
        wrong=(
            Wrong(
                does=lambda outer, inner: inner[1],
                says="This joins any two axes. After the last inner cell the walk goes back and one outer step on: "
                "that jump has to be the same as an inner step.",
            ),
            Wrong(
                does=lambda outer, inner: inner[1] if outer[1] == inner[0] else None,
                says="This compares the outer stride with the inner length, as if the inner stride were 1.",
            ),
            Wrong(
                does=lambda outer, inner: outer[1] if outer[1] == inner[0] * inner[1] else None,
                says="The test is right, the stride is not: the joined axis takes the small steps, the inner ones.",
            ),
            Wrong(
                does=lambda outer, inner: inner[1] if outer[1] >= inner[0] * inner[1] else None,
                says="A larger outer step leaves a gap. The joined axis has one stride, so there can be none.",
            ),
        ),
        hints=(
            "After the last inner cell, which slot would the inner axis visit next?",
            "It would be `inner_length * inner_stride` from where the inner axis began. Where does an outer step go?",
            "If `outer_stride` equals `inner_length * inner_stride`, it is `inner_stride`; else there is none.",
        ),
        why="""
            One step more than the inner axis has would land `inner_length * inner_stride` from its start.
            If that is where an outer step lands, the walk goes on with the same stride.
        """,
    ),
    Build(
        key="03.write_through",
        call="write_through(buffer, shape, strides, offset, values)",
        task="Write `values`, in row order, into a view of the list `buffer` that has this shape, these strides and "
        "this offset. Return what the buffer holds then, as a new list.",
        solution=write_through,
        truth=_true_write,
        cases=[
            ([0], (1, 1), (1, 1), 0, [7]),
            ([0, 0], (1, 2), (2, 1), 0, [7, 8]),
            ([0, 0, 0], (1, 2), (2, 1), 1, [7, 8]),
            ([0, 0, 0, 0], (2, 2), (2, 1), 0, [1, 2, 3, 4]),
            ([0, 0, 0, 0], (2, 2), (1, 2), 0, [1, 2, 3, 4]),
            ([0, 0, 0, 0, 0, 0], (2, 3), (1, 2), 0, [1, 2, 3, 4, 5, 6]),
        ],
        draw=_draw_write,
        right="Each value goes to the slot of its own cell.",
        wrong=(
            Wrong(
                does=lambda buffer, shape, strides, offset, values: (
                    buffer[:offset] + list(values) + buffer[offset + len(values) :]
                ),
                says="The values stand side by side from the offset on. The cells of a view need not.",
            ),
            Wrong(
                does=lambda buffer, shape, strides, offset, values: _true_write(buffer, shape, strides, 0, values),
                says="The offset is missing. It is the slot of cell [0, 0].",
            ),
            Wrong(
                does=lambda buffer, shape, strides, offset, values: _true_write(
                    buffer, shape, strides, offset, np.reshape(values, shape[::-1]).T
                ),
                says="The values are dealt out column by column. Row order has the last index fastest.",
            ),
        ),
        hints=(
            "The n-th value belongs to cell [i, j]. Which i and j, for a row of `shape[1]` cells?",
            "`i, j = divmod(n, shape[1])`, and its slot is the rule of chapter 02.",
            "For each n and value: `buffer[offset + i * strides[0] + j * strides[1]] = value`.",
        ),
        why="""
            Row order numbers the cells 0, 1, 2 …, and `divmod` by the row's length gives the cell back.
            Where the cell lives is for the strides to say.
        """,
    ),
]
