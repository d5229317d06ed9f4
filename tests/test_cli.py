"""The command line: what it prints, what it returns, and what it does to a reader's own notebooks."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat import v4
from nbformat.sign import NotebookNotary

import tensorlab as tl
from tensorlab import cli, lab
from tensorlab.errors import DataError

CHAPTER = "01-where-does-an-element-live.ipynb"
BESIDE = "01-where-does-an-element-live-new.ipynb"


def notebook(*sources, count=None):
    """A notebook with one code cell per source, as JupyterLab would write it."""
    cells = [v4.new_code_cell(source, id=f"cell-{i}", execution_count=count) for i, source in enumerate(sources)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return nbformat.writes(v4.new_notebook(cells=cells, metadata=kernel))


@pytest.fixture
def folders(tmp_path):
    """A folder of shipped chapters and the reader's own, not made yet."""
    shipped, mine = tmp_path / "notebooks", tmp_path / "my-notebooks"
    shipped.mkdir()
    (shipped / "00-start-here.ipynb").write_text(notebook("'start'"), encoding="utf-8")
    (shipped / CHAPTER).write_text(notebook("'first edition'"), encoding="utf-8")
    return SimpleNamespace(shipped=shipped, mine=mine)


def refresh(folders):
    return {change.name: change.action for change in lab.refresh(folders.shipped, folders.mine)}[CHAPTER]


def ship(folders, text):
    (folders.shipped / CHAPTER).write_text(text, encoding="utf-8")


def edit(folders, text, name=CHAPTER):
    (folders.mine / name).write_text(text, encoding="utf-8")


def own(folders, name=CHAPTER):
    return (folders.mine / name).read_text(encoding="utf-8")


def test_missing_chapters_are_copied_byte_for_byte(folders):
    assert refresh(folders) == "copied"
    for chapter in folders.shipped.iterdir():
        assert (folders.mine / chapter.name).read_bytes() == chapter.read_bytes()


def test_a_second_run_leaves_every_copy_alone(folders):
    refresh(folders)
    before = {path: path.stat().st_mtime_ns for path in folders.mine.glob("*.ipynb")}
    assert refresh(folders) == "kept"
    assert {path: path.stat().st_mtime_ns for path in folders.mine.glob("*.ipynb")} == before


def test_a_deleted_copy_comes_back(folders):
    refresh(folders)
    (folders.mine / CHAPTER).unlink()
    assert refresh(folders) == "copied"


def test_an_edited_copy_is_kept_while_the_chapter_stays_the_same(folders):
    refresh(folders)
    edit(folders, notebook("'mine'"))
    assert refresh(folders) == "kept"
    assert own(folders) == notebook("'mine'")
    assert not (folders.mine / BESIDE).exists()


def test_an_untouched_copy_gives_way_to_a_newer_chapter(folders):
    refresh(folders)
    ship(folders, notebook("'second edition'"))
    assert refresh(folders) == "updated"
    assert own(folders) == notebook("'second edition'")
    assert not (folders.mine / BESIDE).exists()


def test_a_copy_that_was_only_run_is_no_edited_one(folders):
    refresh(folders)
    edit(folders, notebook("'first edition'", count=7))
    assert refresh(folders) == "kept"
    assert own(folders) == notebook("'first edition'", count=7)
    ship(folders, notebook("'second edition'"))
    assert refresh(folders) == "updated"
    assert own(folders) == notebook("'second edition'")


def test_a_newer_chapter_lies_beside_an_edited_copy(folders):
    refresh(folders)
    edit(folders, notebook("'mine'"))
    ship(folders, notebook("'second edition'"))
    assert refresh(folders) == "offered"
    assert own(folders) == notebook("'mine'")
    assert own(folders, BESIDE) == notebook("'second edition'")


def test_a_newer_chapter_is_offered_once(folders):
    refresh(folders)
    edit(folders, notebook("'mine'"))
    ship(folders, notebook("'second edition'"))
    refresh(folders)
    assert refresh(folders) == "kept"
    (folders.mine / BESIDE).unlink()
    assert refresh(folders) == "kept"
    assert not (folders.mine / BESIDE).exists()


