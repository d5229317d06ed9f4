"""The linked figure: what it says, what it weighs, and that both painters draw the same, live and still."""

import base64
import itertools
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import tensorlab as tl
from tensorlab import figures
from tensorlab.figures import mapping, shell
from tensorlab.figures.linked import arc_list, live_painter, plan, strip_scroll
from tests.figure_shots import NUMBERS, ROW, gallery

SVG = "{http://www.w3.org/2000/svg}"
GALLERY = gallery()


def basic(**options):
    return figures.linked(NUMBERS, select=(2, 1), **options)


def said(figure):
    return mapping.sentence(figure.data, figure.data["start"])


# ---- what is looked up ----------------------------------------------------------------------------------------------


def test_every_cell_of_every_figure_stands_on_the_slot_its_layout_gives():
    layouts = {
        "basic": tl.Layout((3, 4), (4, 1)),
        "transposed": tl.Layout((4, 3), (1, 4)),
        "repeated": tl.Layout((3, 4), (0, 1), 2),
        "illegal": tl.Layout((3, 4), (-4, -1), 10),
        "rank3": tl.Layout((2, 3, 4), (12, 4, 1)),
        "rank5": tl.Layout.row_major((3, 4, 5, 6, 7)),
        "table": tl.Layout((151936, 1024), (1024, 1)),
    }
    for name, layout in layouts.items():
        data = GALLERY[name].data
        view = data["views"][0]
        for number, item in enumerate(view["cells"]):
            index = mapping.index_of(view, number)
            brute = layout.offset + sum(i * s for i, s in zip(index, layout.strides, strict=True))
            assert data["slots"][item][0] == brute


def test_slots_hold_the_bytes_and_values_of_the_buffer():
    data = basic().data
    memory = NUMBERS.tobytes()
    for position, text, outside, digits, first in data["slots"]:
        assert (text, outside, first) == (str(NUMBERS.reshape(-1)[position]), 0, 4 * position)
        assert bytes.fromhex(digits) == memory[first : first + 4]


def test_landings_are_counted_and_unreached_slots_have_none():
    assert GALLERY["repeated"].data["views"][0]["landings"] == [0, 0, 3, 3, 3, 3, 0]
    assert GALLERY["window"].data["views"][0]["landings"] == [1, 2, 3, 2, 1]


def test_a_table_is_shown_through_a_window_that_keeps_the_selected_row_and_says_what_is_left_out():
    view = GALLERY["table"].data["views"][0]
    assert view["rows"] == [0, 1, 784, 785, 786, 787, 788, 789]
    assert view["legend"] == "This window shows 6 of 1,024 columns and 8 of 151,936 rows."


def test_a_slot_reached_only_from_outside_the_window_names_the_index():
    figure = figures.linked(tl.Layout((1000, 1000), (1000, 1)))
    data = figure.data
    far = next(k for k, slot in enumerate(data["slots"]) if slot[0] == 6)
    assert mapping.sentence(data, [0, far, -1]) == "Slot 6. [0, 6] lands there, outside this window."


def test_the_hops_go_axis_by_axis_from_the_offset_to_the_slot():
    data = basic().data
    assert mapping.hops(data, data["start"]) == [(0, 2, [0, 4, 8]), (1, 1, [8, 9])]


def test_positions_beyond_javascripts_integers_stay_exact():
    data = figures.linked(tl.Layout((1,), (1,), 2**60), buffer=2**61).data
    assert data["slots"][data["start"][1]][0] == str(2**60)


def test_a_million_repeated_rows_are_drawn_without_walking_them():
    data = figures.linked(tl.Layout((10**6, 4), (0, 1)), buffer=np.arange(4)).data
    assert set(data["views"][0]["landings"]) == {mapping.MANY}


