"""JupyterLab and Chromium for the browser tests: one server, one browser, and a page that can be asked questions."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from copy import copy
from pathlib import Path

from playwright.sync_api import Error, Locator, Page, Playwright, Request

from tests.notebooks.surroundings import ROOT, quiet

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
HOW_TO_GET_ONE = (
    "no Chromium is found: install one (Debian and Ubuntu: apt-get install chromium; "
    "anywhere: python -m playwright install chromium), or name it: CHROMIUM=/path/to/chromium"
)
IDLE = "window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
PATIENCE = 60_000  # milliseconds: a busy machine starts a kernel slowly


def find_chromium(playwright: Playwright) -> str | None:
    """The Chromium to use: the one that CHROMIUM names, one on the path, or Playwright's own."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    found = next((path for path in map(shutil.which, CHROMIUM_NAMES) if path), None)
    own = playwright.chromium.executable_path
    return found or (own if Path(own).exists() else None)


class Server:
    """A JupyterLab of this interpreter that serves one folder and knows nothing of its user's settings."""

    def __init__(self, notebooks: Path, state: Path):
        self.notebooks = notebooks
        self.data = state / "data"
        self.token = secrets.token_hex(16)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{probe.getsockname()[1]}"
        surroundings = quiet(state) | {"JUPYTER_DATA_DIR": str(self.data), "JUPYTER_RUNTIME_DIR": str(state / "run")}
        page = Path(surroundings["JUPYTER_CONFIG_DIR"], "labconfig", "page_config.json")
        page.parent.mkdir()
        noisy = ("@jupyterlab/apputils-extension:announcements", "@jupyterlab/debugger-extension")
        page.write_text(json.dumps({"disabledExtensions": dict.fromkeys(noisy, True)}))
        options = {
            "ServerApp.root_dir": notebooks,
            "ServerApp.ip": "127.0.0.1",
            "ServerApp.port": self.url.rpartition(":")[2],
            "ServerApp.port_retries": 0,
            "ServerApp.open_browser": False,
            "ServerApp.allow_root": True,
            "IdentityProvider.token": self.token,
            "LabApp.expose_app_in_browser": True,
        }
        self.log = (state / "server.log").open("wb")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *(f"--{name}={value}" for name, value in options.items())],
            env=os.environ | surroundings,
            cwd=ROOT,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )

    def wait(self) -> None:
        """Return as soon as the server answers."""
        deadline = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self._ask("api/status")
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.1)
            else:
                return
        raise RuntimeError("JupyterLab did not start:\n" + Path(self.log.name).read_text(errors="replace"))

    def stop(self) -> None:
        """End the server and its kernels."""
        try:
            self._ask("api/shutdown", method="POST")
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.log.close()

    def _ask(self, path: str, method: str = "GET") -> None:
        request = urllib.request.Request(f"{self.url}/{path}?token={self.token}", method=method)
        urllib.request.urlopen(request, timeout=5).close()