def test_an_untouched_offer_gives_way_to_a_still_newer_one(folders):
    refresh(folders)
    edit(folders, notebook("'mine'"))
    for edition in ("'second edition'", "'third edition'"):
        ship(folders, notebook(edition))
        assert refresh(folders) == "offered"
    assert own(folders, BESIDE) == notebook("'third edition'")


def test_an_edited_offer_is_never_overwritten(folders):
    refresh(folders)
    edit(folders, notebook("'mine'"))
    ship(folders, notebook("'second edition'"))
    refresh(folders)
    edit(folders, notebook("'my second'"), BESIDE)
    ship(folders, notebook("'third edition'"))
    assert refresh(folders) == "kept"
    assert own(folders, BESIDE) == notebook("'my second'")


def test_new_outputs_alone_are_not_offered_beside_an_edited_copy(folders):
    refresh(folders)
    edit(folders, notebook("'mine'"))
    ship(folders, notebook("'first edition'", count=3))
    assert refresh(folders) == "kept"
    assert not (folders.mine / BESIDE).exists()


@pytest.mark.parametrize("manifest", [None, "", "[]", '{"a": 1}', "not json"])
def test_without_a_usable_manifest_a_different_copy_counts_as_edited(folders, manifest):
    folders.mine.mkdir()
    edit(folders, notebook("'mine'"))
    if manifest is not None:
        (folders.mine / lab.MANIFEST).write_text(manifest, encoding="utf-8")
    assert refresh(folders) == "offered"
    assert own(folders) == notebook("'mine'")


def test_a_copy_that_is_no_notebook_any_more_is_kept(folders):
    refresh(folders)
    edit(folders, "half a noteb")
    ship(folders, notebook("'second edition'"))
    assert refresh(folders) == "offered"
    assert own(folders) == "half a noteb"


def test_trusted_copies_are_trusted_by_jupyter(folders, tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    changes = lab.refresh(folders.shipped, folders.mine)
    stored = nbformat.read(folders.mine / CHAPTER, as_version=4)
    assert not NotebookNotary().check_signature(stored)
    lab.trust(change.path for change in changes)
    assert NotebookNotary().check_signature(stored)


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, False),
        ("darwin", {}, True),
        ("darwin", {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, False),
        ("win32", {}, True),
    ],
)
def test_a_browser_is_opened_only_where_there_is_a_desktop(monkeypatch, platform, variables, expected):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert lab.has_desktop() is expected


def test_an_installed_package_brings_its_chapters_and_works_in_the_current_folder(tmp_path, monkeypatch):
    installed = tmp_path / "site-packages" / "tensorlab"
    (installed / "notebooks").mkdir(parents=True)
    (installed / "notebooks" / CHAPTER).write_text(notebook("1"), encoding="utf-8")
    monkeypatch.setattr(lab, "_HERE", installed)
    monkeypatch.chdir(tmp_path)
    assert lab.shipped_notebooks() == installed / "notebooks"
    assert lab.reader_notebooks() == tmp_path / "my-notebooks"


