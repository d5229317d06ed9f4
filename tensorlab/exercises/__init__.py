"""Predict and check: exercises that know what a wrong answer believes.

Readers use two functions:

>>> from tensorlab.exercises import check, predict
>>> predict("01.slot", None).verdict
'untried'

How to write content
--------------------
Every `chapter_NN.py` in this folder is found by its name; it is data, one list `EXERCISES` in the order of the chapter
(which is the order of the circles in `Chapter 01: ●●○○`). Keys are `"NN.name"`. A question:

    Prediction(
        key="01.slot",
        asks="A (3, 5) grid is stored row by row. Which slot holds [1, 3]?",
        answer=lambda: GRID[1, 3],                        # computed, never typed
        right="{answer} = 1·5 + 3.",
        nudge="Count whole rows above, then steps right.",
        traps=(Trap(guess=lambda: ..., says="{guess} puts columns first: 1 + 3·3."),),
        shows="Row 0 fills slots 0 to 4. Row 1 starts at 5; three steps right is `5 + 3`.",
    )

The output adds `Replace None, press Shift+Enter.`, `Not 17.` before the nudge, and `Try again.` after a trap. The
answer may be an int, a float (`tolerance`), a bool, a str (`choices`) or a tuple of these (`form="(i, j)"`).

A function to write:

    def flat_index(i, j, rows, cols):                     # its source is the solution the reader may open
        return i * cols + j

    Build(
        key="01.flat_index",
        call="flat_index(i, j, rows, cols)",              # the names shown in the failing case
        task="Return the slot of [i, j] in a grid of rows × cols that is stored row by row.",
        solution=flat_index,
        truth=lambda i, j, rows, cols: Layout.row_major((rows, cols)).position((i, j)),
        cases=[(0, 0, 1, 1), (0, 1, 2, 2)],               # smallest first
        draw=lambda source: (...),                        # from a seeded random.Random
        wrong=(Wrong(does=lambda i, j, rows, cols: j * rows + i, says="..."), ...),   # three or more
        hints=("...", "...", "..."),
        why="...",
        right="...",
    )

`tests/test_exercise_contents.py` holds every registered exercise to the rules: three hints, three wrong functions, each
refused with its own words; a solution of at most ten lines that agrees with `truth`; traps that differ from the answer
and from each other; nothing in an untried output that tells; sums such as `8 = 1·5 + 3` that are true.
"""

from tensorlab.exercises.checking import check
from tensorlab.exercises.model import Build, Prediction, Trap, Wrong
from tensorlab.exercises.predicting import predict
from tensorlab.exercises.showing import Refusal, show_error

__all__ = ["Build", "Prediction", "Refusal", "Trap", "Wrong", "check", "predict", "show_error"]
