"""The file figure: its numbers, every place its formula can land on, its words, and that its two painters agree."""

import json
import re
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import tensorlab as tl
from tensorlab import data, figures
from tensorlab.errors import ArgumentError, BoundsError, CheckpointNameError, DTypeError
from tensorlab.figures.file import layer, look_up, paint, sentence, spread
from tensorlab.figures.landings import TERMS, facts
from tensorlab.figures.shell import live_script, read_script
from tests.file_figure_shots import gallery, small_file

PARTS_OF_A_VALUE = {(2, 1): "½", (4, 1): "¼", (4, 2): "½", (4, 3): "¾"}
PARTS_OF_A_VALUE |= {(8, part): "⅛¼⅜½⅝¾⅞"[part - 1] for part in range(1, 8)}


@pytest.fixture(scope="module")
def table():
    return tl.open_checkpoint(data.real_shaped_embedding())


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return tl.open_checkpoint(small_file(tmp_path_factory.mktemp("small")))


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return gallery(tmp_path_factory.mktemp("gallery"))


@pytest.fixture(scope="module")
def token(table):
    return figures.file(table, data.EMBEDDING, 785, 2, title="Where is token 785?")


def without(figure, *terms, column=2):
    """What the figure says when these terms are left out."""
    return sentence(figure.data, figure.data["columns"].index(column), [TERMS.index(term) for term in terms])


def subsets(terms):
    there = [at for at, term in enumerate(terms) if term]
    return [chosen for count in range(len(there) + 1) for chosen in combinations(there, count)]


# ---- the numbers ----------------------------------------------------------------------------------------------------


def test_token_785_stands_where_one_works_it_out_by_hand(token, table):
    assert [part[-1] - part[-2] for part in token.data["parts"]] == [8, 1208, 6144, 785 * 1024 * 2, 2048]
    assert [part[-2] for part in token.data["parts"]] == [0, 8, 1216, 7360, 1_615_040]
    assert token.data["size"] == 311_172_288
    assert token.data["way"] == "half a percent in"
    assert [term[0] for term in token.data["terms"]] == ["8", "1,208", "6,144", "785×1024", "", "×2"]
    assert look_up(token.data, 2, [])["byte"] == 8 + 1208 + 6144 + (785 * 1024 + 2) * 2 == 1_615_044
    assert token.data["row"] == ["row 785", *table.byte_range(data.EMBEDDING, 785)]


def test_every_column_shown_stands_on_the_byte_the_checkpoint_gives(shown, table, small):
    for figure in shown.values():
        name, checkpoint = figure.data["about"][0], small if figure.data["size"] < 10**6 else table
        for at, call in enumerate(figure.data["calls"]):
            index = [int(number) for number in re.findall(r"\d+", call.removeprefix("file_byte"))]
            assert look_up(figure.data, at, [])["byte"] == checkpoint.file_byte(name, *index)


def test_the_words_of_the_row_are_the_real_ones(token, table):
    words = [word for byte, word, _ in spread(look_up(token.data, 0, [])["runs"], 2) if byte is not None]
    assert words[:6] == ["bb20", "3c87", "bd35", "3c7a", "3bdc", "3c00"]
    row = np.frombuffer(table.raw_bytes(data.EMBEDDING, 785), "<u2")
    assert int(words[6], 16) == row[1023]
    assert [words.index(word) for word in ("bb20", "bd35")] == [0, 2]


def test_reading_for_a_figure_does_not_move_the_count_of_bytes_read(table):
    before = table.bytes_read
    figures.file(table, data.EMBEDDING, 785)
    assert table.bytes_read == before


# ---- forgotten terms ------------------------------------------------------------------------------------------------


