"""Take pictures of linked figures in every state and width, to be looked at: ``python -m tests.figure_shots FOLDER``.

Nothing is compared here. The gallery is also what tests/test_linked_figure.py runs through both painters.
"""

import argparse
import base64
from pathlib import Path

import numpy as np

import tensorlab as tl
from tensorlab import figures

NUMBERS = np.array([[31, 7, 24, 12], [5, 40, 18, 9], [27, 45, 36, 3]], dtype=np.int32)
WORDS = np.array([0x3F80, 0xC049, 0x7FC0, 0x0001, 0x8000, 0x7F80, 0xFF80, 0x4198], dtype=np.uint16)
ROW = np.array([8, 2, 31, 7, 24, 12, 5], dtype=np.int32)


def gallery():
    """Every kind of linked figure, by name."""
    linked, layout = figures.linked, tl.Layout
    upward = np.arange(12, dtype=np.int32)
    orders = {"row-major": layout.row_major((3, 4)), "column-major": layout.column_major((3, 4))}
    return {
        "basic": linked(
            NUMBERS, title="One grid, one buffer", select=(2, 1), note="45 = hex 2d, lowest byte first: 2d 00 00 00."
        ),
        "transposed": linked(NUMBERS.T, title="Transposed: two numbers swapped", select=(1, 2)),
        "toggle": linked(NUMBERS, title="Where does slot 9 go?", select=(2, 1), toggle=orders),
        "repeated": linked(layout((3, 4), (0, 1), 2), buffer=ROW, title="A row seen three times", select=(1, 2)),
        "column": linked(layout((3, 4), (1, 0)), buffer=upward[:3], title="A column seen four times", select=(2, 2)),
        "one": linked(layout((2, 3), (0, 0)), buffer=upward[:1], title="One slot seen six times", select=(1, 2)),
        "window": linked(layout((3, 3), (1, 1)), buffer=upward[:5], title="Overlapping rows", select=(1, 1)),
        "stepped": linked(np.arange(24, dtype=np.int16).reshape(4, 6)[::2, 1::2], title="Every second", select=(1, 2)),
        "turned": linked(upward.reshape(3, 4)[:, ::-1], title="Columns turned round", select=(2, 1)),
        "illegal": linked(layout((3, 4), (-4, -1), 10), buffer=upward, title="Lower the offset to 10"),
        "beyond": linked(layout((2, 3), (40, 1)), buffer=12, title="A stride too long"),
        "rank0": linked(np.array(7.5), title="Rank 0: one cell"),
        "rank1": linked(np.arange(10, 18, dtype=np.uint8)[::-1], title="Rank 1, reversed", select=(3,)),
        "rank3": linked(np.arange(24, dtype=np.int16).reshape(2, 3, 4), title="Two planes", select=(1, 2, 3)),
        "rank4": linked(np.arange(48, dtype=np.int16).reshape(2, 2, 3, 4), title="Rank 4", select=(1, 0, 2, 3)),
        "rank5": linked(layout.row_major((3, 4, 5, 6, 7)), title="Rank 5, a window", select=(2, 1, 3, 2, 5)),
        "empty": linked(np.zeros((0, 3), dtype=np.float32), title="Nothing to read"),
        "empty view": linked(layout((2, 0), (1, 1), 1), buffer=upward[:4], title="An empty view of a buffer"),
        "eight": linked(np.arange(64, dtype=np.int32).reshape(8, 8), title="Eight by eight", select=(5, 6)),
        "places": linked(layout((3, 4), (4, 1)), title="Places only", select=(2, 1)),
        "table": linked(layout((151936, 1024), (1024, 1)), title="Where does row 785 start?", select=(785, 2)),
        "bfloat16": linked(tl.from_numpy(WORDS.reshape(2, 4), dtype=tl.bfloat16), title="bfloat16", select=(0, 1)),
        "floats": linked(np.array([[0.5, -1.25, 3], [1e-5, 123456.789, 2]], dtype=np.float32), title="Floats"),
        "half": linked(np.array([[1, -0.1], [65504, 6e-8]], dtype=np.float16), title="Halves", select=(0, 1)),
        "bool": linked(np.array([[True, False], [False, True]]), title="Flags"),
        "long": linked(np.array([[2**31 - 1, -(2**31)], [5, 2**30]], dtype=np.int32), title="Long integers"),
        "untitled": linked(np.arange(6, dtype=np.int64).reshape(2, 3), show_bytes=False),
    }


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
            for width in widths:
                page = browser.new_page(viewport={"width": width, "height": 600}, color_scheme=theme)
                ground = "#fff" if theme == "light" else "#111"
                margin = 0 if width < 400 else 12
                page.set_content(
                    f"<!doctype html><meta charset=utf-8><body style='margin:{margin}px;background:{ground}'>"
                    + "".join(f"<div style='margin-bottom:20px'>{figure.html}</div>" for figure in shown.values())
                )
                page.wait_for_timeout(500)
                page.screenshot(path=folder / f"live-{width}-{theme}.png", full_page=True)
                page.close()
            page = browser.new_page(viewport={"width": 780, "height": 600}, color_scheme=theme)
            stills = (base64.b64encode(figure.svg(theme).encode()).decode() for figure in shown.values())
            page.set_content("".join(f'<img src="data:image/svg+xml;base64,{still}"><br>' for still in stills))
            page.wait_for_timeout(500)
            page.screenshot(path=folder / f"still-{theme}.png", full_page=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="which figures; without names, all")
    options = parser.parse_args()
    photograph(options.folder, options.names)
