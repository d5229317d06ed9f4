"""Small notebooks for the tests of the machinery itself."""

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests.notebooks.normalise import normalise


def unrun(*cells: str | tuple[str, str]) -> NotebookNode:
    """A notebook that nobody has run: text that begins with a ``#`` and a space, or ends in a full stop, is prose.

    A cell written as a pair is code and its tag.
    """
    built = []
    for cell in cells:
        source, tag = cell if isinstance(cell, tuple) else (cell, "")
        if not tag and re.match(r"#+ |.*\.$", source, re.DOTALL):
            built.append(new_markdown_cell(source))
        else:
            built.append(new_code_cell(source, metadata={"tags": [tag]} if tag else {}))
    return new_notebook(cells=built)


def written(notebook: NotebookNode, folder: Path, name: str = "01-sample.ipynb") -> Path:
    """Write a notebook as it is."""
    path = folder / name
    nbformat.write(notebook, path)
    return path


def numbered(notebook: NotebookNode) -> NotebookNode:
    """The normal form of a notebook of chapter 01."""
    return normalise(notebook, "01")
