"""What a live linked figure shows, read from its page, and what it should show, worked out here."""

import re

from playwright.sync_api import Locator

READ = """host => {
    const all = what => [...host.shadowRoot.querySelectorAll(what)];
    const labels = what => all(what).map(el => el.getAttribute('aria-label'));
    return {
        cells: labels('[data-c][aria-selected=true]'),
        slots: labels('[data-s][aria-selected=true]'),
        bytes: labels('[data-b][aria-selected=true]'),
        formula: all('.formula div').map(el => el.textContent),
        said: all('.say').map(el => el.textContent).join(),
        facts: all('.top .mono').map(el => el.textContent).join(),
    };
}"""


def shown(figure: Locator) -> dict:
    """The selected cell, slot and bytes, the formula, and the sentence that says what is selected."""
    return figure.evaluate(READ)


def layout_of(figure: Locator) -> tuple[list[int], list[int], int]:
    """Shape, strides and offset, as the heading of the figure states them."""
    facts = shown(figure)["facts"]
    named = {name: _numbers(re.search(rf"{name} ([^·]*)", facts)[1]) for name in ("shape", "strides", "offset")}
    return named["shape"], named["strides"], named["offset"][0]


def assert_every_panel_shows(figure: Locator, index: list[int]) -> None:
    """Cell, slot, bytes, formula and sentence of a live figure all show one index of its layout."""
    _, strides, offset = layout_of(figure)
    position = offset + sum(i * stride for i, stride in zip(index, strides, strict=True))
    factors = [str(stride) if stride >= 0 else f"(−{-stride})" for stride in strides]
    terms = "".join(f" + {i}×{factor}" for i, factor in zip(index, factors, strict=True))
    here = f"[{', '.join(map(str, index))}]"
    now = shown(figure)
    assert [re.match(r".*? slot \d+", cell)[0] for cell in now["cells"]] == [f"{here}, slot {position}"], now
    assert [re.match(r"slot \d+", slot)[0] for slot in now["slots"]] == [f"slot {position}"], now
    assert now["formula"][:2] == [f"position({here[1:-1]})", f"= {offset}{terms} = {position}"], now
    assert now["said"].startswith(f"{here} is slot {position}"), now
    width = len(now["bytes"])
    assert [_numbers(byte)[0] for byte in now["bytes"]] == [position * width + k for k in range(width)], now


def _numbers(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"-?\d+", text.replace("−", "-"))]
