"""Paint the README's pictures into `docs/`: `python -m tests.pictures`."""

from pathlib import Path

import numpy as np

import tensorlab as tl
from tensorlab import data, figures

DOCS = Path(__file__).parent.parent / "docs"
EMBEDDING = "model.embed_tokens.weight"


def pictures():
    """Every picture, as file name and SVG text: each figure in the light and in the dark theme."""
    grid = np.array([[31, 7, 24, 12], [5, 40, 18, 9], [27, 45, 36, 3]], dtype=np.int32)
    three = np.array([77, 300, 70_000], dtype=np.int32)
    checkpoint = tl.open_checkpoint(data.real_shaped_embedding())
    shown = {
        "chapter-00": figures.linked(three, title="Three numbers, twelve bytes", select=(1,)),
        "chapter-01": figures.linked(grid, title="One grid, one buffer", select=(2, 1)),
        "chapter-06": figures.file(checkpoint, EMBEDDING, 785, column=2, title="Where is token 785?"),
    }
    for name, figure in shown.items():
        for theme in ("light", "dark"):
            yield f"{name}-{theme}.svg", figure.svg(theme) + "\n"


def main():
    DOCS.mkdir(exist_ok=True)
    for name, text in pictures():
        (DOCS / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
