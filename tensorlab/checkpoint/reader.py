"""Reading a checkpoint: open, seek, read exactly the bytes that are needed, close."""

import operator
import os
import sys
from math import prod
from pathlib import Path

import numpy as np

from tensorlab.checkpoint.access import file_name, fill, open_file, read_header
from tensorlab.checkpoint.header import Entry, byte_count, fault, parse_header, shown
from tensorlab.dtypes import bfloat16, bool_, float16, float32, widen_bf16
from tensorlab.errors import (
    ArgumentError,
    BoundsError,
    CheckpointError,
    CheckpointNameError,
    DTypeError,
    ShapeError,
)
from tensorlab.tensor import Tensor

KNOWN_FILES = 16
KNOWN_BYTES = 1 << 16  # a longer header is parsed each time

_KNOWN = {}  # path -> (header, data size, entries, metadata) of the files opened last


def open_checkpoint(path):
    """Read and check a checkpoint's header; the data stays in the file.

    data_start = 8 + N, exactly

    Parameters
    ----------
    path : str or path-like
        A safetensors file.

    Returns
    -------
    Checkpoint
        It keeps no file open: each read opens, reads and closes.

    Raises
    ------
    CheckpointError
        If there is no such file, or anything in its header is not what the format demands. The message names the
        file, the tensor, what was expected and what was found.

    Notes
    -----
    Reads 8 + N bytes. Nothing a file says can make this read or allocate beyond its end, or beyond a header of 100 MB.

    Source: the format section of the safetensors README.

    Examples
    --------
    >>> from tensorlab.checkpoint import save_checkpoint
    >>> save_checkpoint("small.safetensors", {"weight": np.arange(6, dtype=np.float32).reshape(2, 3)})
    >>> checkpoint = open_checkpoint("small.safetensors")
    >>> checkpoint
    Checkpoint small.safetensors: 1 tensor, 96 bytes, data from byte 72
    >>> checkpoint.file_byte("weight", 1, 2), checkpoint.read_row("weight", 1).tolist()
    (92, [3.0, 4.0, 5.0])
    """
    return Checkpoint(path)


