"""Exercises of chapter 02, strides: the slot of any index, the ends of a view, and diagonals."""

from math import prod

import numpy as np

from tensorlab.exercises.model import Build, Prediction, Trap, Wrong
from tensorlab.layout import Layout
from tensorlab.views import diagonal, flip

SIX = Layout.row_major((6, 6))
GAPPED = Layout((4, 3), (4, 2))


def position(index, strides, offset):
    for i, stride in zip(index, strides, strict=True):
        offset += i * stride
    return offset


def bounds(shape, strides, offset):
    low = high = offset
    for length, stride in zip(shape, strides, strict=True):
        reach = (length - 1) * stride
        low += min(reach, 0)
        high += max(reach, 0)
    return low, high


def anti_diagonal(n):
    return n - 1, n - 1


def _true_bounds(shape, strides, offset):
    positions = list(Layout(shape, strides, offset).positions())
    return min(positions), max(positions)


def _true_anti_diagonal(n):
    layout = diagonal(flip(Layout.row_major((n, n)), 1))
    return layout.strides[0], layout.offset


def _draw_position(source):
    ndim = source.randint(0, 4)
    index = tuple(source.randint(0, 5) for _ in range(ndim))
    return index, tuple(source.randint(-9, 9) for _ in range(ndim)), source.randint(0, 30)


def _draw_bounds(source):
    ndim = source.randint(1, 3)
    shape = tuple(source.randint(1, 5) for _ in range(ndim))
    return shape, tuple(source.randint(-9, 9) for _ in range(ndim)), source.randint(0, 60)


