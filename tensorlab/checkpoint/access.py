"""The bytes of a checkpoint file: opened, recognised, and read exactly."""

import os
import stat

from tensorlab.checkpoint.header import HEADER_CAP, byte_count, fault
from tensorlab.errors import CheckpointError

PIECE = 1 << 24  # bytes asked of the system at once
PEEK = 512  # bytes looked at to tell what a file is that is no checkpoint
# Without O_NONBLOCK, opening a pipe would wait for its other end.
FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def open_file(path, operation):
    try:
        return os.open(path, FLAGS)
    except (OSError, ValueError) as error:
        problem = "there is no such file"
        if os.path.isdir(path):
            problem = "this is a folder, not a file"
        elif not isinstance(error, FileNotFoundError):
            problem = f"the file cannot be opened: {getattr(error, 'strerror', error)}"
        raise CheckpointError(operation, f"{file_name(path)}: {problem}") from error


def read_header(descriptor, status):
    """Read the N bytes of a header."""
    size = status.st_size
    if not stat.S_ISREG(status.st_mode):
        raise fault("this is a folder or a pipe, not a file on a disk")
    if size < 8:
        problem = "the file is too short" if size else "the file is empty"
        raise fault(problem, expected="at least 8 bytes and a header", got=byte_count(size))
    start = os.read(descriptor, 8)
    length = int.from_bytes(start, "little")
    if length > HEADER_CAP or length > size - 8:
        raise _wrong_length(length, size, start, start + os.read(descriptor, PEEK))
    header = os.read(descriptor, length)
    while len(header) < length:
        rest = os.read(descriptor, length - len(header))
        if not rest:
            raise fault("the file became shorter while its header was read")
        header += rest
    if not header:
        raise fault("the header is empty", expected="at least {}", got="a header length of 0")
    return header


def _wrong_length(length, size, start, head):
    """Say what the first 8 bytes are, if they are no header length."""
    if head.startswith(b"version https://git-lfs"):
        return fault(
            "this is a Git LFS pointer, not the file it stands for",
            expected="a header length in the first 8 bytes",
            got="the text 'version https://git-lfs...'",
            fix="git lfs pull",
        )
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:9].lower().startswith((b"<!doctype", b"<html")):
        return fault(
            "this is a web page, not a checkpoint",
            expected="a header length in the first 8 bytes",
            got=f"the text {head[:24].decode(errors='replace')!r}",
            why="a download that needs a login, or whose address is wrong, often ends in such a page",
        )
    got = f"{length:,}, from the bytes {start.hex(' ')}"
    if length > HEADER_CAP:
        return fault("the header length is beyond every cap", expected=f"at most {HEADER_CAP:,}", got=got)
    return fault(
        "the header reaches beyond the end of the file",
        expected=f"a header length of at most {size - 8:,}: the file has {byte_count(size)}",
        got=got,
    )


def fill(descriptor, view, begins, length):
    """Read runs of one length from each of `begins` into `view`; tell whether the file had them all."""
    at, most = 0, min(length, PIECE)
    for begin in begins:
        end = at + length
        piece = _pread(descriptor, most, begin)
        while at + len(piece) < end:
            if not piece:
                return False
            view[at : at + len(piece)] = piece
            at += len(piece)
            begin += len(piece)
            piece = _pread(descriptor, min(end - at, PIECE), begin)
        view[at:end] = piece
        at = end
    return True


def _seek_and_read(descriptor, count, begin):
    os.lseek(descriptor, begin, os.SEEK_SET)
    return os.read(descriptor, count)


_pread = getattr(os, "pread", _seek_and_read)


def file_name(path):
    return os.path.basename(path) or path
