"""A rebuild runs a chapter and writes it in one form; doing it again changes nothing."""

import re
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_output

from tests.notebooks import rebuild
from tests.notebooks.normalise import UnstableOutputError, refuse_unstable_outputs
from tests.notebooks.samples import numbered, unrun, written
from tests.notebooks.surroundings import ROOT, chapters

WIDGETS = "import ipywidgets as widgets\nwidgets.VBox([widgets.IntSlider(value=3), widgets.IntText(value=4)])"


def outputs_of(path: Path) -> list[list]:
    return [cell.outputs for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


@pytest.mark.parametrize("chapter", chapters(), ids=lambda path: path.stem)
def test_rebuilding_a_chapter_changes_nothing(chapter):
    if rebuild.here() != rebuild.REFERENCE:
        pytest.skip(f"outputs are stored as {rebuild.REFERENCE} shows them; this is {rebuild.here()}")
    stored = chapter.read_bytes().decode("utf-8")
    again = rebuild.rebuilt(chapter)
    if again != stored:
        pytest.fail(f"`make notebooks` changes {chapter.name}\n{rebuild.difference(stored, again)}", pytrace=False)


def test_a_rebuild_runs_every_cell_in_order_and_twice_gives_the_same_bytes(tmp_path, capsys):
    path = written(unrun("# Title", "a = 2", "print(a)\nprint(a)\na + 1", WIDGETS, "print('x', flush=True)"), tmp_path)
    assert rebuild.main([str(path)]) == 0
    first = path.read_bytes()
    assert rebuild.main([str(path)]) == 0
    assert path.read_bytes() == first
    assert capsys.readouterr().out == "01-sample.ipynb: rebuilt\n01-sample.ipynb: unchanged\n"

    cells = nbformat.read(path, as_version=4).cells
    assert [cell.id for cell in cells] == ["01-001", "01-002", "01-003", "01-004", "01-005"]
    assert [cell.execution_count for cell in cells if cell.cell_type == "code"] == [1, 2, 3, 4]
    assert outputs_of(path)[1][0].text == "2\n2\n"
    assert outputs_of(path)[1][1].data["text/plain"] == "3"
    assert b"\r" not in first
    assert first.endswith(b"}\n")
    assert not re.search(rb"version\": \"3\.\d+\.\d+|iopub|timestamp", first)


def test_models_of_widgets_are_numbered_in_the_order_of_their_creation(tmp_path):
    path = written(unrun("# Title", WIDGETS), tmp_path)
    rebuild.main([str(path)])
    notebook = nbformat.read(path, as_version=4)
    models = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"].state
    assert list(models) == [f"{number:032x}" for number in range(1, len(models) + 1)]
    shown = notebook.cells[1].outputs[0].data["application/vnd.jupyter.widget-view+json"].model_id
    assert models[shown].model_name == "VBoxModel"
    children = [models[child.removeprefix("IPY_MODEL_")].state["value"] for child in models[shown].state["children"]]
    assert children == [3, 4]


def test_ids_that_a_chapter_already_has_are_kept_when_a_cell_is_put_between():
    notebook = numbered(unrun("# Title", "a = 1", "b = 2"))
    notebook.cells.insert(1, new_code_cell("between = 0", id="6f1c2d3e"))
    notebook.cells.append(notebook.cells[0].copy())
    assert [cell.id for cell in numbered(notebook).cells] == ["01-001", "01-004", "01-002", "01-003", "01-005"]


def test_a_measuring_cell_is_run_but_keeps_its_stored_output(tmp_path):
    path = written(unrun("# Title", ("seconds = 7\nseconds", "measure"), "seconds + 1"), tmp_path)
    rebuild.main([str(path)])
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].source = "seconds = 9\nseconds"
    nbformat.write(notebook, path)

    rebuild.main([str(path)])
    assert [out.data["text/plain"] for [out] in outputs_of(path)] == ["7", "10"]
    rebuild.main([str(path), "--measure"])
    assert [out.data["text/plain"] for [out] in outputs_of(path)] == ["9", "10"]