# ---- what it says ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("basic", "[2, 1] is slot 9: value 45, bytes 36 to 39."),
        ("repeated", "[1, 2] is slot 4: value 24, bytes 16 to 19. [0, 2] and [2, 2] land there too."),
        ("one", "[1, 2] is slot 0: value 0, bytes 0 to 3. [0, 0], [0, 1], [0, 2] and 2 more land there too."),
        ("illegal", "[2, 3] leaves the buffer: it would be slot −1, but the buffer starts at slot 0."),
        ("beyond", "[1, 0] leaves the buffer: it would be slot 40, but the buffer ends at slot 11."),
        ("rank0", "[] is slot 0: value 7.5, bytes 0 to 7."),
        ("rank1", "[3] is slot 4: value 14, byte 4."),
        ("empty", "shape (0, 3): no cell, nothing is read."),
        ("places", "[2, 1] is slot 9."),
        ("bfloat16", "[0, 1] is slot 1: value −3.140625, bytes 2 to 3."),
        ("bool", "[1, 1] is slot 3: value True, byte 3."),
    ],
)
def test_a_sentence_says_what_is_selected(name, words):
    assert said(GALLERY[name]) == words
    assert words in GALLERY[name].alt
    assert words in repr(GALLERY[name])


def test_a_slot_that_no_index_reaches_says_so():
    assert mapping.sentence(GALLERY["repeated"].data, [0, 1, -1]) == (
        "Slot 1: value 2, bytes 4 to 7. No index reaches it."
    )


def test_not_a_number_and_the_infinities_are_letters_in_cells_and_words_in_the_sentence():
    data = GALLERY["bfloat16"].data
    shown = [slot[1].strip(mapping.NO_BREAK) for slot in data["slots"]]
    assert shown == ["1.0", "−3.141", "X", "9.184e−41", "−0.0", "I", "−I", "19.0"]
    view = data["views"][0]
    words = [mapping.sentence(data, [0, slot, cell]) for cell, slot in enumerate(view["cells"])]
    assert "value not a number (NaN)," in words[2]
    assert "value infinity," in words[5]
    assert "value minus infinity," in words[6]


def test_the_drawing_in_characters_shows_the_same_facts():
    assert repr(basic(title="One grid, one buffer")) == (
        "One grid, one buffer\n"
        "shape (3, 4) · strides (4, 1) · offset 0 · int32\n"
        "\n"
        "grid      0   1   2   3\n"
        "    0    31   7  24  12\n"
        "    1     5  40  18   9\n"
        "    2    27 [45] 36   3\n"
        "\n"
        "buffer   31   7  24  12   5  40  18   9  27 [45] 36   3\n"
        "          0   1   2   3   4   5   6   7   8   9  10  11\n"
        "          ^offset\n"
        "\n"
        "position(2, 1) = 0 + 2×4 + 1×1 = 9\n"
        "hops: from 0, 2 × +4 to 8, then +1 to 9\n"
        "bytes 9×4 = 36 … 39: 2d 00 00 00\n"
        "[2, 1] is slot 9: value 45, bytes 36 to 39."
    )


def test_the_drawing_in_characters_marks_shared_and_unreached_slots():
    lines = repr(GALLERY["repeated"]).splitlines()
    assert "          .   .   =   =   =   =   ." in lines
    assert "    0    31   7 (24) 12" in lines
    assert "'=': more than one index lands here. '.': no index reaches it." in lines


def test_the_alt_text_tells_the_whole_picture():
    assert basic(title="One grid, one buffer").alt == (
        "One grid, one buffer. A grid of shape (3, 4), strides (4, 1), offset 0, above its buffer of 12 slots of int32."
        " Rows: 31 7 24 12; 5 40 18 9; 27 45 36 3. [2, 1] is slot 9: value 45, bytes 36 to 39. In hex: 2d 00 00 00."
    )


# ---- what it takes, and what it refuses -----------------------------------------------------------------------------


def test_a_tensor_a_matrix_an_array_and_a_layout_with_its_buffer_give_one_figure():
    tensor = tl.from_numpy(NUMBERS)
    drawn = [
        figures.linked(x, select=(2, 1)).html
        for x in (NUMBERS, tensor, tl.Matrix(NUMBERS.reshape(-1).tolist(), 3, 4, tl.int32))
    ]
    drawn.append(figures.linked(tensor.layout, buffer=NUMBERS.reshape(-1), select=(2, 1)).html)
    drawn.append(figures.linked(tensor.layout, buffer=tensor, select=(2, 1)).html)
    assert len(set(drawn)) == 1