def test_missing_chapters_are_one_clear_error(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(lab, "_HERE", tmp_path / "tensorlab")
    monkeypatch.chdir(tmp_path)
    assert cli.main(["lab"]) == 1
    expected = tmp_path / "tensorlab" / "notebooks"
    assert capsys.readouterr() == (
        "",
        f"lab: the chapters are missing\n  expected: notebooks in {expected}\n  got:      none\n",
    )


def test_lab_says_what_it_copied_and_passes_its_options_on(folders, monkeypatch, capsys):
    served = {}
    monkeypatch.setattr(lab, "shipped_notebooks", lambda: folders.shipped)
    monkeypatch.setattr(lab, "reader_notebooks", lambda: folders.mine)
    monkeypatch.setattr(lab, "trust", lambda paths: served.update(trusted=[path.name for path in paths]))
    monkeypatch.setattr(lab, "serve", lambda *words, **options: served.update(options, words=words))
    assert cli.main(["lab", "--port", "8899", "--no-browser", "--", "--ip=0.0.0.0"]) == 0
    assert capsys.readouterr().out == f"Copied 2 chapters into {folders.mine}\n"
    assert served["words"] == (folders.mine, "00-start-here.ipynb")
    assert (served["port"], served["browser"], served["arguments"]) == (8899, False, ["--ip=0.0.0.0"])
    assert served["trusted"] == ["00-start-here.ipynb", CHAPTER]

    ship(folders, notebook("'second edition'"))
    cli.main(["lab"])
    assert capsys.readouterr().out == f"Updated {CHAPTER}, which you had not edited\n"
    assert served["trusted"] == [CHAPTER]

    edit(folders, notebook("'mine'"))
    ship(folders, notebook("'third edition'"))
    cli.main(["lab"])
    assert capsys.readouterr().out == f"{CHAPTER} has a newer form; yours stays, the newer one is {BESIDE}\n"
    assert served["trusted"] == [BESIDE]


def test_ctrl_c_before_the_server_runs_is_no_traceback(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(lab, "reader_notebooks", interrupted)
    assert cli.main(["lab"]) == 130
    assert capsys.readouterr() == ("", "")


def data_room(fetch):
    """Stands where `from tensorlab import data` looks, with another fetch."""
    return SimpleNamespace(fetch_silero_vad=fetch)


def test_fetch_says_where_the_file_is(monkeypatch, capsys):
    monkeypatch.setattr(tl, "data", data_room(lambda progress: Path("cache", "silero.safetensors")), raising=False)
    assert cli.main(["fetch", "silero-vad"]) == 0
    assert capsys.readouterr() == (f"silero-vad is here: {Path('cache', 'silero.safetensors')}\n", "")


def test_a_failed_fetch_is_an_error_in_the_house_style(monkeypatch, capsys):
    def refuse(progress):
        raise DataError("fetch", "no network", fix="tensorlab fetch silero-vad")

    monkeypatch.setattr(tl, "data", data_room(refuse), raising=False)
    assert cli.main(["fetch", "silero-vad"]) == 1
    assert capsys.readouterr() == ("", "fetch: no network\n  fix:      tensorlab fetch silero-vad\n")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "the following arguments are required"),
        (["play"], "invalid choice: 'play'"),
        (["fetch"], "the following arguments are required: name"),
        (["fetch", "gpt"], "invalid choice: 'gpt'"),
        (["fetch", "silero-vad", "--", "--debug"], "only lab takes words after --"),
        (["lab", "--port", "many"], "invalid int value: 'many'"),
        (["lab", "--ip=0.0.0.0"], "unrecognized arguments: --ip=0.0.0.0"),
    ],
)
def test_misuse_is_told_on_the_error_stream_with_code_2(words, problem, capsys):
    assert cli.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert problem in err


@pytest.mark.parametrize("words", [["--help"], ["lab", "--help"], ["fetch", "--help"]])
def test_help_is_plain_and_ends_well(words, capsys):
    assert cli.main(words) == 0
    assert capsys.readouterr().out.startswith("usage: tensorlab")


def test_the_module_runs_like_the_script():
    run = subprocess.run([sys.executable, "-m", "tensorlab", "--version"], capture_output=True, text=True, check=True)
    assert run.stdout == f"tensorlab {tl.__version__}\n"


def test_help_loads_no_jupyter():
    code = "import sys; from tensorlab import cli; cli.main(['lab', '--help']); print('jupyter_core' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "False"


