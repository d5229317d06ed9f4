"""One JupyterLab for the browser tests of figures and chapters."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.sign import NotebookNotary

from tests.browser.lab import Notebook, Server
from tests.notebooks.samples import numbered, unrun
from tests.notebooks.surroundings import chapters

TWO_FIGURES = "two-figures.ipynb"


@pytest.fixture(scope="package")
def server(browser, tmp_path_factory) -> Iterator[Server]:
    """A JupyterLab that has a trusted and an untrusted copy of each chapter, and a notebook with two figures."""
    folder = tmp_path_factory.mktemp("lab")
    server = Server(folder, tmp_path_factory.mktemp("state"))
    figure = "figures.linked(tl.arange(12, dtype=tl.float32).reshape((3, 4)))"
    two = unrun("# Two", "import tensorlab as tl\nfrom tensorlab import figures", figure, figure)
    nbformat.write(numbered(two), folder / TWO_FIGURES)
    for chapter in chapters():
        shutil.copy(chapter, folder)
        notebook = nbformat.read(chapter, as_version=4)
        notebook.metadata.differs = "so that the signature of the trusted copy does not fit"
        nbformat.write(notebook, untrusted(folder / chapter.name))
    try:
        server.wait()
        trust(server, [folder / chapter.name for chapter in chapters()])
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="package")
def first_notebook(browser, server) -> Iterator[Notebook]:
    """JupyterLab with the notebook of two figures in front."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    yield Notebook(context.new_page(), server, TWO_FIGURES)
    context.close()


@pytest.fixture
def opened(first_notebook) -> Iterator[Callable[[str], Notebook]]:
    """A function that opens a notebook by name; afterwards nothing may have complained on the page's console."""
    yield first_notebook.other
    first_notebook.dress("light", 1200)
    complaints, first_notebook.complaints[:] = list(first_notebook.complaints), []
    assert complaints == []


def untrusted(path: Path) -> Path:
    """Where the untrusted copy of a chapter lies."""
    return path.with_name(f"untrusted-{path.name}")


def trust(server: Server, paths: list[Path]) -> None:
    """Sign notebooks as ``jupyter trust`` does, for this server alone."""
    notary = NotebookNotary(data_dir=str(server.data))
    for path in paths:
        notary.sign(nbformat.read(path, as_version=4))
    notary.store.close()