def test_without_a_choice_the_first_index_that_leaves_the_buffer_is_selected():
    assert said(figures.linked(tl.Layout((3, 4), (4, 1)), buffer=10)) == (
        "[2, 2] leaves the buffer: it would be slot 10, but the buffer ends at slot 9."
    )


def test_an_index_that_the_grid_does_not_have_is_refused():
    with pytest.raises(tl.BoundsError, match="axis 1"):
        figures.linked(NUMBERS, select=(0, 4))


def test_a_buffer_beside_something_that_has_one_is_refused_with_a_fix():
    x, buffer = tl.from_numpy(NUMBERS), ROW
    with pytest.raises(tl.ArgumentError, match="buffer is only for a layout") as refused:
        figures.linked(x, buffer=buffer)
    figures_linked = eval(refused.value.fix.replace("linked(", "figures.linked("))
    assert figures_linked.data["length"] == len(ROW)


def test_a_buffer_with_two_axes_is_refused_with_a_fix():
    buffer = NUMBERS
    with pytest.raises(tl.ShapeError, match="a buffer has one axis") as refused:
        figures.linked(tl.Layout((3, 4), (4, 1)), buffer=buffer)
    assert eval(refused.value.fix).shape == (12,)


def test_something_that_is_no_tensor_is_refused():
    with pytest.raises(tl.ArgumentError, match="cannot draw str"):
        figures.linked("text")


# ---- what it weighs -------------------------------------------------------------------------------------------------


def test_a_figure_of_64_cells_stays_under_40_kilobytes():
    assert len(GALLERY["eight"].html.encode()) < 40_000
    negative = figures.linked(-(np.arange(64, dtype=np.int32).reshape(8, 8).T), title="Sixty-four cells", select=(7, 7))
    assert len(negative.html.encode()) < 40_000


def test_the_same_array_gives_the_same_html():
    assert basic().html == basic().html


def test_the_html_has_no_id_no_global_style_and_asks_for_nothing():
    for figure in GALLERY.values():
        outside = re.sub(r'src="data:[^"]*"|atob\("[^"]*"\)', "", figure.html)
        assert not re.search(r"\sid=|<style|<link|https?:|@import", outside)
        picture = base64.b64decode(re.search(r'base64,([^"]*)"', figure.html)[1]).decode()
        assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg)", picture)


def test_the_still_picture_is_well_formed_and_has_an_opaque_ground():
    for figure in GALLERY.values():
        for theme in ("light", "dark", "auto"):
            root = ElementTree.fromstring(figure.svg(theme))
            ground = next(child for child in root if child.tag == f"{SVG}rect")
            assert (ground.get("width"), ground.get("height")) == (root.get("width"), root.get("height"))
            assert "--bg" in ground.get("style")
            assert set(re.findall(r"var\(--(\w+)\)", figure.svg(theme))) == set(
                re.findall(r"--(\w+):", figure.svg(theme))
            )


def test_every_text_has_a_contrast_of_four_and_a_half_in_both_themes():
    for theme, colours in shell.PALETTE.items():
        for text, ground in shell.TEXT_ON:
            assert shell.contrast(colours[text], colours[ground]) >= 4.5, (theme, text, ground)


def test_no_text_is_smaller_than_twelve_pixels():
    sizes = re.findall(r"font(?:-size)?:(?:\w+ )?([\d.]+)px", shell.style_sheet() + live_painter())
    assert len(sizes) >= 6
    assert min(map(float, sizes)) >= 12


def test_a_count_that_stops_says_so():
    everywhere = tl.zeros(1).broadcast_to((1000, 1000))
    assert "at least 95 more land there too" in repr(figures.linked(everywhere, select=(0, 0)))


def test_a_grid_of_any_size_is_drawn_from_what_its_window_shows():
    said = repr(figures.linked(tl.Layout.row_major((2**70, 2**70))))
    assert f"slot {2**140 - 2**70 + 1}" in said


# ---- both painters, in a browser ------------------------------------------------------------------------------------


