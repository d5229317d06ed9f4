"""Writing a checkpoint: always row-major, whatever the layout in memory, and all of it or nothing."""

import json
import os
import secrets
import shutil
from contextlib import contextmanager, suppress

import numpy as np

from tensorlab.checkpoint.access import file_name
from tensorlab.checkpoint.header import HEADER_CAP, METADATA, TAG_BITS, byte_count, shown
from tensorlab.dtypes import as_dtype
from tensorlab.errors import ArgumentError, CheckpointError, DTypeError
from tensorlab.matrix import Matrix
from tensorlab.tensor import Tensor

_RANK = {tag: rank for rank, tag in enumerate(TAG_BITS)}


def save_checkpoint(path, tensors, metadata=None):
    """Write tensors to a safetensors file, each packed row by row.

    Parameters
    ----------
    path : str or path-like
        The file. One that is there is replaced only when the new one is complete.
    tensors : mapping of str to Tensor, Matrix or NumPy array
        In any layout: transposed, stepped, reversed and broadcast ones are written in logical order.
    metadata : mapping of str to str, optional
        Texts to carry in the header.

    Raises
    ------
    ArgumentError
        If a name or a text is no text, or a value is no tensor.
    DTypeError
        If the course does not hold an array's dtype.
    CheckpointError
        If the header would be larger than a reader takes, or the file cannot be written.

    Notes
    -----
    The order is that of the safetensors library, widest dtypes first, then by name; so are the header's bytes. (More
    than one text of metadata comes in the order given; the library's own order of those changes from run to run.)
    Unlike that library's NumPy writer, which stores the raw memory of a transposed array, this one never scrambles.

    Examples
    --------
    >>> grid = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint8)
    >>> save_checkpoint("turned.safetensors", {"grid": grid, "turned": grid.T})
    >>> with open("turned.safetensors", "rb") as file:
    ...     file.read()[-12:]
    b'\\x01\\x02\\x03\\x04\\x05\\x06\\x01\\x04\\x02\\x05\\x03\\x06'
    """
    packed = [(_as_name(name), *_as_words(name, value)) for name, value in _items("tensors", tensors)]
    packed.sort(key=lambda item: (-_RANK[item[1].file_tag], item[0]))
    header = _header(packed, metadata)
    path = _as_path(path)
    try:
        with replaced_file(path) as file:
            file.write(len(header).to_bytes(8, "little"))
            file.write(header)
            for _, dtype, words in packed:
                little = words.astype(dtype.storage.newbyteorder("<"), order="C", copy=False)
                file.write(np.ascontiguousarray(little))
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        problem = f"{file_name(path)} cannot be written: {getattr(error, 'strerror', None) or error}"
        raise CheckpointError("save_checkpoint", problem) from error


@contextmanager
def replaced_file(path):
    """Write a file beside `path`, then put it in the place of `path`: the old file, the new one, never half of one.

    Parameters
    ----------
    path : str or path-like
        The file to make or replace. A link is followed.

    Yields
    ------
    binary file
        Open for writing. If the block raises, it is removed and `path` stays as it was.

    Raises
    ------
    OSError
        If the folder is missing or full, or may not be written.

    Examples
    --------
    >>> with replaced_file("note.bin") as file:
    ...     file.write(b"whole")
    5
    >>> with open("note.bin", "rb") as file:
    ...     file.read()
    b'whole'
    """
    target = os.path.realpath(path)
    beside = os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.tmp")
    try:
        with open(beside, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            shutil.copymode(target, beside)
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def _as_path(path):
    try:
        return os.fsdecode(path)
    except TypeError:
        raise ArgumentError(
            "save_checkpoint",
            "a file is named by its path",
            expected="a str or a pathlib.Path",
            got=f"{path!r}, a {type(path).__name__}",
        ) from None


def _items(what, mapping):
    try:
        return list(mapping.items())
    except AttributeError:
        raise ArgumentError(
            "save_checkpoint",
            f"{what} have no names",
            expected="a mapping, such as {'weight': x}",
            got=f"a {type(mapping).__name__}",
        ) from None


def _as_name(name):
    _check_text("a tensor's name", name)
    if name == METADATA:
        raise ArgumentError(
            "save_checkpoint",
            f"{METADATA} cannot name a tensor",
            expected="any other name",
            got=shown(name),
            why="readers take this key for the file's texts",
            fix="save_checkpoint(path, tensors, metadata={...})",
        )
    return name


def _check_text(what, text):
    try:
        text.encode()
    except (AttributeError, UnicodeEncodeError):
        raise ArgumentError(
            "save_checkpoint",
            f"{what} is not text that UTF-8 can hold",
            expected="a str of whole characters",
            got=f"{text!a}, a {type(text).__name__}",
        ) from None


def _as_words(name, value):
    """Take a tensor as its dtype and its stored words, in its own layout."""
    if isinstance(value, Matrix):
        value = value.tensor()
    if isinstance(value, Tensor):
        return value.dtype, value.words()
    if not isinstance(value, np.ndarray) or isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(
            "save_checkpoint",
            f"{shown(name)} is no tensor",
            expected="a Tensor, a Matrix or a NumPy array",
            got=f"a {type(value).__name__}",
            fix="tl.tensor(data)",
        )
    try:
        dtype = as_dtype(value.dtype.newbyteorder("="), operation="save_checkpoint")
    except DTypeError as error:
        problem = f"{shown(name)} is of a dtype the course does not hold"
        raise DTypeError("save_checkpoint", problem, expected=error.expected, got=error.got) from None
    return dtype, np.asarray(value.view(dtype.storage) if dtype.numpy is None else value)


def _header(packed, metadata):
    """Word the header, padded with spaces so that the data starts at a multiple of 8."""
    fields = {}
    if metadata is not None:
        for key, text in _items("metadata", metadata):
            _check_text("a key of the metadata", key)
            _check_text(f"the metadata's {shown(key)}", text)
        fields[METADATA] = dict(metadata)
    start = 0
    for name, dtype, words in packed:
        stop = start + words.size * dtype.itemsize
        fields[name] = {"dtype": dtype.file_tag, "shape": list(words.shape), "data_offsets": [start, stop]}
        start = stop
    header = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    if len(header) > HEADER_CAP:
        raise CheckpointError(
            "save_checkpoint",
            "the header is beyond what any reader takes",
            expected=f"at most {byte_count(HEADER_CAP)}",
            got=byte_count(len(header)),
        )
    return header
