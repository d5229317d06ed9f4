"""The files of the course: one it makes, shaped like a real model's embedding, and one that is real.

Both are kept in the cache folder, made or fetched on first use, whole or not at all.
"""

import functools
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import platformdirs
from tqdm import tqdm

from tensorlab.checkpoint import replaced_file
from tensorlab.dtypes import narrow_bf16
from tensorlab.errors import DataError

STAND_IN = "qwen3-shaped-embedding.safetensors"
EMBEDDING = "model.embed_tokens.weight"
ROWS, WIDTH = 151_936, 1024
ROW_BYTES = 2 * WIDTH
NORMS = (  # together 6,144 bytes, as many as three rows of the embedding, which follows them
    "model.layers.0.input_layernorm.weight",
    "model.layers.0.post_attention_layernorm.weight",
    "model.norm.weight",
)
FRANCE = (785, 6722, 315, 9625, 374)  # "The capital of France is"
# Where a term of the byte formula is forgotten, the answer lands in row 782 (no tensor.start), 784 (no 8, no N, or
# neither) or 781 (none of the three). These rows hold numbers too, so that a wrong answer looks like a right one.
LANDINGS = (781, 782, 783, 784)
REAL_WORDS = (47904, 15495, 48437, 15482, 15324, 15360)  # the first six of Qwen3-0.6B's own row 785
METADATA = {
    "format": "pt",
    "made_by": "tensorlab, the course about where every number of a tensor lives",
    "made_for": "chapter 06, Where is token 785?",
    "license": "Apache-2.0",
    "shaped_like": "the embedding table of Qwen3-0.6B, 151936 rows of 1024 bfloat16 numbers",
    "rows_written": "315, 374, 781, 782, 783, 784, 785, 6722 and 9625",
    "rows_not_written": "holes in the file; they take no space on most disks, and read as zeros",
    "values": "made by integer arithmetic, small and roughly normal as trained ones are; nobody trained these",
    "real": "the first six numbers of row 785 alone are those of the published model",
    "tokens": "785 6722 315 9625 374 are The capital of France is",
    "norms": "three vectors of 1024 numbers near 1 come first, as many bytes as three rows of the table; "
    "a reader who forgets them finds another token",
}

SILERO = "silero_vad_16k.safetensors"
SILERO_PACKAGE = "silero-vad==6.2.3"
SILERO_MEMBER = f"silero_vad/data/{SILERO}"
SILERO_BYTES = 1_239_748
SILERO_SHA256 = "c59271c284ae9c8335d795d60e0bfdb71aaaceec578d9bd9ffc1b8153c319ea1"


def home() -> Path:
    """Find the folder where a reader's progress lives.

    Returns
    -------
    Path
        What ``TENSORLAB_HOME`` names, else the system's folder for a user's data. It may not exist yet.

    Examples
    --------
    >>> home().is_absolute()
    True
    """
    return _folder("TENSORLAB_HOME") or platformdirs.user_data_path("tensorlab", appauthor=False)


def cache_folder() -> Path:
    """Find the folder where course files are kept; nothing in it is lost if it is removed.

    Returns
    -------
    Path
        What ``TENSORLAB_CACHE`` names; else ``data/cache`` of the checkout this package runs from; else the system's
        folder for a user's caches. It may not exist yet.

    Examples
    --------
    >>> cache_folder().is_absolute()
    True
    """
    return _folder("TENSORLAB_CACHE") or _checkout_cache() or platformdirs.user_cache_path("tensorlab", appauthor=False)


