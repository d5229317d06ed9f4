"""Exercises of chapter 04, broadcasting: the result's shape, the strides of an operand, the memory it takes."""

import numpy as np

from tensorlab.errors import ShapeError
from tensorlab.exercises.model import Build, Prediction, Trap, Wrong
from tensorlab.layout import Layout
from tensorlab.views import broadcast_shapes as house_shapes
from tensorlab.views import broadcast_to


def broadcast_shapes(a, b):
    longest = max(len(a), len(b))
    a = (1,) * (longest - len(a)) + tuple(a)
    b = (1,) * (longest - len(b)) + tuple(b)
    if any(m != n and 1 not in (m, n) for m, n in zip(a, b, strict=True)):
        return None
    return tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))


def broadcast_strides(shape, strides, result):
    missing = len(result) - len(shape)
    own = [0 if n == 1 else s for n, s in zip(shape, strides, strict=True)]
    return tuple([0] * missing + own)


def _true_shapes(a, b):
    try:
        return house_shapes(a, b)
    except ShapeError:
        return None


def _true_strides(shape, strides, result):
    wide = broadcast_to(Layout(shape, strides), result).strides
    stretched = [0] * (len(result) - len(shape)) + [n == 1 for n in shape]
    return tuple(0 if len(result) - k > len(shape) or stretched[k] else wide[k] for k in range(len(result)))


def _joined(a, b, pad):
    longest = max(len(a), len(b))
    a, b = pad(tuple(a), longest), pad(tuple(b), longest)
    if any(m != n and 1 not in (m, n) for m, n in zip(a, b, strict=True)):
        return None
    return tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))


def _draw_shapes(source):
    result = [source.randint(0, 4) for _ in range(source.randint(0, 4))]
    shapes = []
    for _ in range(2):
        kept = result[source.randint(0, len(result)) :]
        shapes.append(tuple(1 if source.random() < 0.4 else n for n in kept))
    if source.random() < 0.3 and shapes[0]:
        shapes[0] = (*shapes[0][:-1], 5)
    return tuple(shapes)


def _draw_strides(source):
    result = [source.randint(2, 5) for _ in range(source.randint(1, 4))]
    kept = result[source.randint(0, len(result)) :]
    shape = tuple(1 if source.random() < 0.4 else n for n in kept)
    return shape, tuple(source.randint(1, 20) for _ in shape), tuple(result)


