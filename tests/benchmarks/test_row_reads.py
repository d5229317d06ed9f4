"""Reading rows of a 311 MB file, beside the safetensors library in the same run. It prints ratios and asserts answers.

The library's NumPy reader knows no BF16, so both read a twin of the course's file whose header says F16: the same
bytes at the same places, and on both sides as they are, without widening.
"""

import os
import random

import numpy as np
import pytest
import safetensors

import tensorlab as tl
from tensorlab import data
from tensorlab.checkpoint import reader, replaced_file
from tests.benchmarks.interleaved import heading, interleaved, line

EMBEDDING = "model.embed_tokens.weight"
IDS = random.Random(0).sample(range(151_936), 512)


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    """The course's sparse file under a header of the same length that says F16 for BF16."""
    known = tl.open_checkpoint(data.real_shaped_embedding())
    with open(known.path, "rb") as file:
        header = file.read(known.data_start).replace(b'"BF16"', b'"F16"').ljust(known.data_start)
    path = tmp_path_factory.mktemp("twin") / "f16.safetensors"
    with replaced_file(path) as file:
        file.write(header)
        file.truncate(known.file_size)
        for row in (782, 785, *IDS[::16]):
            file.seek(known.file_byte(EMBEDDING, row, 0))
            file.write(known.raw_bytes(EMBEDDING, 785))
    return path


def test_row_reads(twin, capsys):
    embedding = data.real_shaped_embedding()

    def again():
        return tl.open_checkpoint(twin).read_row(EMBEDDING, 785, widen=False)

    def first():
        reader._KNOWN.pop(str(twin), None)
        return again()

    def widened():
        return tl.open_checkpoint(embedding).read_row(EMBEDDING, 785)

    def calls_alone():
        """The bound: what the system is asked for, and nothing looked at."""
        file = os.open(twin, os.O_RDONLY)
        os.fstat(file)
        os.read(file, 8)
        os.read(file, 1208)
        os.close(file)
        file = os.open(twin, os.O_RDONLY)
        os.fstat(file)
        os.pread(file, 2048, 1_615_040)
        os.close(file)

    def library():
        with safetensors.safe_open(twin, framework="np") as file:
            return file.get_slice(EMBEDDING)[785]

    def gathered():
        return tl.open_checkpoint(twin).read_rows(EMBEDDING, IDS, widen=False)

    def sliced():
        with safetensors.safe_open(twin, framework="np") as file:
            table = file.get_slice(EMBEDDING)
            return np.stack([table[id_] for id_ in IDS])

    np.testing.assert_array_equal(again().numpy(), library())
    np.testing.assert_array_equal(first().numpy(), library())
    assert widened().tolist()[:2] == [-0.00244140625, 0.0164794921875]
    np.testing.assert_array_equal(gathered().numpy(), sliced())
    checkpoint = tl.open_checkpoint(twin)
    checkpoint.read_row(EMBEDDING, 785)
    assert checkpoint.bytes_read == 8 + 1208 + 2048

    works = {"again": again, "first": first, "widened": widened, "library": library}
    if hasattr(os, "pread"):
        works["bound"] = calls_alone
    one = interleaved(works, rounds=200, calls=5)
    many = interleaved({"gathered": gathered, "sliced": sliced}, rounds=15)
    with capsys.disabled():
        print(heading("Rows of a 311,172,288-byte file", f"safetensors {safetensors.__version__}"))
        print(line("one row: open, known header, 2,048 bytes", one["again"], one["library"], ">= 5x (4x)"))
        print(line("  the same, header parsed and checked anew", one["first"], one["library"], ""))
        print(line("  the same, bfloat16 widened to float32", one["widened"], one["library"], ""))
        if "bound" in one:
            print(line("  the bound: its system calls alone", one["bound"], one["library"], ""))
        print(line("512 random rows; slices one by one", many["gathered"], many["sliced"], ">= 10x"))
        print(f"  bytes asked of the file for one row: 8 + 1,208 + 2,048 = {checkpoint.bytes_read:,}")
