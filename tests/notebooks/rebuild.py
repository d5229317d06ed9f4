"""Run chapters in place and write them in their one fixed form: ``python -m tests.notebooks.rebuild [names]``.

Cells tagged ``measure`` or ``real-file`` are run as well, but keep the outputs they have unless ``--measure`` is given.
"""

import argparse
import copy
import difflib
import os
import platform
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from traitlets import default

from tests.notebooks.normalise import (
    KEEP_OUTPUTS,
    UnstableOutputError,
    as_text,
    normalise,
    refuse_unstable_outputs,
    tags,
)
from tests.notebooks.surroundings import chapters, quiet

REFERENCE = {"system": "Linux", "python": "3.11", "numpy": "2.4", "matplotlib": "3.11"}


class ThisInterpreter(AsyncKernelManager):
    """Starts a kernel of the running interpreter, whichever kernels its user has installed."""

    @default("kernel_spec_manager")
    def _only_the_native_kernel(self) -> KernelSpecManager:
        return KernelSpecManager(parent=self, kernel_dirs=[])


def here() -> dict[str, str]:
    """What `REFERENCE` fixes, as it is on this machine."""
    minor = {name: ".".join(version(name).split(".")[:2]) for name in ("numpy", "matplotlib")}
    return {"system": platform.system(), "python": "{}.{}".format(*sys.version_info)} | minor


def run(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """A copy of a notebook, run from top to bottom in a fresh kernel that works in `folder`."""
    ran = copy.deepcopy(notebook)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        client = NotebookClient(
            ran,
            timeout=120,
            kernel_manager_class=ThisInterpreter,
            kernel_name="python3",
            extra_arguments=["--log-level=ERROR"],
            record_timing=False,
            store_widget_state=True,
        )
        client.execute(cwd=str(folder), env=os.environ | quiet(Path(home)))
        refuse_unstable_outputs(ran, places=(home,))
    return ran


def rebuilt(path: Path, *, measure: bool = False) -> str:
    """The text that the chapter at `path` has after it has been run again."""
    stored = nbformat.read(path, as_version=4)
    fresh = run(stored, path.parent)
    for old, new in zip(stored.cells, fresh.cells, strict=True):
        if tags(new) & KEEP_OUTPUTS and not measure and old.outputs:
            new.outputs = old.outputs
    _keep_pictures_of_another_library(stored, fresh)
    return as_text(normalise(fresh, path.stem[:2]))


def _keep_pictures_of_another_library(stored: NotebookNode, fresh: NotebookNode) -> None:
    """Bytes of a PNG count only under the drawing library that made them: under another, keep the stored ones."""
    drawn_by = stored.metadata.get("tensorlab", {}).get("matplotlib")
    ours = here()["matplotlib"]
    if drawn_by not in (None, ours) and ours != REFERENCE["matplotlib"]:
        for old, new in zip(_pictures(stored), _pictures(fresh), strict=False):
            new["image/png"] = old["image/png"]
    elif _pictures(fresh):
        fresh.metadata.tensorlab = {"matplotlib": ours}
    else:
        fresh.metadata.pop("tensorlab", None)


def _pictures(notebook: NotebookNode) -> list[NotebookNode]:
    bundles = (output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))
    return [bundle for bundle in bundles if "image/png" in bundle]


def main(arguments: list[str] | None = None) -> int:
    """Rebuild the named chapters, or all of them, and say what became of each."""
    parser = argparse.ArgumentParser(prog="python -m tests.notebooks.rebuild", description=__doc__)
    parser.add_argument("names", nargs="*", help="chapters: a path, or the beginning of a name such as 01")
    parser.add_argument("--measure", action="store_true", help="store new measurements as well")
    parser.add_argument("--check", action="store_true", help="write nothing; show what a rebuild would change")
    options = parser.parse_args(arguments)
    failed = False
    for path in _chosen(options.names, parser):
        try:
            text = rebuilt(path, measure=options.measure)
        except (CellExecutionError, UnstableOutputError) as error:
            _say(f"{path.name}: not rebuilt\n{error}")
            failed = True
            continue
        before = path.read_bytes().decode("utf-8")
        if text == before:
            _say(f"{path.name}: unchanged")
        elif options.check:
            _say(f"{path.name}: a rebuild changes it\n{difference(before, text)}")
            failed = True
        else:
            path.write_bytes(text.encode("utf-8"))
            _say(f"{path.name}: rebuilt")
    return int(failed)


def difference(before: str, after: str) -> str:
    """The changed lines, short enough to read."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "stored", "rebuilt", n=1, lineterm="")
    return "\n".join(line[:200] for line in list(lines)[:60])


def _chosen(names: list[str], parser: argparse.ArgumentParser) -> list[Path]:
    chosen = []
    for name in names:
        found = [Path(name)] if Path(name).is_file() else [p for p in chapters() if p.name.startswith(name)]
        if not found:
            parser.error(f"no chapter is called {name}; there are {', '.join(p.stem for p in chapters())}")
        chosen += found
    return chosen or chapters()


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