@pytest.fixture
def show(browser):
    """A function that opens a page with figures and waits until all are live.

    The page may neither complain nor ask the network for anything.
    """
    pages, complaints = [], []

    def opened(*shown, width=760, dark=False, body=""):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light")
        pages.append(page)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url[:80]) if "http" in request.url[:5] else None)
        page.set_content(
            f"<!doctype html><meta charset=utf-8><body style='margin:0' {body}>"
            + "".join(figure.html for figure in shown)
        )
        live = "[...document.querySelectorAll('.tl-figure')].every(host => host.shadowRoot?.querySelector('svg'))"
        page.wait_for_function(live, timeout=10_000)
        return page

    yield opened
    for page in pages:
        page.close()
    assert complaints == []


def say(page):
    return page.locator(".say").inner_text()


PLANS = f"""() => {{
    {shell.live_script(live_painter())}
    const clean = (value) => JSON.parse(JSON.stringify(value));
    return (data, rooms) => clean({{
        plans: rooms.map((room) => plan(data, room)),
        states: data.views.flatMap((view, v) => [
            ...view.cells.map((slot, cell) => [v, slot, cell]), ...data.slots.map((_, slot) => [v, slot, -1]),
        ]).concat([[0, -1, -1]]).map(([v, slot, cell]) => ({{
            state: [v, slot, cell], sentence: sentence(data, {{ v, slot, cell }}),
            formula: formula(data, {{ v, slot, cell }})
                .map((runs) => runs.map(([text, look]) => [String(text), look || ""])),
            arcs: arcList(data, plan(data, 728), {{ v, slot, cell }})
                .map(({{ label, style, at, head }}) => [label, style, ...at, ...head]),
            scroll: stripScroll(data, plan(data, 728), slot, 0),
        }})),
    }});
}}"""


@pytest.mark.parametrize("name", GALLERY)
def test_both_painters_plan_alike_and_say_the_same_in_every_state(browser, name):
    data, rooms = GALLERY[name].data, [296, 420, 559, 560, 728, 1000, 1600]
    page = browser.new_page()
    try:
        theirs = page.evaluate(f"([data, rooms]) => ({PLANS})()(data, rooms)", [data, rooms])
    finally:
        page.close()
    for room, drawn in zip(rooms, theirs["plans"], strict=True):
        assert drawn == json.loads(json.dumps(plan(data, room)))
    where = plan(data, 728)
    for there in theirs["states"]:
        state = there["state"]
        if state[1] < 0 and data["slots"] and data["views"][0]["cells"]:
            continue
        assert there["sentence"] == mapping.sentence(data, state)
        assert there["formula"] == [[list(run) for run in runs] for runs in mapping.formula(data, state)]
        assert there["scroll"] == strip_scroll(data, where, state[1])
        ours = [[arc["label"], arc["style"], *arc["at"], *arc["head"]] for arc in arc_list(data, where, state)]
        assert len(ours) == len(there["arcs"])
        for mine, other in zip(ours, there["arcs"], strict=True):
            assert mine[:2] == other[:2]
            assert mine[2:] == pytest.approx(other[2:], abs=0.01)


@pytest.mark.parametrize("name", ["basic", "toggle", "repeated", "rank3", "eight", "illegal", "bfloat16", "rank0"])
def test_the_live_figure_starts_as_the_still_picture(show, name):
    """Every number in a cell, a slot and a byte stands where the still picture has it, to the pixel."""
    figure = GALLERY[name]
    page = show(figure)
    middle = (
        "el => { const b = el.getBoundingClientRect(); return [el.textContent.trim(), b.x + b.width / 2, b.bottom]; }"
    )
    seen = "b => b.right > 100 && b.left < 740"
    live = page.evaluate(
        f"""() => [...document.querySelector('.tl-figure').shadowRoot.querySelectorAll('text.num, text.idx')]
            .filter(el => ({seen})(el.getBoundingClientRect())).map({middle})"""
    )
    page.set_content(f"<body style='margin:0'>{figure.svg()}")
    still = page.evaluate(
        f"""() => [...document.querySelectorAll('g.num, g[class^="num "], g.idx, g[class^="idx "]')]
            .flatMap(group => [...group.querySelectorAll('text, tspan')])
            .flatMap(el => {{
                const first = el.tagName === 'text' && el.querySelector('tspan[x]');
                if (!first) return el.hasAttribute('x') ? [el] : [];
                const own = el.cloneNode(false);
                own.append(el.firstChild.cloneNode());
                el.parentNode.append(own);
                return [own];
            }})
            .filter(el => ({seen})(el.getBoundingClientRect())).map({middle})"""
    )
    assert len(live) > 4
    texts = lambda marks: sorted((text, round(x), round(y)) for text, x, y in marks)  # noqa: E731
    for mine, other in itertools.zip_longest(texts(live), texts(still)):
        assert mine[0] == other[0]
        assert mine[1:] == pytest.approx(other[1:], abs=1)
    assert figure.data["slots"]


