"""The broadcasting figure: NumPy agrees with its facts, it names what differs, and its two painters agree."""

import json
import re
from math import prod
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab import figures
from tensorlab.errors import ArgumentError, BoundsError, ShapeError
from tensorlab.figures.broadcast import facts, layer, paint, sentence, start, text_drawing
from tensorlab.figures.shell import PALETTE, contrast, live_script, read_script
from tests.broadcast_shots import gallery
from tests.strategies import shapes, view_chains


@pytest.fixture(scope="module")
def shown():
    return gallery()


@pytest.fixture(scope="module")
def sixteen():
    return figures.broadcast((4,), (4, 1), operation="-", title="Sixteen differences")


def whole(n):
    """A drawn number, its minus sign made NumPy's."""
    return int(n.replace("−", "-"))


def indices(grid):
    rows, columns = ([()] if axis is None else [(i,) for i in axis] for axis in (grid["rows"], grid["columns"]))
    return [(*plane, *row, *column) for plane in grid["lead"] for row in rows for column in columns]


# ---- NumPy as the oracle --------------------------------------------------------------------------------------------

few_shapes = st.lists(shapes(max_ndim=3), min_size=1, max_size=3)
related = st.lists(st.integers(1, 4), max_size=3).flatmap(
    lambda full: st.lists(
        st.tuples(*[st.sampled_from([1, n]) for n in full]).flatmap(
            lambda shape: st.integers(0, len(shape)).map(lambda cut: shape[cut:])
        ),
        min_size=1,
        max_size=3,
    )
)


@given(few_shapes | related)
def test_the_result_and_the_verdict_are_numpys(given_shapes):
    data = facts(given_shapes)
    try:
        target = np.broadcast_shapes(*given_shapes)
    except ValueError:
        assert data["result"] is None
        assert any(fail for _, fail, _ in data["columns"])
        return
    assert data["result"]["shape"] == str(target)
    assert [int(length) for length, _, _ in data["columns"]] == list(target)
    for shape, operand in zip(given_shapes, data["operands"], strict=True):
        array = np.broadcast_to(np.arange(prod(shape)).reshape(shape), target)
        for n, stride, own in zip(target, operand["strides"], array.strides, strict=True):
            assert n < 2 or whole(stride) == own // array.itemsize


@given(few_shapes)
def test_every_pair_that_differs_is_named_and_no_other(given_shapes):
    data = facts(given_shapes)
    ndim = max(map(len, given_shapes))
    for axis, (_, fail, pair) in zip(range(-ndim, 0), data["columns"], strict=True):
        lengths = [shape[axis] for shape in given_shapes if len(shape) >= -axis]
        differ = len(set(lengths) - {1}) > 1
        assert (fail is not None) == differ
        assert (
            (f"axis −{-axis}: {' against '.join(fail)}" in data["why"])
            if differ
            else f"axis −{-axis}:" not in data["why"]
        )
        if differ:
            assert fail == [str(given_shapes[k][axis]) for k in pair]


@given(view_chains(), st.data())
def test_every_cell_reads_the_slot_and_gives_the_value_that_numpy_says(chain, data):
    array, _ = chain
    array = array.astype(np.int32)[...] if not array.flags.writeable else array
    other_shape = tuple(
        data.draw(st.sampled_from([1, n])) for n in array.shape[data.draw(st.integers(0, array.ndim)) :]
    )
    other = np.arange(3, 3 + prod(other_shape)).reshape(other_shape)
    tensor = tl.from_numpy(array)
    drawn = facts([tensor, other], operation="-")
    target = np.broadcast_shapes(array.shape, other_shape)
    slots = np.broadcast_to(np.arange(other.size).reshape(other_shape), target)
    values = np.broadcast_to(array, target) - np.broadcast_to(other, target)
    positions = {index: tensor.layout.position(index) for index in np.ndindex(array.shape)}
    own = np.broadcast_to(np.array([*positions.values()], dtype=int).reshape(array.shape), target)
    a, b = drawn["operands"]
    result = drawn["result"]
    for cell, index in enumerate(indices(result["grid"])):
        assert int(b["slots"][result["reads"][1][cell]][0]) == slots[index]
        assert int(a["slots"][result["reads"][0][cell]][0]) == own[index]
        assert whole(result["values"][cell][0]) == values[index]
    for picture, reads in ((a, own), (b, slots)):
        for (position, *_), used in zip(picture["slots"], picture["used"], strict=True):
            assert used == np.count_nonzero(reads == int(position))