def test_each_forgotten_term_lands_where_the_course_says(token):
    assert without(token, "tensor.start") == (
        "Without tensor.start the sum is 1,608,900, 6,144 bytes too early: row 782, column 2. "
        "A plausible vector, of row 782."
    )
    assert without(token, "8", column=0) == (
        "Without the 8 the sum is 1,615,032, 8 bytes too early: row 784, column 1020. A plausible number, of row 784."
    )
    assert "1,208 bytes too early: row 784, column 420." in without(token, "N", column=0)
    assert "the sum is 7,364, 1,607,680 bytes too early: row 0, column 2." in without(token, "row×C")
    assert "4 bytes too early: row 785, column 0. The right row, another column." in without(token, "column")
    assert "the sum is 811,202, 803,842 bytes too early: row 392, column 513." in without(token, "×itemsize")
    assert without(token, "×itemsize", column=1).endswith(
        "row 392, column 512½. In the middle of a value: the end of one and the start of the next."
    )


def test_landings_outside_the_tensor_say_what_lies_there(token):
    assert "element 2 of model.layers.0.input_layernorm.weight. A number of another tensor." in without(
        token, "tensor.start", "row×C"
    )
    assert "in the header, at the characters" in without(token, "8", "N", "tensor.start", "row×C", column=5)
    assert without(token, *TERMS) == (
        "Without the 8, N, tensor.start, row×C, the column and ×itemsize the sum is 0, 1,615,044 bytes too early: "
        "byte 0 of N itself. The header's length, read as a number."
    )


def test_a_term_that_adds_nothing_is_said_to_move_nothing(small, token):
    first = figures.file(small, "encoder.weight", 0, 1)
    assert without(first, "tensor.start", column=1).startswith("Without tensor.start the sum is the same here. Row 0")
    assert without(token, "column", column=0).startswith("Without the column the sum is the same here. Row 785")


def test_one_byte_too_early_is_one_byte(small):
    assert "1 byte too early" in without(figures.file(small, "pixels", 1, 1), "column", column=1)


@pytest.mark.parametrize(
    ("name", "row", "column"),
    [
        ("encoder.weight", 0, 0),
        ("encoder.weight", 7, 21),
        ("norm.bias", 36, 0),
        ("conv.weight", 3, 14),
        ("halves", 1, 3),
        ("doubles", 2, 5),
        ("ids", 4, 0),
        ("pixels", 6, 2),
        ("mask", 1, 1),
        ("scale", 0, 0),
        ("eight bits", 3, 7),
    ],
)
def test_every_choice_of_terms_lands_where_the_raw_file_says(small, name, row, column):
    raw = Path(small.path).read_bytes()
    model = facts(small, name, row, column)
    for struck in subsets(model["terms"]):
        for at, place in enumerate(model["columns"]):
            state = look_up(model, at, struck)
            kept = [0 if n in struck or not term else term[3] for n, term in enumerate(model["terms"])]
            kept[4] = 0 if 4 in struck or not model["terms"][4] else place
            byte = sum(kept[:3]) + (kept[3] + kept[4]) * (kept[5] or 1)
            assert state["byte"] == byte
            assert state["word"] == raw[byte : byte + model["itemsize"]][::-1].hex()
            assert state["place"] == place_of(raw, name, byte, model["itemsize"])
            items = [item for item in spread(state["runs"], model["itemsize"]) if item[0] is not None]
            assert items[state["cell"]][0] == byte
            for where, word, _ in items:
                assert word == raw[where : where + model["itemsize"]][::-1].hex()


def place_of(raw, name, byte, itemsize):
    """Say where a byte lies, from the header as the format defines it."""
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    if byte < 8:
        return f"byte {byte} of N itself"
    if byte < start:
        text = raw[byte : byte + itemsize]
        return "in the header, at the characters " + "".join(chr(c) if 32 < c < 127 else "·" for c in text)
    spans = {owner: [start + offset for offset in entry["data_offsets"]] for owner, entry in header.items()}
    owner = next(owner for owner, (begin, end) in spans.items() if begin <= byte < end)
    (begin, end), entry = spans[owner], header[owner]
    shape = entry["shape"]
    step = (end - begin) // int(np.prod(shape))
    of = "" if owner == name else f" of {owner}"
    if step != itemsize:
        return f"byte {byte - begin}{of}"
    element, rest = divmod(byte - begin, itemsize)
    part = PARTS_OF_A_VALUE[itemsize, rest] if rest else ""
    if not shape:
        return f"the one value{of}"
    if len(shape) == 1:
        return f"element {element}{part}{of}"
    row, place = divmod(element, int(np.prod(shape[1:])))
    return f"row {row}, {'column' if len(shape) == 2 else 'place'} {place}{part}{of}"