def test_pointing_shows_and_leaving_goes_back(show):
    page = show(basic())
    page.locator("[data-c='6']").hover()
    assert say(page) == "[1, 2] is slot 6: value 18, bytes 24 to 27."
    page.locator("[data-s='3']").hover()
    assert say(page) == "[0, 3] is slot 3: value 12, bytes 12 to 15."
    page.mouse.move(700, 20)
    assert say(page) == "[2, 1] is slot 9: value 45, bytes 36 to 39."


def test_a_click_keeps_and_every_panel_follows(show):
    page = show(basic())
    for spot in ("[data-c='6']", "[data-s='6']"):
        page.locator(spot).click()
        page.mouse.move(700, 20)
        marked = page.evaluate(
            """() => ['[data-c]', '[data-s]', '[data-b]'].map(kind => [
                ...document.querySelector('.tl-figure').shadowRoot.querySelectorAll(kind + '[aria-selected=true]')
            ].map(el => el.getAttribute('aria-label')))"""
        )
        assert marked == [
            ["[1, 2], slot 6: value 18, bytes 24 to 27"],
            ["slot 6: value 18, bytes 24 to 27"],
            ["byte 24, hex 12", "byte 25, hex 00", "byte 26, hex 00", "byte 27, hex 00"],
        ]
        assert page.locator(".formula").inner_text().split("\n") == [
            "position(1, 2)",
            "= 0 + 1×4 + 2×1 = 6",
            "bytes 6×4 = 24 … 27",
        ]
        page.locator("[data-c='0']").click()


def test_a_byte_leads_back_to_its_slot_and_cell(show):
    page = show(basic())
    page.locator("[data-b='41']").click()
    assert say(page) == "Byte 41 belongs to slot 10. [2, 2] is slot 10: value 36, bytes 40 to 43."


def test_keys_move_by_axis_in_the_grid_and_along_the_strip_and_the_bytes(show):
    page = show(basic())
    page.keyboard.press("Tab")
    for key, index in [
        ("ArrowUp", "[1, 1]"),
        ("ArrowRight", "[1, 2]"),
        ("Home", "[1, 0]"),
        ("End", "[1, 3]"),
        ("ArrowRight", "[1, 3]"),
        ("Control+Home", "[0, 0]"),
        ("Control+End", "[2, 3]"),
    ]:
        page.keyboard.press(key)
        assert say(page).startswith(f"{index} is slot")
    page.keyboard.press("Tab")
    for key, slot in [("ArrowLeft", 10), ("Home", 0), ("ArrowRight", 1), ("End", 11)]:
        page.keyboard.press(key)
        assert f"is slot {slot}:" in say(page)
    page.keyboard.press("Tab")
    for key, byte in [("ArrowRight", 44), ("ArrowLeft", 43), ("Home", 40), ("End", 43)]:
        page.keyboard.press(key)
        assert say(page).startswith(f"Byte {byte} belongs to slot {byte // 4}.")


def test_page_keys_and_brackets_go_from_plane_to_plane(show):
    page = show(GALLERY["rank3"])
    page.keyboard.press("Tab")
    for key, index in [("PageUp", "[0, 2, 3]"), ("PageUp", "[0, 2, 3]"), ("]", "[1, 2, 3]"), ("[", "[0, 2, 3]")]:
        page.keyboard.press(key)
        assert say(page).startswith(f"{index} is slot")