def real_shaped_embedding() -> Path:
    """Give a checkpoint shaped like the embedding of Qwen3-0.6B, 311,172,288 bytes long; make it on first use.

    file = 8 bytes | header, N = 1,208 | three norms, 6,144 bytes | model.embed_tokens.weight, BF16 [151936, 1024]

    Only nine rows hold numbers: those of five tokens (785 6722 315 9625 374), and 781 to 784, where wrong formulas
    land. All others are holes, which take no space on most file systems and read as zeros. The first six numbers of row
    785 are the published model's; the others are made up by integer arithmetic, the same everywhere and always.

    Returns
    -------
    Path
        In `cache_folder`. A file that is there already is used if it holds what it should.

    Raises
    ------
    DataError
        If it cannot be written; then nothing of it is left.

    Examples
    --------
    >>> from tensorlab.checkpoint import open_checkpoint
    >>> checkpoint = open_checkpoint(real_shaped_embedding())
    >>> checkpoint
    Checkpoint qwen3-shaped-embedding.safetensors: 4 tensors, 311,172,288 bytes, data from byte 1,216
    >>> checkpoint.read_row("model.embed_tokens.weight", 785).tolist()[:3]
    [-0.00244140625, 0.0164794921875, -0.044189453125]
    """
    path = cache_folder() / STAND_IN
    size, pieces = _stand_in()
    if _holds(path, size, pieces):
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced_file(path) as file:
            file.truncate(size)
            for begin, piece in pieces:
                file.seek(begin)
                file.write(piece)
    except OSError as error:
        raise DataError(
            "real_shaped_embedding",
            f"{STAND_IN} cannot be written: {error.strerror or error}",
            expected=f"{size:,} bytes free on a disk that cannot leave holes in files, 64 KB on others",
            got=str(path.parent),
            fix='os.environ["TENSORLAB_CACHE"] = "/a/folder/with/space"',
        ) from error
    return path


def fetch_silero_vad(progress=True) -> Path:
    """Fetch a real published model, silero-vad: 15 float32 tensors, 1.24 MB, MIT licence.

    Parameters
    ----------
    progress : bool
        Whether to show how far it is.

    Returns
    -------
    Path
        In `cache_folder`. A file that is there already, and whole, is not fetched again.

    Raises
    ------
    DataError
        If there is neither pip nor uv, no network, no space, or another file under that name. Nothing is kept then.

    Notes
    -----
    pip downloads the package's wheel, 11 MB, to a temporary folder; one file of it is kept, if its sha256 is right.
    """
    path = cache_folder() / SILERO
    if _is_whole(path):
        return path
    with (
        tempfile.TemporaryDirectory(prefix="tensorlab-") as folder,
        tqdm(total=3, desc=f"{SILERO_PACKAGE}: download", unit="step", disable=not progress) as bar,
    ):
        _download(Path(folder))
        _advance(bar, "check")
        content = _checked(_taken(Path(folder)))
        _advance(bar, "keep")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replaced_file(path) as file:
                file.write(content)
        except OSError as error:
            problem = f"{SILERO} cannot be kept: {error.strerror or error}"
            raise DataError("fetch_silero_vad", problem, got=str(path.parent)) from error
        _advance(bar, "done")
    return path


def silero_vad_path() -> Path | None:
    """Find the file that `fetch_silero_vad` keeps, without fetching it.

    Returns
    -------
    Path or None
        None if it is not there, or not whole.

    Examples
    --------
    >>> path = silero_vad_path()
    >>> path is None or path.name == "silero_vad_16k.safetensors"
    True
    """
    path = cache_folder() / SILERO
    return path if _is_whole(path) else None


def real_checkpoint() -> Path | None:
    """Find a checkpoint of a trained model, without fetching one.

    Returns
    -------
    Path or None
        The file of `fetch_silero_vad`; else the first other safetensors file that somebody put into `cache_folder`.

    Examples
    --------
    >>> path = real_checkpoint()
    >>> path is None or path.suffix == ".safetensors"
    True
    """
    others = (path for path in sorted(cache_folder().glob("*.safetensors")) if path.name not in (STAND_IN, SILERO))
    return silero_vad_path() or next(others, None)


def _folder(variable):
    value = os.environ.get(variable)
    try:
        return Path(value).expanduser().absolute() if value else None
    except RuntimeError:
        raise DataError(
            "folder", f"{variable} begins with the home of a user who is not here", expected="a folder", got=value
        ) from None


def _checkout_cache():
    """data/cache, if this package lies in a checkout of the course."""
    root = Path(__file__).resolve().parents[1]
    is_checkout = (root / "pyproject.toml").is_file() and (root / "notebooks").is_dir()
    return root / "data" / "cache" if is_checkout else None