def test_check_writes_nothing_and_names_the_difference(tmp_path, capsys):
    path = written(unrun("# Title", "1 + 1"), tmp_path)
    rebuild.main([str(path)])
    path.write_bytes(path.read_bytes().replace(b'"2"', b'"3"'))
    before = path.read_bytes()
    capsys.readouterr()
    assert rebuild.main(["--check", str(path)]) == 1
    assert path.read_bytes() == before
    assert capsys.readouterr().out.startswith("01-sample.ipynb: a rebuild changes it\n--- stored\n+++ rebuilt\n")
    path.write_bytes(before.replace(b'"3"', b'"2"'))
    assert rebuild.main(["--check", str(path)]) == 0


def test_a_cell_that_raises_stops_the_rebuild_of_its_chapter_only(tmp_path, capsys):
    bad = written(unrun("# Title", "1 / 0"), tmp_path, "01-bad.ipynb")
    good = written(unrun("# Title", "1 + 0"), tmp_path, "02-good.ipynb")
    before = bad.read_bytes()
    assert rebuild.main([str(bad), str(good)]) == 1
    assert bad.read_bytes() == before
    told = capsys.readouterr().out
    assert "01-bad.ipynb: not rebuilt" in told
    assert "ZeroDivisionError" in told
    assert "02-good.ipynb: rebuilt" in told


@pytest.mark.parametrize(
    "shown",
    [
        str(ROOT / "data" / "cache"),
        str(Path.home() / "x"),
        sys.executable,
        tempfile.gettempdir(),
        "<object object at 0x7f9c1870b010>",
        "\x1b[31mred",
    ],
)
def test_an_output_that_differs_between_machines_is_refused(shown):
    notebook = unrun("# Title", "1")
    notebook.cells[1].outputs = [new_output("stream", text=f"see {shown}\n")]
    with pytest.raises(UnstableOutputError, match="the output holds"):
        refuse_unstable_outputs(notebook)


def test_a_chapter_that_names_the_readers_folder_is_not_written(tmp_path, capsys):
    path = written(unrun("# Title", "import os; os.environ['TENSORLAB_HOME']"), tmp_path)
    before = path.read_bytes()
    assert rebuild.main([str(path)]) == 1
    assert path.read_bytes() == before
    assert "the output holds" in capsys.readouterr().out


def test_a_path_inside_packed_bytes_is_chance_and_not_refused():
    notebook = unrun("# Title", "1")
    packed = "A" * 50 + "/tmp/" + "A" * 50
    page = f"<img alt='a picture' src='data:image/png;base64,AAAA/tmp/AAAA'><script>run('{packed}')</script>"
    data = {"text/html": page, "image/png": "AA/tmp/AA"}
    notebook.cells[1].outputs = [new_output("display_data", data)]
    refuse_unstable_outputs(notebook)
    notebook.cells[1].outputs[0].data["text/html"] += " /tmp/"
    with pytest.raises(UnstableOutputError, match="/tmp"):
        refuse_unstable_outputs(notebook, places=("/tmp",))


def test_a_kernel_of_the_same_name_that_the_user_installed_is_not_used(tmp_path, monkeypatch):
    spec = tmp_path / "kernels" / "python3"
    spec.mkdir(parents=True)
    spec.joinpath("kernel.json").write_text('{"argv": ["false"], "display_name": "theirs", "language": "python"}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    ran = rebuild.run(unrun("import sys; print(sys.executable == " + repr(sys.executable) + ")"), tmp_path)
    assert ran.cells[0].outputs[0].text == "True\n"


@pytest.mark.parametrize(("drawn_by", "kept"), [("0.1", True), (None, False)])
def test_a_picture_is_kept_only_when_another_library_than_the_reference_runs(tmp_path, monkeypatch, drawn_by, kept):
    source = "import matplotlib.pyplot as plt\n_ = plt.subplots(figsize=(1, 1))\nplt.show()"
    notebook = unrun("# Title", source)
    notebook.cells[1].outputs = [new_output("display_data", {"image/png": "c3RvcmVk", "text/plain": "<Figure>"})]
    if drawn_by:
        notebook.metadata.tensorlab = {"matplotlib": drawn_by}
    monkeypatch.setitem(rebuild.REFERENCE, "matplotlib", "0.2")
    again = nbformat.reads(rebuild.rebuilt(written(notebook, tmp_path)), as_version=4)
    assert (again.cells[1].outputs[0].data["image/png"].strip() == "c3RvcmVk") is kept
    assert again.metadata.tensorlab.matplotlib == (drawn_by if kept else rebuild.here()["matplotlib"])
