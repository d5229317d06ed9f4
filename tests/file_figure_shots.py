"""Take pictures of file figures in every state and width: ``python -m tests.file_figure_shots FOLDER``.

Nothing is compared here. The gallery is also what tests/test_file_figure.py runs through both painters.
"""

import argparse
import base64
import json
import tempfile
from pathlib import Path

import numpy as np

import tensorlab as tl
from tensorlab import data, figures
from tensorlab.figures.landings import TERMS

HALVES = np.array([1, -2.5, 0, 6e-8, np.inf, -np.inf, np.nan, 65504, 0.1, -0.0], dtype=np.float16)


def small_file(folder):
    """A file with a tensor of every kind; `eight bits` has a type that the course does not convert."""
    draw = np.random.default_rng(785)
    tensors = {
        "encoder.weight": draw.normal(size=(24, 40)).astype(np.float32),
        "norm.bias": draw.normal(size=37).astype(np.float32),
        "conv.weight": draw.normal(size=(6, 5, 3)).astype(np.float32),
        "halves": np.stack([HALVES, HALVES[::-1]]),
        "doubles": draw.normal(size=(4, 30)),
        "ids": np.arange(-4, 5, dtype=np.int64),
        "pixels": np.arange(21, dtype=np.uint8).reshape(7, 3),
        "mask": np.array([[True, False, True], [False, False, True]]),
        "scale": np.array(1.5, dtype=np.float32),
    }
    packed, end, header = [], 0, {}
    for name, array in tensors.items():
        tag = tl.tensor(array).dtype.file_tag
        header[name] = {"dtype": tag, "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        packed.append(array.tobytes())
        end += array.nbytes
    header["eight bits"] = {"dtype": "F8_E4M3", "shape": [4, 8], "data_offsets": [end, end + 32]}
    text = json.dumps(header).encode()
    path = Path(folder) / "small.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(packed) + bytes(range(32)))
    return path


def gallery(folder):
    """Every kind of file figure, by name."""
    table, small = tl.open_checkpoint(data.real_shaped_embedding()), tl.open_checkpoint(small_file(folder))
    token = {"title": "Where is token 785?", "note": "One row is 2,048 adjacent bytes of 311 million."}
    shown = {
        "token": figures.file(table, data.EMBEDDING, 785, 2, **token),
        "hook": figures.file(table, data.EMBEDDING, 785, title="311 million bytes; your word needs 2,048: which?"),
        "middle": figures.file(table, data.EMBEDDING, 75968, 500),
        "last": figures.file(table, data.EMBEDDING, 151935, 1023),
        "row 0": figures.file(table, data.EMBEDDING, 0),
        "first": figures.file(small, "encoder.weight", 0, 1),
    }
    for term in TERMS:
        shown[f"without {term}"] = figures.file(table, data.EMBEDDING, 785, 2, **token, without=[term])
    shown["without row and column"] = figures.file(small, "halves", 1, 3, without=["row×C", "column"])
    shown["without any"] = figures.file(table, data.EMBEDDING, 785, 2, without=TERMS)
    for name, entry in small.entries.items():
        shown[name] = figures.file(small, name, min(1, entry.shape[0] - 1) if entry.shape else 0)
    return shown


def image(document):
    """A still picture as a page shows it: on its own, so that its names meet no others."""
    return f'<img src="data:image/svg+xml;base64,{base64.b64encode(document.encode()).decode()}">'


def photograph(folder, names, widths=(320, 760, 1600), themes=("light", "dark")):
    """Write one picture per width and theme, live, and one per still picture."""
    from playwright.sync_api import sync_playwright

    from tests.browser.lab import CHROMIUM_OPTIONS, HOW_TO_GET_ONE, find_chromium

    with tempfile.TemporaryDirectory() as files:
        shown = {name: figure for name, figure in gallery(files).items() if not names or name in names}
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        path = find_chromium(playwright)
        if path is None:
            raise SystemExit(HOW_TO_GET_ONE)
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_OPTIONS)
        for theme in themes:
            for width in (*widths, "still"):
                page = browser.new_page(
                    viewport={"width": 780 if width == "still" else width, "height": 600}, color_scheme=theme
                )
                drawn = [image(figure.svg(theme)) if width == "still" else figure.html for figure in shown.values()]
                ground = "#fff" if theme == "light" else "#111"
                page.set_content(
                    f"<!doctype html><meta charset=utf-8><body style='margin:0;background:{ground}'>"
                    + "".join(f"<div style='margin-bottom:20px'>{one}</div>" for one in drawn)
                )
                page.wait_for_timeout(500)
                page.screenshot(path=folder / f"{width}-{theme}.png", full_page=True)
                page.close()
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="which figures; without names, all")
    options = parser.parse_args()
    photograph(options.folder, options.names)
