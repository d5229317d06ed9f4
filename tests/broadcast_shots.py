"""Take pictures of broadcasting figures and explorers: ``python -m tests.broadcast_shots FOLDER``.

Nothing is compared here. The gallery is also what tests/test_broadcast_figure.py runs through both painters.
"""

import argparse
from pathlib import Path

import numpy as np

import tensorlab as tl
from tensorlab import figures
from tensorlab.explore import BroadcastExplorer
from tests.explorer_shots import page
from tests.file_figure_shots import image

Y = np.array([1.5, 0.5, 2.0, 3.0], dtype=np.float32)
ROWS = np.arange(12, dtype=np.int32).reshape(3, 4)
PRICES = tl.from_numpy(np.array([0x3F80, 0xC049, 0x7FC0, 0x7F80], dtype=np.uint16), dtype=tl.bfloat16)


def gallery():
    """Every kind of broadcasting figure, by name."""
    draw = figures.broadcast
    return {
        "sixteen": draw((4,), (4, 1), operation="-", title="Sixteen differences with eight numbers"),
        "loss": draw(Y, Y.reshape(4, 1), operation="-", names=("y", "p"), title="Where does the loss come from?"),
        "equal": draw((2, 3), (2, 3), operation="*", title="Equal shapes: nothing is repeated"),
        "fails": draw((3,), (3, 4), title="Three against four"),
        "fails twice": draw((2, 3), (3, 2), operation="-", title="Two pairs differ"),
        "rank 3": draw((2, 1, 4), (3, 1), title="Three axes", select=(1, 2, 1)),
        "rank 4": draw((2, 1, 3, 1), (2, 1, 4), title="Four axes", select=(1, 1, 2, 3)),
        "rank 5": draw((2, 3, 2, 3, 2), (3, 1), title="Five axes"),
        "scalar": draw((2, 3), (), operation="*", title="A number meets a grid"),
        "two scalars": draw(2.5, 4, operation="<", title="Two numbers"),
        "empty": draw((0,), (3, 1), title="An axis of length 0"),
        "three": draw((3,), (2, 1), (2, 1, 1), title="Three operands", note="They are joined from the left."),
        "three fail": draw((3,), (1,), (2,), title="The first and the third differ"),
        "view": draw(
            ROWS[::-1, ::2], np.array([10, 20], dtype=np.int32), title="Rows turned round, every second column"
        ),
        "large": draw((1000, 3), (3,), operation="-", title="A thousand rows", select=(785, 2)),
        "wide": draw((64,), (64, 1), operation="<=", title="Sixty-four by sixty-four", select=(40, 31)),
        "huge": draw((151936, 1024), (1024,), operation="*", title="A whole table", select=(785, 2)),
        "special": draw(PRICES, np.float32(2), operation="/", title="bfloat16", names=("price", "rate")),
        "untitled": draw((3,), (3, 1)),
    }


def explorers():
    """Explorers in every kind of state, by name; no kernel answers them."""
    refused = BroadcastExplorer()
    refused.a = (2, 2, 2, 2, 2)
    return {
        "explorer": BroadcastExplorer(),
        "explorer fails": BroadcastExplorer(a=(3,), b=(3, 4), operation="+"),
        "explorer rank 3": BroadcastExplorer(a=(2, 1, 4), b=(3, 1), operation="*"),
        "explorer rank 4": BroadcastExplorer(a=(2, 1, 3, 1), b=(2, 1, 4)),
        "explorer scalar": BroadcastExplorer(a=(), b=(2, 3), operation="<"),
        "explorer two scalars": BroadcastExplorer(a=(), b=()),
        "explorer empty": BroadcastExplorer(a=(0,), b=(3, 1)),
        "explorer refused": refused,
        "explorer long": BroadcastExplorer(a=(64,), b=(64, 1), select=(40, 31)),
    }


def photograph_explorers(folder, names, widths=(320, 760, 1600), themes=("light", "dark")):
    """Write one picture per explorer, width and theme."""
    from playwright.sync_api import sync_playwright

    from tests.browser.lab import CHROMIUM_OPTIONS, find_chromium, listen

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright), args=CHROMIUM_OPTIONS)
        for name, explorer in explorers().items():
            if names and name not in names:
                continue
            for width in widths:
                for theme in themes:
                    tab = browser.new_page(viewport={"width": width, "height": 700})
                    complaints = listen(tab)
                    tab.set_content(page(explorer, theme))
                    tab.wait_for_timeout(300)
                    tab.screenshot(path=folder / f"{name}-{width}-{theme}.png", full_page=True)
                    if complaints:
                        raise SystemExit(f"{name} at {width}: {complaints}")
                    tab.close()
        browser.close()


def photograph(folder, names, widths=(320, 760, 1600), themes=("light", "dark")):
    """Write one picture per width and theme, live, and one per still picture."""
    from playwright.sync_api import sync_playwright

    from tests.browser.lab import CHROMIUM_OPTIONS, HOW_TO_GET_ONE, find_chromium

    shown = {name: figure for name, figure in gallery().items() if not names or name in names}
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        path = find_chromium(playwright)
        if path is None:
            raise SystemExit(HOW_TO_GET_ONE)
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_OPTIONS)
        for theme in themes:
            for width in (*widths, "still"):
                tab = browser.new_page(
                    viewport={"width": 780 if width == "still" else width, "height": 600}, color_scheme=theme
                )
                drawn = [image(figure.svg(theme)) if width == "still" else figure.html for figure in shown.values()]
                ground = "#fff" if theme == "light" else "#111"
                tab.set_content(
                    f"<!doctype html><meta charset=utf-8><body style='margin:0;background:{ground}'>"
                    + "".join(f"<div style='margin-bottom:20px'>{one}</div>" for one in drawn)
                )
                tab.wait_for_timeout(500)
                tab.screenshot(path=folder / f"{width}-{theme}.png", full_page=True)
                tab.close()
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="which figures; without names, all")
    options = parser.parse_args()
    photograph(options.folder, options.names)
    photograph_explorers(options.folder, options.names)
