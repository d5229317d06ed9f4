"""The header of a checkpoint: from its bytes to entries in which every number has been checked.

Nothing here opens a file. The facts of a fault are found here; the reader adds the file's name.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

from tensorlab.dtypes import FILE_TAGS, DType
from tensorlab.errors import CheckpointError
from tensorlab.layout import Layout

HEADER_CAP = 100_000_000  # bytes
LARGEST = 2**63 - 1  # bytes of one tensor
METADATA = "__metadata__"
KEYS = ("dtype", "shape", "data_offsets")
KEY_SET = frozenset(KEYS)
JSON_SPACE = " \t\n\r"
SHOWN = 60  # characters of a name or a value in a message

TAG_BITS = {  # every dtype the format knows, in the order of its writers (the last ones are written first)
    "BOOL": 8,
    "F4": 4,
    "F6_E2M3": 6,
    "F6_E3M2": 6,
    "U8": 8,
    "I8": 8,
    "F8_E5M2": 8,
    "F8_E4M3": 8,
    "F8_E8M0": 8,
    "F8_E4M3FNUZ": 8,
    "F8_E5M2FNUZ": 8,
    "I16": 16,
    "U16": 16,
    "F16": 16,
    "BF16": 16,
    "I32": 32,
    "U32": 32,
    "F32": 32,
    "C64": 64,
    "F64": 64,
    "I64": 64,
    "U64": 64,
}


@dataclass(frozen=True)
class Entry:
    """What a header says about one tensor, checked.

    Parameters
    ----------
    name : str
        The tensor's name.
    dtype_tag : str
        What the header calls its element type, such as ``"BF16"``.
    shape : tuple of int
        How many indices each axis has.
    start, stop : int
        Its bytes, half-open, counted from where the data starts.

    Examples
    --------
    >>> entry = Entry("weight", "BF16", (3, 4), 6144, 6168)
    >>> entry.dtype, entry.nbytes, entry.layout.strides
    (bfloat16, 24, (4, 1))
    """

    name: str
    dtype_tag: str
    shape: tuple[int, ...]
    start: int
    stop: int

    @cached_property
    def dtype(self) -> DType | None:
        """The element type, or None for one that the course cannot convert.

        >>> print(Entry("scale", "F8_E4M3", (8,), 0, 8).dtype)
        None
        """
        return FILE_TAGS.get(self.dtype_tag)

    @property
    def bits(self) -> int:
        """Bits per element.

        >>> Entry("blocks", "F4", (8,), 0, 4).bits
        4
        """
        return TAG_BITS[self.dtype_tag]

    @property
    def nbytes(self) -> int:
        """Bytes of the whole tensor.

        >>> Entry("weight", "BF16", (3, 4), 6144, 6168).nbytes
        24
        """
        return self.stop - self.start

    @cached_property
    def layout(self) -> Layout:
        """Where element [i, j, ...] lies, in elements from the tensor's start: row by row.

        >>> Entry("weight", "BF16", (3, 4), 6144, 6168).layout
        Layout(shape=(3, 4), strides=(4, 1), offset=0)
        """
        return Layout.row_major(self.shape)

    @cached_property
    def row_layout(self) -> Layout:
        """The layout of one row alone; rows are the indices of axis 0.

        >>> Entry("weight", "BF16", (3, 4), 6144, 6168).row_layout
        Layout(shape=(4,), strides=(1,), offset=0)
        """
        return Layout.row_major(self.shape[1:])


def parse_header(header, data_size):
    """Read a header's JSON and check every number in it.

    Parameters
    ----------
    header : bytes
        The N bytes behind the header's length.
    data_size : int
        How many bytes the file holds behind the header.

    Returns
    -------
    entries : dict of str to Entry
        In the order of their bytes in the file.
    metadata : dict of str to str

    Raises
    ------
    CheckpointError
        For every way in which a header can be wrong, each with its own message.

    Examples
    --------
    >>> header = b'{"weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}'
    >>> entries, metadata = parse_header(header, data_size=24)
    >>> entries["weight"].shape, metadata
    ((2, 3), {})
    >>> parse_header(header, data_size=20)
    Traceback (most recent call last):
    tensorlab.errors.CheckpointError: open_checkpoint: bytes are missing: tensor 'weight' ends at data byte 24
      expected: 24 bytes of data
      got:      20 bytes of data
      why:      a file that was cut short, by a copy that stopped for example, looks like this
    """
    fields = _decode(header)
    metadata = _check_metadata(fields.pop(METADATA, {}))
    entries = [_check_entry(name, record) for name, record in fields.items()]
    entries.sort(key=attrgetter("start", "stop"))
    _check_cover(entries, data_size)
    return {entry.name: entry for entry in entries}, metadata


def fault(problem, *, expected=None, got=None, why=None, fix=None):
    """Word a fault of a file; the reader adds which file.

    >>> print(fault("the file is empty", got="0 bytes"))
    open_checkpoint: the file is empty
      got:      0 bytes
    """
    return CheckpointError("open_checkpoint", problem, expected=expected, got=got, why=why, fix=fix)


def shown(value):
    """Write a name or a value for a message, shortened where it would fill the screen.

    >>> shown("a" * 1000)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…"
    >>> shown(1 << 64)
    '18446744073709551616'
    """
    if type(value) is int and value.bit_length() > 200:
        return f"a number of {value.bit_length()} bits"
    try:
        text = repr(value[: SHOWN + 1] if isinstance(value, str | list) else value)
    except RecursionError:
        return "lists or objects, deeply nested"
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


class _DuplicateError(Exception):
    """A key stands twice in one JSON object."""


def _unique(pairs):
    record = dict(pairs)
    if len(record) != len(pairs):
        seen = set()
        for key, _ in pairs:
            if key in seen:
                raise _DuplicateError(key)
            seen.add(key)
    return record


def _no_minus_zero(digits):
    return -1 if digits == "-0" else int(digits)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)
_DECODER_OF_SIGNS = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_no_minus_zero)


def _decode(header):
    """Turn the header's bytes into the fields of its one JSON object."""
    text = _text(header)
    decoder = _DECODER_OF_SIGNS if "-0" in text else _DECODER
    begin = len(text) - len(text.lstrip(JSON_SPACE))
    try:
        fields, end = decoder.raw_decode(text, begin)
    except json.JSONDecodeError as error:
        raise _not_json(f"{error.msg} at character {error.pos}", text[error.pos :]) from None
    except RecursionError:
        raise fault("the header nests objects or lists too deeply", expected="three levels") from None
    except _DuplicateError as error:
        raise _duplicate(error.args[0]) from None
    except ValueError as error:
        raise _not_json(f"a number is too long ({error})", "") from None
    if text[end:].strip(JSON_SPACE):
        raise _not_json(f"more text follows at character {end}", text[end:])
    if type(fields) is not dict:
        raise fault("the header is JSON, but not an object", expected="{...}", got=shown(text[:SHOWN]))
    if begin:
        raise fault("the header starts with a space", expected="{ as byte 8 of the file", got=shown(text[:SHOWN]))
    if "\\" in text:
        _check_text(fields)
    return fields


