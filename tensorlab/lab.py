"""The reader's own copies of the chapters, and the JupyterLab that opens them.

Readers never work on the shipped notebooks. Each chapter is copied into a folder of their own, and a small manifest
beside the copies remembers what was copied, so that a newer chapter can replace an untouched copy and is only ever
laid beside an edited one.
"""

import contextlib
import hashlib
import json
import os
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tensorlab.checkpoint import replaced_file
from tensorlab.errors import DataError

MANIFEST = ".tensorlab.json"
_HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Change:
    """What `refresh` did about one chapter.

    Parameters
    ----------
    name : str
        The chapter's file name.
    action : str
        ``"copied"``, ``"updated"`` (an untouched copy gave way to a newer chapter), ``"offered"`` (a newer chapter
        lies beside the reader's) or ``"kept"``.
    path : Path
        The file that was written, or kept.

    Examples
    --------
    >>> Change("00-start-here.ipynb", "copied", Path("my-notebooks/00-start-here.ipynb")).action
    'copied'
    """

    name: str
    action: str
    path: Path


def shipped_notebooks():
    """Find the folder of the chapters as they were shipped.

    Returns
    -------
    Path
        ``notebooks`` of the checkout, else the copy inside the installed package.

    Raises
    ------
    DataError
        If there is neither.

    Examples
    --------
    >>> shipped_notebooks().name
    'notebooks'
    """
    places = [_HERE.parent / "notebooks"] if _in_checkout() else []
    places.append(_HERE / "notebooks")
    for place in places:
        if any(place.glob("*.ipynb")):
            return place
    raise DataError("lab", "the chapters are missing", expected=f"notebooks in {places[0]}", got="none")


def reader_notebooks():
    """Name the folder of the reader's copies: in the checkout, else in the working folder.

    Returns
    -------
    Path
        The folder; it need not exist yet.

    Examples
    --------
    >>> reader_notebooks().name
    'my-notebooks'
    """
    return (_HERE.parent if _in_checkout() else Path.cwd()) / "my-notebooks"


