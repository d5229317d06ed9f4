"""Take pictures of explorers in every state and width, to be looked at: ``python -m tests.explorer_shots FOLDER``.

Nothing is compared here, and no kernel runs: each page paints one stored picture, as a notebook does whose kernel is
gone. How explorers behave in JupyterLab is tested in tests/browser.
"""

import argparse
import json
from pathlib import Path

from tensorlab.explore import StrideExplorer


def gallery():
    """Every kind of state, by name."""
    shown = {
        "plain": StrideExplorer(shape=(3, 4)),
        "moved": StrideExplorer(shape=(3, 4), history=[".transpose(0, 1)", ".flip(1)", "offset = 3"]),
        "outside": StrideExplorer(strides=(-4, -1), offset=10, length=12),
        "shared": StrideExplorer(shape=(3, 3), strides=(1, 1), length=8),
        "torn": StrideExplorer(shape=(3, 4), history=[".transpose(0, 1)"]),
        "copied": StrideExplorer(shape=(3, 4), history=[".transpose(0, 1)", ".contiguous()", ".reshape((2, 6))"]),
        "refused": StrideExplorer(shape=(3, 4)),
        "rank3": StrideExplorer(shape=(2, 3, 4)),
        "rank4": StrideExplorer(shape=(2, 2, 2, 3)),
        "rank0": StrideExplorer(shape=()),
        "empty": StrideExplorer(shape=(0, 3), length=4),
        "large": StrideExplorer(shape=(8, 16)),
        "puzzle": StrideExplorer(puzzle=3),
        "compared": StrideExplorer(puzzle=12),
        "solved": StrideExplorer(puzzle=6, history=[".flip(1)", ".diagonal(0, 1)"]),
    }
    shown["torn"].move(".reshape((2, 6))")
    shown["refused"].offset = "eleven"
    shown["compared"].obey("compare")
    shown["moved"].link = 2
    return shown


def page(explorer, theme):
    """A page that paints one explorer; nobody answers it."""
    state = json.dumps(explorer.picture).replace("</", "<\\/")
    module = json.dumps(explorer._esm).replace("</", "<\\/")
    return f"""<!doctype html><meta charset=utf-8><html data-theme={theme}>
<body style="margin:0;background:{"#fff" if theme == "light" else "#111"}"><div id=here></div><script type=module>
const url = URL.createObjectURL(new Blob([{module}], {{ type: "text/javascript" }}));
const model = {{ get: () => ({state}), on() {{}}, off() {{}}, send() {{}} }};
(await import(url)).default.render({{ model, el: document.getElementById("here") }});
</script>"""


def photograph(folder, names, widths, themes):
    """Write one picture per state, width and theme."""
    from playwright.sync_api import sync_playwright

    from tests.browser.lab import CHROMIUM_OPTIONS, HOW_TO_GET_ONE, find_chromium, listen

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        path = find_chromium(playwright)
        if path is None:
            raise SystemExit(HOW_TO_GET_ONE)
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_OPTIONS)
        for width in widths:
            for theme in themes:
                tab = browser.new_page(viewport={"width": width, "height": 900})
                complaints = listen(tab)
                for name, explorer in gallery().items():
                    if names and name not in names:
                        continue
                    tab.set_content(page(explorer, theme))
                    tab.wait_for_timeout(200)
                    tab.screenshot(path=folder / f"{name}-{theme}-{width}.png", full_page=True)
                    wide = tab.evaluate("document.documentElement.scrollWidth > innerWidth")
                    if wide or complaints:
                        raise SystemExit(f"{name} at {width}: {'too wide' if wide else complaints}")
                tab.close()
        browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="only these states")
    parser.add_argument("--widths", type=int, nargs="*", default=[320, 800, 1600])
    parser.add_argument("--themes", nargs="*", default=["light", "dark"])
    given = parser.parse_args()
    photograph(given.folder, given.names, given.widths, given.themes)


if __name__ == "__main__":
    main()
