"""A chapter exported to one page and opened from disk, with the network cut."""

from pathlib import Path

import pytest
from nbconvert import HTMLExporter

from tests.browser.lab import listen, photograph, requests_of, wait_until_it_fits, wait_until_live
from tests.browser.linked import assert_every_panel_shows, layout_of
from tests.notebooks.surroundings import chapters

OF_THE_TEMPLATE = ("require", "mathjax", "mermaid")  # what nbconvert's own page asks for, and can do without


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("chapter", chapters(), ids=lambda path: path.stem)
def test_the_page_is_live_without_a_network(browser, tmp_path, chapter, theme):
    exported = Path(tmp_path, f"{chapter.stem}.html")
    exported.write_text(HTMLExporter(theme=theme).from_filename(str(chapter))[0], encoding="utf-8")
    context = browser.new_context(viewport={"width": 400, "height": 900}, offline=True)
    page = context.new_page()
    asked, complaints = requests_of(page), listen(page)
    page.goto(exported.as_uri())
    figures = page.locator(".tl-figure").all()
    assert figures
    for number, figure in enumerate(figures):
        wait_until_live(figure)
        assert figure.locator(".fig").get_attribute("data-theme") == theme
        wait_until_it_fits(figure)
        photograph(page, f"{chapter.stem}-{number}-page-{theme}", figure)
    linked = page.locator(".tl-figure[data-tl^=linked]")
    if linked.count() and len(layout_of(linked.first)[0]) == 2:
        linked.first.locator("[data-c='0']").click()
        page.keyboard.press("ArrowRight")
        assert_every_panel_shows(linked.first, [0, 1])
    assert [url for url in asked if not any(name in url for name in OF_THE_TEMPLATE)] == []
    assert [line for line in complaints if "uncaught" in line and "require is not" not in line] == []
    context.close()