def refresh(shipped, mine):
    """Bring the reader's folder up to date without touching anything the reader edited.

    Parameters
    ----------
    shipped : Path
        The folder of the chapters as shipped.
    mine : Path
        The reader's folder, made if it is missing.

    Returns
    -------
    list of Change
        One for each chapter, in order.

    Raises
    ------
    DataError
        If a chapter cannot be read, or the reader's folder cannot be made or written.

    Notes
    -----
    A chapter counts as edited when its cells' sources differ from the copied ones: running a chapter is no edit. A
    newer chapter is laid beside an edited one once, as ``...-new.ipynb``, and never over an edited ``-new`` file. A
    copy that is a link stays one: what it leads to is compared and replaced.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shipped, mine = Path(folder, "notebooks"), Path(folder, "my-notebooks")
    ...     shipped.mkdir()
    ...     _ = (shipped / "00-start-here.ipynb").write_text('{"cells": []}')
    ...     [change.action for change in refresh(shipped, mine) + refresh(shipped, mine)]
    ['copied', 'kept']
    """
    try:
        mine.mkdir(parents=True, exist_ok=True)
        manifest = _read_manifest(mine / MANIFEST)
        changes = [_refresh_one(chapter, mine, manifest) for chapter in sorted(shipped.glob("*.ipynb"))]
        _write(mine / MANIFEST, (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode())
    except OSError as error:
        raise DataError(
            "lab",
            f"the chapters cannot be copied: {error.strerror or error}",
            expected=f"a folder that can be written, {mine}",
            got=str(error.filename or mine),
        ) from error
    return changes


def trust(paths):
    """Sign notebooks, so that JupyterLab runs their figures' scripts before the first cell has run.

    Parameters
    ----------
    paths : iterable of Path
        Notebooks that this package has just written.

    Examples
    --------
    >>> trust([])
    """
    import nbformat
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary()
    for path in paths:
        notary.sign(nbformat.read(path, as_version=4))


def has_desktop():
    """Tell whether a browser window could open here.

    Returns
    -------
    bool
        False over SSH, and on a Linux without a display.

    Examples
    --------
    >>> has_desktop() in (True, False)
    True
    """
    if os.environ.get("SSH_CONNECTION"):
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def serve(folder, chapter, *, port=None, browser=True, arguments=(), announce):
    """Run JupyterLab on a folder until it is stopped.

    Parameters
    ----------
    folder : Path
        The root of the file browser.
    chapter : str
        The notebook to open, relative to `folder`.
    port : int, optional
        The port to listen on; Jupyter's own choice when left out, the next free one when taken.
    browser : bool
        Whether to open a browser window.
    arguments : sequence of str
        More arguments for ``jupyter lab``; they win over the ones set here.
    announce : callable
        Called once with the address, when the server listens.

    Raises
    ------
    DataError
        If the server cannot start, for instance because it may not listen where it was told to.

    Notes
    -----
    The reader's own Jupyter settings stay as they are: the workspace has its own name, and the question about
    Jupyter's news is turned off by a configuration folder that lives only as long as the server. Its terminals find
    the commands of this environment, ``tensorlab`` among them, though nobody activated it.
    """
    from jupyter_core.application import NoStart
    from jupyterlab.labapp import LabApp

    command = [f"--ServerApp.root_dir={folder}", f"--LabApp.default_url=/lab/workspaces/tensorlab/tree/{chapter}"]
    command += ["--Application.log_level=ERROR", "--ServerApp.answer_yes=True"]
    if port is not None:
        command.append(f"--ServerApp.port={port}")
    if not browser:
        command.append("--ServerApp.open_browser=False")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--ServerApp.allow_root=True")
    with _settings_of_this_run():
        try:
            server = LabApp.initialize_server(argv=[*command, *arguments])
        except OSError as error:
            problem = f"JupyterLab cannot start: {error.strerror or error}"
            raise DataError("lab", problem, got=" ".join(arguments) or None) from error
        server.io_loop.add_callback(announce, server.local_url)
        server.identity_provider.token_generated = False
        with contextlib.suppress(NoStart):
            server.start()


def _in_checkout():
    return (_HERE.parent / "pyproject.toml").is_file() and (_HERE.parent / "notebooks").is_dir()


def _refresh_one(chapter, mine, manifest):
    new = chapter.read_bytes()
    copy, beside = mine / chapter.name, mine / f"{chapter.stem}-new.ipynb"
    known = manifest.setdefault(chapter.name, {})

    def write(path, action):
        _write(path, new)
        known["file" if path == copy else "beside"] = _digest(new)
        known["cells" if path == copy else "cells beside"] = _fingerprint(new)
        return Change(chapter.name, action, path)

    if not copy.exists():
        return write(copy, "copied")
    old = copy.read_bytes()
    if old == new:
        known |= {"file": _digest(new), "cells": _fingerprint(new)}
    elif _fingerprint(old) in (known.get("cells"), _fingerprint(new)):
        if known.get("file") != _digest(new):
            return write(copy, "updated")
    elif _fingerprint(new) not in (known.get("cells"), known.get("cells beside")) and (
        not beside.exists() or _fingerprint(beside.read_bytes()) == known.get("cells beside")
    ):
        return write(beside, "offered")
    return Change(chapter.name, "kept", copy)


def _fingerprint(raw):
    try:
        cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(raw)["cells"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return _digest(raw)
    return _digest(json.dumps(cells).encode())


def _digest(raw):
    return hashlib.sha256(raw).hexdigest()


def _read_manifest(path):
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if isinstance(manifest, dict) and all(isinstance(known, dict) for known in manifest.values()):
        return manifest
    return {}


def _write(path, raw):
    with replaced_file(path) as file:
        file.write(raw)


@contextlib.contextmanager
def _settings_of_this_run():
    with tempfile.TemporaryDirectory(prefix="tensorlab-") as folder:
        settings = Path(folder, "labconfig")
        settings.mkdir()
        off = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
        (settings / "page_config.json").write_text(json.dumps(off), encoding="utf-8")
        # Without it a saved and reopened chapter shows "model not found" in place of an explorer.
        keep = {"@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True}}
        (settings / "default_setting_overrides.json").write_text(json.dumps(keep), encoding="utf-8")
        first = {"JUPYTER_CONFIG_PATH": folder, "PATH": sysconfig.get_path("scripts")}
        before = {name: os.environ[name] for name in first if os.environ.get(name)}
        for name, place in first.items():
            os.environ[name] = os.pathsep.join([place, *([before[name]] if name in before else [])])
        try:
            yield
        finally:
            for name in first:
                del os.environ[name]
            os.environ.update(before)