EXERCISES = [
    Prediction(
        key="04.shape",
        asks="Shapes (5, 1, 4) and (3, 1) meet. Which shape has the result?",
        form="a shape such as (1, 2)",
        answer=lambda: np.broadcast_shapes((5, 1, 4), (3, 1)),
        right="{answer}: 4 meets 1, 1 meets 3, and 5 meets nothing.",
        nudge="Write (3, 1) under (5, 1, 4), aligned at the right. What meets what?",
        shows="Aligned at the right, 4 stands over 1, 1 over 3, and 5 over nothing, which counts as 1. "
        "In each pair the length that is not 1 stays: {answer}.",
        traps=(
            Trap(guess=lambda: (5, 1, 4), says="{guess} is the first shape. Its 1 meets a 3 and is stretched."),
            Trap(
                guess=lambda: (5, 3, 1),
                says="{guess} keeps the 1 of the second shape. A 1 that meets a 4 is stretched.",
            ),
            Trap(guess=lambda: (3, 1, 4), says="{guess} aligns the shapes at the left. They are aligned at the right."),
        ),
    ),
    Prediction(
        key="04.fits",
        asks="Can a tensor of shape (4, 3) meet one of shape (4,)?",
        choices=("yes", "no"),
        answer=lambda: "no" if _true_shapes((4, 3), (4,)) is None else "yes",
        right="It cannot: aligned at the right, 3 meets 4.",
        nudge="Align them at the right.",
        shows="Aligned at the right, the 4 of (4,) stands under the 3. They differ, and neither is 1.",
        traps=(
            Trap(
                guess=lambda: "yes",
                says="Both have a 4, but in different columns: aligned at the right, 3 meets 4.",
            ),
        ),
    ),
    Prediction(
        key="04.bytes",
        asks="A float32 row of shape (3,) is broadcast to (1000, 3). How many bytes of memory hold its numbers now?",
        answer=lambda: np.broadcast_to(np.zeros(3, np.float32), (1000, 3)).base.nbytes,
        right="{answer}, as before: three numbers of 4 bytes.",
        nudge="With stride 0 on axis 0, how many different slots do the 3,000 cells reach?",
        shows="Axis 0 gets stride 0, so all thousand rows are the same three slots: {answer} = 3·4 bytes.",
        traps=(
            Trap(guess=lambda: 1000 * 3 * 4, says="{guess} is what a thousand copies would take. None is made."),
            Trap(guess=lambda: 3, says="{guess} counts numbers. Each of them has 4 bytes."),
            Trap(guess=lambda: 3000, says="{guess} counts cells. Many cells live in one slot."),
            Trap(guess=lambda: 0, says="{guess} is what the broadcast *adds*. The row itself is still there."),
        ),
    ),
    Build(
        key="04.broadcast_shapes",
        call="broadcast_shapes(a, b)",
        task="Return the shape that `a` and `b`, two tuples of lengths, have together, or None if they do not fit.",
        solution=broadcast_shapes,
        truth=_true_shapes,
        cases=[
            ((), ()),
            ((3,), ()),
            ((1,), (3,)),
            ((3,), (1,)),
            ((2,), (3,)),
            ((2, 3), (3,)),
            ((2, 3), (2,)),
            ((3,), (4, 1)),
            ((0,), (1,)),
            ((5, 1, 4), (3, 1)),
        ],
        draw=_draw_shapes,
        right="Aligned at the right, pair by pair.",
        wrong=(
            Wrong(
                does=lambda a, b: _joined(a, b, lambda shape, n: shape + (1,) * (n - len(shape))),
                says="The shapes are aligned at the left: the ones are added at the end. Add them in front.",
            ),
            Wrong(
                does=lambda a, b: (
                    None
                    if _true_shapes(a, b) is None
                    else _joined(a, b, lambda shape, n: (1,) * (n - len(shape)) + shape)[-min(len(a), len(b)) or 99 :]
                ),
                says="Only the axes that both shapes have are kept. The others belong to the result too.",
            ),
            Wrong(
                does=lambda a, b: tuple(
                    max(m, n)
                    for m, n in zip(
                        (1,) * (len(b) - len(a)) + tuple(a), (1,) * (len(a) - len(b)) + tuple(b), strict=True
                    )
                ),
                says="The larger length wins, whatever the other is. They fit only if equal, or if one is 1.",
            ),
        ),
        hints=(
            "First make both shapes equally long. Where do the ones go?",
            "Put ones in front of the shorter one, then look at the pairs.",
            "A pair fits if both are equal or one is 1; of a fitting pair the one that is not 1 stays.",
        ),
        why="""
            A missing axis counts as length 1, in front. Then each pair is judged by itself.
            `max` would do for the length, except that 0 and 1 meet as 0.
        """,
    ),
    Build(
        key="04.broadcast_strides",
        call="broadcast_strides(shape, strides, result)",
        task="Return the strides with which an operand of this shape and these strides is read as the shape `result`. "
        "It fits. An axis of length 1 gets stride 0.",
        solution=broadcast_strides,
        truth=_true_strides,
        cases=[
            ((3,), (1,), (3,)),
            ((1,), (1,), (3,)),
            ((), (), (2,)),
            ((3,), (1,), (2, 3)),
            ((2, 1), (1, 1), (2, 3)),
            ((4, 1), (1, 1), (4, 3)),
            ((3,), (2,), (4, 2, 3)),
        ],
        draw=_draw_strides,
        right="A stretched axis does not move: stride 0.",
        wrong=(
            Wrong(
                does=lambda shape, strides, result: tuple(strides) + (0,) * (len(result) - len(shape)),
                says="The missing axes are added at the end. They are in front.",
            ),
            Wrong(
                does=lambda shape, strides, result: (0,) * (len(result) - len(shape)) + tuple(strides),
                says="An axis of length 1 keeps its stride. When it is stretched it must not move: stride 0.",
            ),
            Wrong(
                does=lambda shape, strides, result: Layout.row_major(result).strides,
                says="These are the strides of a tensor of the result's shape. The operand has fewer slots than that.",
            ),
        ),
        hints=(
            "How far does one step along a stretched axis move?",
            "Missing axes are in front, and each of them gets stride 0.",
            "Zeros for the missing axes, then 0 where the length is 1 and the own stride elsewhere.",
        ),
        why="""
            Every index of a stretched axis is the same slot, so a step moves by 0.
            A missing axis is one of length 1, so it gets stride 0 too.
        """,
    ),
]
