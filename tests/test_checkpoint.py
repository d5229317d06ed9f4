"""Checkpoint files: every way to be wrong, both directions against the safetensors library, and bytes counted."""

import json
import os
import struct
import sys
from itertools import pairwise
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import safetensors
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.checkpoint import Entry, access, open_checkpoint, replaced_file, save_checkpoint
from tensorlab.checkpoint.header import TAG_BITS, parse_header
from tests.strategies import layouts

NUMPY_DTYPES = ["bool", "u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]
A = '"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}'


def file_of(header, data=b"", length=None):
    """The bytes of a file with this header, whatever it says."""
    header = header if isinstance(header, bytes) else header.encode()
    return struct.pack("<Q", len(header) if length is None else length) + header + data


def one(dtype="U8", shape="[4]", offsets="[0,4]", name="a"):
    return f'{{"{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}}}'


def refusal(path, content):
    path.write_bytes(content)
    with pytest.raises(tl.CheckpointError) as caught:
        open_checkpoint(path)
    return str(caught.value)


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12345\n"
FAULTS = {
    "empty": (b"", "the file is empty", "got:      0 bytes"),
    "too short": (b"\1\0\0", "the file is too short", "got:      3 bytes"),
    "header beyond the file": (
        file_of("{}", length=3),
        "the header reaches beyond the end of the file",
        "expected: a header length of at most 2: the file has 10 bytes",
    ),
    "header beyond the cap": (
        file_of("{}", length=100_000_001),
        "the header length is beyond every cap",
        "expected: at most 100,000,000",
        "got:      100,000,001, from the bytes 01 e1 f5 05 00 00 00 00",
    ),
    "absurd header length": (
        file_of("{}", length=2**63),
        "the header length is beyond every cap",
        "got:      9,223,372,036,854,775,808, from the bytes 00 00 00 00 00 00 00 80",
    ),
    "length in the other byte order": (struct.pack(">Q", 2) + b"{}", "beyond every cap", "00 00 00 00 00 00 00 02"),
    "Git LFS pointer": (LFS, "this is a Git LFS pointer, not the file it stands for", "fix:      git lfs pull"),
    "web page": (b"<!DOCTYPE html>\n<html>", "this is a web page, not a checkpoint", "'<!DOCTYPE html>"),
    "web page after a blank line": (b"\r\n  <HTML><body>sign in</body>", "this is a web page, not a checkpoint"),
    "no header": (file_of(""), "the header is empty"),
    "not UTF-8": (file_of(b'{"\xff":1}'), "the header is not UTF-8: byte 2 of it", "got:      ff 22"),
    "not JSON": (file_of('{"a":}'), "the header is not JSON: Expecting value at character 5", "got:      '}'"),
    "not all JSON": (file_of("{}{}"), "the header is not JSON: more text follows at character 2"),
    "an endless number": (file_of('{"a":' + "9" * 5000 + "}"), "the header is not JSON: a number is too long"),
    "not an object": (file_of("[1,2]"), "the header is JSON, but not an object", "got:      '[1,2]'"),
    "space before": (file_of(" {}"), "the header starts with a space", "expected: { as byte 8 of the file"),
    "zero bytes as padding": (
        file_of(b"{%s}\0\0\0" % A.encode(), b"data"),
        "zero bytes pad the header: 3 of them",
        "expected: spaces (20) as padding",
    ),
    "nested lists": (file_of("[" * 200_000), "the header nests objects or lists too deeply"),
    "nested objects": (file_of('{"a":' * 200_000), "the header nests objects or lists too deeply"),
    "a name twice": (file_of(f"{{{A},{A}}}", b"data"), "the header names 'a' twice"),
    "a name twice, once escaped": (
        file_of(f"{{{A},{A}}}".replace('"a"', '"\\u0061"', 1), b"data"),
        "the header names 'a' twice",
    ),
    "metadata twice": (file_of('{"__metadata__":{},"__metadata__":{}}'), "the header names '__metadata__' twice"),
    "a text twice": (file_of('{"__metadata__":{"k":"1","k":"2"}}'), "the header names 'k' twice"),
    "dtype twice": (file_of(one().replace('"dtype"', '"dtype":"U8","dtype"')), "the header names 'dtype' twice"),
    "half a character": (file_of(one(name="\\ud800"), b"data"), r"'\ud800' is not text"),
    "half a character in the metadata": (file_of('{"__metadata__":{"k":"\\udfff"}}'), r"'\udfff' is not text"),
    "metadata no object": (file_of('{"__metadata__":null}'), "__metadata__ is not an object", "got:      None"),
    "metadata no text": (
        file_of('{"__metadata__":{"k":1}}'),
        "__metadata__: the value of 'k' is not text",
        "got:      1",
    ),
    "entry no object": (file_of('{"a":[1]}'), "tensor 'a' is not an object"),
    "dtype missing": (file_of('{"a":{"shape":[4],"data_offsets":[0,4]}}'), "tensor 'a' lacks dtype"),
    "all missing": (file_of('{"a":{}}'), "tensor 'a' lacks dtype, shape, data_offsets"),
    "a key too many": (
        file_of(one()[:-2] + ',"scale":2}}', b"data"),
        "tensor 'a' has 'scale', which the format",
    ),
    "a key for another": (
        file_of('{"a":{"dtype":"U8","sizes":[4],"data_offsets":[0,4]}}', b"data"),
        "tensor 'a' lacks shape",
    ),
    "dtype no text": (file_of(one().replace('"U8"', "8")), "tensor 'a': dtype is not text", "got:      8"),
    "unknown dtype": (file_of(one("F31")), "tensor 'a' has the unknown dtype 'F31'", "expected: one of BOOL F4"),
    "shape no list": (file_of(one(shape="4")), "tensor 'a': shape is not a list", "got:      4"),
    "length a bool": (
        file_of(one(shape="[1,true]", offsets="[0,1]")),
        "tensor 'a': axis 1 of shape is not a size",
        "True, true or false",
    ),
    "length a float": (file_of(one(shape="[4.0]")), "tensor 'a': axis 0 of shape is not a size", "4.0, a fraction"),
    "length negative": (file_of(one(shape="[-4]")), "tensor 'a': axis 0 of shape is not a size", "got:      -4"),
    "length minus zero": (file_of(one(shape="[-0]", offsets="[0,0]")), "tensor 'a': axis 0 of shape is not a size"),
    "length a text": (file_of(one(shape='["4"]')), "tensor 'a': axis 0 of shape is not a size", "got:      '4'"),
    "offsets no list": (file_of(one(offsets='"0,4"')), "tensor 'a': data_offsets is not a pair"),
    "three offsets": (file_of(one(offsets="[0,4,4]")), "tensor 'a': data_offsets is not a pair", "got:      [0, 4, 4]"),
    "start a bool": (file_of(one(offsets="[false,4]")), "tensor 'a': the start of data_offsets is not a size"),
    "start negative": (file_of(one(offsets="[-1,3]")), "tensor 'a': the start of data_offsets is not a size"),
    "stop a float": (file_of(one(offsets="[0,4e0]")), "tensor 'a': the stop of data_offsets is not a size"),
    "product overflow": (
        file_of(one(shape="[4294967296,4294967296]", offsets="[0,0]")),
        "tensor 'a' is larger than any file",
        "got:      U8 [4294967296, 4294967296]",
        "why:      in 64 bits this product would wrap round to a small number",
    ),
    "product overflow by the dtype": (
        file_of(one("F64", shape="[2305843009213693952]", offsets="[0,0]")),
        "tensor 'a' is larger than any file",
    ),
    "product overflow beside a zero": (
        file_of(one(shape="[4294967296,0,4294967296]", offsets="[0,0]")),
        "tensor 'a' is larger than any file",
    ),
    "beyond any file": (
        file_of(one(shape="[0]", offsets=f"[{2**63},{2**63}]")),
        "tensor 'a' ends beyond any file",
    ),
    "begin behind end": (
        file_of(one(offsets="[4,0]"), b"data"),
        "tensor 'a' begins behind its end",
        "got:      start 4, stop 0",
    ),
    "wrong byte count": (
        file_of(one("F32"), b"data"),
        "tensor 'a' has the wrong byte count",
        "expected: 16 bytes for F32 [4]",
        "got:      4 bytes, [0, 4)",
    ),
    "half a byte left": (
        file_of(one("F4", "[3]", "[0,2]"), b"da"),
        "tensor 'a' does not fill its last byte",
        "got:      3 elements of 4 bits",
    ),
    "overlap": (
        file_of(f'{{{A},"b":{{"dtype":"U8","shape":[4],"data_offsets":[2,6]}}}}', b"data42"),
        "tensor 'b' overlaps tensor 'a'",
        "expected: a start of 4, where 'a' ends",
        "got:      [2, 6) over [0, 4)",
    ),
    "the same bytes twice": (
        file_of(f"{{{A},{A.replace('a', 'b', 1)}}}", b"data"),
        "tensor 'b' overlaps tensor 'a'",
    ),
    "nothing, inside another": (
        file_of(f'{{{A},"b":{{"dtype":"U8","shape":[0],"data_offsets":[2,2]}}}}', b"data"),
        "tensor 'b' overlaps tensor 'a'",
    ),
    "gap before the first": (
        file_of(one(offsets="[1,5]"), b"?data"),
        "1 byte before tensor 'a' belong to nothing",
        "expected: a start of 0, where the data starts",
    ),
    "gap": (
        file_of(f'{{"b":{{"dtype":"U8","shape":[4],"data_offsets":[6,10]}},{A}}}', b"data??data"),
        "2 bytes before tensor 'b' belong to nothing",
        "expected: a start of 4, where 'a' ends",
        "got:      a start of 6",
    ),
    "trailing": (
        file_of(one(), b"data and more"),
        "9 bytes behind the last tensor belong to nothing",
        "expected: 4 bytes of data",
        "got:      13 bytes of data",
    ),
    "trailing behind nothing": (file_of("{}", b"x"), "1 byte behind the last tensor belong to nothing"),
    "missing": (
        file_of(f'{{{A},"b":{{"dtype":"U8","shape":[2000],"data_offsets":[4,2004]}}}}', b"data!"),
        "bytes are missing: tensor 'b' ends at data byte 2,004",
        "expected: 2,004 bytes of data",
        "got:      5 bytes of data",
        "why:      a file that was cut short",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_a_file_has_its_own_message(fault, tmp_path):
    content, *texts = FAULTS[fault]
    message = refusal(tmp_path / "model.safetensors", content)
    assert message.startswith("open_checkpoint: model.safetensors: ")
    for text in texts:
        assert text in message


def test_no_two_different_faults_share_a_first_line(tmp_path):
    same = [
        {"header beyond the cap", "absurd header length", "length in the other byte order"},
        {"web page", "web page after a blank line"},
        {"nested lists", "nested objects"},
        {"a name twice", "a name twice, once escaped"},
        {"product overflow", "product overflow by the dtype", "product overflow beside a zero"},
        {"overlap", "the same bytes twice", "nothing, inside another"},
        {"length a float", "length negative", "length minus zero", "length a text"},
        {"start a bool", "start negative"},
        {"offsets no list", "three offsets"},
    ]
    first_lines = {}
    for fault, (content, *_) in FAULTS.items():
        line = refusal(tmp_path / "model.safetensors", content).splitlines()[0]
        first_lines.setdefault(line, set()).add(fault)
    assert [faults for faults in first_lines.values() if len(faults) > 1 and faults not in same] == []


def test_a_refusal_reads_as_a_whole(tmp_path):
    message = refusal(tmp_path / "model.safetensors", FAULTS["missing"][0])
    assert message == (
        "open_checkpoint: model.safetensors: bytes are missing: tensor 'b' ends at data byte 2,004\n"
        "  expected: 2,004 bytes of data\n"
        "  got:      5 bytes of data\n"
        "  why:      a file that was cut short, by a copy that stopped for example, looks like this"
    )


def test_the_library_refuses_what_is_refused_here_or_is_known_to_be_laxer(tmp_path):
    laxer = {
        "space before",
        "a name twice",
        "a name twice, once escaped",
        "a text twice",
        "metadata no object",
        "a key too many",
        "product overflow beside a zero",
    }
    for fault, (content, *_) in FAULTS.items():
        try:
            safetensors.deserialize(content)
        except safetensors.SafetensorError:
            assert fault not in laxer
        else:
            assert fault in laxer


def test_a_long_name_does_not_fill_the_screen(tmp_path):
    message = refusal(tmp_path / "model.safetensors", file_of(one("F31", name="n" * 10_000), b"data"))
    assert "tensor 'nnnn" in message
    assert len(message) < 600


def test_a_missing_file_a_folder_and_a_pipe_are_refused_by_name(tmp_path):
    with pytest.raises(tl.CheckpointError, match=r"^open_checkpoint: nowhere\.safetensors: there is no such file$"):
        open_checkpoint(tmp_path / "nowhere.safetensors")
    with pytest.raises(tl.CheckpointError, match="this is a folder"):
        open_checkpoint(tmp_path)
    with pytest.raises(tl.CheckpointError, match=r"cannot be opened: .*embedded null"):
        open_checkpoint("a\0b")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(tl.CheckpointError, match="pipe: this is a folder or a pipe"):
            open_checkpoint(tmp_path / "pipe")


@pytest.mark.parametrize("path", [None, 3, 2.5, ["a"]])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(tl.ArgumentError, match="open_checkpoint: a file is named by its path"):
        open_checkpoint(path)


def test_a_header_of_any_length_moves_the_data_to_exactly_8_plus_n(tmp_path):
    path = tmp_path / "model.safetensors"
    for spaces in range(17):
        header = one("F32", "[2]", "[0,8]") + " " * spaces
        path.write_bytes(file_of(header, np.float32([1.5, -2]).tobytes()))
        checkpoint = open_checkpoint(path)
        assert checkpoint.header_length == len(header)
        assert checkpoint.data_start == 8 + len(header) == checkpoint.file_byte("a", 0)
        assert checkpoint.read("a").tolist() == [1.5, -2]


def test_oddities_that_are_valid_load(tmp_path):
    path = tmp_path / "odd.safetensors"
    header = """{
        "z": {"data_offsets": [4, 12], "shape": [2], "dtype": "F32"},
        "none": {"dtype": "I64", "shape": [3, 0, 2], "data_offsets": [4, 4]},
        "": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]},
        "__metadata__": {"k": ""},
        "tail": {"dtype": "U8", "shape": [0], "data_offsets": [12, 12]}
    }\t\n"""
    path.write_bytes(file_of(header, np.float32([7, 1, 2]).tobytes()))
    checkpoint = open_checkpoint(path)
    assert list(checkpoint.entries) == ["", "none", "z", "tail"]
    assert checkpoint.metadata == {"k": ""}
    assert checkpoint.read("").shape == ()
    assert checkpoint.read("").item() == 7
    assert checkpoint.file_byte("") == checkpoint.data_start
    assert checkpoint.read("none").shape == (3, 0, 2)
    assert checkpoint.read_row("none", 2).shape == (0, 2)
    assert checkpoint.read("z").tolist() == [1, 2]
    assert checkpoint.read_row("z", 1).item() == 2


def test_a_file_of_no_tensors_loads(tmp_path):
    path = tmp_path / "none.safetensors"
    path.write_bytes(file_of("{}"))
    checkpoint = open_checkpoint(path)
    assert (checkpoint.entries, checkpoint.metadata, checkpoint.data_start) == ({}, {}, 10)
    assert repr(checkpoint) == "Checkpoint none.safetensors: 0 tensors, 10 bytes, data from byte 10"
    with pytest.raises(tl.CheckpointNameError, match=r"none\.safetensors holds no tensor 'a'") as caught:
        checkpoint.read("a")
    assert caught.value.expected == "nothing: the file holds no tensor"


def test_a_header_of_a_hundred_thousand_tensors_opens(tmp_path):
    count = 100_000
    fields = {f"t{k}": {"dtype": "U8", "shape": [1], "data_offsets": [k, k + 1]} for k in reversed(range(count))}
    path = tmp_path / "many.safetensors"
    path.write_bytes(file_of(json.dumps(fields), bytes(k % 251 for k in range(count))))
    checkpoint = open_checkpoint(path)
    assert len(checkpoint.entries) == count
    assert list(checkpoint.entries)[:2] == ["t0", "t1"]
    assert checkpoint.read("t99999").item() == 99_999 % 251


def test_every_dtype_the_library_knows_lists_with_its_width(tmp_path):
    path = tmp_path / "model.safetensors"
    for tag, bits in TAG_BITS.items():
        content = file_of(one(tag, "[8]", f"[0,{bits}]"), bytes(bits))
        ((_, library),) = safetensors.deserialize(content)
        assert library["dtype"] == tag
        path.write_bytes(content)
        entry = open_checkpoint(path).entries["a"]
        assert (entry.dtype_tag, entry.bits, entry.shape, entry.nbytes) == (tag, bits, (8,), bits)


def test_no_dtype_the_library_knows_is_missing(tmp_path):
    with pytest.raises(safetensors.SafetensorError) as caught:
        safetensors.deserialize(file_of(one("F31"), b"data"))
    known = {word.strip("`,") for word in str(caught.value).partition("expected one of")[2].split() if "`" in word}
    assert known
    assert known <= set(TAG_BITS)


def test_a_dtype_that_cannot_be_converted_lists_but_is_read_only_as_bytes(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(file_of(one("F8_E4M3", "[2,2]", "[0,4]"), b"\x38\x40\x7f\x00"))
    checkpoint = open_checkpoint(path)
    assert checkpoint.entries["a"].dtype is None
    assert checkpoint.byte_range("a", 1) == (checkpoint.data_start + 2, checkpoint.data_start + 4)
    for read in (
        checkpoint.read,
        lambda name: checkpoint.read_row(name, 0),
        lambda name: checkpoint.read_rows(name, [0]),
    ):
        with pytest.raises(tl.DTypeError, match="tensor 'a' is F8_E4M3, which the course cannot convert") as caught:
            read("a")
    assert eval(caught.value.fix) == b"\x38\x40\x7f\x00"


def test_elements_narrower_than_a_byte_have_no_file_byte(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(file_of(one("F4", "[2,3]", "[0,3]"), b"abc"))
    checkpoint = open_checkpoint(path)
    with pytest.raises(tl.DTypeError, match="file_byte: an element of tensor 'a' does not fill whole bytes") as caught:
        checkpoint.file_byte("a", 1, 2)
    assert eval(caught.value.fix) == b"abc"
    with pytest.raises(tl.DTypeError, match="byte_range: a row of tensor 'a' does not fill whole bytes"):
        checkpoint.byte_range("a", 0)


@pytest.fixture
def table(tmp_path):
    """A file of a float32 table (5, 3) behind other tensors, and the table."""
    values = np.arange(15, dtype=np.float32).reshape(5, 3) * 0.5
    path = tmp_path / "table.safetensors"
    safetensors.numpy.save_file({"first": np.arange(4.0), "table": values, "x": np.uint8([9])}, path)
    return open_checkpoint(path), values


def test_file_byte_finds_each_element(table):
    checkpoint, values = table
    content = checkpoint.path.read_bytes()
    for index in np.ndindex(values.shape):
        (value,) = struct.unpack_from("<f", content, checkpoint.file_byte("table", *index))
        assert value == values[index]


def test_byte_range_finds_each_row_and_the_whole(table):
    checkpoint, values = table
    content = checkpoint.path.read_bytes()
    begin, end = checkpoint.byte_range("table")
    assert content[begin:end] == values.tobytes() == checkpoint.raw_bytes("table")
    for row in range(5):
        begin, end = checkpoint.byte_range("table", row)
        assert content[begin:end] == values[row].tobytes() == checkpoint.raw_bytes("table", row)


def test_rows_come_in_the_order_asked_for_also_twice(table):
    checkpoint, values = table
    kinds = (
        list,
        tuple,
        iter,
        np.array,
        tl.tensor,
        lambda ids: np.array(ids, np.uint16),
        lambda ids: map(np.int8, ids),
    )
    for as_ids in kinds:
        got = checkpoint.read_rows("table", as_ids([4, 0, 4, 2]))
        assert got.dtype == tl.float32
        np.testing.assert_array_equal(got.numpy(), values[[4, 0, 4, 2]])
    assert checkpoint.read_rows("table", []).shape == (0, 3)


def test_what_is_read_belongs_to_the_reader(table):
    checkpoint, values = table
    first = checkpoint.read_row("table", 1)
    assert "owns its buffer of 3 slots" in repr(first)
    first.fill(-1)
    assert first.is_writable
    np.testing.assert_array_equal(checkpoint.read_row("table", 1).numpy(), values[1])


@pytest.mark.parametrize("row", [-1, 5, 2**64])
def test_a_row_that_does_not_exist_is_refused_with_axis_and_size(table, row):
    checkpoint, _ = table
    calls = {
        "read_row": lambda: checkpoint.read_row("table", row),
        "read_rows": lambda: checkpoint.read_rows("table", [0, row]),
        "byte_range": lambda: checkpoint.byte_range("table", row),
        "raw_bytes": lambda: checkpoint.raw_bytes("table", row),
        "file_byte": lambda: checkpoint.file_byte("table", row, 0),
    }
    for name, call in calls.items():
        with pytest.raises(tl.BoundsError) as caught:
            call()
        assert str(caught.value).splitlines()[:3] == [
            f"{name}: tensor 'table' has no index {row} on axis 0, of length 5",
            "  expected: 0 <= index < 5",
            f"  got:      {row}",
        ]


def test_a_column_that_does_not_exist_is_refused_with_axis_and_size(table):
    checkpoint, _ = table
    with pytest.raises(tl.BoundsError, match="file_byte: tensor 'table' has no index 3 on axis 1, of length 3"):
        checkpoint.file_byte("table", 0, 3)
    with pytest.raises(tl.BoundsError, match="a negative index does not count from the end"):
        checkpoint.file_byte("table", 0, -1)


@pytest.mark.parametrize("index", [(), (1,), (1, 2, 0)])
def test_file_byte_takes_one_index_for_each_axis(table, index):
    checkpoint, _ = table
    with pytest.raises(tl.ShapeError, match=rf"of shape \(5, 3\) takes 2 indices, not {len(index)}") as caught:
        checkpoint.file_byte("table", *index)
    if len(index) == 1:
        row = 1
        assert eval(caught.value.fix) == checkpoint.byte_range("table", row)


@pytest.mark.parametrize("wrong", [True, 1.0, "1", None, [1]])
def test_an_index_that_is_no_integer_is_refused(table, wrong):
    checkpoint, _ = table
    with pytest.raises(tl.ArgumentError, match="an index of tensor 'table' is no integer"):
        checkpoint.read_row("table", wrong)
    with pytest.raises(tl.ArgumentError, match="an index of tensor 'table' is no integer"):
        checkpoint.read_rows("table", [0, wrong])
    with pytest.raises(tl.ArgumentError, match="an index of tensor 'table' is no integer"):
        checkpoint.file_byte("table", 0, wrong)


@pytest.mark.parametrize("ids", [3, "12", np.int64(3), None])
def test_ids_that_are_no_list_are_refused(table, ids):
    checkpoint, values = table
    with pytest.raises(tl.ArgumentError, match="read_rows: the ids are no list") as caught:
        checkpoint.read_rows("table", ids)
    if caught.value.fix:
        np.testing.assert_array_equal(eval(caught.value.fix).numpy(), values[3])


@pytest.mark.parametrize("ids", [np.array([[0, 1]]), np.array([0.0]), np.array([True, False])])
def test_ids_of_another_rank_or_kind_are_refused(table, ids):
    with pytest.raises(tl.ArgumentError, match="an index of tensor 'table' is no integer"):
        table[0].read_rows("table", ids)


def test_rank_0_has_no_rows(tmp_path):
    save_checkpoint(tmp_path / "scalar.safetensors", {"a": np.array(3.5)})
    checkpoint = open_checkpoint(tmp_path / "scalar.safetensors")
    with pytest.raises(tl.ShapeError, match="read_row: tensor 'a' has rank 0 and so no rows") as caught:
        checkpoint.read_row("a", 0)
    assert eval(caught.value.fix).item() == 3.5


@pytest.mark.parametrize("name", ["tabel", "", 3, None, ("table",), ["table"]])
def test_a_name_that_is_not_there_is_refused_with_those_that_are(table, name):
    checkpoint, _ = table
    with pytest.raises(tl.CheckpointNameError, match=r"table\.safetensors holds no tensor") as caught:
        checkpoint.read_row(name, 0)
    assert caught.value.expected == "'first', 'table', 'x'"
    assert isinstance(caught.value, KeyError)


def test_every_bfloat16_and_float16_word_widens_exactly(tmp_path):
    words = np.arange(65_536, dtype=np.uint16)
    path = tmp_path / "words.safetensors"
    save_checkpoint(path, {"b": tl.from_numpy(words, dtype=tl.bfloat16), "h": words.view(np.float16)})
    checkpoint = open_checkpoint(path)
    for name, known in (("b", words.view(ml_dtypes.bfloat16)), ("h", words.view(np.float16))):
        wide = checkpoint.read(name)
        assert wide.dtype == tl.float32
        assert "owns its buffer" in repr(wide)
        np.testing.assert_array_equal(wide.numpy().view(np.uint32), known.astype(np.float32).view(np.uint32))
    assert checkpoint.read("b", widen=False).dtype == tl.bfloat16
    np.testing.assert_array_equal(checkpoint.read("b", widen=False).words(), words)
    assert checkpoint.read_row("h", 15_360, widen=False).dtype == tl.float16
    assert checkpoint.read_rows("h", [15_360], widen=False).tolist() == [1.0]


def test_a_bool_byte_that_is_neither_0_nor_1_is_refused_when_read(tmp_path):
    path = tmp_path / "flags.safetensors"
    path.write_bytes(file_of(one("BOOL"), b"\0\1\2\1"))
    checkpoint = open_checkpoint(path)
    assert checkpoint.read_rows("a", [1, 0]).tolist() == [True, False]
    with pytest.raises(tl.CheckpointError, match="holds a byte that is neither false nor true") as caught:
        checkpoint.read("a")
    assert caught.value.got == "02"


# Bytes: counted, exact, and of the file whose header was read.


def test_one_row_asks_for_8_plus_n_plus_its_own_bytes(tmp_path, monkeypatch):
    path = tmp_path / "table.safetensors"
    save_checkpoint(path, {"before": np.zeros(3072, np.uint16), "table": np.zeros((1000, 1024), np.float16)})
    asked = []
    read, pread = os.read, access._pread
    monkeypatch.setattr(os, "read", lambda file, count: asked.append(count) or read(file, count))
    monkeypatch.setattr(access, "_pread", lambda file, count, at: asked.append(count) or pread(file, count, at))
    checkpoint = open_checkpoint(path)
    checkpoint.read_row("table", 785)
    assert asked == [8, checkpoint.header_length, 2048]
    assert checkpoint.bytes_read == sum(asked)
    checkpoint.read_rows("table", [1, 1, 999])
    assert asked[3:] == [2048] * 3
    checkpoint.file_byte("table", 1, 1)
    checkpoint.byte_range("table", 1)
    checkpoint.raw_bytes("before")
    assert asked[6:] == [6144]
    assert checkpoint.bytes_read == sum(asked)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux counts a process's bytes in /proc")
def test_the_system_counts_the_same_bytes(tmp_path):
    path = tmp_path / "table.safetensors"
    save_checkpoint(path, {"before": np.zeros(3072, np.uint16), "table": np.zeros((1000, 1024), np.float16)})

    def characters():
        counts = Path("/proc/self/io").read_text()
        return int(counts.split()[1]), len(counts)

    before, own = characters()
    checkpoint = open_checkpoint(path)
    checkpoint.read_row("table", 785)
    after, _ = characters()
    assert after - before - own == checkpoint.bytes_read == 8 + checkpoint.header_length + 2048


def test_short_reads_and_pieces_are_put_together(table, monkeypatch):
    checkpoint, values = table
    monkeypatch.setattr(access, "PIECE", 7)
    monkeypatch.setattr(access, "_pread", lambda file, count, at: os.pread(file, min(count, 5), at))
    np.testing.assert_array_equal(checkpoint.read("table").numpy(), values)
    np.testing.assert_array_equal(checkpoint.read_rows("table", [4, 0, 4]).numpy(), values[[4, 0, 4]])
    short = os.read
    monkeypatch.setattr(os, "read", lambda file, count: short(file, min(count, 8)))
    assert open_checkpoint(checkpoint.path).entries == checkpoint.entries


def test_reading_works_where_the_system_has_no_pread(table, monkeypatch):
    checkpoint, values = table
    monkeypatch.setattr(access, "_pread", access._seek_and_read)
    np.testing.assert_array_equal(checkpoint.read_rows("table", [4, 0]).numpy(), values[[4, 0]])


def test_a_file_that_changed_is_not_read(table):
    checkpoint, _ = table
    path = checkpoint.path
    status = path.stat()
    with open(path, "r+b") as file:
        file.truncate(status.st_size - 1)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(tl.CheckpointError, match=r"read_row: table\.safetensors changed since its header") as caught:
        checkpoint.read_row("table", 0)
    with open(path, "ab") as file:
        file.write(b"x")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    with pytest.raises(tl.CheckpointError, match="changed since its header was read"):
        checkpoint.read("table")
    again = {"tl": tl, "checkpoint": checkpoint}
    exec(caught.value.fix, again)
    assert again["checkpoint"].read_row("table", 0).shape == (3,)


def test_a_file_that_vanished_is_refused_by_name(table):
    checkpoint, _ = table
    checkpoint.path.unlink()
    with pytest.raises(tl.CheckpointError, match=r"^read: table\.safetensors: there is no such file$"):
        checkpoint.read("table")


def test_a_file_that_ends_while_it_is_read_is_refused(table, monkeypatch):
    checkpoint, _ = table
    monkeypatch.setattr(access, "_pread", lambda file, count, at: b"")
    with pytest.raises(tl.CheckpointError, match="changed since its header was read"):
        checkpoint.read("table")


def test_the_same_path_with_another_header_is_parsed_anew(tmp_path):
    path = tmp_path / "model.safetensors"
    for shape in ("[4]", "[2,2]", "[1,4]"):
        path.write_bytes(file_of(one(shape=shape), b"data"))
        first, second = open_checkpoint(path), open_checkpoint(path)
        assert list(first.entries["a"].shape) == list(second.entries["a"].shape) == json.loads(shape)
    first.entries.clear()
    first.metadata["k"] = "v"
    assert list(open_checkpoint(path).entries) == ["a"]
    assert open_checkpoint(path).metadata == {}
    path.write_bytes(file_of(one(shape="[1,4]"), b"data and more"))
    with pytest.raises(tl.CheckpointError, match="9 bytes behind the last tensor"):
        open_checkpoint(path)


def test_no_file_stays_open(table, monkeypatch):
    checkpoint, _ = table
    opened, closed = [], []
    open_, close = os.open, os.close
    monkeypatch.setattr(os, "open", lambda *args: opened.append(open_(*args)) or opened[-1])
    monkeypatch.setattr(os, "close", lambda file: closed.append(file) or close(file))
    again = open_checkpoint(checkpoint.path)
    again.read_row("table", 1)
    again.read_rows("table", [1, 0])
    assert len(opened) == 3
    assert closed == opened
    monkeypatch.setattr(access, "_pread", lambda file, count, at: b"")
    with pytest.raises(tl.CheckpointError):
        again.read("table")
    again.path.write_bytes(b"")
    with pytest.raises(tl.CheckpointError):
        open_checkpoint(again.path)
    assert len(opened) == 5
    assert closed == opened


# Both directions against the safetensors library.


def library_file(arrays, metadata=None):
    """What the library writes; it must be given C-contiguous arrays, else it stores scrambled values."""
    assert all(array.flags.c_contiguous for array in arrays.values())
    return safetensors.numpy.save(arrays, metadata)


def words_of(array):
    return array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter(lambda name: name != "__metadata__")


@st.composite
def arrays(draw):
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=4)))
    dtype = draw(st.sampled_from([*NUMPY_DTYPES, ml_dtypes.bfloat16]))
    seed = draw(st.integers(0, 255))
    size = int(np.prod(shape, dtype=int)) * np.dtype(dtype).itemsize
    content = (np.arange(size) * 37 + seed).astype(np.uint8)
    return (content % 2 if dtype == "bool" else content).view(dtype).reshape(shape)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(names, arrays(), min_size=1, max_size=5), st.none() | st.dictionaries(names, names, max_size=1))
def test_files_are_those_of_the_library_byte_for_byte_and_read_back(tmp_path, tensors, metadata):
    path = tmp_path / "model.safetensors"
    save_checkpoint(path, tensors, metadata)
    content = path.read_bytes()
    assert content == library_file(tensors, metadata)
    checkpoint = open_checkpoint(path)
    assert checkpoint.metadata == (metadata or {})
    assert set(checkpoint.entries) == set(tensors)
    for name, array in tensors.items():
        got = checkpoint.read(name, widen=False)
        assert got.shape == array.shape
        assert got.words().tobytes() == array.tobytes()
        if array.dtype in (np.float16, ml_dtypes.bfloat16):
            wide = checkpoint.read(name)
            assert wide.dtype == tl.float32
            np.testing.assert_array_equal(wide.numpy(), array.astype(np.float32))
        for index in list(np.ndindex(array.shape))[:5]:
            byte = checkpoint.file_byte(name, *index)
            assert content[byte : byte + array.itemsize] == array[index].tobytes()


def test_the_order_is_widest_dtype_first_then_the_name(tmp_path):
    arrays_ = {f"{name}{dtype}": np.zeros(1, dtype) for name in "bā" for dtype in [*NUMPY_DTYPES, ml_dtypes.bfloat16]}
    path = tmp_path / "model.safetensors"
    save_checkpoint(path, arrays_)
    assert path.read_bytes() == library_file(arrays_)
    tags = [entry.dtype_tag for entry in open_checkpoint(path).entries.values()]
    assert tags[::2] == ["U64", "I64", "F64", "F32", "U32", "I32", "BF16", "F16", "U16", "I16", "I8", "U8", "BOOL"]


def test_the_writer_pads_the_header_to_a_multiple_of_8_with_spaces(tmp_path):
    path = tmp_path / "model.safetensors"
    for length in range(1, 10):
        save_checkpoint(path, {"n" * length: np.zeros(1, np.uint8)})
        checkpoint = open_checkpoint(path)
        header = path.read_bytes()[8 : checkpoint.data_start]
        assert checkpoint.data_start % 8 == 0
        assert len(header) - len(header.rstrip(b" ")) < 8


def test_a_file_of_no_tensors_can_be_written(tmp_path):
    path = tmp_path / "model.safetensors"
    save_checkpoint(path, {})
    assert path.read_bytes() == library_file({})
    save_checkpoint(path, {}, {})
    assert open_checkpoint(path).metadata == {}


def test_more_texts_of_metadata_keep_their_order(tmp_path):
    path = tmp_path / "model.safetensors"
    metadata = {"z": "1", "a": 'é\n"\\', "m": "\u2028"}
    save_checkpoint(path, {"x": np.zeros(1)}, metadata)
    assert list(open_checkpoint(path).metadata.items()) == list(metadata.items())
    with safetensors.safe_open(path, framework="np") as file:
        assert file.metadata() == metadata


def views_of(array):
    yield "transposed", array.T
    yield "Fortran order", np.asfortranarray(array)
    yield "stepped", array[::2, 1::2]
    yield "reversed", array[::-1, ::-1]
    yield "broadcast", np.broadcast_to(array[:1], array.shape)
    yield "one column", array[:, 1]
    yield "other byte order", array.astype(array.dtype.newbyteorder())
    yield "rank 0", array[1, 2]
    yield "misaligned", misaligned(array)


def misaligned(array):
    shifted = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    shifted[...] = array
    return shifted


def test_any_layout_is_packed_row_by_row(tmp_path):
    path = tmp_path / "model.safetensors"
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    for name, view in views_of(array):
        save_checkpoint(path, {name: np.asarray(view)})
        np.testing.assert_array_equal(safetensors.numpy.load_file(path)[name], view, err_msg=name)
        assert open_checkpoint(path).read(name).tolist() == view.tolist()


def test_the_library_scrambles_what_is_packed_here(tmp_path):
    turned = np.arange(6, dtype=np.float32).reshape(2, 3).T
    assert not np.array_equal(safetensors.numpy.load(safetensors.numpy.save({"x": turned}))["x"], turned)
    save_checkpoint(tmp_path / "x.safetensors", {"x": turned})
    np.testing.assert_array_equal(safetensors.numpy.load_file(tmp_path / "x.safetensors")["x"], turned)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(layouts(), st.sampled_from([tl.float32, tl.bfloat16, tl.uint8]))
def test_a_tensor_of_any_layout_is_packed_row_by_row(tmp_path, layout, dtype):
    lowest = layout.span[0] if layout.size else layout.offset
    layout = tl.Layout(layout.shape, layout.strides, layout.offset - lowest)
    buffer = np.arange(layout.span[1]).astype(dtype.storage)
    path = tmp_path / "model.safetensors"
    save_checkpoint(path, {"x": tl.Tensor(buffer, layout, dtype)})
    got = open_checkpoint(path).read("x", widen=False)
    assert got.shape == layout.shape
    assert got.words().ravel().tolist() == [buffer[position] for position in layout.positions()]


def test_a_matrix_is_written_like_its_tensor(tmp_path):
    path = tmp_path / "model.safetensors"
    save_checkpoint(path, {"m": tl.Matrix([1.0, 2, 3, 4, 5, 6], rows=2, cols=3)})
    np.testing.assert_array_equal(safetensors.numpy.load_file(path)["m"], np.float32([[1, 2, 3], [4, 5, 6]]))


REFUSED = {
    "a name that is no text": ({3: np.zeros(1)}, None, tl.ArgumentError, "a tensor's name is not text"),
    "a name of half a character": ({"\ud800": np.zeros(1)}, None, tl.ArgumentError, "a tensor's name is not text"),
    "the metadata's name": ({"__metadata__": np.zeros(1)}, None, tl.ArgumentError, "__metadata__ cannot name a tensor"),
    "a list": ({"x": [1, 2]}, None, tl.ArgumentError, "'x' is no tensor"),
    "a masked array": ({"x": np.ma.zeros(1)}, None, tl.ArgumentError, "'x' is no tensor"),
    "complex numbers": ({"x": np.zeros(1, complex)}, None, tl.DTypeError, "'x' is of a dtype the course does not hold"),
    "dates": ({"x": np.zeros(1, "M8[s]")}, None, tl.DTypeError, "'x' is of a dtype the course does not hold"),
    "objects": ({"x": np.array([None])}, None, tl.DTypeError, "'x' is of a dtype the course does not hold"),
    "records": ({"x": np.zeros(1, "i4,i4")}, None, tl.DTypeError, "'x' is of a dtype the course does not hold"),
    "float8": ({"x": np.zeros(1, ml_dtypes.float8_e4m3fn)}, None, tl.DTypeError, "'x' is of a dtype the course"),
    "no mapping": ([np.zeros(1)], None, tl.ArgumentError, "tensors have no names"),
    "metadata no mapping": ({}, "text", tl.ArgumentError, "metadata have no names"),
    "metadata no text": ({}, {"k": 1}, tl.ArgumentError, "the metadata's 'k' is not text"),
    "a key no text": ({}, {1: "v"}, tl.ArgumentError, "a key of the metadata is not text"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_written_is_refused_before_anything_is(case, tmp_path):
    tensors, metadata, kind, text = REFUSED[case]
    if isinstance(tensors, dict):
        tensors = {"good": np.zeros(3), **tensors}
    with pytest.raises(kind, match=f"^save_checkpoint: {text}"):
        save_checkpoint(tmp_path / "model.safetensors", tensors, metadata)
    assert list(tmp_path.iterdir()) == []


def test_a_header_that_no_reader_takes_is_not_written(tmp_path):
    with pytest.raises(tl.CheckpointError, match="the header is beyond what any reader takes"):
        save_checkpoint(tmp_path / "model.safetensors", {}, {"k": "v" * 100_000_000})
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    save_checkpoint(path, {"x": np.zeros(3)})
    old = path.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    message = r"^save_checkpoint: model\.safetensors cannot be written: No space left on device$"
    with pytest.raises(tl.CheckpointError, match=message):
        save_checkpoint(path, {"x": np.ones(1000)})
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


def test_an_interruption_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"old")

    def interrupted():
        with replaced_file(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_or_in_the_way_is_refused(tmp_path):
    with pytest.raises(tl.CheckpointError, match=r"^save_checkpoint: x\.safetensors cannot be written"):
        save_checkpoint(tmp_path / "nowhere" / "x.safetensors", {"x": np.zeros(1)})
    (tmp_path / "folder").mkdir()
    with pytest.raises(tl.CheckpointError, match=r"^save_checkpoint: folder cannot be written"):
        save_checkpoint(tmp_path / "folder", {"x": np.zeros(1)})
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions and links")
def test_a_replaced_file_keeps_its_permissions_and_its_link(tmp_path):
    path, link = tmp_path / "model.safetensors", tmp_path / "link"
    save_checkpoint(path, {"x": np.zeros(1)})
    path.chmod(0o600)
    link.symlink_to(path)
    save_checkpoint(link, {"x": np.ones(1)})
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600
    assert open_checkpoint(path).read("x").tolist() == [1.0]


# A small valid file with any byte changed, cut or doubled: refused, or read as the library reads it.


def small_file():
    return library_file(
        {"w": np.float32([[1, 2], [3, 4]]), "é\n": np.array(7, np.uint8), "on": np.array([True, False])}, {"k": "v"}
    )


def check_refused_or_as_the_library(path, content):
    path.write_bytes(content)
    try:
        checkpoint = open_checkpoint(path)
    except tl.CheckpointError:
        return "refused"
    got = {
        name: {"dtype": entry.dtype_tag, "shape": list(entry.shape), "data": checkpoint.raw_bytes(name)}
        for name, entry in checkpoint.entries.items()
    }
    assert got == dict(safetensors.deserialize(content))
    return "read"


def test_every_changed_byte_is_refused_or_read_as_the_library_does(tmp_path):
    content = small_file()
    outcomes = []
    for at in range(len(content)):
        for new in {0, 0x20, 0x22, 0x2D, 0x39, 0x5C, content[at] ^ 1, content[at] ^ 0x80}:
            changed = content[:at] + bytes([new]) + content[at + 1 :]
            outcomes.append(check_refused_or_as_the_library(tmp_path / "small.safetensors", changed))
    assert set(outcomes) == {"refused", "read"}


def test_every_cut_and_every_doubled_byte_is_refused_or_read_as_the_library_does(tmp_path):
    content = small_file()
    path = tmp_path / "small.safetensors"
    for at in range(len(content)):
        assert check_refused_or_as_the_library(path, content[:at]) == "refused"
        check_refused_or_as_the_library(path, content[:at] + content[at : at + 1] + content[at:])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["dtype", "shape", "data_offsets", "w", "__metadata__"]), json_values)
def test_any_json_in_any_place_is_refused_or_read_as_the_library_does(tmp_path, place, value):
    fields = {"w": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}}
    (fields if place in ("w", "__metadata__") else fields["w"])[place] = value
    content = file_of(json.dumps(fields).encode("utf-8", "surrogatepass"), b"data")
    check_refused_or_as_the_library(tmp_path / "small.safetensors", content)