class Checkpoint:
    """A checkpoint file whose header has been read and checked. Made by `open_checkpoint`.

    Attributes
    ----------
    file_size, header_length, data_start : int
        Bytes: of the whole file, of the header (N), and before the data (8 + N).
    entries : dict of str to Entry
        The tensors, in the order of their bytes in the file.
    metadata : dict of str to str
        The texts that the header carries beside the tensors.
    bytes_read : int
        Every byte asked of the file so far, header included.

    Examples
    --------
    >>> checkpoint = open_checkpoint("small.safetensors")
    >>> checkpoint.header_length, checkpoint.data_start, list(checkpoint.entries)
    (64, 72, ['weight'])
    >>> _ = checkpoint.read_row("weight", 0)
    >>> checkpoint.bytes_read == 8 + 64 + 12
    True
    """

    def __init__(self, path):
        self._path = path = path if type(path) is str else _as_path(path)
        descriptor = open_file(path, "open_checkpoint")
        try:
            status = os.fstat(descriptor)
            header = read_header(descriptor, status)
            self.file_size = size = status.st_size
            self.header_length = length = len(header)
            self.data_start = self.bytes_read = 8 + length
            self._changed_at = status.st_mtime_ns
            self.entries, self.metadata = _parse(path, header, size - 8 - length)
        except CheckpointError as error:
            raise _of_file(path, error) from None
        except OSError as error:
            raise _of_file(path, fault(f"the file cannot be read: {error.strerror}")) from error
        finally:
            os.close(descriptor)

    def __repr__(self):
        count = len(self.entries)
        return (
            f"Checkpoint {file_name(self._path)}: {count} tensor{'s' if count != 1 else ''}, "
            f"{byte_count(self.file_size)}, data from byte {self.data_start:,}"
        )

    @property
    def path(self) -> Path:
        """The file, as it was given.

        >>> open_checkpoint("small.safetensors").path.name
        'small.safetensors'
        """
        return Path(self._path)

    def file_byte(self, name, *index) -> int:
        """Find the byte of the file at which an element begins.

        file_byte = data_start + tensor.start + position * itemsize

        Parameters
        ----------
        name : str
            A tensor of this file.
        *index : int
            One index for each axis, 0 <= index < length. For a row's bytes, see `byte_range`.

        Returns
        -------
        int

        Raises
        ------
        CheckpointNameError
            If there is no such tensor.
        ShapeError
            If there are more or fewer indices than axes.
        BoundsError
            If an index does not exist; negative ones never do.
        DTypeError
            If the elements are narrower than a byte.

        Examples
        --------
        >>> open_checkpoint("small.safetensors").file_byte("weight", 1, 2)
        92
        """
        entry = self._entry("file_byte", name)
        if len(index) != len(entry.shape):
            raise ShapeError(
                "file_byte",
                f"tensor {shown(name)} of shape {entry.shape} takes {len(entry.shape)} indices, not {len(index)}",
                expected="one index for each axis",
                got=str(index),
                fix=f"checkpoint.byte_range({name!r}, row)" if len(index) == 1 else None,
            )
        index = tuple(_existing("file_byte", entry, axis, value) for axis, value in enumerate(index))
        if entry.bits % 8:
            raise _not_whole("file_byte", entry, entry.bits, "an element")
        return self.data_start + entry.start + entry.layout.position(index) * entry.bits // 8

    def byte_range(self, name, row=None) -> tuple[int, int]:
        """Find the bytes of the file that hold a tensor, or one row of it.

        Parameters
        ----------
        name : str
            A tensor of this file.
        row : int, optional
            An index of axis 0. Left out, the whole tensor is meant.

        Returns
        -------
        (begin, end) : int
            Half-open, counted from the start of the file.

        Raises
        ------
        CheckpointNameError, BoundsError, ShapeError, DTypeError
            As `file_byte`; a tensor of rank 0 has no rows.

        Examples
        --------
        >>> checkpoint = open_checkpoint("small.safetensors")
        >>> checkpoint.byte_range("weight"), checkpoint.byte_range("weight", row=1)
        ((72, 96), (84, 96))
        """
        begin, length = self._run("byte_range", name, row)
        return begin, begin + length

    def raw_bytes(self, name, row=None) -> bytes:
        """Read the bytes of a tensor, or of one row of it, as they are.

        Parameters
        ----------
        name : str
            A tensor of this file, of any dtype.
        row : int, optional
            An index of axis 0.

        Returns
        -------
        bytes

        Raises
        ------
        CheckpointNameError, BoundsError, ShapeError, DTypeError
            As `byte_range`.
        CheckpointError
            If the file changed since its header was read.

        Examples
        --------
        >>> open_checkpoint("small.safetensors").raw_bytes("weight", row=0).hex(" ", 4)
        '00000000 0000803f 00000040'
        """
        begin, length = self._run("raw_bytes", name, row)
        return self._read_runs("raw_bytes", [begin], length, np.dtype(np.uint8)).tobytes()

    def read(self, name, *, widen=True) -> Tensor:
        """Read a whole tensor.

        Parameters
        ----------
        name : str
            A tensor of this file.
        widen : bool
            Whether bfloat16 and float16 become float32, exactly. False keeps the words of the file.

        Returns
        -------
        Tensor
            A new one that owns its buffer, row-major.

        Raises
        ------
        CheckpointNameError
            If there is no such tensor.
        DTypeError
            If the course cannot convert its dtype; `raw_bytes` still reads it.
        CheckpointError
            If the file changed since its header was read, or a BOOL byte is neither 0 nor 1.

        Examples
        --------
        >>> open_checkpoint("small.safetensors").read("weight").tolist()
        [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
        """
        entry = self._readable("read", name)
        return self._tensor("read", entry, [self.data_start + entry.start], entry.nbytes, entry.layout, widen)

    def read_row(self, name, row, *, widen=True) -> Tensor:
        """Read one row: C * itemsize adjacent bytes, and no others.

        Parameters
        ----------
        name : str
            A tensor of this file, of rank 1 or more.
        row : int
            An index of axis 0, 0 <= row < length.
        widen : bool
            Whether bfloat16 and float16 become float32, exactly.

        Returns
        -------
        (C,) Tensor
            A new one that owns its buffer. Of a tensor of another rank, `shape[1:]`.

        Raises
        ------
        CheckpointNameError, ShapeError, BoundsError, DTypeError, CheckpointError
            As `read` and `byte_range`.

        Examples
        --------
        >>> open_checkpoint("small.safetensors").read_row("weight", 1).tolist()
        [3.0, 4.0, 5.0]
        """
        entry = self._readable("read_row", name)
        begin, length = self._row_run("read_row", entry, row)
        return self._tensor("read_row", entry, [begin], length, entry.row_layout, widen)

    def read_rows(self, name, ids, *, widen=True) -> Tensor:
        """Read some rows, in the order asked for: the gather of an embedding.

        Parameters
        ----------
        name : str
            A tensor of this file, of rank 1 or more.
        ids : (T,) sequence, array or Tensor of int
            Indices of axis 0. One that comes twice is read twice; negative ones are refused.
        widen : bool
            Whether bfloat16 and float16 become float32, exactly.

        Returns
        -------
        (T, C) Tensor
            A new one that owns its buffer. Of a tensor of another rank, `(T, *shape[1:])`.

        Raises
        ------
        CheckpointNameError, ShapeError, BoundsError, DTypeError, CheckpointError
            As `read` and `byte_range`; the message names the id and the size of the table.
        ArgumentError
            If `ids` are not integers in one list.

        Notes
        -----
        Reads T * C * itemsize bytes.

        Examples
        --------
        >>> open_checkpoint("small.safetensors").read_rows("weight", [1, 0, 1]).tolist()
        [[3.0, 4.0, 5.0], [0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
        """
        entry = self._readable("read_rows", name)
        length = _row_bytes("read_rows", entry)
        ids = _as_ids(entry, ids)
        first = self.data_start + entry.start
        begins = [first + id_ * length for id_ in ids]
        layout = Entry(name, entry.dtype_tag, (len(ids), *entry.shape[1:]), 0, len(ids) * length).layout
        return self._tensor("read_rows", entry, begins, length, layout, widen)

    def _entry(self, operation, name):
        try:
            return self.entries[name]
        except (KeyError, TypeError):
            raise self._no_such_tensor(operation, name) from None

    def _no_such_tensor(self, operation, name):
        names = list(self.entries)
        listed = ", ".join(shown(other) for other in names[:5]) + (f" and {len(names) - 5} more" if names[5:] else "")
        return CheckpointNameError(
            operation,
            f"{file_name(self._path)} holds no tensor {shown(name)}",
            expected=listed or "nothing: the file holds no tensor",
            got=shown(name),
        )

    def _readable(self, operation, name):
        entry = self._entry(operation, name)
        if entry.dtype is None:
            raise DTypeError(
                operation,
                f"tensor {shown(name)} is {entry.dtype_tag}, which the course cannot convert",
                expected="a dtype of the course, such as BF16, F32 or I64",
                got=entry.dtype_tag,
                fix=f"checkpoint.raw_bytes({name!r})",
            )
        return entry

    def _row_run(self, operation, entry, row):
        """The first byte of a row, and how many there are."""
        length = _row_bytes(operation, entry)
        return self.data_start + entry.start + _existing(operation, entry, 0, row) * length, length

    def _run(self, operation, name, row):
        """The first byte of a tensor, or of one of its rows, and how many there are."""
        entry = self._entry(operation, name)
        if row is None:
            return self.data_start + entry.start, entry.nbytes
        return self._row_run(operation, entry, row)

    def _tensor(self, operation, entry, begins, length, layout, widen):
        """Read runs of bytes as one tensor."""
        dtype = entry.dtype
        words = self._read_runs(operation, begins, length, dtype.storage)
        if dtype is bool_ and words.size:
            self._check_bools(operation, entry, words)
        if widen and dtype is bfloat16:
            return Tensor._fresh(widen_bf16(words), layout, float32)
        if widen and dtype is float16:
            return Tensor._fresh(words.astype(np.float32), layout, float32)
        return Tensor._fresh(words, layout, dtype)

    def _check_bools(self, operation, entry, words):
        largest = words.view(np.uint8).max()
        if largest > 1:
            raise CheckpointError(
                operation,
                f"{file_name(self._path)}: tensor {shown(entry.name)} holds a byte that is neither false nor true",
                expected="00 or 01 in every byte of a BOOL tensor",
                got=f"{largest:02x}",
            )

    def _read_runs(self, operation, begins, length, storage):
        """Read runs of one length, one after another, into a new flat array of `storage`."""
        count = len(begins) * length
        words = np.empty(count // storage.itemsize, storage)
        if not count:
            return words
        descriptor = open_file(self._path, operation)
        try:
            status = os.fstat(descriptor)
            if status.st_size != self.file_size or status.st_mtime_ns != self._changed_at:
                raise self._changed(operation, status)
            if not fill(descriptor, memoryview(words).cast("B"), begins, length):
                raise self._changed(operation, os.fstat(descriptor))
        except OSError as error:
            problem = f"{file_name(self._path)} cannot be read: {error.strerror}"
            raise CheckpointError(operation, problem) from error
        finally:
            os.close(descriptor)
        self.bytes_read += count
        if sys.byteorder == "big":
            words.byteswap(inplace=True)
        return words

    def _changed(self, operation, status):
        return CheckpointError(
            operation,
            f"{file_name(self._path)} changed since its header was read",
            expected=f"{byte_count(self.file_size)}, last written at {self._changed_at} ns",
            got=f"{byte_count(status.st_size)}, last written at {status.st_mtime_ns} ns",
            why="the offsets of the old header may point anywhere in the new file",
            fix="checkpoint = tl.open_checkpoint(checkpoint.path)",
        )


def _as_path(path):
    try:
        return os.fsdecode(path)
    except TypeError:
        raise ArgumentError(
            "open_checkpoint",
            "a file is named by its path",
            expected="a str or a pathlib.Path",
            got=f"{path!r}, a {type(path).__name__}",
        ) from None


def _row_bytes(operation, entry):
    """How many bytes one row of a tensor has, if it has rows that fill whole bytes."""
    if not entry.shape:
        raise ShapeError(
            operation,
            f"tensor {shown(entry.name)} has rank 0 and so no rows",
            expected="rank 1 or more",
            got="shape ()",
            fix=f"checkpoint.read({entry.name!r})",
        )
    bits = prod(entry.shape[1:]) * entry.bits
    if bits % 8:
        raise _not_whole(operation, entry, bits, "a row")
    return bits // 8


def _not_whole(operation, entry, bits, what):
    return DTypeError(
        operation,
        f"{what} of tensor {shown(entry.name)} does not fill whole bytes",
        expected="a multiple of 8 bits",
        got=f"{bits} bits, {entry.dtype_tag}",
        fix=f"checkpoint.raw_bytes({entry.name!r})",
    )


def _existing(operation, entry, axis, value):
    """Check one index of one axis of a tensor."""
    length = entry.shape[axis]
    if type(value) is int and 0 <= value < length:
        return value
    try:
        index = operator.index(value)
    except TypeError:
        index = None
    if index is None or isinstance(value, bool):
        raise ArgumentError(
            operation,
            f"an index of tensor {shown(entry.name)} is no integer",
            expected=f"0 <= index < {length} on axis {axis}",
            got=f"{value!r}, a {type(value).__name__}",
        )
    if not 0 <= index < length:
        raise BoundsError(
            operation,
            f"tensor {shown(entry.name)} has no index {index} on axis {axis}, of length {length:,}",
            expected=f"0 <= index < {length}",
            got=str(index),
            why="files are read strictly: a negative index does not count from the end" if index < 0 else None,
        )
    return index


def _as_ids(entry, ids):
    """Take row ids as a list of integers, every one of them a row."""
    ids = ids.tolist() if hasattr(ids, "tolist") else ids
    if isinstance(ids, str | bytes) or not hasattr(ids, "__iter__"):
        raise ArgumentError(
            "read_rows",
            "the ids are no list",
            expected="a list of row ids",
            got=f"{ids!r}, a {type(ids).__name__}",
            fix=f"checkpoint.read_row({entry.name!r}, {ids})" if type(ids) is int else None,
        )
    ids = list(ids)
    if set(map(type, ids)) == {int} and min(ids) >= 0 and max(ids) < entry.shape[0]:
        return ids
    return [_existing("read_rows", entry, 0, id_) for id_ in ids]


def _of_file(path, error):
    """Say of which file a fault is."""
    return CheckpointError(
        error.operation,
        f"{file_name(path)}: {error.problem}",
        expected=error.expected,
        got=error.got,
        why=error.why,
        fix=error.fix,
    )


def _parse(path, header, data_size):
    """Parse a header, unless this file was opened before and still has the very same one."""
    known = _KNOWN.get(path)
    if known is None or known[0] != header or known[1] != data_size:
        known = (header, data_size, *parse_header(header, data_size))
        if len(header) <= KNOWN_BYTES:
            _KNOWN.pop(path, None)
            while len(_KNOWN) >= KNOWN_FILES:
                _KNOWN.pop(next(iter(_KNOWN)), None)
            _KNOWN[path] = known
    return dict(known[2]), dict(known[3])