# ---- what the bits mean ---------------------------------------------------------------------------------------------


def test_bd35_is_taken_apart_into_sign_exponent_and_fraction(token):
    state = look_up(token.data, 2, [])
    assert (state["word"], state["captions"]) == ("bd35", ["−", "122 − 127 = −5", "1 + 53/128"])
    assert state["value"] == ["−1.4140625 × 2⁻⁵", "= −0.044189453125"]


def test_special_numbers_are_said_in_words(small):
    assert look_up(facts(small, "halves", 0), 0, [])["value"] == ["1 × 2⁰", "= 1"]
    model = facts(small, "halves", 0, 6)
    said = {column: look_up(model, at, []) for at, column in enumerate(model["columns"])}
    assert said[6]["value"] == ["not a number"]
    assert said[6]["captions"][1] == "all ones"
    assert said[4]["value"] == ["infinity"]
    assert said[5]["value"] == ["−infinity"]
    assert said[9]["value"] == ["−0"]
    assert said[7]["value"] == ["≈ 1.999 × 2¹⁵", "= 65,504"]
    model = facts(small, "halves", 0, 3)
    assert look_up(model, 3, [])["captions"] == ["+", "0 means −14", "0 + 1/1,024"]
    assert look_up(model, 2, [])["value"] == ["0"]


@pytest.mark.parametrize("name", ["encoder.weight", "doubles", "halves"])
def test_the_value_said_is_the_value_stored(small, name):
    values = small.read(name).numpy()
    for row in range(2):
        model = facts(small, name, row, 0)
        for at, column in enumerate(model["columns"]):
            value, said = float(values[row, column]), look_up(model, at, [])["value"][-1]
            if not np.isfinite(value) or not value:
                continue
            mark, number = re.search(r"^([=≈]) (\S+(?: × 10\S+)?)$", said).groups()
            number = Decimal(number.replace("−", "-").replace(",", "").translate(plain).replace(" × 10", "e"))
            assert number == Decimal(value) if mark == "=" else abs(number / Decimal(value) - 1) < Decimal("0.0006")


plain = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def test_integers_and_truth_values_show_their_value(small):
    assert look_up(facts(small, "ids", 1), 1, [])["value"] == ["−3"]
    assert look_up(facts(small, "pixels", 6, 2), 2, [])["value"] == ["20"]
    assert look_up(facts(small, "mask", 1, 1), 1, [])["value"] == ["False"]
    assert facts(small, "ids", 1)["fields"] == [["int64", 64]]


def test_a_type_that_is_not_converted_still_has_a_place(small):
    model = facts(small, "eight bits", 2, 3)
    assert look_up(model, 3, [])["word"] == "13"
    assert look_up(model, 3, [])["value"] == ["not converted by this course yet"]


# ---- the shapes of tensors ------------------------------------------------------------------------------------------


def test_a_tensor_of_rank_1_is_one_row_and_its_formula_has_no_row_term(small):
    model = facts(small, "norm.bias", 5)
    assert model["terms"][3] is None
    assert model["parts"][-1][0] == "this tensor"
    assert model["columns"][model["column"]] == 5
    assert model["title"] == "Where is element 5 of norm.bias?"


def test_a_tensor_of_rank_0_has_neither_row_nor_column(small):
    model = facts(small, "scale", 0)
    assert [bool(term) for term in model["terms"]] == [True, True, True, False, False, False]
    assert look_up(model, 0, [])["value"] == ["1.5 × 2⁰", "= 1.5"]


def test_a_place_in_a_row_of_rank_3_is_counted_row_major(small):
    model = facts(small, "conv.weight", 2, 14)
    assert model["calls"][model["column"]] == "file_byte(2, 4, 2)"