@given(st.binary(max_size=60))
def test_any_bytes_as_a_header_raise_nothing_but_a_checkpoint_error(header):
    try:
        parse_header(header, 4)
    except tl.CheckpointError:
        return
    assert safetensors.deserialize(file_of(header, b"data")) is not None


def test_entries_are_values_that_cover_the_data_in_order(table):
    checkpoint, _ = table
    entries = list(checkpoint.entries.values())
    assert entries[0].start == 0
    assert all(one.stop == two.start for one, two in pairwise(entries))
    assert checkpoint.data_start + entries[-1].stop == checkpoint.file_size == checkpoint.path.stat().st_size
    assert entries[0] == Entry("first", "F64", (4,), 0, 32)
    with pytest.raises(AttributeError):
        entries[0].start = 5


@pytest.mark.parametrize("path", [None, 3, ["x.safetensors"]])
def test_a_file_to_write_is_named_by_its_path(path):
    with pytest.raises(tl.ArgumentError, match=r"^save_checkpoint: a file is named by its path"):
        save_checkpoint(path, {"a": np.zeros(1)})


def test_a_name_that_no_file_can_have_is_said(tmp_path):
    with pytest.raises(tl.CheckpointError, match="cannot be written"):
        save_checkpoint(f"{tmp_path}/a\0b.safetensors", {"a": np.zeros(1)})
    assert list(tmp_path.iterdir()) == []


def test_bytes_name_a_file_to_write_as_they_do_one_to_read(tmp_path):
    path = os.fsencode(tmp_path / "x.safetensors")
    save_checkpoint(path, {"a": np.ones(1)})
    assert open_checkpoint(path).read("a").tolist() == [1.0]