@pytest.mark.parametrize(
    ("operation", "oracle"),
    [
        ("+", np.add),
        ("-", np.subtract),
        ("*", np.multiply),
        ("/", np.divide),
        ("==", np.equal),
        ("!=", np.not_equal),
        ("<", np.less),
        ("<=", np.less_equal),
        (">", np.greater),
        (">=", np.greater_equal),
    ],
)
def test_every_operation_computes_what_numpy_computes(operation, oracle):
    a, b = np.array([[1.0], [-2.0]]), np.array([4.0, 0.0, -2.0])
    with np.errstate(divide="ignore"):
        wanted = oracle(a, b).ravel()
    values = [value[-1] for value in facts([a, b], operation=operation)["result"]["values"]]
    words = {"infinity": np.inf, "minus infinity": -np.inf, "True": 1, "False": 0}
    assert [words[value] if value in words else float(value.replace("−", "-")) for value in values] == [*wanted]


def test_three_operands_are_joined_from_the_left():
    a, b, c = np.array([100.0]), np.array([[2.0], [4.0]]), np.array([5.0, 10.0])
    data = facts([a, b, c], operation="/")
    assert [value[-1] for value in data["result"]["values"]] == ["10.0", "5.0", "5.0", "2.5"]


# ---- the known case -------------------------------------------------------------------------------------------------


def test_eight_numbers_make_sixteen_differences_with_zeros_only_on_the_diagonal(sixteen):
    data = sixteen.data
    values = np.array([whole(value[0]) for value in data["result"]["values"]]).reshape(4, 4)
    assert np.array_equal(values == 0, np.eye(4, dtype=bool))
    assert data["legend"].startswith("16 differences from 8 stored numbers.")
    assert [operand["strides"] for operand in data["operands"]] == [["0", "1"], ["1", "0"]]
    assert [len(operand["slots"]) for operand in data["operands"]] == [4, 4]
    assert [operand["used"] for operand in data["operands"]] == [[4] * 4, [4] * 4]
    assert sentence(data, start(data)) == (
        "[2, 1] reads a[1] = 20 in slot 1 and b[2, 0] = 30 in slot 2: 20 − 30 = −10."
    )
    assert (
        sentence(data, (-1, 0, 3))
        == "Slot 3 of a holds 40. 4 of 16 results read it: [0, 3], [1, 3], [2, 3] and [3, 3]."
    )
    assert (
        sentence(data, (-1, 1, 3))
        == "Slot 3 of b holds 40. 4 of 16 results read it: [3, 0], [3, 1], [3, 2] and [3, 3]."
    )


# ---- shapes that do not fit -----------------------------------------------------------------------------------------


def test_three_against_four_is_said_and_no_result_is_drawn():
    figure = figures.broadcast((3,), (3, 4))
    assert figure.data["result"] is None
    assert figure.data["why"] == (
        "axis −1: 3 against 4. Neither is 1, so neither can be repeated. "
        "With a[:, None], of shape (3, 1), every pair fits."
    )
    assert "(3,) + (3, 4) → no result" in repr(figure)
    assert "3 against 4" in figure.alt
    assert "no result" in figure.alt
    words = "".join(ElementTree.fromstring(figure.svg("light")).itertext())
    assert "3 against 4" in words


def test_the_shape_that_would_fit_does_fit():
    a, b = np.zeros(3), np.zeros((3, 4))
    code = re.search(r"With (a\[.*?\]),", facts([a, b])["why"])[1]
    assert (eval(code, {"a": a}) + b).shape == (3, 4)
    code = re.search(r"With (b\[.*?\]),", facts([np.zeros((2, 3, 4)), np.zeros((2, 3))])["why"])[1]
    assert (eval(code, {"b": np.zeros((2, 3))}) + np.zeros((2, 3, 4))).shape == (2, 3, 4)


