"""Deflate the painters of all live figures into `tensorlab/figures/packed.json`: `python -m tests.pack_figures`."""

import base64
import json
import tempfile
import zlib
from pathlib import Path

import numpy as np

import tensorlab as tl
from tensorlab import figures
from tensorlab.figures.pack import TABLE

PACKED = Path(figures.__file__).with_name(TABLE)


def programs():
    """The script of each kind of figure, by its kind."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.safetensors"
        tl.save_checkpoint(path, {"x": np.zeros((1, 1), np.float32)})
        samples = [
            figures.file(tl.open_checkpoint(path), "x", 0),
            figures.linked(np.zeros(1)),
            figures.broadcast((1,), (1,)),
        ]
    return {figure.kind: figure.program for figure in samples}


def main():
    table = {kind: base64.b64encode(zlib.compress(text.encode(), 9)).decode() for kind, text in programs().items()}
    PACKED.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
