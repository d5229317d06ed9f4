"""What the reader has solved, and what they guessed first: one JSON file in the reader's data folder.

    {"format": 1, "exercises": {"01.slot": {"first": "10", "solved": true}}}

Every write reads the file again under a lock, merges, and replaces it whole, so two kernels lose nothing of each other.
A file that cannot be understood is set aside, never overwritten; one of a newer format is read and left alone.
What cannot be written is kept for this session and tried again at the next answer, and one calm line says so.
To start anew, delete the file.
"""

import contextlib
import itertools
import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from tensorlab import data
from tensorlab.checkpoint import replaced_file

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
    import msvcrt

FORMAT = 1
FILE = "progress.json"
PATIENCE = 2.0  # seconds to wait for another kernel's write

_unwritten: dict[Path | None, dict] = {}


@dataclass(frozen=True)
class Progress:
    """The reader's progress as it was when it was read.

    Examples
    --------
    >>> progress = Progress({"01.slot": {"first": "10", "solved": True}})
    >>> progress.solved("01.slot"), progress.first("01.slot"), progress.solved("01.cell")
    (True, '10', False)
    """

    records: dict = field(default_factory=dict)
    notice: str | None = None

    def solved(self, key):
        """Say whether this exercise was ever solved."""
        return _record(self.records, key).get("solved") is True

    def first(self, key):
        """Give the first guess as the reader wrote it, or None."""
        first = _record(self.records, key).get("first")
        return first if isinstance(first, str) else None


class _BrokenFileError(Exception):
    """The file is there, but it is not a progress file."""


def load():
    """Read the progress. Nothing is written, except that a broken file is set aside."""
    return _exchange({})


def record(key, *, solved, first=None):
    """Keep that an exercise was tried: the first guess stays the first, and solved stays solved."""
    return _exchange({key: {"solved": solved} if first is None else {"first": first, "solved": solved}})


def _exchange(new):
    path, document, notice = None, {}, None
    pending = _merged(_unwritten.get(None, {}), new)
    try:
        path = Path(data.home(), FILE).resolve()
        pending = _merged(_unwritten.get(path, {}), pending)
        document, notice = _read_or_set_aside(path)
        if pending:
            document, aside = _write(path, pending)
            notice = notice or aside
            if _is_newer(document):
                notice = (
                    "Your progress file belongs to a newer tensorlab. It is left as it is; this session is not saved."
                )
            else:
                pending = {}
    except (OSError, RuntimeError) as trouble:
        reason = getattr(trouble, "strerror", None) or str(trouble).partition("\n")[0] or type(trouble).__name__
        notice = f"Your progress is kept for this session, but it could not be saved ({reason})."
    if path is not None:
        _unwritten.pop(None, None)
    _unwritten[path] = pending
    return Progress(_merged(document.get("exercises", {}), pending), notice)


def _read_or_set_aside(path):
    try:
        return _read(path), None
    except _BrokenFileError:
        with _locked(path):
            return _read_locked(path)


def _write(path, pending):
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path):
        document, notice = _read_locked(path)
        merged = {**document, "format": FORMAT, "exercises": _merged(document.get("exercises", {}), pending)}
        if not _is_newer(document) and merged != document:
            document = merged
            _patiently(_replace, path, document)
    return document, notice


def _read(path):
    try:
        document = json.loads(_patiently(path.read_bytes))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as trouble:
        raise _BrokenFileError from trouble
    if (
        not isinstance(document, dict)
        or type(document.get("format", FORMAT)) is not int
        or not isinstance(document.get("exercises", {}), dict)
    ):
        raise _BrokenFileError
    return document


def _is_newer(document):
    return document.get("format", FORMAT) > FORMAT


def _read_locked(path):
    """Read under the lock; a broken file moves to a free name, and the notice says which."""
    try:
        return _read(path), None
    except _BrokenFileError:
        names = (path.with_name(f"progress-unreadable-{n}.json") for n in itertools.count(1))
        aside = next(name for name in names if not name.exists())
        _patiently(os.replace, path, aside)
        return {}, f"Your progress file could not be understood. It was set aside as {aside.name}; a new one begins."


def _replace(path, document):
    text = json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    with replaced_file(path) as file:
        file.write(text.encode(errors="surrogatepass"))  # as json.loads reads it


def _patiently(action, *arguments):
    """Try again for a moment: on Windows a file that somebody reads cannot be replaced."""
    for pause in (0.01, 0.05, 0.2):
        try:
            return action(*arguments)
        except PermissionError:
            time.sleep(pause)
    return action(*arguments)


@contextlib.contextmanager
def _locked(path):
    with open(path.with_name("progress.lock"), "ab") as handle:
        deadline = time.monotonic() + PATIENCE
        while not _try_lock(handle):
            if time.monotonic() > deadline:
                raise TimeoutError("another notebook is writing it")
            time.sleep(0.01)
        yield


def _try_lock(handle):
    """Take the lock, which closing the file gives back; False while another process holds it."""
    try:
        if fcntl:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True  # a file system without locks: replacing the file whole still keeps it readable
    return True


def _merged(old, new):
    """Merge records: what is there stays, solved wins over not solved."""
    records = dict(old)
    for key, record in new.items():
        known = _record(old, key)
        records[key] = {**record, **known, "solved": record["solved"] or known.get("solved") is True}
    return records


def _record(records, key):
    record = records.get(key)
    return record if isinstance(record, dict) else {}