@pytest.mark.parametrize("pair", [((2, 3), (3, 2)), ((2, 3), (2, 4)), ((2,), (3,), (4,))])
def test_no_shape_is_offered_where_none_of_the_same_rank_fits(pair):
    assert "With" not in facts(pair)["why"]


def test_a_slot_of_an_operand_without_result_is_read_by_nobody():
    data = facts([(3,), (4,)])
    assert sentence(data, (-1, 1, 2)) == "Slot 2 of b holds 30. There is no result to read it."


# ---- odd operands ---------------------------------------------------------------------------------------------------


def test_numbers_have_no_axis_and_zero_length_axes_leave_no_cell():
    data = facts([2.5, 4], operation="<")
    assert (data["axes"], data["result"]["values"]) == ([], [["True"]])
    assert sentence(data, start(data)) == "The one cell reads a = 2.5 in slot 0 and b = 4 in slot 0: 2.5 < 4 = True."
    data = facts([(0,), (3, 1)])
    assert (data["result"]["shape"], data["result"]["values"]) == ("(3, 0)", [])
    assert sentence(data, start(data)) == "The result has no cell: nothing is read."
    assert sentence(data, (-1, 1, 2)) == "Slot 2 of b holds 30. No result reads it."


def test_a_matrix_and_a_view_are_drawn_over_their_own_buffers():
    matrix = tl.Matrix.from_rows([[1, 2], [3, 4]])
    view = np.arange(12, dtype=np.int32).reshape(3, 4)[1:, ::2]
    a, b = facts([matrix, view])["operands"]
    assert [slot[1] for slot in a["slots"]] == ["1", "2", "3", "4"]
    assert (b["offset"], b["strides"], len(b["slots"])) == ("4", ["4", "2"], 12)
    assert b["used"] == [0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0]


def test_a_large_operand_is_shown_in_part_and_the_rest_is_counted():
    data = facts([(151936, 1024), (1024,)], select=(785, 2))
    table = data["operands"][0]
    assert table["grid"]["rows"] == [0, 784, 785, 786, 151935]
    assert table["grid"]["columns"] == [0, 1, 2, 3, 1023]
    assert len(table["slots"]) == 25
    assert (
        sum(int(left.removesuffix(" more").replace(",", "")) for left in table["gaps"].values()) + 25 == 151936 * 1024
    )
    assert "slot 803842" in sentence(data, start(data))
    assert data["operands"][1]["caption"] == "each read 151,936 times"


@given(st.integers(1, 40), st.data())
def test_a_window_always_holds_the_selected_cell_and_both_ends(n, data):
    i = data.draw(st.integers(0, n - 1))
    drawn = facts([(n,), (n, 1)], select=(i, n - 1 - i))
    for axis, at in (("rows", i), ("columns", n - 1 - i)):
        assert {0, at, n - 1} <= set(drawn["result"]["grid"][axis])
        assert len(drawn["result"]["grid"][axis]) <= 8
    assert indices(drawn["result"]["grid"])[start(drawn)[0]] == (i, n - 1 - i)


# ---- refusals -------------------------------------------------------------------------------------------------------


def test_what_cannot_be_drawn_is_refused_with_a_reason():
    with pytest.raises(ArgumentError, match="a is of type list"):
        figures.broadcast([1, 2], (2,))
    with pytest.raises(ArgumentError, match="no operation '%'"):
        figures.broadcast((2,), (2,), operation="%")
    with pytest.raises(ArgumentError, match="== does not join 3 operands"):
        figures.broadcast((2,), (2,), (2,), operation="==")
    with pytest.raises(ArgumentError, match="does not join 0 operands"):
        figures.broadcast()
    with pytest.raises(ArgumentError, match="2 operands, 1 names"):
        figures.broadcast((2,), (2,), names=["x"])
    with pytest.raises(ArgumentError, match="subtract does not take bool, bool"):
        figures.broadcast(np.array([True]), np.array([False]), operation="-")
    with pytest.raises(BoundsError, match="axis 1 has no index 4"):
        figures.broadcast((4,), (4, 1), select=(0, 4))
    with pytest.raises(ShapeError, match="there is no result to select a cell of"):
        figures.broadcast((3,), (4,), select=(0,))
    with pytest.raises(ShapeError, match="axis 0 cannot have length -1"):
        figures.broadcast((-1,), (2,))