@contextlib.contextmanager
def running_lab(folders, tmp_path):
    """JupyterLab as `tensorlab lab` starts it, in a folder and with settings of its own; gives process and address."""
    code = (
        "import signal, sys; from pathlib import Path; from tensorlab import cli, lab; "
        "signal.signal(signal.SIGINT, signal.default_int_handler); "  # a script's background job ignores it
        f"lab.shipped_notebooks = lambda: Path({str(folders.shipped)!r}); "
        f"lab.reader_notebooks = lambda: Path({str(folders.mine)!r}); "
        "sys.exit(cli.main(['lab', '--no-browser', '--port', '0']))"
    )
    places = {name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")}
    environment = os.environ | places | {"JUPYTERLAB_WORKSPACES_DIR": str(tmp_path / "workspaces")}
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    guard = threading.Timer(120, process.kill)
    guard.start()
    try:
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "Ctrl-C" in line:
                break
        address = re.search(r"http://\S+", "".join(lines))
        assert address, "".join(lines)
        yield process, address[0]
    finally:
        guard.cancel()
        process.kill()
        process.communicate()


def test_lab_serves_chapter_00_without_the_news_and_stops_cleanly(folders, tmp_path):
    with running_lab(folders, tmp_path) as (process, address):
        assert "/lab/workspaces/tensorlab/tree/00-start-here.ipynb?token=" in address
        with urllib.request.urlopen(address, timeout=60) as page:
            text = page.read().decode()
        settings = json.loads(re.search(r'<script id="jupyter-config-data"[^>]*>(.*?)</script>', text, re.DOTALL)[1])
        disabled = settings["disabledExtensions"]
        assert "@jupyterlab/apputils-extension:announcements" in disabled
        plugin = "@jupyter-widgets/jupyterlab-manager:plugin"
        asked = address.replace("/lab/workspaces/tensorlab/tree/00-start-here.ipynb", f"/lab/api/settings/{plugin}")
        with urllib.request.urlopen(asked, timeout=60) as page:
            widgets = json.load(page)
        assert widgets["schema"]["properties"]["saveState"]["default"] is True, "an explorer is saved with its page"
        assert sorted(path.name for path in folders.mine.glob("*.ipynb")) == ["00-start-here.ipynb", CHAPTER]
        if os.name == "posix":
            process.send_signal(signal.SIGINT)
            rest, _ = process.communicate(timeout=60)
            assert process.returncode == 0, rest
            assert "Traceback" not in rest


def test_a_folder_that_cannot_be_written_is_one_clear_error(folders, monkeypatch, capsys):
    folders.mine.write_text("a file, where the folder should be", encoding="utf-8")
    monkeypatch.setattr(lab, "shipped_notebooks", lambda: folders.shipped)
    monkeypatch.setattr(lab, "reader_notebooks", lambda: folders.mine)
    assert cli.main(["lab"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("lab: the chapters cannot be copied: ")
    assert f"expected: a folder that can be written, {folders.mine}\n" in err
    assert "Traceback" not in err


def test_a_folder_in_the_place_of_a_copy_is_one_clear_error(folders):
    (folders.mine / CHAPTER).mkdir(parents=True)
    with pytest.raises(DataError, match="the chapters cannot be copied") as caught:
        refresh(folders)
    assert caught.value.got == str(folders.mine / CHAPTER)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_linked_copy_stays_a_link(folders):
    refresh(folders)
    elsewhere = folders.mine.parent / "elsewhere.ipynb"
    (folders.mine / CHAPTER).rename(elsewhere)
    (folders.mine / CHAPTER).symlink_to(elsewhere)
    ship(folders, notebook("'second edition'"))
    assert refresh(folders) == "updated"
    assert (folders.mine / CHAPTER).is_symlink()
    assert elsewhere.read_text(encoding="utf-8") == notebook("'second edition'")


def test_a_copy_nested_beyond_reason_is_kept(folders):
    refresh(folders)
    edit(folders, "[" * 200_000)
    ship(folders, notebook("'second edition'"))
    assert refresh(folders) == "offered"
    assert own(folders) == "[" * 200_000


def test_without_a_manifest_a_copy_of_the_same_cells_counts_as_untouched(folders):
    refresh(folders)
    edit(folders, notebook("'first edition'", count=7))
    (folders.mine / lab.MANIFEST).unlink()
    assert refresh(folders) == "updated"
    assert not (folders.mine / BESIDE).exists()