EXERCISES = [
    Prediction(
        key="02.diagonal",
        asks="A (6, 6) grid is stored row by row. How many slots apart are the neighbours on its main diagonal?",
        answer=lambda: diagonal(SIX).strides[0],
        right="{answer} = 6 + 1: one step down and one step right.",
        nudge="From [0, 0] the next one is [1, 1]. Which slot is that?",
        shows="One step down is 6 slots, one step right is 1. A diagonal does both at once: {answer} = 6 + 1.",
        traps=(
            Trap(guess=lambda: SIX.strides[0], says="{guess} is one step down. A diagonal also goes one right."),
            Trap(guess=lambda: SIX.strides[1], says="{guess} is one step right. A diagonal also goes one down."),
            Trap(
                guess=lambda: SIX.strides[0] - SIX.strides[1],
                says="{guess} goes one down and one left. That is the other diagonal.",
            ),
            Trap(
                guess=lambda: SIX.strides[0] * 2, says="{guess} is two steps down. Stay one row lower, one column on."
            ),
        ),
    ),
    Prediction(
        key="02.slots",
        asks="Shape (4, 3), strides (4, 2), offset 0. How many slots must the buffer have at least?",
        answer=lambda: GAPPED.span[1],
        right="{answer}: the last index lands on slot 16, and slots count from 0. Sixteen slots would be too few.",
        nudge="Where does the last index, [3, 2], land?",
        shows="The last index is [3, 2]. It lands on slot 16 = 3·4 + 2·2, so slots 0 to 16 are needed: {answer}.",
        traps=(
            Trap(guess=lambda: GAPPED.size, says="{guess} counts cells. These strides leave gaps between them."),
            Trap(
                guess=lambda: max(GAPPED.positions()),
                says="{guess} is the number of the highest slot. Slots count from 0.",
            ),
            Trap(
                guess=lambda: 4 * 4 + 3 * 2,
                says="{guess} multiplies the strides by the lengths. The last index is one less on each axis.",
            ),
        ),
    ),
    Build(
        key="02.position",
        call="position(index, strides, offset)",
        task="Return the slot of an index, for any number of axes.",
        solution=position,
        truth=lambda index, strides, offset: int(np.dot(index, strides)) + offset if index else offset,
        cases=[
            ((), (), 0),
            ((), (), 3),
            ((0,), (1,), 0),
            ((2,), (1,), 0),
            ((2,), (1,), 5),
            ((1, 1), (4, 1), 0),
            ((2, 1), (4, 1), 0),
            ((2, 1), (-4, -1), 11),
            ((1, 2, 1), (12, 4, 1), 0),
        ],
        draw=_draw_position,
        right="Offset, plus index times stride on every axis.",
        wrong=(
            Wrong(
                does=lambda index, strides, offset: sum(i * s for i, s in zip(index, strides, strict=True)),
                says="The offset is missing. It is the slot of the index of all zeros.",
            ),
            Wrong(
                does=lambda index, strides, offset: offset + sum(index) * prod(strides),
                says="The indices are added and the strides multiplied. Each index has a stride of its own.",
            ),
            Wrong(
                does=lambda index, strides, offset: (
                    offset + sum(i * s for i, s in zip(index, reversed(strides), strict=True))
                ),
                says="The strides are taken in reverse. The first stride belongs to the first index.",
            ),
            Wrong(
                does=lambda index, strides, offset: (
                    offset + sum(i * abs(s) for i, s in zip(index, strides, strict=True))
                ),
                says="A negative stride is taken as positive. It walks backwards, and that is what it is for.",
            ),
        ),
        hints=(
            "Start at the offset. What does each axis add?",
            "`zip(index, strides)` gives each index together with its stride.",
            "In a loop over those pairs, add `i * stride` to the offset.",
        ),
        why="""
            Each axis moves on its own: `i` steps of `stride` slots. The moves are added, and their order is no matter.
            With no axes at all there is one element, and it lives at the offset.
        """,
    ),
    Build(
        key="02.bounds",
        call="bounds(shape, strides, offset)",
        task="Return the lowest and the highest slot that any index reaches, as a tuple. Every length is at least 1.",
        solution=bounds,
        truth=_true_bounds,
        cases=[
            ((1,), (1,), 0),
            ((3,), (1,), 0),
            ((3,), (1,), 2),
            ((3,), (-1,), 2),
            ((2, 3), (3, 1), 0),
            ((2, 3), (-3, 1), 3),
            ((3, 4), (-4, -1), 11),
            ((4, 3), (4, 2), 0),
        ],
        draw=_draw_bounds,
        right="Two corners, one for each end.",
        wrong=(
            Wrong(
                does=lambda shape, strides, offset: (
                    offset,
                    offset + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)),
                ),
                says="This takes the first and the last index for the ends. With a negative stride they are not.",
            ),
            Wrong(
                does=lambda shape, strides, offset: (
                    offset + sum(min((n - 1) * s, 0) for n, s in zip(shape, strides, strict=True)),
                    offset + sum(max(n * s, 0) for n, s in zip(shape, strides, strict=True)),
                ),
                says="The high end is one step too far on each axis. The last index is the length minus one.",
            ),
            Wrong(
                does=lambda shape, strides, offset: (offset, offset + prod(shape) - 1),
                says="This counts cells. Strides may leave gaps, walk backwards, or use a slot twice.",
            ),
            Wrong(
                does=lambda shape, strides, offset: (
                    offset,
                    offset + sum((n - 1) * abs(s) for n, s in zip(shape, strides, strict=True)),
                ),
                says="This takes negative strides as positive. Such an axis reaches below the offset, not above it.",
            ),
        ),
        hints=(
            "An axis of length 3 and stride −4 reaches 8 slots down. Which end does it move?",
            "Each axis reaches `(length - 1) * stride` slots: down if that is negative, up if it is positive.",
            "Add `min(reach, 0)` to the low end and `max(reach, 0)` to the high end, axis by axis.",
        ),
        why="""
            An axis moves the position one way only, so it matters for one end only, and there its last index counts.
            That is one sum for each end, however many cells there are.
        """,
    ),
    Build(
        key="02.anti_diagonal",
        call="anti_diagonal(n)",
        task="Return (stride, offset) of the anti-diagonal of a row-major (n, n) grid, from the top right to the "
        "bottom left. n is at least 2.",
        solution=anti_diagonal,
        truth=_true_anti_diagonal,
        cases=[(2,), (3,), (4,), (5,), (10,)],
        draw=lambda source: (source.randint(2, 50),),
        draws=20,
        right="It starts in the last column, and each step is a row less one.",
        wrong=(
            Wrong(does=lambda n: (n + 1, 0), says="That is the main diagonal: one down, one right, from the top left."),
            Wrong(
                does=lambda n: (n - 1, 0), says="The stride is right. But it starts at the top right, not at slot 0."
            ),
            Wrong(
                does=lambda n: (n - 1, n), says="Slot n is the first one of row 1. The last column of row 0 is n − 1."
            ),
            Wrong(
                does=lambda n: (1 - n, n * (n - 1)),
                says="This walks the right cells from the bottom up. Start at the top right.",
            ),
        ),
        hints=(
            "In which slot is the top right cell?",
            "From there, one step goes one row down and one column left.",
            "The top right is slot n − 1; a step is n slots down and 1 back.",
        ),
        why="""
            The top right cell is the last of row 0, slot `n - 1`.
            Each step adds the row's stride `n` and takes off the column's, 1. For n = 4 the slots are 3, 6, 9, 12.
        """,
    ),
]