# ---- the output -----------------------------------------------------------------------------------------------------


def test_every_figure_is_small_self_contained_and_well_formed(shown):
    for name, figure in shown.items():
        assert len(figure.html.encode()) < 40_000, name
        assert not re.findall(r'(?:src|href)="(?!data:|#)', figure.html)
        for theme in ("light", "dark", "auto"):
            ElementTree.fromstring(figure.svg(theme))


def test_a_figure_is_the_same_every_time(sixteen):
    again = figures.broadcast((4,), (4, 1), operation="-", title="Sixteen differences")
    assert (again.html, repr(again), again.alt) == (sixteen.html, repr(sixteen), sixteen.alt)


def test_the_alternative_text_says_what_the_picture_shows(sixteen):
    for words in (
        "Sixteen differences: (4,) − (4, 1) → (4, 4).",
        "Axis −2: none and 4 give 4.",
        "Axis −1: 4 and 1 give 4.",
        "a is read with strides (0, 1) and b is read with strides (1, 0).",
        "20 − 30 = −10",
        "16 differences from 8 stored numbers.",
    ):
        assert words in sixteen.alt


def test_the_text_drawing_marks_one_cell_of_every_grid(shown):
    for name, figure in shown.items():
        lines = text_drawing(figure.data).split("\n\n")
        marked = re.findall(r"\[[^\[\]]*\]", lines[2].split("\n\n")[0]) if figure.data["result"] else []
        assert len(marked) == (len(figure.data["operands"]) + 1 if start(figure.data)[0] >= 0 else 0), name


