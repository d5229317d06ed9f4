"""Puzzles of the stride explorer: a picture to reach from the same buffer by other numbers, and no number moved.

Each one unlocks the moves that make it easy; the numbers themselves can always be set by hand.
"""

from dataclasses import dataclass

from tensorlab.layout import Layout


@dataclass(frozen=True)
class Puzzle:
    """One target over a buffer that holds 0, 1, 2, ...

    Parameters
    ----------
    title : str
        What to do.
    shape : tuple of int
        The row-major grid to start from; its size is the length of the buffer.
    target : Layout
        One layout that shows the picture. Any layout with the same shape and the same positions solves the puzzle.
    hint : str
        What to think about, without the answer.
    unlocks : tuple of str
        The moves that this puzzle and all after it offer.
    solution : tuple of str
        One chain of moves that reaches the target.
    """

    title: str
    shape: tuple[int, ...]
    target: Layout
    hint: str
    unlocks: tuple[str, ...]
    solution: tuple[str, ...]

    @property
    def start(self) -> Layout:
        """The layout to start from.

        Examples
        --------
        >>> PUZZLES[0].start
        Layout(shape=(3, 4), strides=(4, 1), offset=0)
        """
        return Layout.row_major(self.shape)

    def solved_by(self, layout) -> bool:
        """Whether a layout shows the target: the same shape and the same position at every index.

        Examples
        --------
        >>> PUZZLES[0].solved_by(Layout((4, 3), (1, 4))), PUZZLES[0].solved_by(PUZZLES[0].start)
        (True, False)
        """
        return layout.shape == self.target.shape and all(
            own == wanted for own, wanted in zip(layout.positions(), self.target.positions(), strict=True)
        )

    def first_difference(self, layout):
        """Find the first index of the target, in logical order, that a layout does not show there.

        Returns
        -------
        (index, wanted, found) or None
            Two positions; `found` is None where the layout has no such index. None if no index differs.

        Examples
        --------
        >>> PUZZLES[0].first_difference(PUZZLES[0].start)
        ((0, 1), 4, 1)
        """
        for index, wanted in self.target.walk():
            inside = len(index) == layout.ndim and all(i < n for i, n in zip(index, layout.shape, strict=True))
            found = layout.position(index) if inside else None
            if found != wanted:
                return index, wanted, found
        return None


PUZZLES = (
    Puzzle(
        "Turn the grid on its side",
        (3, 4),
        Layout((4, 3), (1, 4)),
        "One step down must do what one step right did.",
        ("swap",),
        (".transpose(0, 1)",),
    ),
    Puzzle(
        "Leave out the first row",
        (3, 4),
        Layout((2, 4), (4, 1), 4),
        "The strides can stay. Where does the first cell live now?",
        ("range",),
        (".narrow(0, 1, 2)",),
    ),
    Puzzle(
        "Every other column",
        (3, 4),
        Layout((3, 2), (4, 2)),
        "A step of two columns is a longer jump along one axis.",
        ("step",),
        (".step(1, 2)",),
    ),
    Puzzle(
        "Last number first",
        (3, 4),
        Layout((3, 4), (-4, -1), 11),
        "Start at the last slot and walk back.",
        ("reverse",),
        (".flip(0)", ".flip(1)"),
    ),
    Puzzle(
        "The diagonal",
        (4, 4),
        Layout(4, 5),
        "One row down and one column right, in a single jump.",
        ("diagonal",),
        (".diagonal(0, 1)",),
    ),
    Puzzle(
        "The other diagonal",
        (4, 4),
        Layout(4, 3, 3),
        "One row down and one column left. Where does it start?",
        (),
        (".flip(1)", ".diagonal(0, 1)"),
    ),
    Puzzle(
        "One row, three times",
        (3, 4),
        Layout((3, 4), (0, 1), 4),
        "Going down must not go anywhere.",
        ("repeat",),
        (".narrow(0, 1, 1)", ".broadcast_to((3, 4))"),
    ),
    Puzzle(
        "Every number twice",
        (6,),
        Layout((6, 2), (1, 0)),
        "A second axis that never leaves its slot.",
        ("add", "pick"),
        (".unsqueeze(1)", ".broadcast_to((6, 2))"),
    ),
    Puzzle(
        "Sliding windows",
        (8,),
        Layout((6, 3), (1, 1)),
        "The next row begins one slot later, not a whole row later.",
        ("windows",),
        (".windows(0, 3)",),
    ),
    Puzzle(
        "Windows that look back",
        (8,),
        Layout((6, 3), (1, -1), 2),
        "Down is forward, right is backward.",
        (),
        (".windows(0, 3)", ".flip(1)"),
    ),
    Puzzle(
        "The two halves, side by side",
        (4, 4),
        Layout((2, 4, 2), (2, 4, 1)),
        "Three axes: which half, which row, which column of it.",
        ("reshape",),
        (".reshape((4, 2, 2))", ".transpose(0, 1)"),
    ),
    Puzzle(
        "One colour of the chessboard",
        (4, 4),
        Layout((2, 2, 2), (8, 5, 2)),
        "Pairs of rows, the row of the pair, and every other column of it: odd rows begin one further right.",
        (),
        (".reshape((2, 2, 2, 2))", ".diagonal(1, 3)", ".transpose(1, 2)"),
    ),
)
"""From one swap of axes to three axes at once."""