def test_only_parts_that_exist_are_named(small, table):
    assert [part[0] for part in facts(small, "encoder.weight", 0)["parts"]] == ["N", "header", "row 0"]
    assert [part[0] for part in facts(small, "norm.bias", 0)["parts"]] == [
        "N",
        "header",
        "another tensor",
        "this tensor",
    ]
    assert facts(table, data.EMBEDDING, 1)["parts"][3][0] == "row 0"


# ---- refusals -------------------------------------------------------------------------------------------------------


def test_a_row_or_a_column_that_does_not_exist_is_refused(table):
    with pytest.raises(BoundsError) as refusal:
        figures.file(table, data.EMBEDDING, 151936)
    assert str(refusal.value) == (
        "figures.file: row 151936 does not exist\n  expected: 0 <= row < 151936\n  got:      151936"
    )
    with pytest.raises(BoundsError, match="column -1 does not exist"):
        figures.file(table, data.EMBEDDING, 785, -1)
    with pytest.raises(ArgumentError, match="row is a whole number"):
        figures.file(table, data.EMBEDDING, 785.0)
    with pytest.raises(CheckpointNameError):
        figures.file(table, "model.embed_token.weight", 785)


def test_a_term_that_the_formula_does_not_have_cannot_be_left_out(table, small):
    with pytest.raises(ArgumentError) as refusal:
        figures.file(table, data.EMBEDDING, 785, without=["start"])
    assert "the formula has no term 'start'" in str(refusal.value)
    assert "one of 8, N, tensor.start, row×C, column, ×itemsize" in str(refusal.value)
    with pytest.raises(ArgumentError, match="no term 'row×C'"):
        figures.file(small, "norm.bias", 0, without=["row×C"])


def test_elements_narrower_than_a_byte_are_refused(tmp_path):
    header = json.dumps({"packed": {"dtype": "F4", "shape": [3, 4], "data_offsets": [0, 6]}}).encode()
    path = tmp_path / "packed.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(6))
    with pytest.raises(DTypeError, match="elements of F4 are not whole bytes"):
        figures.file(tl.open_checkpoint(path), "packed", 0)


# ---- the output -----------------------------------------------------------------------------------------------------


def test_the_text_drawing_holds_the_same_facts(table):
    figure = figures.file(
        table, data.EMBEDDING, 785, 2, title="Where is token 785?", note="2,048 bytes.", without=["tensor.start"]
    )
    lines = repr(figure).splitlines()
    assert lines[0] == "Where is token 785?   model.embed_tokens.weight  BF16 [151936, 1024]"
    assert lines[1].endswith("| 311,172,288 bytes; row 785 begins half a percent in")
    assert lines[2].endswith("N 8 | header 1,208 | 3 other tensors 6,144 | rows 0 … 784 1,607,680 | row 785 2,048")
    assert lines[3].startswith("row 782    ")
    assert lines[6].endswith("file_byte(785, 2) = 8 + 1,208 + ~6,144~ + (785×1024 + 2)×2 = 1,608,900")
    assert lines[7].startswith("Without tensor.start the sum is 1,608,900")
    assert lines[8:] == ["2,048 bytes."]


def test_the_alternative_text_says_what_the_picture_shows(token):
    for words in ("Where is token 785?", "311,172,288 bytes", "rows 0 … 784 (1,607,680 bytes)", "half a percent in"):
        assert words in token.alt
    assert token.alt.endswith(repr(token).splitlines()[-1])


def test_a_figure_is_small_and_needs_nothing_else(shown):
    for name, figure in shown.items():
        assert len(figure.html.encode()) < 42_000, name
        assert not re.findall(r'(?:src|href)="(?!data:|#)', figure.html)
        for theme in ("light", "dark", "auto"):
            ElementTree.fromstring(figure.svg(theme))


def test_a_figure_is_the_same_every_time(table, token):
    again = figures.file(table, data.EMBEDDING, 785, 2, title="Where is token 785?")
    assert (again.html, repr(again), again.alt) == (token.html, repr(token), token.alt)


