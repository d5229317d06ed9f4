"""A published model's file, read by this course and by the safetensors library."""

import json
import struct

import numpy as np
import pytest
import safetensors.numpy

import tensorlab as tl
from tensorlab import data


@pytest.fixture(scope="module")
def real():
    try:
        return tl.open_checkpoint(data.fetch_silero_vad(progress=False))
    except tl.DataError as error:
        pytest.skip(f"the published file cannot be had: {str(error).splitlines()[0]}")


@pytest.fixture(scope="module")
def known(real):
    return safetensors.numpy.load_file(real.path)


def test_it_has_fifteen_float32_tensors(real, known):
    assert len(real.entries) == 15
    assert {entry.dtype_tag for entry in real.entries.values()} == {"F32"}
    assert set(real.entries) == set(known)
    assert real.file_size == 1_239_748


def test_every_tensor_equals_the_librarys(real, known):
    for name, array in known.items():
        got = real.read(name)
        assert got.dtype == tl.float32
        np.testing.assert_array_equal(got.numpy(), array)


def test_every_byte_range_is_the_one_a_plain_parser_finds(real):
    content = real.path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    fields = json.loads(content[8 : 8 + length])
    for name, entry in real.entries.items():
        start, stop = fields[name]["data_offsets"]
        assert real.byte_range(name) == (8 + length + start, 8 + length + stop)
        assert (entry.start, entry.stop, list(entry.shape)) == (start, stop, fields[name]["shape"])
        assert real.raw_bytes(name) == content[8 + length + start : 8 + length + stop]


def test_rows_and_elements_lie_where_file_byte_says(real, known):
    content = real.path.read_bytes()
    for name, array in known.items():
        last = tuple(length - 1 for length in array.shape)
        (value,) = struct.unpack_from("<f", content, real.file_byte(name, *last))
        assert value == array[last]
        row = array.shape[0] - 1
        np.testing.assert_array_equal(real.read_row(name, row).numpy(), array[row])
        ids = [row, 0, row]
        np.testing.assert_array_equal(real.read_rows(name, ids).numpy(), array[ids])


def test_one_row_asks_only_for_the_header_and_its_own_bytes(real):
    name, entry = max(real.entries.items(), key=lambda item: item[1].nbytes)
    again = tl.open_checkpoint(real.path)
    again.read_row(name, 0)
    assert again.bytes_read == 8 + real.header_length + entry.nbytes // entry.shape[0]
    assert again.bytes_read < again.file_size / 20


def test_writing_it_again_gives_the_same_tensors(real, known, tmp_path):
    path = tmp_path / "again.safetensors"
    tl.save_checkpoint(path, {name: real.read(name) for name in real.entries}, real.metadata or None)
    again = safetensors.numpy.load_file(path)
    assert set(again) == set(known)
    for name, array in known.items():
        np.testing.assert_array_equal(again[name], array)