def test_what_stride_0_keeps_in_place_is_hatched_in_table_formula_and_buffer(sixteen):
    marks, _, _ = paint(sixteen.data, 760, start(sixteen.data))
    hatched = [mark[1:5] for mark in marks if mark[0] == "hatch"]
    boxes = {mark[1:5]: mark[5] for mark in marks if mark[0] == "rect"}
    assert all(box in boxes for box in hatched)
    looks = {mark[3]: mark[4] for mark in marks if mark[0] == "text" and isinstance(mark[3], str)}
    assert [looks[words] for words in ("2×0", "1×1", "2×1", "1×0")] == [
        "mono a0 num rep",
        "mono a1",
        "mono a0",
        "mono a1 num rep",
    ]
    assert len(hatched) == 2 + 2 + 2 * (3 + 3)
    plain = paint(facts([(2, 3), (2, 3)]), 760, (4, -1, -1))[0]
    assert not [mark for mark in plain if mark[0] == "hatch"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axis_colours_can_be_read_on_the_ground_of_a_repeated_term(theme):
    for axis in ("a0", "a1", "a2"):
        assert contrast(PALETTE[theme][axis], PALETTE[theme]["rep"]) >= 4.5


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
        page.locator(".stage > svg").wait_for()
        return page

    yield opened
    for page in pages:
        page.close()
    assert complaints == []


SCRIPT = live_script(read_script("broadcast.js"))
PAINT = f"""([data, cases]) => {{
    {SCRIPT}
    return JSON.stringify(cases.map(([width, state]) => {{
        const {{ marks, spots }} = paint(data, width, state);
        return {{ marks, grids: spots.grids, strips: spots.strips, said: sentence(data, state), start: start(data) }};
    }}));
}}"""


def states(data):
    """The first and the last cell, and every operand's first and last slot."""
    cells = len(data["result"]["values"]) if data["result"] else 0
    chosen = {start(data), *((cell, -1, -1) for cell in (0, cells - 1) if cells)}
    for own, operand in enumerate(data["operands"]):
        last = len(operand["slots"]) - 1
        chosen |= {(-1, own, slot) for slot in {0, last} if last >= 0}
    return sorted(chosen)


def test_both_painters_make_the_same_marks_and_say_the_same(shown, browser):
    page = browser.new_page()
    for name, figure in shown.items():
        cases = [(width, start(figure.data)) for width in (280, 480, 599, 600)]
        cases += [(width, state) for width in (320, 760) for state in states(figure.data)]
        for (width, state), live in zip(cases, json.loads(page.evaluate(PAINT, [figure.data, cases])), strict=True):
            marks, spots, _ = paint(figure.data, width, state)
            marks = sorted(marks, key=lambda mark: layer(mark)[0])
            below = marks[len(live["marks"]) :]
            said = " ".join(mark[3] for mark in below)
            words = [live["said"], figure.data["legend"], figure.data["note"]]
            assert live["said"] == sentence(figure.data, state), (name, width, state)
            assert said == " ".join(filter(None, words)), (name, width, state)
            for drawn, still in zip(live["marks"], marks, strict=False):
                assert alike(drawn, still), (name, width, state, drawn, still)
            assert alike([live["grids"], live["strips"]], [spots["grids"], spots["strips"]]), (name, width, state)
            assert tuple(live["start"]) == start(figure.data)
    page.close()


def alike(one, other):
    """Whether two marks are the same to a tenth of a pixel."""
    if isinstance(one, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, str) and re.match(r"M-?\d", one):
        return alike(*([float(number) for number in re.findall(r"-?[\d.]+", path)] for path in (one, other)))
    return one == other if isinstance(one, str) else abs(one - other) < 0.11


OVERLAPS = f"""([data, cases]) => {{
    {SCRIPT}
    const picture = svg("svg", {{ class: "fig" }}), faults = [];
    document.body.replaceChildren(html("style", {{}}, CSS), html("div", {{ class: "fig" }}, picture));
    for (const [width, state] of cases) {{
        const sheet = paint(data, width, state), marks = sheet.marks.filter(([kind]) => kind === "text");
        picture.replaceChildren(...marks.map(([kind, ...mark]) => draw[kind](...mark)));
        const boxes = [...picture.children].map((text) => [text.textContent, text.getBBox()]);
        const shown = boxes.filter(([, box]) => box.width);
        shown.forEach(([words, a], at) => {{
            if (a.x < 0 || a.x + a.width > Math.max(width, sheet.extent) + 0.5) faults.push([width, state, words]);
            for (const [other, b] of shown.slice(at + 1)) {{
                const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
                const down = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
                if (across > 0.5 && down > 3) faults.push([width, state, words, other]);
            }}
        }});
    }}
    return faults;
}}"""


def test_no_words_overlap_or_leave_the_figure_at_any_width(shown, browser):
    page = browser.new_page()
    for name, figure in shown.items():
        cases = [(width, start(figure.data)) for width in (280, 320, 375, 430, 520, 599, 600, 680, 760)]
        cases += [(width, state) for width in (320, 760) for state in states(figure.data)]
        assert page.evaluate(OVERLAPS, [figure.data, cases]) == [], name
    page.close()


def test_no_usual_figure_is_wider_than_its_page(shown, browser):
    page = browser.new_page()
    for name, figure in shown.items():
        if name in ("wide", "huge", "large", "rank 5"):
            continue
        script = f"data => {{ {SCRIPT}; return [320, 760].map((w) => paint(data, w, start(data)).extent); }}"
        assert page.evaluate(script, figure.data) == [320, 760], name
    page.close()


def look(page):
    """The current cell, the outlined ones, the current slots, and the sentence of the live figure."""
    return page.evaluate(
        """() => {
            const root = document.querySelector('.tl-figure').shadowRoot;
            const of = (what) => [...root.querySelectorAll(what)].map((el) => el.getAttribute('aria-label'));
            return {
                cells: of('[role=gridcell][aria-selected=true]'), slots: of('[role=option][aria-selected=true]'),
                same: root.querySelectorAll('rect.same').length, said: root.querySelector('.say').textContent,
                focus: root.activeElement && root.activeElement.getAttribute('role'),
            };
        }"""
    )


def test_keys_walk_over_the_result_and_light_one_slot_of_each_operand(sixteen, show):
    page = show(sixteen)
    page.get_by_role("grid").focus()
    walked = []
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "Home", "End", "Control+Home", "Control+End"):
        page.keyboard.press(key)
        now = look(page)
        i, j = map(int, re.match(r"\[(\d), (\d)\]", now["said"]).groups())
        assert now["cells"] == [f"[{i}, {j}], {10 * (j - i)}".replace("-", "−")]
        assert now["slots"] == [f"slot {j}, {10 * (j + 1)}", f"slot {i}, {10 * (i + 1)}"]
        walked.append((i, j))
    assert walked == [(2, 2), (3, 2), (3, 2), (3, 1), (3, 0), (3, 3), (0, 0), (3, 3)]