def test_wedges_join_the_boxes_they_open_into(token):
    marks, spots, _ = paint(token.data, 760, 2, [])
    wedges = [[float(n) for n in re.findall(r"-?[\d.]+", mark[1])] for mark in marks if mark[-1] == "wedge"]
    boxes = [mark[1:5] for mark in marks if mark[0] == "rect"]
    edges = {(round(x, 1), round(y + low, 1)) for x, y, width, height in boxes for low in (0, height)}
    edges |= {(round(x + width, 1), round(y + low, 1)) for x, y, width, height in boxes for low in (0, height)}
    assert len(wedges) == 3
    for x0, y0, x1, y1, *_, right, low, left, low2, _, _ in wedges:
        assert {(x0, y0), (x1, y1), (right, low), (left, low2)} <= edges
    assert len(spots["cells"]) == 7


# ---- both painters, in a browser ------------------------------------------------------------------------------------


@pytest.fixture
def show(browser):
    """A function that opens a page with one live figure; the page may neither complain nor ask the network."""
    pages, complaints = [], []

    def opened(figure, width=760):
        page = browser.new_page(viewport={"width": width, "height": 900})
        pages.append(page)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url[:80]) if "http" in request.url[:5] else None)
        page.set_content(f"<!doctype html><meta charset=utf-8><body style='margin:0'>{figure.html}")
        page.locator("button[data-term]").first.wait_for()
        return page

    yield opened
    for page in pages:
        page.close()
    assert complaints == []


PAINT = f"""([data, cases]) => {{
    {live_script(read_script("file.js"))}
    return JSON.stringify(cases.map(([width, column, struck]) =>
        ({{ ...paint(data, width, column, struck), said: sentence(data, column, struck) }})));
}}"""


def states(model, widths):
    """States worth drawing: every single term left out, some several, at the first, the last and the given column."""
    several = [(), (3, 4), (2, 3), (0, 1, 2, 3), (2, 3, 5), (0, 1, 2, 3, 4, 5)]
    choices = [chosen for chosen in [*((at,) for at in range(6)), *several] if all(model["terms"][at] for at in chosen)]
    last = len(model["columns"]) - 1
    pairs = [(at % 2 * last, chosen) for at, chosen in enumerate(choices)] + [(model["column"], ())]
    return [(width, column, chosen) for width in widths for column, chosen in pairs]


def test_both_painters_make_the_same_marks_and_say_the_same(shown, browser):
    page = browser.new_page()
    for name, figure in shown.items():
        if name.startswith("without"):
            continue
        cases = states(figure.data, (240, 320, 600, 760))
        for case, live in zip(cases, json.loads(page.evaluate(PAINT, [figure.data, cases])), strict=True):
            marks, spots, _ = paint(figure.data, *case)
            marks.sort(key=lambda mark: layer(mark)[0])
            below = marks[len(live["marks"]) :]
            assert live["said"] == sentence(figure.data, *case[1:]), (name, case)
            assert " ".join(mark[3] for mark in below) == f"{live['said']} {figure.data['note']}".strip(), (name, case)
            for drawn, still in zip(live["marks"], marks, strict=False):
                assert alike(drawn, still), (name, case, drawn, still)
            assert alike(list(live["spots"].values()), [spots[key] for key in live["spots"]]), (name, case)
    page.close()


def alike(one, other):
    """Whether two marks are the same to a tenth of a pixel."""
    if isinstance(one, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, str) and re.match(r"M-?\d", one):
        return alike(*([float(number) for number in re.findall(r"-?[\d.]+", path)] for path in (one, other)))
    return one == other if isinstance(one, str) else abs(one - other) < 0.11


OVERLAPS = f"""([data, cases]) => {{
    {live_script(read_script("file.js"))}
    const picture = svg("svg", {{ class: "fig" }}), faults = [];
    document.body.replaceChildren(html("style", {{}}, CSS), html("div", {{ class: "fig" }}, picture));
    for (const [width, column, struck] of cases) {{
        const marks = paint(data, width, column, struck).marks.filter(([kind]) => kind === "text");
        picture.replaceChildren(...marks.map(([kind, ...mark]) => draw[kind](...mark)));
        const boxes = [...picture.children].map((text) => [text.textContent, text.getBBox()]);
        const shown = boxes.filter(([, box]) => box.width);
        shown.forEach(([words, a], at) => {{
            if (a.x < 0 || a.x + a.width > width + 0.5) faults.push([width, column, struck, words, "outside"]);
            for (const [other, b] of shown.slice(at + 1)) {{
                const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
                const down = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
                if (across > 0.5 && down > 3) faults.push([width, column, struck, words, other]);
            }}
        }});
    }}
    return faults;
}}"""


