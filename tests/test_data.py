"""The course's own files: deterministic, sparse, whole or absent."""

import os
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import platformdirs
import pytest
import safetensors

import tensorlab as tl
from tensorlab import data

EMBEDDING = "model.embed_tokens.weight"
WHOLE_TABLE = 311_164_928  # bytes


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TENSORLAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def stand_in(cache):
    return tl.open_checkpoint(data.real_shaped_embedding())


def test_home_and_cache_are_where_the_reader_says(monkeypatch, tmp_path):
    monkeypatch.setenv("TENSORLAB_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TENSORLAB_CACHE", str(tmp_path / "cache"))
    assert (data.home(), data.cache_folder()) == (tmp_path / "home", tmp_path / "cache")
    monkeypatch.setenv("TENSORLAB_HOME", "~/course")
    assert data.home() == Path.home() / "course"
    assert list(tmp_path.iterdir()) == []


def test_home_is_the_users_data_folder_unless_told_otherwise(monkeypatch):
    monkeypatch.delenv("TENSORLAB_HOME")
    assert data.home() == Path(platformdirs.user_data_dir("tensorlab", appauthor=False))
    monkeypatch.setenv("TENSORLAB_HOME", "")
    assert data.home() == Path(platformdirs.user_data_dir("tensorlab", appauthor=False))


def test_the_cache_is_in_the_checkout_or_else_the_users(monkeypatch, tmp_path):
    monkeypatch.delenv("TENSORLAB_CACHE", raising=False)
    assert data.cache_folder() == Path(data.__file__).resolve().parents[1] / "data" / "cache"
    monkeypatch.setattr(data, "__file__", str(tmp_path / "site-packages" / "tensorlab" / "data.py"))
    assert data.cache_folder() == Path(platformdirs.user_cache_dir("tensorlab", appauthor=False))


def test_the_stand_in_has_the_numbers_of_the_design(stand_in):
    entry = stand_in.entries[EMBEDDING]
    assert (entry.dtype_tag, entry.shape, entry.start) == ("BF16", (151_936, 1024), 6144)
    assert entry.nbytes == WHOLE_TABLE == 151_936 * 1024 * 2
    assert (stand_in.header_length, stand_in.data_start) == (1208, 1216)
    assert stand_in.file_size == stand_in.path.stat().st_size == 8 + 1208 + 6144 + WHOLE_TABLE == 311_172_288
    assert entry.layout.position((785, 0)) == 803_840
    begin, end = stand_in.byte_range(EMBEDDING, 785)
    tensor_start = stand_in.data_start + entry.start
    assert (begin - tensor_start, end - tensor_start, end - begin) == (1_607_680, 1_609_728, 2048)
    assert stand_in.file_byte(EMBEDDING, 785, 1023) - tensor_start == 1_609_726
    assert stand_in.file_byte(EMBEDDING, 785, 2) == 1_615_044


def test_row_785_begins_as_the_published_one(stand_in):
    row = stand_in.read_row(EMBEDDING, 785, widen=False)
    assert row.words()[:6].tolist() == [47904, 15495, 48437, 15482, 15324, 15360]
    wide = stand_in.read_row(EMBEDDING, 785)
    assert wide.nbytes == 4096
    known = [-0.00244140625, 0.01647949, -0.04418945, 0.01525879, 0.00671387, 0.0078125]
    np.testing.assert_allclose(wide.numpy()[:6], known, rtol=1e-6)


def test_the_library_reads_the_same_file(stand_in):
    with safetensors.safe_open(stand_in.path, framework="np") as file:
        assert set(file.keys()) == set(stand_in.entries)
        assert file.metadata() == stand_in.metadata
        assert file.get_slice(EMBEDDING).get_shape() == [151_936, 1024]


def test_the_five_rows_are_gathered_from_10240_bytes(stand_in):
    ids = [785, 6722, 315, 9625, 374]
    before = stand_in.bytes_read
    rows = stand_in.read_rows(EMBEDDING, ids)
    assert stand_in.bytes_read - before == 10_240
    content = stand_in.path.open("rb")
    for id_, row in zip(ids, rows.numpy(), strict=True):
        content.seek(8 + 1208 + 6144 + id_ * 2048)
        np.testing.assert_array_equal(row, np.frombuffer(content.read(2048), ml_dtypes.bfloat16).astype(np.float32))
    content.close()


WRONG = {  # what is forgotten -> where element [785, 0] is then looked for
    "tensor.start": (6144, 782, 0),
    "the 8": (8, 784, 1020),
    "N": (1208, 784, 420),
    "data_start": (1216, 784, 416),
    "data_start and tensor.start": (1216 + 6144, 781, 416),
}