def test_pointing_at_a_slot_outlines_every_cell_that_reads_it_and_leaving_undoes_it(sixteen, show):
    page = show(sixteen)
    before = look(page)
    page.locator("[role=listbox]").nth(1).locator("[data-at='3']").hover()
    now = look(page)
    assert now["same"] == 4
    assert now["cells"] == []
    assert now["slots"] == ["slot 3, 40"]
    assert now["said"].startswith("Slot 3 of b holds 40. 4 of 16 results read it: [3, 0], [3, 1]")
    page.mouse.move(5, 5)
    assert look(page) == before
    page.locator("[aria-hidden=true] [data-at='0']").first.click()
    page.mouse.move(5, 5)
    now = look(page)
    assert (now["slots"], now["same"], now["focus"]) == (["slot 0, 10"], 4, "listbox")
    page.keyboard.press("ArrowRight")
    assert look(page)["said"].startswith("Slot 1 of a holds 20. 4 of 16 results read it: [0, 1]")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert look(page)["focus"] == "grid"
    page.keyboard.press("ArrowRight")
    assert look(page)["cells"] == ["[2, 2], 0"]


def test_a_cell_that_is_clicked_stays_when_the_pointer_leaves(sixteen, show):
    page = show(sixteen)
    page.locator("[role=gridcell][data-at='12']").click()
    page.locator("[role=gridcell][data-at='3']").hover()
    assert look(page)["cells"] == ["[0, 3], 30"]
    page.mouse.move(5, 5)
    assert look(page)["cells"] == ["[3, 0], −30"]


def test_planes_are_reached_by_key(shown, show):
    page = show(shown["rank 3"])
    page.get_by_role("grid").focus()
    page.keyboard.press("PageUp")
    assert look(page)["said"].startswith("[0, 2, 1] reads a[0, 0, 1] = 20 in slot 1")
    page.keyboard.press("PageUp")
    assert look(page)["said"].startswith("[0, 2, 1]")


def test_the_picture_does_not_move_while_one_points_at_it(shown, browser):
    page = browser.new_page()
    for name, figure in shown.items():
        cases = [(w, s) for w in (320, 760) for s in states(figure.data)]
        script = f"""([data, cases]) => {{ {SCRIPT}
            const fixed = ({{ height, spots }}) => JSON.stringify([height, spots]);
            return cases.map(([width, state]) => width + fixed(paint(data, width, state))); }}"""
        assert len(set(page.evaluate(script, [figure.data, cases]))) == 2, name
    page.close()


def test_a_figure_whose_shapes_do_not_fit_is_live_too(shown, show):
    page = show(shown["fails"])
    assert page.get_by_role("grid").count() == 0
    page.get_by_role("listbox").first.focus()
    page.keyboard.press("End")
    assert look(page)["said"] == "Slot 2 of a holds 30. There is no result to read it."


def test_a_page_of_any_width_holds_the_whole_figure(sixteen, show):
    page = show(sixteen, width=320)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    width = "document.querySelector('.tl-figure').shadowRoot.querySelector('svg').getBoundingClientRect().width"
    page.set_viewport_size({"width": 900, "height": 900})
    page.wait_for_function(f"{width} === 760")
    page.set_viewport_size({"width": 1900, "height": 900})
    page.wait_for_function(f"{width} === 1140")
