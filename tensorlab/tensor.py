"""`Tensor`: one flat buffer and one layout. A view is another layout over the same buffer.

    element [i, j, ...] is buffer[offset + i * strides[0] + j * strides[1] + ...]

Memory comes in from NumPy and goes out to NumPy without a copy. It is written only by `Tensor.__setitem__`,
`Tensor.fill` and the kernels' `out`, and only where no two indices share a position.
"""

from functools import partial, reduce
from math import prod

import numpy as np

from tensorlab import views
from tensorlab.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool_,
    cast,
    float32,
    from_python,
    from_values,
    int64,
    promote,
    to_values,
)
from tensorlab.errors import ArgumentError, BoundsError, DTypeError, LayoutError, ReadOnlyError, ShapeError
from tensorlab.layout import MAX_WORK, Layout, Overlap, as_integer, as_shape

MAX_AXES = 64  # NumPy's own limit
SHOWN_WHOLE = 200  # elements; more are summarised
SHOWN_EDGE = 3


class Tensor:
    """Numbers in a grid of any rank: a flat buffer, and the layout that finds each element in it.

    Parameters
    ----------
    buffer : (n,) array of the storage type of `dtype`
        One-dimensional and without gaps. It is used as it is, not copied.
    layout : Layout
        Where each element lives; every index must land inside the buffer.
    dtype : DType, or any name `as_dtype` takes, optional
        What the buffer's words mean. Left out, it is the buffer's own type.

    Raises
    ------
    BoundsError
        If the layout leaves the buffer; the message names the index that does, and where it would land.
    ArgumentError, DTypeError, LayoutError
        If the buffer is no such array, or the layout no layout.

    Examples
    --------
    >>> import numpy as np
    >>> Tensor(np.arange(6), Layout((3, 2), (1, 3)))
    Tensor (3, 2) int64 | strides (1, 3) | offset 0 | owns its buffer of 6 slots
    [[0 3]
     [1 4]
     [2 5]]
    >>> Tensor(np.arange(6), Layout((3, 2), (1, 4)))
    Traceback (most recent call last):
    tensorlab.errors.BoundsError: Tensor: index (2, 1) would land on slot 6 of a buffer of 6
      expected: 0 <= position < 6
      got:      shape (3, 2), strides (1, 4), offset 0
    """

    __slots__ = ("__weakref__", "_buffer", "_dtype", "_is_view", "_layout", "_overlap")

    __hash__ = None
    __array_priority__ = 1000  # an array on the left of == leaves the answer to the tensor

    def __init__(self, buffer, layout, dtype=None):
        self._dtype = _checked_buffer(buffer, dtype)
        self._buffer = buffer
        self._layout = _checked_layout(layout, buffer.size)
        self._is_view = False
        self._overlap = None

    @classmethod
    def _fresh(cls, buffer, layout, dtype):
        """Pair a new buffer with the layout it was made for: what `__init__` checks holds already."""
        _check_rank(layout)
        made = object.__new__(cls)
        made._buffer, made._layout, made._dtype = buffer, layout, dtype
        made._is_view, made._overlap = False, None
        return made

    def _view(self, layout):
        """Pair another layout, one that a view operation made, with the same buffer."""
        _check_rank(layout)
        view = object.__new__(Tensor)
        view._buffer, view._layout, view._dtype = self._buffer, layout, self._dtype
        view._is_view, view._overlap = True, None
        return view

    @property
    def layout(self) -> Layout:
        """Where each element lives.

        >>> zeros((2, 3)).layout
        Layout(shape=(2, 3), strides=(3, 1), offset=0)
        """
        return self._layout

    @property
    def shape(self) -> tuple[int, ...]:
        """How many indices each axis has.

        >>> zeros((2, 3)).shape
        (2, 3)
        """
        return self._layout.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """How many elements (not bytes) one step along each axis moves.

        >>> zeros((2, 3)).strides
        (3, 1)
        """
        return self._layout.strides

    @property
    def offset(self) -> int:
        """The slot of element [0, 0, ...].

        >>> arange(6)[2:].offset
        2
        """
        return self._layout.offset

    @property
    def ndim(self) -> int:
        """How many axes there are.

        >>> zeros((2, 3)).ndim
        2
        """
        return self._layout.ndim

    @property
    def size(self) -> int:
        """How many elements there are.

        >>> zeros((2, 3)).size
        6
        """
        return self._layout.size

    @property
    def dtype(self) -> DType:
        """What the words mean.

        >>> zeros(3).dtype
        float32
        """
        return self._dtype

    @property
    def itemsize(self) -> int:
        """Bytes per element.

        >>> zeros(3, dtype="bfloat16").itemsize
        2
        """
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, each counted once per index.

        >>> zeros((2, 3)).nbytes
        24
        """
        return self.size * self.itemsize

    @property
    def byte_strides(self) -> tuple[int, ...]:
        """How many bytes one step along each axis moves: what NumPy calls strides.

        >>> zeros((2, 3)).byte_strides
        (12, 4)
        """
        return tuple(stride * self.itemsize for stride in self.strides)

    @property
    def byte_offset(self) -> int:
        """How many bytes of the buffer come before element [0, 0, ...].

        >>> arange(6)[2:].byte_offset
        16
        """
        return self.offset * self.itemsize

    @property
    def buffer(self) -> np.ndarray:
        """The flat words under this tensor and all its views.

        >>> arange(6).reshape((2, 3)).transpose().buffer
        array([0, 1, 2, 3, 4, 5])
        """
        return self._buffer

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements lie one after another, the last axis fastest.

        >>> x = zeros((2, 3))
        >>> x.is_contiguous, x.transpose().is_contiguous
        (True, False)
        """
        return self._layout.is_row_major

    @property
    def is_writable(self) -> bool:
        """Whether the memory may be written and no two indices share a position.

        >>> x = zeros(3)
        >>> x.is_writable, x.broadcast_to((2, 3)).is_writable
        (True, False)
        """
        return bool(self._buffer.flags.writeable) and not self._self_overlap().possible

    def narrow(self, axis, start, length) -> "Tensor":
        """View `length` indices of one axis, from `start` on; nothing is clipped. See `views.narrow`.

        >>> arange(6).narrow(axis=0, start=2, length=3).tolist()
        [2, 3, 4]
        """
        return self._view(views.narrow(self._layout, axis, start, length))

    def step(self, axis, step) -> "Tensor":
        """View every `step`-th index of one axis; a negative step walks back from the last. See `views.step`.

        >>> arange(6).step(axis=0, step=-2).tolist()
        [5, 3, 1]
        """
        return self._view(views.step(self._layout, axis, step))

    def flip(self, axis=None) -> "Tensor":
        """View one axis, several, or all of them backwards. See `views.flip`.

        >>> arange(4).flip().tolist()
        [3, 2, 1, 0]
        """
        return self._view(views.flip(self._layout, axis))

    def reshape(self, shape) -> "Tensor":
        """View the same elements in the same order under another shape, or refuse; never copy. See `views.reshape`.

        >>> arange(6).reshape((2, -1)).tolist()
        [[0, 1, 2], [3, 4, 5]]
        """
        return self._view(views.reshape(self._layout, shape))

    def permute(self, axes) -> "Tensor":
        """View the axes in another order: axis k of the result is axis `axes[k]`. See `views.permute`.

        >>> arange(8).reshape((2, 2, 2)).permute((2, 1, 0)).contiguous().reshape(8).tolist()
        [0, 4, 2, 6, 1, 5, 3, 7]
        """
        return self._view(views.permute(self._layout, axes))

    def transpose(self, axis0=-2, axis1=-1) -> "Tensor":
        """View two axes exchanged; the last two unless told otherwise. See `views.transpose`.

        >>> arange(6).reshape((2, 3)).transpose().tolist()
        [[0, 3], [1, 4], [2, 5]]
        """
        return self._view(views.transpose(self._layout, axis0, axis1))

    def diagonal(self, axis0=-2, axis1=-1) -> "Tensor":
        """View the elements whose indices on two axes are equal. See `views.diagonal`.

        >>> arange(9).reshape((3, 3)).diagonal().tolist()
        [0, 4, 8]
        """
        return self._view(views.diagonal(self._layout, axis0, axis1))

    def windows(self, axis, size, step=1) -> "Tensor":
        """View every run of `size` indices along an axis; the runs may overlap. See `views.windows`.

        >>> arange(5).windows(axis=0, size=3).tolist()
        [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
        """
        return self._view(views.windows(self._layout, axis, size, step))

    def squeeze(self, axis=None) -> "Tensor":
        """View without axes of length 1: all of them, or those named. See `views.squeeze`.

        >>> zeros((1, 3, 1)).squeeze().shape
        (3,)
        """
        return self._view(views.squeeze(self._layout, axis))

    def unsqueeze(self, axis) -> "Tensor":
        """View with one more axis of length 1. See `views.unsqueeze`.

        >>> zeros(3).unsqueeze(axis=0).shape
        (1, 3)
        """
        return self._view(views.unsqueeze(self._layout, axis))

    def broadcast_to(self, shape) -> "Tensor":
        """View with axes of length 1, and new leading axes, repeated by a stride of 0. See `views.broadcast_to`.

        >>> arange(3).broadcast_to((2, 3)).strides
        (0, 1)
        """
        return self._view(views.broadcast_to(self._layout, shape))

    def __getitem__(self, key) -> "Tensor":
        """View what integers, slices, None and ... pick. See `views.index`.

        >>> arange(6).reshape((2, 3))[1, ::-1].tolist()
        [5, 4, 3]
        """
        return self._view(views.index(self._layout, key))

    def __setitem__(self, key, value):
        """Write a number, a nested list, an array or a tensor; its shape must broadcast to what `key` picks.

        A value that shares memory with the target is read first, then written.

        >>> x = zeros(4)
        >>> x.reshape((2, 2)).transpose()[...] = [[1, 2], [3, 4]]
        >>> x.tolist()
        [1.0, 3.0, 2.0, 4.0]
        """
        self._check_writable("write")
        target = self._view(views.index(self._layout, key))
        words = _words_to_write("write", value, self._dtype)
        if words.shape != ():
            _check_broadcasts("write", words.shape, target.shape)
        assign_words(target._words(), words)

    def fill(self, value):
        """Write one number to every element.

        Parameters
        ----------
        value : number, or a tensor or array of rank 0

        Raises
        ------
        ReadOnlyError
            If the memory is read-only, or two indices share a position.

        Examples
        --------
        >>> x = zeros((2, 2))
        >>> x[:, 0].fill(7)
        >>> x.tolist()
        [[7.0, 0.0], [7.0, 0.0]]
        """
        self._fill("fill", value)

    def _fill(self, operation, value, fix="x = x.copy()"):
        self._check_writable(operation, fix)
        words = _words_to_write(operation, value, self._dtype)
        if words.shape != ():
            raise ShapeError(
                operation,
                f"a value of shape {words.shape} is not one number",
                expected="shape ()",
                got=str(words.shape),
            )
        assign_words(self._words(), words)

    def __len__(self):
        """Count the indices of axis 0.

        >>> len(zeros((2, 3)))
        2
        """
        self._check_has_axes("len")
        return self.shape[0]

    def __iter__(self):
        """Walk along axis 0: each step is a view.

        >>> [row.tolist() for row in arange(4).reshape((2, 2))]
        [[0, 1], [2, 3]]
        """
        self._check_has_axes("iter")
        return (self[i] for i in range(self.shape[0]))

    def _check_has_axes(self, operation):
        if self.ndim == 0:
            raise ArgumentError(
                operation,
                "a tensor of rank 0 has no axis to walk along",
                expected="rank 1 or more",
                got="shape ()",
                fix="x.item()",
            )

    def item(self):
        """Give the only element as a Python number.

        Returns
        -------
        bool, int or float

        Raises
        ------
        ShapeError
            If there is not exactly one element.

        Examples
        --------
        >>> arange(6)[4].item()
        4
        """
        return self._only("item")

    def _only(self, operation, fix=None):
        if self.size != 1:
            raise ShapeError(
                operation,
                f"{self.size} elements are not one number",
                expected="a tensor of 1 element",
                got=f"shape {self.shape}",
                fix=fix,
            )
        return to_values(self._words(), self._dtype).item()

    def __float__(self):
        return float(self._only("float"))

    def __int__(self):
        return int(self._only("int"))

    def __bool__(self):
        return bool(self._only("bool", fix="bool(x.numpy().all())" if self._dtype is not bfloat16 else None))

    def __index__(self):
        if self.ndim or self._dtype.kind not in ("int", "uint"):
            raise ArgumentError(
                "index",
                "only an integer tensor of rank 0 counts as a number",
                expected="an integer dtype and shape ()",
                got=f"{self._dtype}, shape {self.shape}",
            )
        return self._only("index")

    def tolist(self):
        """Give the elements as nested Python lists; for rank 0, as one Python number.

        Returns
        -------
        list, bool, int or float

        Examples
        --------
        >>> arange(4).reshape((2, 2)).transpose().tolist()
        [[0, 2], [1, 3]]
        """
        return to_values(self._words(), self._dtype).tolist()

    def _words(self):
        """The stored words in this layout: a NumPy view of the buffer, as writable as the buffer."""
        offset = self.byte_offset if self.size else 0
        try:
            return np.ndarray(self.shape, self._dtype.storage, self._buffer, offset, self.byte_strides)
        except ValueError:  # the layout was checked against the buffer, so only NumPy's own limits are left
            raise ShapeError(
                "words",
                "the layout is beyond what NumPy can hold",
                expected="lengths, byte strides and a byte count below 2**63",
                got=f"shape {self.shape}, strides {self.strides}",
                why="the tensor is a layout over memory, and only reading its elements needs a NumPy array",
            ) from None

    def words(self) -> np.ndarray:
        """Give the stored words in this layout as a NumPy array, without a copy.

        Returns
        -------
        array of this shape
            A view of the buffer: uint16 for bfloat16, the same as `numpy` for every other dtype. Read-only where the
            memory is, and where two indices share a position.

        Examples
        --------
        >>> [hex(word) for word in tensor([1.0, -3.140625], dtype="bfloat16").words()]
        ['0x3f80', '0xc049']
        """
        words = self._words()
        if self._self_overlap().possible:
            words.flags.writeable = False
        return words

    def numpy(self) -> np.ndarray:
        """Give this tensor as a NumPy array over the same memory, without a copy.

        Returns
        -------
        array of this shape and these `byte_strides`
            A view of the buffer. Read-only where the memory is, and where two indices share a position.

        Raises
        ------
        DTypeError
            For bfloat16, which NumPy does not have.

        Examples
        --------
        >>> x = zeros((2, 3))
        >>> x.transpose().numpy()[2, 1] = 5
        >>> x.tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.0, 5.0]]
        """
        if self._dtype.numpy is None:
            raise DTypeError(
                "numpy",
                f"NumPy has no {self._dtype}",
                expected="a dtype that NumPy has",
                got=self._dtype.name,
                why="words() shares its stored words; x.astype(tl.float32).numpy() is a copy of its numbers",
                fix="x.words()",
            )
        return self.words()

    def __array__(self, dtype=None, copy=None):
        if dtype is None or self._dtype.numpy is not None:
            array = self.numpy()
            return np.array(array, dtype=dtype, copy=copy, subok=False) if copy or dtype is not None else array
        if copy is False:
            raise DTypeError("numpy", f"{self._dtype} becomes {np.dtype(dtype)} only in a copy", got="copy=False")
        return to_values(self._words(), self._dtype).astype(dtype, copy=False)

    def contiguous(self) -> "Tensor":
        """Give the elements one after another, the last axis fastest: this tensor if they are, else a copy.

        Returns
        -------
        Tensor
            `self`, or a new one that owns its buffer.

        Examples
        --------
        >>> x = arange(6).reshape((2, 3))
        >>> x.contiguous() is x, x.transpose().contiguous().strides
        (True, (2, 1))
        """
        return self if self.is_contiguous else self.copy()

    def copy(self) -> "Tensor":
        """Copy the elements, one after another, the last axis fastest, into a new buffer.

        Returns
        -------
        Tensor
            A new one that owns its buffer.

        Examples
        --------
        >>> x = zeros(2)
        >>> x.copy()[...] = 1
        >>> x.tolist()
        [0.0, 0.0]
        """
        return _own(self._words(), self._dtype)

    def astype(self, dtype) -> "Tensor":
        """Copy the elements into another dtype.

        Floats become integers by dropping the fraction; anything but zero becomes True; True becomes 1.

        Parameters
        ----------
        dtype : DType, or any name `as_dtype` takes

        Returns
        -------
        Tensor
            A new one that owns its buffer, also when the dtype stays.

        Raises
        ------
        DTypeError
            If an integer does not fit, or a NaN or infinity shall become one.

        Examples
        --------
        >>> tensor([2.75, -2.75]).astype("int8").tolist()
        [2, -2]
        """
        dtype = as_dtype(dtype, operation="astype")
        if dtype == self._dtype:
            return self.copy()
        return _own(cast(to_values(self._words(), self._dtype), dtype, operation="astype"), dtype)

    def matrix(self):
        """View this tensor as a `Matrix` over the same memory.

        Returns
        -------
        Matrix

        Raises
        ------
        ShapeError
            If the rank is not 2.
        LayoutError
            If the rows do not lie one after another.

        Examples
        --------
        >>> zeros((2, 3)).matrix().row(1).offset
        3
        """
        from tensorlab.matrix import Matrix

        if self.ndim != 2:
            raise ShapeError("matrix", f"a matrix has 2 axes, not {self.ndim}", expected="rank 2", got=str(self.shape))
        if not self.is_contiguous:
            raise LayoutError(
                "matrix",
                "the rows do not lie one after another",
                expected=f"strides {Layout.row_major(self.shape).strides}",
                got=f"strides {self.strides}, offset {self.offset}",
                why="a Matrix is always row-major; this layout needs a copy",
                fix="x.contiguous().matrix()",
            )
        return Matrix._over(self._view(Layout.row_major(self.shape, self.offset)))

    def shares_buffer(self, other) -> bool:
        """Tell whether two tensors live in memory of the same owner; cheap, and says nothing about positions.

        Parameters
        ----------
        other : Tensor or Matrix

        Returns
        -------
        bool

        Examples
        --------
        >>> x = arange(6)
        >>> x[:2].shares_buffer(x[4:]), x.shares_buffer(x.copy())
        (True, False)
        """
        other = _checked_tensor("shares_buffer", other)
        return self._buffer is other._buffer or _owner(self._buffer) is _owner(other._buffer)

    def overlaps(self, other, *, max_work=MAX_WORK) -> Overlap:
        """Tell whether an element of one tensor and one of another share memory, with an example.

        Parameters
        ----------
        other : Tensor or Matrix
            Any one of them. Addresses are compared, so it does not matter how each came to its memory.
        max_work : int or None
            How many choices the search may try before it answers "undecided".

        Returns
        -------
        Overlap
            `first` is an index of this tensor, `second` one of the other, `position` the slot of this buffer. Where
            the two count in different units the answer is in bytes: `position` counts the bytes of this buffer, and
            each index ends with the byte inside its element.

        Examples
        --------
        >>> x = arange(6)
        >>> x[::2].overlaps(x[1::2]).verdict
        'no'
        >>> answer = x[::2].overlaps(x[3:])
        >>> answer.verdict, answer.position, answer.first, answer.second
        ('yes', 4, (2,), (1,))
        """
        other = _checked_tensor("overlaps", other)
        away = _address(other._buffer) - _address(self._buffer)
        mine, yours, unit = self._layout, other._layout, self.itemsize
        if other.itemsize != unit or away % unit:
            mine, yours, unit = mine.in_bytes(unit), yours.in_bytes(other.itemsize), 1
        yours = Layout(yours.shape, yours.strides, yours.offset + away // unit)
        return mine.overlaps(yours, max_work=max_work)

    def _self_overlap(self):
        if self._overlap is None:
            self._overlap = self._layout.self_overlap()
        return self._overlap

    def _check_writable(self, operation, fix="x = x.copy()"):
        if not self._buffer.flags.writeable:
            raise ReadOnlyError(operation, "the memory is read-only", why="its owner made it so", fix=fix)
        overlap = self._self_overlap()
        if overlap.verdict == "yes":
            raise ReadOnlyError(
                operation,
                f"the elements {list(overlap.first)} and {list(overlap.second)} share slot {overlap.position}",
                expected="a layout in which every index has a slot of its own",
                got=f"shape {self.shape}, strides {self.strides}",
                why="a write to one of them would change the other",
                fix=fix,
            )
        if overlap.possible:
            raise ReadOnlyError(
                operation,
                f"undecided after {overlap.work} tries whether two elements share a slot",
                expected="a layout in which every index has a slot of its own",
                got=f"shape {self.shape}, strides {self.strides}",
                why="the exact question can take very long; undecided counts as shared",
                fix=fix,
            )

    def __add__(self, other):
        return _operator("add", self, other)

    def __radd__(self, other):
        return _operator("add", other, self)

    def __iadd__(self, other):
        return _operator("add", self, other, out=self)

    def __sub__(self, other):
        return _operator("subtract", self, other)

    def __rsub__(self, other):
        return _operator("subtract", other, self)

    def __isub__(self, other):
        return _operator("subtract", self, other, out=self)

    def __mul__(self, other):
        return _operator("multiply", self, other)

    def __rmul__(self, other):
        return _operator("multiply", other, self)

    def __imul__(self, other):
        return _operator("multiply", self, other, out=self)

    def __eq__(self, other):
        return self._compare(np.equal, other)

    def __ne__(self, other):
        return self._compare(np.not_equal, other)

    def _compare(self, ufunc, other):
        """Compare element by element in the dtype where both meet; the shapes broadcast."""
        operation = "==" if ufunc is np.equal else "!="
        other = _as_tensor(other)
        if isinstance(other, (Tensor, np.ndarray, np.generic)):
            words, dtype = _held(operation, other)
        elif isinstance(other, (bool, int, float, list, tuple)):
            words, dtype = _from_nested(operation, other, self._dtype)
        else:
            return NotImplemented
        promote(self._dtype, dtype, operation=operation)
        mine, values = to_values(self._words(), self._dtype), to_values(words, dtype)
        try:
            views.broadcast_shapes(self.shape, values.shape)
        except ShapeError as error:
            raise ShapeError(
                operation,
                f"the shapes {self.shape} and {values.shape} do not broadcast",
                expected=error.expected,
                got=error.got,
                why=error.why,
            ) from None
        return _own(np.asarray(ufunc(mine, values)), bool_)

    def __repr__(self):
        layout = self._layout
        facts = f"Tensor {layout.shape} {self._dtype} | strides {layout.strides} | offset {layout.offset}"
        return f"{facts} | {memory_text(self)}\n{values_text(self)}"


def tensor(data, dtype=None) -> Tensor:
    """Copy numbers into a new tensor, the last axis fastest.

    Parameters
    ----------
    data : number, nested list or tuple, array, Tensor, or nested lists of these
        The elements. Lists of one depth must have equal lengths.
    dtype : DType, or any name `as_dtype` takes, optional
        Left out, arrays and tensors keep theirs, and Python's numbers give bool, int64 or float32. An integer may
        become a float, a float rounds to the nearest; every other change of kind is for `Tensor.astype`.

    Returns
    -------
    Tensor
        A new one that owns its buffer.

    Raises
    ------
    ShapeError
        If the lists are ragged.
    DTypeError
        If a number does not fit, or its kind would change.
    ArgumentError
        If something in `data` is no number.

    Examples
    --------
    >>> tensor([[1, 2, 3], [4, 5, 6]])
    Tensor (2, 3) int64 | strides (3, 1) | offset 0 | owns its buffer of 6 slots
    [[1 2 3]
     [4 5 6]]
    >>> tensor([[1, 2, 3], [4, 5]])
    Traceback (most recent call last):
    tensorlab.errors.ShapeError: tensor: the lists are ragged: data[1] has shape (2,), data[0] has shape (3,)
      expected: lists of equal length at each depth
      got:      (3,) and (2,)
    """
    dtype = None if dtype is None else as_dtype(dtype, operation="tensor")
    data = _as_tensor(data)
    if not isinstance(data, (Tensor, np.ndarray, np.generic)):
        return _own(*_from_nested("tensor", data, dtype, adapt=_rounded))
    dtype = dtype or _held("tensor", data)[1]
    return _own(_rounded("tensor", data, dtype), dtype)


def zeros(shape, dtype=float32) -> Tensor:
    """Make a tensor of zeros.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : DType, or any name `as_dtype` takes

    Returns
    -------
    Tensor
        A new one that owns its buffer.

    Examples
    --------
    >>> zeros((2, 2))
    Tensor (2, 2) float32 | strides (2, 1) | offset 0 | owns its buffer of 4 slots
    [[0. 0.]
     [0. 0.]]
    """
    layout = Layout.row_major(as_shape("zeros", shape))
    dtype = as_dtype(dtype, operation="zeros")
    _check_memory("zeros", layout.size, dtype)
    return Tensor(np.zeros(layout.size, dtype=dtype.storage), layout, dtype)


def arange(start, stop=None, step=1, dtype=int64) -> Tensor:
    """Count: start, start + step, ... up to but without stop. `arange(stop)` starts from 0.

    Parameters
    ----------
    start, stop, step : int
        Whole numbers, as for Python's `range`.
    dtype : DType, or any name `as_dtype` takes
        Any integer or float type.

    Returns
    -------
    (n,) Tensor
        A new one that owns its buffer.

    Raises
    ------
    ArgumentError
        If a number is not whole, or the step is 0.
    DTypeError
        If a number does not fit `dtype`.

    Examples
    --------
    >>> arange(4).tolist(), arange(5, -1, step=-2).tolist(), arange(2, dtype="float32").tolist()
    ([0, 1, 2, 3], [5, 3, 1], [0.0, 1.0])
    """
    if stop is None:
        start, stop = 0, start
    names = ("start", "stop", "step")
    start, stop, step = (as_integer("arange", *pair) for pair in zip(names, (start, stop, step), strict=True))
    if step == 0:
        raise ArgumentError("arange", "a step of 0 never arrives", expected="any other step", got="step 0")
    dtype = as_dtype(dtype, operation="arange")
    _check_memory("arange", -((start - stop) // step), dtype)
    numbers = range(start, stop, step)
    if len(numbers) and max(abs(numbers[0]), abs(numbers[-1])) < 2**62:
        words = np.arange(len(numbers)) * (step if len(numbers) > 1 else 1) + start
        words = from_values(words, dtype, operation="arange")
    else:
        words, _ = from_python(list(numbers), dtype, operation="arange")
    return _own(words, dtype)


def from_numpy(array, dtype=None) -> Tensor:
    """View the memory of a NumPy array as a tensor, without a copy, whatever its strides.

    Parameters
    ----------
    array : NumPy array
        Its strides may be negative, zero, stepped or transposed. A read-only array gives a read-only tensor.
    dtype : DType, or any name `as_dtype` takes, optional
        What the words mean, if NumPy does not know: uint16 words may be read as bfloat16.

    Returns
    -------
    Tensor
        Its `buffer` is the outermost array of the same type that has no gaps and that `array` is a view of; where
        there is none, the run of memory that `array` reaches. The owner of the memory is kept alive.

    Raises
    ------
    DTypeError
        If the course has no such dtype, the bytes are in the other order, or `dtype` would need a conversion.
    LayoutError
        If a stride is not a whole number of elements, or the memory is not aligned.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.arange(12).reshape(3, 4)
    >>> from_numpy(a[::-1, 1:3])
    Tensor (3, 2) int64 | strides (-4, 1) | offset 9 | memory of a NumPy array, 12 slots
    [[ 9 10]
     [ 5  6]
     [ 1  2]]
    >>> from_numpy(np.array([0x4198], dtype=np.uint16), dtype="bfloat16").tolist()
    [19.0]
    """
    if not isinstance(array, np.ndarray):
        raise ArgumentError(
            "from_numpy",
            f"{type(array).__name__} has no memory to share",
            expected="a NumPy array",
            got=f"an object of type {type(array).__name__}",
            fix="tl.tensor(data)",
        )
    words, dtype = _foreign("from_numpy", array, dtype)
    strides = []
    for axis, (length, stride) in enumerate(zip(words.shape, words.strides, strict=True)):
        if length > 1 and words.size and stride % dtype.itemsize:
            raise LayoutError(
                "from_numpy",
                f"byte stride {stride} of axis {axis} is not a whole number of {dtype.itemsize}-byte elements",
                expected=f"multiples of {dtype.itemsize}",
                got=f"byte strides {words.strides}",
                why="a layout counts in elements",
                fix="tl.tensor(array)",
            )
        strides.append(stride // dtype.itemsize)
    if not words.flags.aligned:
        raise LayoutError(
            "from_numpy",
            f"the elements do not start at addresses that are multiples of {dtype.storage.alignment}",
            expected="aligned memory",
            got=f"the first element at {_address(words) % dtype.storage.alignment} beyond one",
            fix="tl.tensor(array)",
        )
    buffer = _buffer_under(words, array)
    offset = (_address(words) - _address(buffer)) // dtype.itemsize
    return Tensor(buffer, Layout(words.shape, strides, offset), dtype)


def assign_words(memory, words):
    """Write words as if all of them were read before the first is written, also where they overlap the memory.

    Parameters
    ----------
    memory : array
        Writable, no two indices on one slot.
    words : array of the same type
        Its shape broadcasts to that of `memory`.

    Notes
    -----
    NumPy's own assignment leaves 6 in a[2] of the example. It copies words that overlap, but not between two arrays
    of rank 1 that step in one direction: there it walks from the safe end, and neither end is safe where the steps
    differ.

    Examples
    --------
    >>> a = np.arange(7)
    >>> assign_words(a[1:4], a[::3])
    >>> a
    array([0, 0, 3, 6, 4, 5, 6])
    """
    if np.may_share_memory(memory, words, max_work=1):
        if (_address(memory), memory.shape, memory.strides) == (_address(words), words.shape, words.strides):
            return
        words = words.copy()
    memory[...] = words


def memory_text(x) -> str:
    """Say in a few words whose memory a tensor lives in.

    Parameters
    ----------
    x : Tensor

    Returns
    -------
    str

    Examples
    --------
    >>> memory_text(zeros(3)), memory_text(zeros(3)[1:])
    ('owns its buffer of 3 slots', 'view of a buffer of 3 slots')
    """
    slots = f"{x.buffer.size} slot" + ("s" if x.buffer.size != 1 else "")
    owner = _owner(x.buffer)
    if owner is x.buffer:
        return f"view of a buffer of {slots}" if x._is_view else f"owns its buffer of {slots}"
    kind = "NumPy array" if isinstance(owner, np.ndarray) else f"{type(owner).__name__} object"
    return f"{'view into ' if x._is_view else ''}memory of a {kind}, {slots}"


def values_text(x) -> str:
    """Draw the elements of a tensor in aligned columns; long axes are shown by their ends.

    Parameters
    ----------
    x : Tensor

    Returns
    -------
    str

    Examples
    --------
    >>> print(values_text(arange(1000).reshape((2, 500))))
    [[  0   1   2 ... 497 498 499]
     [500 501 502 ... 997 998 999]]
    """
    try:
        words, threshold = x._words(), SHOWN_WHOLE
    except ShapeError:
        return "(a layout beyond what NumPy can hold)"
    if words.size > SHOWN_WHOLE:
        threshold = 0
        for axis, length in enumerate(words.shape):
            if length > 2 * SHOWN_EDGE + 1:  # NumPy puts the dots where the one in the middle was
                ends = [*range(SHOWN_EDGE + 1), *range(length - SHOWN_EDGE, length)]
                words = words.take(ends, axis=axis)
        if words.size > 8 * SHOWN_WHOLE:
            return f"({x.size} elements in {x.ndim} axes: too many to draw)"
    with np.printoptions(nanstr="nan", infstr="inf", legacy=False):
        return np.array2string(
            to_values(words, x.dtype),
            max_line_width=88,
            precision=8,
            suppress_small=False,
            threshold=threshold,
            edgeitems=SHOWN_EDGE,
            floatmode="maxprec",
            sign="-",
        )


def _checked_buffer(buffer, dtype):
    """Check that a buffer is flat memory of the words of a dtype; give the dtype."""
    if not isinstance(buffer, np.ndarray):
        raise ArgumentError(
            "Tensor",
            "the buffer is flat memory, not a list of numbers",
            expected="a NumPy array of rank 1",
            got=f"a {type(buffer).__name__}",
            fix="tl.tensor(data)",
        )
    _refuse_mask("Tensor", buffer)
    dtype = as_dtype(buffer.dtype if dtype is None else dtype, operation="Tensor")
    if buffer.dtype != dtype.storage:
        raise DTypeError(
            "Tensor", f"{dtype} words are {dtype.storage}", expected=str(dtype.storage), got=str(buffer.dtype)
        )
    if buffer.ndim != 1 or not buffer.flags.c_contiguous or not buffer.flags.aligned:
        raise LayoutError(
            "Tensor",
            "the buffer is not one flat run of aligned memory",
            expected=f"rank 1, byte stride {dtype.itemsize}",
            got=f"rank {buffer.ndim}, byte strides {buffer.strides}",
            fix="tl.from_numpy(buffer)",
        )
    return dtype


def _checked_layout(layout, slots):
    """Check that every index of a layout lands in a buffer of so many slots."""
    if not isinstance(layout, Layout):
        raise ArgumentError(
            "Tensor", "a layout is missing", expected="a Layout", got=f"{layout!r}", fix="tl.Layout.row_major(shape)"
        )
    _check_rank(layout)
    outside = layout.first_outside(slots)
    if outside is not None:
        index, position = outside
        raise BoundsError(
            "Tensor",
            f"index {index} would land on slot {position} of a buffer of {slots}",
            expected=f"0 <= position < {slots}" if slots else "no index at all: the buffer is empty",
            got=f"shape {layout.shape}, strides {layout.strides}, offset {layout.offset}",
        )
    return layout


def _check_rank(layout):
    if layout.ndim > MAX_AXES:
        raise ShapeError(
            "Tensor",
            f"{layout.ndim} axes are too many",
            expected=f"{MAX_AXES} at most, as in NumPy",
            got=f"rank {layout.ndim}",
        )


def _check_memory(operation, count, dtype):
    """Refuse what no memory can hold; what only this machine's cannot is Python's MemoryError."""
    if count * dtype.itemsize >= 2**63:
        raise ShapeError(
            operation,
            f"{count} elements are more than any memory holds",
            expected=f"at most {(2**63 - 1) // dtype.itemsize} of {dtype}",
            got=str(count),
        )


def _as_tensor(x):
    """Take a Matrix, or whatever else has a `tensor` method, as the Tensor over its memory; leave the rest as it is."""
    return x.tensor() if hasattr(type(x), "tensor") else x


def _operator(name, a, b, out=None):
    """Apply the kernel that an operator stands for; leave what is no operand at all to the other object."""
    from tensorlab.kernels import elementwise

    for x in (a, b):
        if not isinstance(_as_tensor(x), (Tensor, np.ndarray, np.generic, bool, int, float, list, tuple)):
            return NotImplemented
    return getattr(elementwise, name)(a, b, out=out)


def _checked_tensor(operation, other):
    other = _as_tensor(other)
    if not isinstance(other, Tensor):
        raise ArgumentError(
            operation,
            "only a tensor can be compared",
            expected="a Tensor or Matrix",
            got=f"an object of type {type(other).__name__}",
        )
    return other


def _check_broadcasts(operation, shape, target):
    try:
        views.broadcast_to(Layout.row_major(shape), target)
    except ShapeError as error:
        raise ShapeError(
            operation,
            f"a value of shape {shape} does not fit the target of shape {target}",
            expected=f"a shape that broadcasts to {target}",
            got=str(shape),
            why=error.why,
        ) from None


def _own(words, dtype):
    """Copy words, in logical order, into a new tensor that owns them."""
    buffer = np.empty(words.size, dtype=dtype.storage)
    buffer.reshape(words.shape)[...] = words
    return Tensor._fresh(buffer, Layout.row_major(words.shape), dtype)


def _refuse_mask(operation, array):
    if isinstance(array, np.ma.MaskedArray):
        raise ArgumentError(
            operation,
            "a masked array says which elements do not count; a tensor cannot",
            expected="a plain NumPy array",
            got=f"a {type(array).__name__}",
            fix="array.filled(0)",
        )


def _foreign(operation, array, dtype=None):
    """Take a NumPy array or scalar as words and the dtype they mean, without a copy."""
    _refuse_mask(operation, array)
    words = np.asarray(array)
    if dtype is None:
        dtype = as_dtype(words.dtype, operation=operation)
    dtype = as_dtype(dtype, operation=operation)
    if words.dtype == dtype.storage:
        return words, dtype
    if as_dtype(words.dtype, operation=operation) != dtype:
        raise DTypeError(
            operation,
            f"{words.dtype} memory does not hold {dtype} words",
            expected=str(dtype.storage),
            got=str(words.dtype),
            why="nothing is converted without a copy",
            fix=f"tl.tensor(array).astype(tl.{'bool_' if dtype == bool_ else dtype})",
        )
    return words.view(dtype.storage), dtype


def _held(operation, x):
    """The words of a Tensor, a NumPy array or a NumPy scalar, and their dtype, without a copy."""
    return (x._words(), x._dtype) if isinstance(x, Tensor) else _foreign(operation, x)


def _adapted(operation, x, dtype):
    """Take a tensor or array as words of a dtype of the same kind."""
    source = _held(operation, x)[1]
    if {source.kind, dtype.kind} != {"int", "uint"} and source.kind != dtype.kind:
        room, name = ("tl", dtype.name) if isinstance(x, Tensor) else ("np", (dtype.numpy or np.dtype("f4")).name)
        raise DTypeError(
            operation,
            f"{source} values do not become {dtype} by themselves",
            expected=f"{'integer' if 'int' in dtype.kind else dtype.kind} values",
            got=str(source),
            why="a change of kind can lose digits, so one cast says that it is meant",
            fix=f"value.astype({room}.{'bool_' if name == 'bool' else name})",
        )
    return _rounded(operation, x, dtype)


def _rounded(operation, x, dtype):
    """Take a tensor or array as words of a dtype; an integer may become a float."""
    words, source = _held(operation, x)
    return words if source is dtype else from_values(to_values(words, source), dtype, operation=operation)


def _words_to_write(operation, value, dtype):
    """Take what a reader wants to write as words of the target's dtype; kinds must agree, Python's numbers adapt."""
    value = _as_tensor(value)
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        return _adapted(operation, value, dtype)
    return _from_nested(operation, value, dtype)[0]


def _from_nested(operation, data, dtype, adapt=_adapted):
    """Turn nested lists of numbers and arrays into words and their dtype: the one given, or where all of them meet."""
    shape, parts = _flat(operation, data, "data")
    arrays = [part for part in parts if isinstance(part, (Tensor, np.ndarray, np.generic))]
    if not arrays:
        words, dtype = from_python(parts, dtype, operation=operation)
        return words.reshape(shape), dtype
    if dtype is None:
        dtype = reduce(partial(promote, operation=operation), (_held(operation, array)[1] for array in arrays))
    words, filled = np.empty(prod(shape), dtype=dtype.storage), 0
    for part in parts:
        if type(part) in (bool, int, float):
            new = from_python([part], dtype, operation=operation)[0]
        else:
            new = adapt(operation, part, dtype)
        words[filled : filled + new.size].reshape(new.shape)[...] = new
        filled += new.size
    return words.reshape(shape), dtype


def _flat(operation, data, name):
    """The shape of nested lists, and their numbers and arrays in logical order."""
    data = _as_tensor(data)
    if isinstance(data, (Tensor, np.ndarray, np.generic)):
        return data.shape, [data]
    for kind in (bool, int, float):
        if isinstance(data, kind):
            return (), [kind(data)]
    if hasattr(data, "__array__"):
        return _flat(operation, np.asarray(data), name)
    if not isinstance(data, (list, tuple, range)):
        raise ArgumentError(
            operation,
            f"{name} is no number",
            expected="numbers, arrays, or nested lists of them",
            got=f"{data!r}, a {type(data).__name__}",
        )
    if set(map(type, data)) <= {bool, int, float}:
        return (len(data),), list(data)
    if name.count("[") >= MAX_AXES:
        raise ShapeError(
            operation,
            f"the lists are nested more than {MAX_AXES} deep",
            expected=f"{MAX_AXES} axes at most, as in NumPy",
            got="a list that holds itself, perhaps",
        )
    first, parts = (), []
    for i, item in enumerate(data):
        shape, numbers = _flat(operation, item, f"{name}[{i}]")
        if i == 0:
            first = shape
        if shape != first:
            raise ShapeError(
                operation,
                f"the lists are ragged: {name}[{i}] has shape {shape}, {name}[0] has shape {first}",
                expected="lists of equal length at each depth",
                got=f"{first} and {shape}",
            )
        parts += numbers
    return (len(data), *first), parts


def _address(array):
    return array.__array_interface__["data"][0]


def _chain(array):
    """An array, what it is a view of, and so on to the owner of the memory; holders in between included."""
    while array is not None:
        yield array
        array = array.obj if isinstance(array, memoryview) else getattr(array, "base", None)


def _owner(array):
    *_, owner = _chain(array)
    return owner


def _buffer_under(words, array):
    """The flat buffer of `from_numpy`: see there. `words` is `array`, as its storage type."""
    reached = _reach(words)
    buffer = None
    for holder in _chain(array):
        flat = _gapless(holder, (array.dtype, words.dtype))
        if flat is not None and (flat.flags.writeable or not words.flags.writeable):
            flat = flat.view(words.dtype)
            begin = _address(flat)
            if begin <= reached[0] and reached[1] <= begin + flat.nbytes and (reached[0] - begin) % words.itemsize == 0:
                buffer = flat
    if buffer is None:
        lowest = words[tuple(slice(None, None, -1 if stride < 0 else None) for stride in words.strides)]
        slots = (reached[1] - reached[0]) // words.itemsize
        buffer = np.lib.stride_tricks.as_strided(lowest, (slots,), (words.itemsize,))
    if not words.flags.writeable:
        buffer.flags.writeable = False
    return buffer


def _reach(words):
    """The half-open range of addresses that an array touches."""
    low, high = Layout(words.shape, words.strides).span
    begin = _address(words)
    return begin + low, begin + high - 1 + (words.itemsize if words.size else 1)


def _gapless(holder, dtypes):
    """An array without gaps as a new flat view, whatever the order of its axes; None for anything else."""
    if not isinstance(holder, np.ndarray) or holder.dtype not in dtypes or not holder.flags.aligned:
        return None
    order = sorted(range(holder.ndim), key=lambda axis: -abs(holder.strides[axis]))
    packed = holder.transpose(order).view(np.ndarray)
    return packed.reshape(-1) if packed.flags.c_contiguous else None
