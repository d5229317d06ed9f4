"""Faults that a learner or a maintainer could make, each of which one chapter must notice."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One small change of the package's text, and the chapter whose outputs it must disturb."""

    name: str
    file: str
    before: str
    after: str
    chapter: str

    def applied(self, text: str) -> str:
        """The text of the file with the fault in it; the text to change must stand there exactly once."""
        found = text.count(self.before)
        if found != 1:
            raise ValueError(f"{self.name}: {self.before!r} stands {found} times in {self.file}: write the fault anew")
        return text.replace(self.before, self.after)


WHERE_AN_ELEMENT_LIVES = "01-where-does-an-element-live.ipynb"
HOW_A_GRID_TURNS = "02-how-can-a-grid-turn-round.ipynb"
WHEN_IT_IS_A_COPY = "03-when-is-it-a-copy.ipynb"
WHY_SHAPES_MEET = "04-why-can-3-meet-4-1.ipynb"
WHERE_TOKEN_785_IS = "06-where-is-token-785.ipynb"

FAULTS = [
    Fault(
        "swapped stride",
        "layout.py",
        "return cls(shape, _packed(shape[::-1])[::-1], offset)",
        "return cls(shape, _packed(shape[::-1]), offset)",
        WHERE_AN_ELEMENT_LIVES,
    ),
    Fault(
        "off-by-one offset",
        "layout.py",
        "return self.offset + sum(map(operator.mul, index, self.strides))",
        "return self.offset + 1 + sum(map(operator.mul, index, self.strides))",
        WHERE_AN_ELEMENT_LIVES,
    ),
    Fault(
        "column-major row",
        "matrix.py",
        'return self._grid[self._existing("row", "row", r, self.rows, got=None)]',
        'return self._grid[:, self._existing("row", "row", r, self.rows, got=None)]',
        WHERE_AN_ELEMENT_LIVES,
    ),
    Fault(
        "wrong byte order",
        "checkpoint/reader.py",
        'if sys.byteorder == "big":',
        'if sys.byteorder != "big":',
        WHERE_TOKEN_785_IS,
    ),
    Fault(
        "forgotten 8",
        "checkpoint/reader.py",
        "return self.data_start + entry.start + entry.layout.position(index)",
        "return self.header_length + entry.start + entry.layout.position(index)",
        WHERE_TOKEN_785_IS,
    ),
    Fault(
        "forgotten tensor start",
        "checkpoint/reader.py",
        "return self.data_start + entry.start + _existing(operation, entry, 0, row) * length, length",
        "return self.data_start + _existing(operation, entry, 0, row) * length, length",
        WHERE_TOKEN_785_IS,
    ),
    Fault(
        "reversed axis from its first index",
        "views.py",
        "return Layout(shape, strides, layout.offset + start * layout.strides[axis])",
        "return Layout(shape, strides, layout.offset + (start if step > 0 else 0) * layout.strides[axis])",
        HOW_A_GRID_TURNS,
    ),
    Fault(
        "diagonal of the other direction",
        "views.py",
        "sum(layout.strides[axis] for axis in pair)]",
        "abs(layout.strides[pair[0]] - layout.strides[pair[1]])]",
        HOW_A_GRID_TURNS,
    ),
    Fault(
        "runs joined across a gap",
        "views.py",
        "if runs and runs[-1][1] == length * stride:",
        "if runs and runs[-1][1] >= length * stride:",
        WHEN_IT_IS_A_COPY,
    ),
    Fault(
        "copy in memory order",
        "tensor.py",
        "return self if self.is_contiguous else self.copy()",
        "return self if self.is_contiguous else Tensor(self.buffer.copy(), Layout.row_major(self.shape), self.dtype)",
        WHEN_IT_IS_A_COPY,
    ),
    Fault(
        "stretched axis that steps",
        "views.py",
        "strides.append(stride if length == wanted else 0)",
        "strides.append(stride if length == wanted or axis else 0)",
        WHY_SHAPES_MEET,
    ),
    Fault(
        "missing axis that steps",
        "views.py",
        "strides = [0] * extra",
        "strides = [1] * extra",
        WHY_SHAPES_MEET,
    ),
]