def _text(header):
    zeros = len(header) - len(header.rstrip(b"\0"))
    if zeros:
        raise fault(
            f"zero bytes pad the header: {zeros:,} of them",
            expected="spaces (20) as padding",
            got=header[-min(zeros, 8) :].hex(" "),
            why="zero bytes are not JSON, and other readers of the format refuse them too",
        )
    try:
        return header.decode()
    except UnicodeDecodeError as error:
        raise fault(
            f"the header is not UTF-8: byte {error.start} of it",
            expected="UTF-8 text",
            got=header[error.start : error.start + 8].hex(" "),
        ) from None


def _not_json(what, rest):
    return fault(f"the header is not JSON: {what}", got=shown(rest) if rest else None)


def _duplicate(name):
    return fault(
        f"the header names {shown(name)} twice",
        expected="each name once in its object",
        why="readers disagree about which of the two counts",
    )


def _check_text(fields):
    """Refuse escapes for half a character, which no text can hold."""
    for text in [*fields, *_strings(fields.get(METADATA))]:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise fault(
                f"{text[:SHOWN]!a} is not text",
                expected="whole characters",
                why="a \\ud800 ... \\udfff escape is half a pair and stands for nothing alone",
            ) from None


def _strings(metadata):
    if type(metadata) is not dict:
        return []
    return [text for pair in metadata.items() for text in pair if type(text) is str]


def _check_metadata(metadata):
    if type(metadata) is not dict:
        raise fault(f"{METADATA} is not an object", expected="text -> text", got=shown(metadata))
    for key, value in metadata.items():
        if type(value) is not str:
            raise fault(f"{METADATA}: the value of {shown(key)} is not text", expected='"..."', got=shown(value))
    return metadata


def _check_entry(name, record):
    """Check one tensor's record by itself."""
    if type(record) is not dict:
        raise fault(
            f"tensor {shown(name)} is not an object", expected=f"an object of {', '.join(KEYS)}", got=shown(record)
        )
    if record.keys() != KEY_SET:
        raise _wrong_keys(name, record)
    tag, shape, offsets = record["dtype"], record["shape"], record["data_offsets"]
    bits = TAG_BITS.get(tag) if type(tag) is str else None
    if bits is None:
        raise _wrong_dtype(name, tag)
    if type(shape) is not list:
        raise fault(f"tensor {shown(name)}: shape is not a list", expected="such as [2,3]", got=shown(shape))
    size = room = 1
    for axis, length in enumerate(shape):
        if type(length) is not int or length < 0:
            raise _not_a_size(name, f"axis {axis} of shape", length)
        size *= length
        room *= length or 1
        if room * bits > 8 * LARGEST:
            raise _overflow(name, tag, shape)
    if type(offsets) is not list or len(offsets) != 2:
        raise fault(f"tensor {shown(name)}: data_offsets is not a pair", expected="[start, stop]", got=shown(offsets))
    start, stop = offsets
    if type(start) is not int or start < 0:
        raise _not_a_size(name, "the start of data_offsets", start)
    if type(stop) is not int or stop < 0:
        raise _not_a_size(name, "the stop of data_offsets", stop)
    if (stop - start) * 8 != size * bits or stop > LARGEST:
        raise _wrong_bytes(name, tag, shape, size, start, stop)
    return Entry(name, tag, tuple(shape), start, stop)


