"""Chapter 01, where does element [i, j] live: what it asks."""

import numpy as np

from tensorlab.exercises.model import Build, Prediction, Trap, Wrong
from tensorlab.layout import Layout

SLOTS = np.arange(15).reshape(3, 5)  # each cell holds the number of its slot
BYTES = np.dtype("int32").itemsize


def flat_index(i, j, rows, cols):
    return i * cols + j


def row(flat, r, cols):
    start = r * cols
    return flat[start : start + cols]


def index_of(slot, rows, cols):
    return slot // cols, slot % cols


def draw_cell(source):
    rows, cols = source.randint(1, 9), source.randint(1, 9)
    return source.randrange(rows), source.randrange(cols), rows, cols


def draw_row(source):
    r, _, rows, cols = draw_cell(source)
    return source.sample(range(100), rows * cols), r, cols


def draw_slot(source):
    rows, cols = source.randint(1, 9), source.randint(1, 9)
    return source.randrange(rows * cols), rows, cols


EXERCISES = [
    Prediction(
        key="01.slot",
        asks="A (3, 5) grid is stored row by row. Which slot holds [1, 3]?",
        answer=lambda: SLOTS[1, 3],
        right="{answer} = 1·5 + 3.",
        nudge="Count whole rows above, then steps right.",
        traps=(
            Trap(
                guess=lambda: np.arange(15).reshape(3, 5, order="F")[1, 3],
                says="{guess} puts columns first: 1 + 3·3. Here one step down skips a row of 5.",
            ),
            Trap(
                guess=lambda: 1 * SLOTS.shape[0] + 3,
                says="{guess} lets one step down skip 3 slots, the number of rows. A row is 5 slots long.",
            ),
            Trap(
                guess=lambda: SLOTS[1, 3] + 1,
                says="{guess} counts the slots from one. The first slot is 0.",
            ),
            Trap(
                guess=lambda: SLOTS[0, 2],
                says="{guess} counts rows and columns from one. [0, 0] is the first cell, so row 1 has a row above it.",
            ),
            Trap(
                guess=lambda: 3 * SLOTS.shape[1] + 1,
                says="{guess} goes 3 down and 1 right. The first index is the row: 1 down, 3 right.",
            ),
        ),
        shows="""
            Row 0 fills slots 0 to 4, so row 1 starts at slot 5. Three steps right from there: 5 + 3.

            In general `i·cols + j`: `i` whole rows lie above, each `cols` long, and `j` cells lie to the left.
        """,
    ),
    Prediction(
        key="01.cell",
        asks="A (3, 4) grid is stored row by row. Which cell owns slot 6?",
        form="(i, j)",
        answer=lambda: np.unravel_index(6, (3, 4)),
        right="{answer}: 6 = 1·4 + 2.",
        nudge="How many whole rows of 4 fit into 6, and what is left?",
        traps=(
            Trap(
                guess=lambda: np.unravel_index(6, (3, 4), order="F"),
                says="{guess} fills the grid column by column: 6 = 2·3 + 0. Row by row, every 4 slots begin a row.",
            ),
            Trap(
                guess=lambda: np.unravel_index(6, (3, 4))[::-1],
                says="{guess} has the right two numbers in the other order. The row comes first.",
            ),
            Trap(
                guess=lambda: divmod(6, 3),
                says="{guess} divides by 3, the number of rows. A row is 4 cells long.",
            ),
            Trap(
                guess=lambda: np.add(np.unravel_index(6, (3, 4)), 1),
                says="{guess} counts rows and columns from one. The first cell is [0, 0].",
            ),
            Trap(
                guess=lambda: np.unravel_index(6 - 1, (3, 4)),
                says="{guess} owns slot 5. The first slot is 0.",
            ),
        ),
        shows="""
            One whole row of 4 fills slots 0 to 3. Slot 4 is [1, 0], so slot 6 is two steps right of it: {answer}.

            In general the row is `slot // cols`, and what is left, `slot % cols`, is the column.
        """,
    ),
    Build(
        key="01.flat_index",
        call="flat_index(i, j, rows, cols)",
        task="Return the slot of cell [i, j] in a grid of rows × cols that is stored row by row.",
        solution=flat_index,
        truth=lambda i, j, rows, cols: Layout.row_major((rows, cols)).position((i, j)),
        cases=[(0, 0, 1, 1), (0, 1, 1, 2), (0, 1, 2, 2), (1, 0, 2, 2), (1, 0, 2, 3), (1, 2, 2, 3), (2, 1, 3, 4)],
        draw=draw_cell,
        right="One step down skips `cols` slots, one step right skips one.",
        wrong=(
            Wrong(
                does=lambda i, j, rows, cols: j * rows + i,
                says="This goes column by column: `j·rows + i`. Row by row, the cells of one row are neighbours.",
            ),
            Wrong(
                does=lambda i, j, rows, cols: i * rows + j,
                says="This lets a step down skip `rows` slots. It skips one whole row, and a row has `cols` cells.",
            ),
            Wrong(
                does=lambda i, j, rows, cols: i * cols + j + 1,
                says="This counts from one: every slot is one too high. The first slot is 0.",
            ),
            Wrong(
                does=lambda i, j, rows, cols: j * cols + i,
                says="This takes `j` for the row. The first index, `i`, counts rows; the second counts along a row.",
            ),
            Wrong(
                does=lambda i, j, rows, cols: i + j,
                says="This counts a step down as one slot. A step down passes a whole row of `cols` slots.",
            ),
        ),
        hints=(
            "How many cells lie in the rows above row `i`?",
            "There are `i` rows above, and each has `cols` cells. In its own row the cell has `j` cells before it.",
            "Multiply `i` by the length of a row, then add `j`. `rows` is not needed.",
        ),
        why="""
            `i` whole rows of `cols` cells come first, then `j` cells of the row itself.
            `rows` only says where the grid ends; it never moves a cell.
        """,
    ),
    Build(
        key="01.index_of",
        call="index_of(slot, rows, cols)",
        task="Return the cell (i, j) that owns this slot of a grid of rows × cols, stored row by row.",
        solution=index_of,
        truth=lambda slot, rows, cols: next(Layout.row_major((rows, cols)).indices(slot)),
        cases=[(0, 1, 1), (1, 1, 2), (1, 2, 2), (2, 2, 2), (2, 2, 3), (3, 2, 3), (5, 2, 3), (9, 3, 4)],
        draw=draw_slot,
        right="`//` counts the whole rows before it, `%` what is left in its own row.",
        wrong=(
            Wrong(
                does=lambda slot, rows, cols: (slot % cols, slot // cols),
                says="The two numbers are right, in the other order. The row comes first.",
            ),
            Wrong(
                does=lambda slot, rows, cols: divmod(slot, rows),
                says="This divides by `rows`. A new row starts every `cols` slots.",
            ),
            Wrong(
                does=lambda slot, rows, cols: (slot / cols, slot % cols),
                says="`/` gives a float, such as 2.25 rows. `//` counts the whole rows.",
            ),
            Wrong(
                does=lambda slot, rows, cols: (slot % rows, slot // rows),
                says="This undoes column by column storage. Here a new row starts every `cols` slots.",
            ),
        ),
        hints=(
            "Slots 0 to `cols - 1` are row 0. Which slots are row 1?",
            "The row is the number of whole rows that fit into `slot`; the column is what is left.",
            "`slot // cols` and `slot % cols`, in this order.",
        ),
        why="""
            `slot = i·cols + j` with `j` smaller than `cols`, so dividing by `cols` gives `i`, and the remainder is `j`.
            `divmod(slot, cols)` does both at once.
        """,
    ),
    Build(
        key="01.row",
        call="row(flat, r, cols)",
        task="Return row r of a grid with cols columns whose cells lie row by row in the list flat.",
        solution=row,
        cases=[
            ([7], 0, 1),
            ([7, 8], 0, 2),
            ([7, 8], 1, 1),
            ([7, 8, 9, 4], 0, 2),
            ([7, 8, 9, 4], 1, 2),
            ([7, 8, 9, 4, 5, 6], 1, 3),
            ([7, 8, 9, 4, 5, 6], 2, 2),
        ],
        draw=draw_row,
        right="A row is one uninterrupted run of `cols` slots.",
        wrong=(
            Wrong(
                does=lambda flat, r, cols: flat[r::cols],
                says="This is column `r`: every `cols`-th slot. The cells of a row lie side by side, without gaps.",
            ),
            Wrong(
                does=lambda flat, r, cols: flat[r * cols : (r + 1) * cols - 1],
                says="The last cell is missing. A slice already stops before its end, so nothing is taken off.",
            ),
            Wrong(
                does=lambda flat, r, cols: flat[r : r + cols],
                says="This starts at slot `r`. `r` counts rows, and every row before takes `cols` slots.",
            ),
            Wrong(
                does=lambda flat, r, cols: flat[r * cols : cols],
                says="This uses the length as the end. After the colon stands a slot: the start plus the length.",
            ),
        ),
        hints=(
            "At which slot does row `r` start? And the row after it?",
            "Row `r` starts at slot `r * cols` and has `cols` cells.",
            "Slice from `r * cols` up to, not including, `r * cols + cols`.",
        ),
        why="""
            The cells of a row are neighbours, so a row is one slice without a step.
            It starts after `r` rows of `cols` cells, and the next row starts where it ends.
        """,
    ),
    Prediction(
        key="01.byte",
        asks="A float64 grid of shape (3, 4) is stored row by row from byte 0. At which byte does [1, 2] start?",
        answer=lambda: np.dot((1, 2), np.zeros((3, 4), np.float64).strides),
        right="{answer} = (1·4 + 2)·8.",
        nudge="Find the slot first. 64 bits are 8 bytes, and each slot takes that many.",
        traps=(
            Trap(
                guess=lambda: np.ravel_multi_index((1, 2), (3, 4)),
                says="{guess} is the slot: 6 = 1·4 + 2. Each slot takes 8 bytes, for float64 is 64 bits.",
            ),
            Trap(
                guess=lambda: np.dot((1, 2), np.zeros((3, 4), np.float64, order="F").strides),
                says="{guess} goes column by column: 56 = (1 + 2·3)·8. Row by row, a row of 4 comes first.",
            ),
            Trap(
                guess=lambda: (6 + 1) * 8 - 1,
                says="{guess} is the last of its eight bytes. The question is where it starts.",
            ),
            Trap(
                guess=lambda: np.dot((1, 2), np.zeros((3, 4), np.float32).strides),
                says="{guess} takes 4 bytes for each slot. float64 is 64 bits, which are 8 bytes.",
            ),
            Trap(
                guess=lambda: 6 * 64,
                says="{guess} counts bits: 384 = 6·64. Eight bits are one byte.",
            ),
        ),
        shows="""
            Slot first: one row of 4, then 2 more, is slot 6. Each float64 takes 8 bytes: {answer} = 6·8.

            NumPy counts in bytes from the start: `strides` of this grid are (32, 8), and {answer} = 1·32 + 2·8 too.
        """,
    ),
    Prediction(
        key="01.owner",
        asks="An int32 grid of shape (3, 4) is stored row by row from byte 0. Which cell owns byte 22?",
        form="(i, j)",
        answer=lambda: np.unravel_index(22 // BYTES, (3, 4)),
        right="{answer}: byte 22 is the third byte of slot 5.",
        nudge="Which slot is it? Slot 0 owns bytes 0 to 3, slot 1 owns bytes 4 to 7.",
        traps=(
            Trap(
                guess=lambda: divmod(22, 4),
                says="{guess} stops at the slot: byte 22 is in slot 5, two bytes in. Which cell owns slot 5?",
            ),
            Trap(
                guess=lambda: np.unravel_index(22 // BYTES, (3, 4), order="F"),
                says="{guess} owns slot 5 when the grid is stored column by column.",
            ),
            Trap(
                guess=lambda: np.unravel_index(22 // BYTES + 1, (3, 4)),
                says="{guess} begins at byte 24. An element owns all four bytes from its first.",
            ),
            Trap(
                guess=lambda: np.unravel_index(22 // 8, (3, 4)),
                says="{guess} takes 8 bytes for each slot. int32 is 32 bits, which are 4 bytes.",
            ),
        ),
        shows="""
            Slot 5 begins at byte 20 = 5·4 and owns bytes 20 to 23. Slot 5 is one row of 4 and one step right: {answer}.

            In general the slot is `byte // itemsize`, and `byte % itemsize` says how far into the element it is.
        """,
    ),
]