@functools.cache
def _stand_in():
    """The stand-in's size, and its pieces that are no holes: pairs (first byte, bytes)."""
    start = len(NORMS) * ROW_BYTES
    stop = start + ROWS * ROW_BYTES
    fields = {"__metadata__": METADATA}
    for k, name in enumerate(NORMS):
        fields[name] = {"dtype": "BF16", "shape": [WIDTH], "data_offsets": [k * ROW_BYTES, (k + 1) * ROW_BYTES]}
    fields[EMBEDDING] = {"dtype": "BF16", "shape": [ROWS, WIDTH], "data_offsets": [start, stop]}
    header = json.dumps(fields, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    data_start = 8 + len(header)
    norms = [_little(narrow_bf16(1 + 4 * _small_numbers(ROWS + k))) for k in range(len(NORMS))]
    pieces = [(0, len(header).to_bytes(8, "little") + header), (data_start, b"".join(norms))]
    for row in sorted({*FRANCE, *LANDINGS}):
        words = narrow_bf16(_small_numbers(row))
        if row == FRANCE[0]:
            words[: len(REAL_WORDS)] = REAL_WORDS
        pieces.append((data_start + start + row * ROW_BYTES, _little(words)))
    return data_start + stop, pieces


def _small_numbers(row):
    """One row of made-up weights: roughly normal, of spread 0.018, the same on every machine.

    A mixed counter (Steele, Lea & Flood 2014, SplitMix64) gives 64 bits per number; the sum of their four 16-bit parts
    is nearly normal. It is an integer of 18 bits, so the float32 numbers are exact.
    """
    bits = np.arange(row * WIDTH + 1, (row + 1) * WIDTH + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    parts = sum((bits >> np.uint64(shift)) & np.uint64(0xFFFF) for shift in (0, 16, 32, 48))
    return (parts.astype(np.int64) - 2 * 0xFFFF).astype(np.float32) * np.float32(2.0**-21)


def _little(words):
    return words.astype("<u2").tobytes()


def _holds(path, size, pieces):
    """Whether a file has this size and these pieces."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size != size:
                return False
            for begin, piece in pieces:
                file.seek(begin)
                if file.read(len(piece)) != piece:
                    return False
    except OSError:
        return False
    return True


def _is_whole(path):
    try:
        return path.stat().st_size == SILERO_BYTES and hashlib.sha256(path.read_bytes()).hexdigest() == SILERO_SHA256
    except OSError:
        return False


def _advance(bar, what):
    bar.update()
    bar.set_description(f"{SILERO_PACKAGE}: {what}")


def _download(folder):
    """Let pip, or uv where there is no pip, bring the package into `folder`."""
    if importlib.util.find_spec("pip"):
        tool = [sys.executable, "-m", "pip", "download", "--dest", str(folder), "--timeout", "15", "--retries", "2"]
        tool += ["--disable-pip-version-check", "--no-input"]
    elif uv := shutil.which("uv"):
        tool = [uv, "pip", "install", "--target", str(folder), "--python", sys.executable]
    else:
        raise DataError(
            "fetch_silero_vad",
            f"{SILERO_PACKAGE} cannot be downloaded: this Python has neither pip nor uv",
            fix=f"{Path(sys.executable).name} -m ensurepip",
        )
    command = [*tool, "--quiet", "--no-deps", "--only-binary", ":all:", SILERO_PACKAGE]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        said, failed = ran.stderr + ran.stdout, ran.returncode
    except OSError as error:
        said, failed = str(error), True
    if failed:
        raise DataError(
            "fetch_silero_vad",
            f"{SILERO_PACKAGE} cannot be downloaded",
            got=next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "no word of why"),
            why="the first fetch needs the network; after that the file is kept",
        )


def _taken(folder):
    """The bytes of the model's file, out of the wheel (pip) or of the installed package (uv)."""
    try:
        for wheel in folder.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                return archive.read(SILERO_MEMBER)
        return (folder / SILERO_MEMBER).read_bytes()
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise DataError(
            "fetch_silero_vad", f"{SILERO_PACKAGE} does not hold {SILERO_MEMBER}", got=str(error)
        ) from error


def _checked(content):
    found = hashlib.sha256(content).hexdigest()
    if found != SILERO_SHA256:
        raise DataError(
            "fetch_silero_vad",
            f"{SILERO} is not the file that was published",
            expected=f"sha256 {SILERO_SHA256}",
            got=f"sha256 {found}",
        )
    return content