def _wrong_dtype(name, tag):
    if type(tag) is not str:
        return fault(f"tensor {shown(name)}: dtype is not text", expected='such as "BF16"', got=shown(tag))
    return fault(
        f"tensor {shown(name)} has the unknown dtype {shown(tag)}",
        expected="one of " + " ".join(TAG_BITS),
        got=shown(tag),
    )


def _wrong_bytes(name, tag, shape, size, start, stop):
    """Say why the offsets do not give just the bytes that shape and dtype need."""
    bits = size * TAG_BITS[tag]
    if stop > LARGEST:
        return fault(
            f"tensor {shown(name)} ends beyond any file", expected="at most 2**63 - 1", got=f"stop {shown(stop)}"
        )
    if start > stop:
        return fault(
            f"tensor {shown(name)} begins behind its end",
            expected="start <= stop",
            got=f"start {shown(start)}, stop {shown(stop)}",
        )
    if bits % 8:
        return fault(
            f"tensor {shown(name)} does not fill its last byte",
            expected="a multiple of 8 bits",
            got=f"{size:,} elements of {TAG_BITS[tag]} bits",
        )
    return fault(
        f"tensor {shown(name)} has the wrong byte count",
        expected=f"{byte_count(bits // 8)} for {tag} {shown(shape)}",
        got=f"{byte_count(stop - start)}, [{start:,}, {stop:,})",
    )


def _wrong_keys(name, record):
    missing = [key for key in KEYS if key not in record]
    unknown = [key for key in record if key not in KEYS]
    problem = f"lacks {', '.join(missing)}" if missing else f"has {shown(unknown[0])}, which the format does not know"
    return fault(f"tensor {shown(name)} {problem}", expected=", ".join(KEYS), got=shown(list(record)))


def _not_a_size(name, what, value):
    kind = {bool: ", true or false", float: ", a fraction"}.get(type(value), "")
    return fault(
        f"tensor {shown(name)}: {what} is not a size", expected="a whole number of 0 or more", got=shown(value) + kind
    )


def _overflow(name, tag, shape):
    return fault(
        f"tensor {shown(name)} is larger than any file",
        expected="at most 2**63 - 1 bytes, axes of length 0 left out",
        got=f"{tag} {shown(shape)}",
        why="in 64 bits this product would wrap round to a small number",
    )


def _check_cover(entries, data_size):
    """Check that the tensors, in file order, cover the data without overlap, gap, rest or lack."""
    position, before = 0, None
    for entry in entries:
        if entry.start != position:
            raise _overlap(entry, before) if entry.start < position else _gap(entry, before)
        position, before = entry.stop, entry
    if position > data_size:
        cut = next(entry for entry in entries if entry.stop > data_size)
        raise fault(
            f"bytes are missing: tensor {shown(cut.name)} ends at data byte {cut.stop:,}",
            expected=f"{byte_count(position)} of data",
            got=f"{byte_count(data_size)} of data",
            why="a file that was cut short, by a copy that stopped for example, looks like this",
        )
    if position < data_size:
        raise fault(
            f"{byte_count(data_size - position)} behind the last tensor belong to nothing",
            expected=f"{byte_count(position)} of data",
            got=f"{byte_count(data_size)} of data",
        )


def byte_count(count):
    """Write a number of bytes.

    >>> byte_count(311_172_288), byte_count(1)
    ('311,172,288 bytes', '1 byte')
    """
    return f"{count:,} byte" + ("s" if count != 1 else "")


def _overlap(entry, before):
    return fault(
        f"tensor {shown(entry.name)} overlaps tensor {shown(before.name)}",
        expected=f"a start of {before.stop:,}, where {shown(before.name)} ends",
        got=f"[{entry.start:,}, {entry.stop:,}) over [{before.start:,}, {before.stop:,})",
    )


def _gap(entry, before):
    position = before.stop if before else 0
    where = f"where {shown(before.name)} ends" if before else "where the data starts"
    return fault(
        f"{byte_count(entry.start - position)} before tensor {shown(entry.name)} belong to nothing",
        expected=f"a start of {position:,}, {where}",
        got=f"a start of {entry.start:,}",
    )