class Notebook:
    """A notebook that is open in front, in a JupyterLab that may have others open behind it."""

    def __init__(self, page: Page, server: Server, name: str):
        self.page = page
        self.name = name
        self.complaints = listen(page)
        page.goto(f"{server.url}/lab/workspaces/{secrets.token_hex(4)}/tree/{name}?reset&token={server.token}")
        page.wait_for_function(IDLE, timeout=PATIENCE)
        page.evaluate("window.jupyterapp.shell.collapseLeft()")

    def other(self, name: str) -> "Notebook":
        """Open another notebook in the same JupyterLab, or come back to it: much quicker than a new one."""
        other = copy(self)
        other.name = name
        self.page.mouse.move(0, 0)
        self.command("docmanager:open", {"path": name})
        in_front = "name => window.jupyterapp.shell.currentWidget?.context?.path === name"
        self.page.wait_for_function(in_front, arg=name, timeout=PATIENCE)
        self.page.wait_for_function(IDLE, timeout=PATIENCE)
        return other

    def run_all(self) -> None:
        """Run every cell and wait for the last one; the pointer does not rest on anything then."""
        self.command("notebook:run-all-cells")
        self.page.mouse.move(0, 0)

    def command(self, name: str, arguments: dict | None = None) -> None:
        """Run a command of JupyterLab and wait until it is done."""
        run = "async ([name, args]) => { await window.jupyterapp.commands.execute(name, args); }"
        self.page.evaluate(run, [name, arguments or {}])

    def close(self) -> None:
        """Close it without saving, and end its kernel."""
        self.page.evaluate("""async () => {
            const widget = window.jupyterapp.shell.currentWidget;
            await widget.sessionContext.shutdown();
            widget.dispose();
        }""")

    def dress(self, theme: str, width: int) -> None:
        """Choose a theme, and the width of the window."""
        self.command("apputils:change-theme", {"theme": f"JupyterLab {theme.title()}"})
        self.page.set_viewport_size({"width": width, "height": 900})

    def ask(self, what: str, argument: object = None) -> object:
        """Evaluate JavaScript in which `cells` are the cell widgets of the notebook and `given` is the argument."""
        cells = "window.jupyterapp.shell.currentWidget.content.widgets"
        return self.page.evaluate(f"given => {{ const cells = {cells}; return {what}; }}", argument)

    def errors(self) -> list[str]:
        """The errors that cells show."""
        outputs = "cells.flatMap(cell => cell.model.outputs?.toJSON() ?? [])"
        return self.ask(f"{outputs}.filter(out => out.output_type === 'error').map(out => out.ename + out.evalue)")

    def not_run(self) -> list[int]:
        """The code cells that have source but no execution count."""
        code = "cell.model.type === 'code' && cell.model.sharedModel.source.trim()"
        return self.ask(f"cells.flatMap((cell, n) => {code} && cell.model.executionCount === null ? [n] : [])")

    def figures(self, kind: str = "") -> list[Locator]:
        """Every figure of one kind, each scrolled to once, so that JupyterLab has drawn its cell.

        The still twin of an explorer counts only where the explorer itself is not shown.
        """
        given = [f'data-tl="{kind}', self.ask("cells.some(cell => cell.model.trusted)")]
        numbers = self.ask(
            """cells.flatMap((cell, number) => {
                const bundles = (cell.model.outputs?.toJSON() ?? []).map(output => output.data ?? {});
                const pages = bundles.filter(data => !(given[1] && 'application/vnd.jupyter.widget-view+json' in data));
                return pages.some(data => [data['text/html'] ?? ''].flat().join('').includes(given[0])) ? [number] : [];
            })""",
            given,
        )
        return [figure for number in numbers for figure in self.figures_of_cell(number)]

    def figures_of_cell(self, number: int) -> list[Locator]:
        """The figures below one cell."""
        mark = f"{self.name}:{number}"
        self.ask("window.jupyterapp.shell.currentWidget.content.scrollToItem(given, 'start')", number)
        self.ask("(cells[given[0]].node.dataset.mark = given[1])", [number, mark])
        figures = self.page.locator(f'[data-mark="{mark}"] .tl-figure')
        figures.first.wait_for(timeout=PATIENCE)
        return figures.all()


def is_live(figure: Locator) -> bool:
    """Whether the still picture has been upgraded: the shadow root shows something."""
    return figure.evaluate("host => Boolean(host.shadowRoot?.querySelector('svg'))")


def wait_until_live(figure: Locator) -> None:
    """Wait until a figure has been upgraded."""
    figure.scroll_into_view_if_needed()
    eventually(lambda: is_live(figure), figure.page, "the figure stayed a still picture")


def wait_until_it_fits(figure: Locator) -> None:
    """Wait until nothing of a figure sticks out of its place: it is drawn again a moment after its width changed."""
    too_wide = "host => host.scrollWidth - host.clientWidth"
    eventually(lambda: figure.evaluate(too_wide) <= 1, figure.page, "the figure is wider than its place")


def eventually(is_so: Callable[[], bool], page: Page, otherwise: str) -> None:
    """Wait until something is so, at most ten seconds."""
    deadline = time.monotonic() + 10
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError(otherwise)
        page.wait_for_timeout(50)


def listen(page: Page) -> list[str]:
    """A list that fills with what the page complains of: uncaught errors, and errors on the console."""
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    return complaints


def requests_of(page: Page) -> list[str]:
    """A list that fills with every address that the page asks for, itself and data addresses left out."""
    asked: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            asked.append(request.url)

    page.on("request", note)
    return asked


def photograph(page: Page, name: str, figure: Locator | None = None) -> None:
    """Keep a picture for people to look at, in the folder that TENSORLAB_SHOTS names."""
    folder = os.environ.get("TENSORLAB_SHOTS")
    if not folder:
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    try:
        (figure or page).screenshot(path=Path(folder, f"{name}.png"))
    except Error as error:
        Path(folder, f"{name}.txt").write_text(str(error))