@pytest.mark.parametrize("forgotten", WRONG)
def test_a_forgotten_term_lands_on_a_plausible_vector(stand_in, forgotten):
    forgotten_bytes, row, column = WRONG[forgotten]
    byte = stand_in.file_byte(EMBEDDING, 785, 0) - forgotten_bytes
    assert byte == stand_in.file_byte(EMBEDDING, row, column)
    content = stand_in.path.open("rb")
    content.seek(byte)
    found = np.frombuffer(content.read(2048), ml_dtypes.bfloat16).astype(np.float32)
    content.close()
    right = stand_in.read_row(EMBEDDING, 785).numpy()
    assert not np.array_equal(found, right)
    assert 0.5 < found.std() / right.std() < 2
    assert np.count_nonzero(found) > 1000


def test_the_numbers_look_like_an_embedding(stand_in):
    ids = [781, 782, 783, 784, 785, 6722, 315, 9625, 374]
    rows = stand_in.read_rows(EMBEDDING, ids).numpy()
    assert np.isfinite(rows).all()
    assert abs(rows.mean()) < 0.002
    assert 0.016 < rows.std() < 0.020
    assert 0.6 < np.mean(np.abs(rows) < rows.std()) < 0.72
    assert np.abs(rows).max() < 0.1
    assert len(np.unique(rows, axis=0)) == len(ids)
    assert np.abs(np.corrcoef(rows) - np.eye(len(ids))).max() < 0.2
    norms = stand_in.read("model.norm.weight").numpy()
    assert 0.9 < norms.mean() < 1.1


def test_the_numbers_are_the_same_everywhere():
    """The first words were worked out with plain Python integers."""
    mask = 2**64 - 1
    for row, column in ((785, 6), (782, 0), (9625, 1023)):
        mixed = (row * 1024 + column + 1) * 0x9E3779B97F4A7C15 & mask
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & mask
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & mask
        mixed ^= mixed >> 31
        total = sum(mixed >> shift & 0xFFFF for shift in (0, 16, 32, 48)) - 131_070
        assert data._small_numbers(row)[column] == total / 2**21


def test_other_rows_read_as_zeros(stand_in):
    rows = stand_in.read_rows(EMBEDDING, [0, 780, 786, 151_935])
    assert not rows.numpy().any()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="not every file system leaves holes in files")
def test_the_file_takes_only_kilobytes_on_disk(stand_in):
    assert stand_in.path.stat().st_blocks * 512 < 200_000


def test_it_is_made_once(stand_in):
    made = stand_in.path.stat()
    assert data.real_shaped_embedding() == stand_in.path
    assert (stand_in.path.stat().st_mtime_ns, stand_in.path.stat().st_ino) == (made.st_mtime_ns, made.st_ino)


@pytest.mark.parametrize("where", [0, 100, 5000, 1_615_044])
def test_a_file_that_holds_something_else_is_made_again(stand_in, where):
    whole = stand_in.read_row(EMBEDDING, 785)
    with open(stand_in.path, "r+b") as file:
        file.seek(where)
        file.write(b"??")
    checkpoint = tl.open_checkpoint(data.real_shaped_embedding())
    assert checkpoint.read_row(EMBEDDING, 785).tolist() == whole.tolist()


def test_a_file_of_another_length_is_made_again(stand_in):
    with open(stand_in.path, "r+b") as file:
        file.truncate(5)
    assert tl.open_checkpoint(data.real_shaped_embedding()).file_size == 311_172_288