def test_no_words_overlap_or_leave_the_figure_at_any_width(shown, browser):
    page = browser.new_page()
    for name, figure in shown.items():
        if not name.startswith("without"):
            cases = states(figure.data, (280, 320, 600, 760))
            assert page.evaluate(OVERLAPS, [figure.data, cases]) == [], name
    page.close()


def test_the_live_figure_starts_as_the_still_picture(table, show):
    figure = figures.file(table, data.EMBEDDING, 785, 2, without=["tensor.start"])
    page = show(figure)
    still = ElementTree.fromstring(figure.svg("light"))
    words = sorted("".join(text.itertext()) for text in still.iter() if text.tag.endswith("}text") and len(text) == 0)
    live = page.locator("svg text").all_text_contents()
    said = page.locator("p[aria-live]").text_content()
    assert said == sentence(figure.data, 2, [2])
    assert all(word in live or word in said for word in words)


def test_keys_move_the_column_and_every_panel_follows(token, show):
    page = show(token)
    strip = page.get_by_role("slider")
    strip.focus()
    seen = []
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft", "End", "ArrowRight", "ArrowLeft", "Home"):
        page.keyboard.press(key)
        seen.append(strip.get_attribute("aria-valuetext"))
    assert [text.split(", ")[1] for text in seen] == [
        "column 3",
        "column 2",
        "column 1",
        "column 1023",
        "column 1023",
        "column 5",
        "column 0",
    ]
    texts = page.locator("svg text").all_text_contents()
    for words in ("file_byte(785, 0)", "1,615,040", "118 − 127 = −9", "−1.25 × 2⁻⁹ = −0.00244140625"):
        assert words in texts


def test_striking_a_term_by_key_or_pointer_moves_the_landing_and_keeps_the_focus(token, show):
    page = show(token)
    start = page.locator("[data-term='tensor.start']")
    start.focus()
    page.keyboard.press("Enter")
    assert start.get_attribute("aria-pressed") == "true"
    assert "row 782, column 2" in page.locator("p[aria-live]").text_content()
    assert "lands here" in page.locator("svg text").all_text_contents()
    page.keyboard.press("Space")
    assert start.get_attribute("aria-pressed") == "false"
    assert page.locator("p[aria-live]").text_content() == sentence(token.data, 2, [])
    page.locator("[data-term='8']").click()
    page.locator("[data-term='N']").click()
    assert page.locator("p[aria-live]").text_content() == sentence(token.data, 2, [0, 1])
    assert page.evaluate("document.activeElement.shadowRoot.activeElement.dataset.term") == "N"


def test_a_click_on_a_word_selects_it_wherever_it_landed(token, show):
    page = show(token)
    strip = page.locator(".strip")
    strip.click(position={"x": 250, "y": 12})
    assert "column 3" in strip.get_attribute("aria-valuetext")
    strip.click(position={"x": 500, "y": 12})
    assert "column 3" in strip.get_attribute("aria-valuetext")
    page.locator("[data-term='N']").click()
    strip.click(position={"x": 180, "y": 12})
    assert strip.get_attribute("aria-valuetext").startswith("row 784, column 420")
    assert "file_byte(785, 0)" in page.locator("svg text").all_text_contents()


def test_a_narrow_page_holds_the_whole_figure(token, show):
    page = show(token, width=320)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.set_viewport_size({"width": 900, "height": 900})
    page.wait_for_function("document.querySelector('.tl-figure').shadowRoot.querySelector('svg').clientWidth === 760")
    page.set_viewport_size({"width": 60, "height": 900})
    page.wait_for_function("document.querySelector('.tl-figure').shadowRoot.querySelector('svg').clientWidth === 240")
