"""One fixed form for a chapter that has been run, so that running it again changes no byte."""

import re
import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tests.notebooks.surroundings import ROOT

KEEP_OUTPUTS = {"measure", "real-file"}  # cells whose numbers differ from run to run or from machine to machine

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,}")
ANSI = re.compile(r"\x1b\[")
PACKED_BYTES = re.compile(r"base64,[A-Za-z0-9+/=\s]+|[A-Za-z0-9+/=]{100,}")  # in which any letters come by chance


class UnstableOutputError(Exception):
    """A cell shows something that another run or another machine would show differently."""


def normalise(notebook: NotebookNode, chapter: str) -> NotebookNode:
    """Bring a notebook that has just been run into its one fixed form.

    Parameters
    ----------
    notebook : NotebookNode
        The notebook; it is left as it is.
    chapter : str
        The chapter's number, which begins the id of each of its cells.
    """
    fixed = nbformat.from_dict(notebook)
    fixed.nbformat, fixed.nbformat_minor = 4, 5
    _number_cells(fixed.cells, chapter)
    for number, cell in enumerate((cell for cell in fixed.cells if is_run(cell)), start=1):
        cell.execution_count = number
    for cell in fixed.cells:
        tags = cell.metadata.get("tags")
        cell.metadata = NotebookNode({"tags": sorted(tags)} if tags else {})
        if cell.cell_type == "code":
            cell.outputs = [_normal_output(output, cell) for output in _joined_streams(cell.outputs)]
    return _with_stable_models(fixed)


def is_run(cell: NotebookNode) -> bool:
    """Whether running the notebook runs this cell: an empty code cell is skipped."""
    return cell.cell_type == "code" and bool(cell.source.strip())


def as_text(notebook: NotebookNode) -> str:
    """The notebook as it stands in git: sorted keys, one space of indent, a final newline."""
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def tags(cell: NotebookNode) -> set[str]:
    """The tags of a cell."""
    return set(cell.metadata.get("tags", []))


def texts(output: NotebookNode) -> Iterator[str]:
    """Every text in an output that a reader or a page can see, without the bytes that it packs."""
    if "text" in output:
        yield output.text
    for mime, content in output.get("data", {}).items():
        if not mime.startswith("image/") or mime == "image/svg+xml":
            yield PACKED_BYTES.sub("", content if isinstance(content, str) else repr(content))


def refuse_unstable_outputs(notebook: NotebookNode, places: tuple[str, ...] = ()) -> None:
    """Raise for an output that names a place on this machine, a memory address or a terminal's colours.

    Parameters
    ----------
    notebook : NotebookNode
        A notebook that has been run.
    places : tuple of str, optional
        Folders beside the machine's own that no output may name.
    """
    own = {str(ROOT), str(Path.home()), sys.prefix, sys.base_prefix, tempfile.gettempdir(), *places} - {"/", "/usr"}
    for cell in notebook.cells:
        for text in (text for output in cell.get("outputs", []) for text in texts(output)):
            found = [place for place in sorted(own) if place in text]
            found += [match[0] for pattern in (ADDRESS, ANSI) for match in [pattern.search(text)] if match]
            if found:
                raise UnstableOutputError(f"cell {cell.id}: the output holds {found[0]!r}\n  source: {cell.source}")


def _number_cells(cells: list[NotebookNode], chapter: str) -> None:
    own = re.compile(rf"{re.escape(chapter)}-(\d{{3}})")
    numbers = {int(match[1]) for cell in cells if (match := own.fullmatch(cell.get("id", "")))}
    free = count(max(numbers, default=0) + 1)
    seen: set[str] = set()
    for cell in cells:
        if not own.fullmatch(cell.get("id", "")) or cell.id in seen:
            cell.id = f"{chapter}-{next(free):03}"
        seen.add(cell.id)


def _joined_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last is not None and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
        else:
            joined.append(output)
    return joined


def _normal_output(output: NotebookNode, cell: NotebookNode) -> NotebookNode:
    if "metadata" in output:
        output.metadata = NotebookNode({k: v for k, v in output.metadata.items() if k in output.get("data", {})})
    if "execution_count" in output:
        output.execution_count = cell.execution_count
    if "text/html" in output.get("data", {}):
        output.data.pop(WIDGET_VIEW, None)  # a stored page has no kernel, so an explorer shows its still twin
    return output


def _with_stable_models(notebook: NotebookNode) -> NotebookNode:
    """Number the widgets' models in the order of their creation, and keep no other metadata but the drawing library."""
    metadata = notebook.metadata
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNELSPEC, "language_info": LANGUAGE})
    if "tensorlab" in metadata:
        notebook.metadata.tensorlab = metadata.tensorlab
    models = metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    if not any(WIDGET_VIEW in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])):
        return notebook
    notebook.metadata.widgets = metadata.widgets
    numbers = {model: f"{number:032x}" for number, model in enumerate(models, start=1)}
    any_model = re.compile("|".join(map(re.escape, models)))
    return nbformat.reads(any_model.sub(lambda found: numbers[found[0]], nbformat.writes(notebook)), as_version=4)