def test_without_space_there_is_one_clear_error_and_no_half_file(cache, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(tl.DataError) as caught:
        data.real_shaped_embedding()
    assert str(caught.value).splitlines()[:2] == [
        "real_shaped_embedding: qwen3-shaped-embedding.safetensors cannot be written: No space left on device",
        "  expected: 311,172,288 bytes free on a disk that cannot leave holes in files, 64 KB on others",
    ]
    assert list(cache.iterdir()) == []


def test_a_cache_that_cannot_be_made_is_one_clear_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("TENSORLAB_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(tl.DataError, match=r"^real_shaped_embedding: qwen3-shaped-embedding\.safetensors cannot be"):
        data.real_shaped_embedding()


# Fetching, with a pip that brings what the test says.

MODEL = struct.pack("<Q", 2) + b"{}"


@pytest.fixture
def published(cache, monkeypatch):
    """Pretend that the published file is MODEL, and let `pip` bring it in a wheel."""
    monkeypatch.setattr(data, "SILERO_BYTES", len(MODEL))
    monkeypatch.setattr(data, "SILERO_SHA256", data.hashlib.sha256(MODEL).hexdigest())
    commands = []

    def run(command, **options):
        commands.append(command)
        folder = Path(command[command.index("--dest") + 1])
        with zipfile.ZipFile(folder / "silero_vad-6.2.3-py3-none-any.whl", "w") as wheel:
            wheel.writestr("silero_vad/data/silero_vad_16k.safetensors", MODEL)
        return SimpleNamespace(returncode=0, stdout="", stderr="")

    monkeypatch.setattr(data.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(subprocess, "run", run)
    return commands


def test_the_model_is_taken_out_of_the_wheel_and_kept(published, cache, capfd):
    assert data.silero_vad_path() is None
    assert data.real_checkpoint() is None
    path = data.fetch_silero_vad()
    assert path == cache / "silero_vad_16k.safetensors"
    assert path.read_bytes() == MODEL
    assert data.silero_vad_path() == data.real_checkpoint() == path
    assert [entry.name for entry in cache.iterdir()] == [path.name]
    assert published[0][:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "silero-vad==6.2.3"} <= set(published[0])
    out, progress = capfd.readouterr()
    assert out == ""
    assert "silero-vad==6.2.3: done: 100%" in progress


def test_the_second_fetch_downloads_nothing_and_says_nothing(published, capfd):
    path = data.fetch_silero_vad(progress=False)
    assert data.fetch_silero_vad() == path
    assert len(published) == 1
    assert capfd.readouterr() == ("", "")


def test_a_damaged_file_is_fetched_again(published):
    path = data.fetch_silero_vad(progress=False)
    path.write_bytes(MODEL[:-1] + b"?")
    assert data.silero_vad_path() is None
    assert data.fetch_silero_vad(progress=False).read_bytes() == MODEL
    assert len(published) == 2


def test_another_file_than_the_published_one_is_not_kept(published, cache, monkeypatch):
    monkeypatch.setattr(data, "SILERO_SHA256", "0" * 64)
    with pytest.raises(tl.DataError, match=r"silero_vad_16k\.safetensors is not the file that was published") as caught:
        data.fetch_silero_vad(progress=False)
    assert caught.value.expected == "sha256 " + "0" * 64
    assert not cache.exists()


def test_without_network_there_is_one_clear_line_with_pips_last_word(published, cache, monkeypatch):
    def run(command, **options):
        stderr = "WARNING: Retrying\nERROR: No matching distribution found for silero-vad==6.2.3\n\n"
        return SimpleNamespace(returncode=1, stdout="", stderr=stderr)

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(tl.DataError) as caught:
        data.fetch_silero_vad(progress=False)
    assert str(caught.value).splitlines() == [
        "fetch_silero_vad: silero-vad==6.2.3 cannot be downloaded",
        "  got:      ERROR: No matching distribution found for silero-vad==6.2.3",
        "  why:      the first fetch needs the network; after that the file is kept",
    ]
    assert not cache.exists()


def test_without_pip_uv_is_asked(published, cache, monkeypatch):
    def run(command, **options):
        published.append(command)
        member = Path(command[command.index("--target") + 1]) / "silero_vad" / "data" / "silero_vad_16k.safetensors"
        member.parent.mkdir(parents=True)
        member.write_bytes(MODEL)
        return SimpleNamespace(returncode=0, stdout="", stderr="")

    monkeypatch.setattr(data.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(data.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(subprocess, "run", run)
    assert data.fetch_silero_vad(progress=False).read_bytes() == MODEL
    assert published[0][:3] == ["/bin/uv", "pip", "install"]


def test_without_pip_and_uv_there_is_one_clear_line(cache, monkeypatch):
    monkeypatch.setattr(data.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(data.shutil, "which", lambda name: None)
    with pytest.raises(tl.DataError, match="this Python has neither pip nor uv") as caught:
        data.fetch_silero_vad(progress=False)
    assert caught.value.fix.endswith("-m ensurepip")
    assert not cache.exists()


def test_a_wheel_without_the_file_is_one_clear_line(published, cache, monkeypatch):
    def run(command, **options):
        (Path(command[command.index("--dest") + 1]) / "a.whl").write_bytes(b"no wheel")
        return SimpleNamespace(returncode=0, stdout="", stderr="")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(tl.DataError, match=r"does not hold silero_vad/data/silero_vad_16k\.safetensors"):
        data.fetch_silero_vad(progress=False)
    assert not cache.exists()


def test_a_model_that_cannot_be_kept_leaves_no_half_file(published, cache, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(tl.DataError, match=r"silero_vad_16k\.safetensors cannot be kept: No space left on device"):
        data.fetch_silero_vad(progress=False)
    assert list(cache.iterdir()) == []


def test_a_readers_own_file_counts_as_real_and_the_stand_in_does_not(cache):
    data.real_shaped_embedding()
    assert data.real_checkpoint() is None
    (cache / "mine.safetensors").write_bytes(MODEL)
    assert data.real_checkpoint() == cache / "mine.safetensors"


@pytest.mark.skipif(os.name == "nt", reason="Windows takes any name for a user")
@pytest.mark.parametrize("variable", ["TENSORLAB_HOME", "TENSORLAB_CACHE"])
def test_a_home_of_nobody_is_one_clear_error(monkeypatch, variable):
    monkeypatch.setenv(variable, "~nobody-of-this-name/course")
    with pytest.raises(tl.DataError, match=f"{variable} begins with the home of a user who is not here"):
        data.home() if variable == "TENSORLAB_HOME" else data.cache_folder()