def test_the_toggle_keeps_the_slot_and_the_cell_moves(show):
    page = show(GALLERY["toggle"])
    page.get_by_role("radio", name="column-major").click()
    assert say(page) == ("The buffer did not change: slot 9 still holds 45. Its cell moved from [2, 1] to [0, 3].")
    assert page.locator("[data-c][aria-selected=true]").get_attribute("aria-label").startswith("[0, 3], slot 9")
    strip = (
        "[...document.querySelector('.tl-figure').shadowRoot.querySelectorAll('[data-s]')].map(el => el.textContent)"
    )
    texts = page.evaluate(strip)
    page.keyboard.press("ArrowLeft")
    assert say(page).endswith("Its cell moved from [0, 3] to [2, 1].")
    assert page.evaluate(strip) == texts
    assert page.get_by_role("radio", name="row-major").is_checked()


def test_tab_goes_from_grid_to_buffer_to_bytes_to_toggle(show):
    page = show(GALLERY["toggle"])
    kinds = []
    for _ in range(4):
        page.keyboard.press("Tab")
        kinds.append(
            page.evaluate("document.activeElement.shadowRoot.activeElement.closest('[data-keys]').dataset.keys")
        )
    assert kinds == ["grid", "strip", "bytes", "toggle"]


def test_what_slides_under_a_resting_pointer_is_not_selected(show):
    page = show(basic())
    page.locator("[data-b='39']").click()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(200)
    assert say(page).startswith("Byte 40 belongs to slot 10.")


@pytest.mark.parametrize(
    ("attribute", "dark"),
    [('data-jp-theme-light="false"', True), ('data-jp-theme-light="true"', False), ("", True)],
)
def test_the_theme_is_the_pages_own_else_the_readers(show, attribute, dark):
    page = show(basic(), dark=True, body=attribute)
    assert page.locator(".fig").get_attribute("data-theme") == ("dark" if dark else "light")


def test_the_theme_changes_while_the_figure_is_live(show):
    page = show(basic(), body='data-jp-theme-light="true"')
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    page.locator(".fig[data-theme=dark]").wait_for(timeout=2000)


@pytest.mark.parametrize("width", [320, 400, 600, 1600])
def test_no_figure_makes_the_page_scroll_sideways(show, width):
    page = show(*GALLERY.values(), width=width)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    inside = """() => [...document.querySelectorAll('.tl-figure')].every(host =>
        [...host.shadowRoot.querySelectorAll('.say, .formula, .title, .top .mono')].every(el =>
            el.getBoundingClientRect().right <= host.getBoundingClientRect().right + 0.5))"""
    assert page.evaluate(inside)


def test_in_a_narrow_figure_the_strip_scrolls_to_the_current_slot(show):
    page = show(GALLERY["eight"], width=320)
    for key in ("End", "Home"):
        page.locator("[data-keys=strip]").focus()
        page.keyboard.press(key)
        page.wait_for_timeout(600)
        inside = """() => { const root = document.querySelector('.tl-figure').shadowRoot;
            const slot = root.querySelector('[data-s][aria-selected=true] rect').getBoundingClientRect();
            return slot.left >= 0 && slot.right <= 320; }"""
        assert page.evaluate(inside), key


def test_a_figure_can_be_given_other_data_and_taken_away(browser):
    page = browser.new_page()
    try:
        told = page.evaluate(
            f"""([first, second]) => {{
                {shell.live_script(live_painter())}
                const host = document.createElement('div');
                document.body.append(host);
                const figure = mount(host, first), said = () => host.shadowRoot.querySelector('.say')?.textContent;
                const told = [said()];
                figure.update(second);
                told.push(said());
                figure.destroy();
                return [...told, host.shadowRoot.childNodes.length];
            }}""",
            [GALLERY["basic"].data, GALLERY["rank3"].data],
        )
    finally:
        page.close()
    assert told == [said(GALLERY["basic"]), said(GALLERY["rank3"]), 0]


def test_without_scripts_the_still_picture_stays_and_says_how_to_make_it_live(browser):
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.set_content(basic().html)
        assert page.get_by_role("img").get_attribute("alt") == basic().alt
        assert page.get_by_text("trust the notebook to make it live").is_visible()
    finally:
        context.close()
