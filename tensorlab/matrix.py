"""`Matrix`: two axes, always row-major, so that every row is one uninterrupted run.

    value (i, j) is number i * cols + j of the matrix

The rows lie one after another by construction: there is no stride to get wrong, and turning a matrix round is a copy.
"""

import numpy as np

from tensorlab.dtypes import DType, float32
from tensorlab.errors import BoundsError, ShapeError
from tensorlab.layout import Layout, as_integer
from tensorlab.tensor import Tensor, memory_text, tensor, values_text, zeros

TILE = 64  # 64 * 64 float32 numbers are 16 KB: one tile read and one written stay in the first cache


class Matrix:
    """Rows of numbers, one row after another.

    Parameters
    ----------
    values : (rows * cols,) list, array or Tensor
        The numbers, row after row. They are copied; `Tensor.matrix` shares memory instead.
    rows, cols : int
        How many rows, and how many numbers in each.
    dtype : DType, or any name `as_dtype` takes, optional
        As for `tensor`.

    Raises
    ------
    ShapeError
        If there are not rows * cols values in one flat run.

    Examples
    --------
    >>> Matrix([1, 2, 3, 4, 5, 6], rows=2, cols=3)
    Matrix (2, 3) int64 | row-major | owns its buffer of 6 slots
    [[1 2 3]
     [4 5 6]]
    >>> Matrix([1, 2, 3, 4, 5], rows=2, cols=3)
    Traceback (most recent call last):
    tensorlab.errors.ShapeError: Matrix: 5 values do not fill a (2, 3) matrix
      expected: 6 values, 2 rows of 3
      got:      5 values
    """

    __slots__ = ("__weakref__", "_grid")

    __hash__ = None
    __array_priority__ = 1000

    def __init__(self, values, rows, cols, dtype=None):
        rows, cols = _lengths("Matrix", rows, cols)
        flat = tensor(values, dtype)
        if flat.ndim != 1:
            raise ShapeError(
                "Matrix",
                f"the values come in shape {flat.shape}, not in one flat run",
                expected=f"shape ({rows * cols},)",
                got=str(flat.shape),
                fix="tl.Matrix.from_rows(values)" if flat.ndim == 2 else None,
            )
        if flat.size != rows * cols:
            raise ShapeError(
                "Matrix",
                f"{flat.size} values do not fill a ({rows}, {cols}) matrix",
                expected=f"{rows * cols} values, {rows} rows of {cols}",
                got=f"{flat.size} values",
            )
        self._grid = Tensor(flat.buffer, Layout.row_major((rows, cols)), flat.dtype)

    @classmethod
    def _over(cls, grid):
        """Make a matrix of a row-major tensor of rank 2, over the same memory."""
        matrix = object.__new__(cls)
        matrix._grid = grid
        return matrix

    @classmethod
    def zeros(cls, rows, cols, dtype=float32) -> "Matrix":
        """Make a matrix of zeros.

        Parameters
        ----------
        rows, cols : int
        dtype : DType, or any name `as_dtype` takes

        Returns
        -------
        (rows, cols) Matrix

        Examples
        --------
        >>> Matrix.zeros(2, 3).tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        """
        return cls._over(zeros(_lengths("zeros", rows, cols), dtype))

    @classmethod
    def from_rows(cls, rows, dtype=None) -> "Matrix":
        """Copy a list of equally long rows, or anything else of rank 2.

        Parameters
        ----------
        rows : (R, C) nested list, array or Tensor
        dtype : DType, or any name `as_dtype` takes, optional

        Returns
        -------
        (R, C) Matrix

        Raises
        ------
        ShapeError
            If the rows differ in length, or `rows` is not of rank 2.

        Examples
        --------
        >>> Matrix.from_rows([[1, 2, 3], [4, 5, 6]]).shape
        (2, 3)
        """
        grid = tensor(rows, dtype)
        if grid.ndim != 2:
            raise ShapeError(
                "from_rows", f"rows have 2 axes, not {grid.ndim}", expected="rank 2", got=f"shape {grid.shape}"
            )
        return cls._over(grid)

    @property
    def rows(self) -> int:
        """How many rows there are.

        >>> Matrix.zeros(2, 3).rows
        2
        """
        return self._grid.shape[0]

    @property
    def cols(self) -> int:
        """How many numbers a row has.

        >>> Matrix.zeros(2, 3).cols
        3
        """
        return self._grid.shape[1]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns.

        >>> Matrix.zeros(2, 3).shape
        (2, 3)
        """
        return self._grid.shape

    @property
    def size(self) -> int:
        """How many numbers there are.

        >>> Matrix.zeros(2, 3).size
        6
        """
        return self._grid.size

    @property
    def dtype(self) -> DType:
        """What the words mean.

        >>> Matrix.zeros(2, 3).dtype
        float32
        """
        return self._grid.dtype

    def flat_index(self, i, j) -> int:
        """Number the values row after row: which one is in row i, column j?

        i * cols + j

        Parameters
        ----------
        i : int
            0 <= i < rows.
        j : int
            0 <= j < cols.

        Returns
        -------
        int
            Counted from the first value of the matrix; `tensor().offset` slots come before that one.

        Raises
        ------
        BoundsError
            If the row or the column does not exist. A column past the end is not the next row's.

        Examples
        --------
        >>> Matrix.zeros(3, 5).flat_index(1, 3)
        8
        >>> Matrix.zeros(2, 3).flat_index(0, 5)
        Traceback (most recent call last):
        tensorlab.errors.BoundsError: flat_index: column 5 does not exist in a (2, 3) matrix
          expected: 0 <= column < 3
          got:      (0, 5)
          why:      0 * 3 + 5 = 5 counts a number too, but one of row 1
        """
        return self._flat_index("flat_index", i, j)

    def at(self, i, j):
        """Read the number in row i, column j.

        Parameters
        ----------
        i, j : int
            As for `flat_index`.

        Returns
        -------
        bool, int or float

        Raises
        ------
        BoundsError
            If the row or the column does not exist.

        Examples
        --------
        >>> Matrix([1, 2, 3, 4, 5, 6], rows=2, cols=3).at(1, 0)
        4
        """
        return self._slot("at", i, j).item()

    def set(self, i, j, value):
        """Write the number in row i, column j.

        Parameters
        ----------
        i, j : int
            As for `flat_index`.
        value : number

        Raises
        ------
        BoundsError
            If the row or the column does not exist.
        DTypeError
            If the number does not fit the dtype.
        ReadOnlyError
            If the memory is read-only.

        Examples
        --------
        >>> m = Matrix.zeros(2, 3)
        >>> m.set(1, 0, 4)
        >>> m.tolist()
        [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]]
        """
        self._slot("set", i, j)._fill("set", value, fix="m = tl.Matrix.from_rows(m)")

    def row(self, r) -> Tensor:
        """View one row: one uninterrupted run of `cols` numbers.

        Parameters
        ----------
        r : int
            0 <= r < rows.

        Returns
        -------
        (cols,) Tensor
            A view; writing to it writes to the matrix.

        Raises
        ------
        BoundsError
            If the row does not exist.

        Examples
        --------
        >>> Matrix([1, 2, 3, 4, 5, 6], rows=2, cols=3).row(1)
        Tensor (3,) int64 | strides (1,) | offset 3 | view of a buffer of 6 slots
        [4 5 6]
        """
        return self._grid[self._existing("row", "row", r, self.rows, got=None)]

    def transposed(self) -> "Matrix":
        """Copy the matrix with rows and columns exchanged, tile by tile.

        Returns
        -------
        (cols, rows) Matrix
            A new one that owns its buffer. `tensor().transpose()` is the view that moves nothing, but its rows are
            not runs any more, so it is no Matrix.

        Notes
        -----
        Going row by row would read runs and write with jumps of a whole row, one cache line for each number. A tile
        of 64 rows and 64 columns uses every line it fetches.

        Examples
        --------
        >>> Matrix([1, 2, 3, 4, 5, 6], rows=2, cols=3).transposed().tolist()
        [[1, 4], [2, 5], [3, 6]]
        """
        turned = Matrix.zeros(self.cols, self.rows, self.dtype)
        source, target = self._grid.words(), turned._grid.words()
        for i in range(0, self.rows, TILE):
            for j in range(0, self.cols, TILE):
                target[j : j + TILE, i : i + TILE] = source[i : i + TILE, j : j + TILE].T
        return turned

    def tensor(self) -> Tensor:
        """View the matrix as a Tensor over the same memory.

        Returns
        -------
        (rows, cols) Tensor

        Examples
        --------
        >>> m = Matrix.zeros(2, 2)
        >>> m.tensor()[0, 1] = 5
        >>> m.at(0, 1)
        5.0
        """
        return self._grid[...]

    def numpy(self) -> np.ndarray:
        """View the matrix as a NumPy array over the same memory. See `Tensor.numpy`.

        >>> Matrix.zeros(2, 3).numpy().strides
        (12, 4)
        """
        return self._grid.numpy()

    def words(self) -> np.ndarray:
        """View the stored words of the matrix as a NumPy array. See `Tensor.words`.

        >>> Matrix([1.0, 2.0], rows=1, cols=2, dtype="bfloat16").words()
        array([[16256, 16384]], dtype=uint16)
        """
        return self._grid.words()

    def tolist(self):
        """Give the rows as Python lists.

        >>> Matrix([1, 2], rows=1, cols=2).tolist()
        [[1, 2]]
        """
        return self._grid.tolist()

    def __array__(self, dtype=None, copy=None):
        return self._grid.__array__(dtype=dtype, copy=copy)

    def __eq__(self, other):
        return self._grid == (other._grid if isinstance(other, Matrix) else other)

    def __ne__(self, other):
        return self._grid != (other._grid if isinstance(other, Matrix) else other)

    def __len__(self):
        return self.rows

    def __iter__(self):
        return iter(self._grid)

    def __repr__(self):
        return f"Matrix {self.shape} {self.dtype} | row-major | {memory_text(self._grid)}\n{values_text(self._grid)}"

    def _flat_index(self, operation, i, j):
        i, j = as_integer(operation, "row", i), as_integer(operation, "column", j)
        self._existing(operation, "row", i, self.rows, got=f"({i}, {j})")
        number = i * self.cols + j
        why = None
        if not 0 <= j < self.cols and 0 <= number < self.size:
            why = f"{i} * {self.cols} + {j} = {number} counts a number too, but one of row {number // self.cols}"
        self._existing(operation, "column", j, self.cols, got=f"({i}, {j})", why=why)
        return number

    def _slot(self, operation, i, j):
        """View the one value in row i, column j."""
        number = self._flat_index(operation, i, j)
        return self._grid._view(Layout((), (), self._grid.offset + number))

    def _existing(self, operation, axis, i, length, got, why=None):
        """Give i as a plain integer if the row or column exists."""
        i = as_integer(operation, axis, i)
        if not 0 <= i < length:
            raise BoundsError(
                operation,
                f"{axis} {i} does not exist in a {self.shape} matrix",
                expected=f"0 <= {axis} < {length}" if length else f"no {axis} at all: the matrix is empty",
                got=got or str(i),
                why=why,
            )
        return i


def _lengths(operation, rows, cols):
    """Check the two lengths of a matrix."""
    rows, cols = as_integer(operation, "rows", rows), as_integer(operation, "cols", cols)
    for name, length in (("rows", rows), ("cols", cols)):
        if length < 0:
            raise ShapeError(
                operation, f"a matrix cannot have {length} {name}", expected=f"{name} >= 0", got=f"{length}"
            )
    return rows, cols
