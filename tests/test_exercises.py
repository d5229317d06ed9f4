"""Predict, check and progress: what they say, what they keep, and that nothing a reader writes gets out."""

import asyncio
import functools
import html.parser
import itertools
import json
import linecache
import multiprocessing
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tensorlab.errors import ArgumentError
from tensorlab.exercises import Build, Prediction, Trap, Wrong, catalogue, chapter_01, check, predict
from tensorlab.exercises import progress as progress_file
from tensorlab.exercises.checking import cases_of, recognise
from tensorlab.exercises.render import Fold, Output, inline
from tensorlab.exercises.running import STEPS, run
from tensorlab.exercises.values import equal, plain, show
from tensorlab.layout import Layout
from tensorlab.tensor import Tensor


def flat_index(i, j, rows, cols):
    return i * cols + j


def row(flat, r, cols):
    start = r * cols
    return flat[start : start + cols]


def index_of(slot, rows, cols):
    return slot // cols, slot % cols


def draw_slot(source):
    rows, cols = source.randint(1, 9), source.randint(1, 9)
    return source.randrange(rows * cols), rows, cols


def draw_cell(source):
    slot, rows, cols = draw_slot(source)
    return slot // cols, slot % cols, rows, cols


def draw_row(source):
    slot, rows, cols = draw_slot(source)
    return list(range(rows * cols)), slot // cols, cols


# A chapter of this test alone, so that the chapters' words can change.
LESSON = (
    Prediction(
        key="99.slot",
        asks="Which slot holds [1, 3] of a (3, 5) grid?",
        answer=lambda: np.arange(15).reshape(3, 5)[1, 3],
        right="{answer} = 1·5 + 3.",
        nudge="Count whole rows above.",
        shows="Row 1 starts at 5.\n\nThree steps right from there: 5 + 3.",
        traps=(Trap(guess=lambda: 1 + 3 * 3, says="{guess} puts columns first."),),
    ),
    Build(
        key="99.flat_index",
        call="flat_index(i, j, rows, cols)",
        task="Return the slot of [i, j].",
        solution=flat_index,
        truth=lambda i, j, rows, cols: np.ravel_multi_index((i, j), (rows, cols)),
        cases=[(0, 0, 1, 1), (0, 1, 1, 2), (0, 1, 2, 2), (1, 0, 2, 2), (1, 2, 2, 3), (2, 1, 3, 4)],
        draw=draw_cell,
        draws=20,
        wrong=(
            Wrong(does=lambda i, j, rows, cols: j * rows + i, says="This goes column by column: `j·rows + i`."),
            Wrong(does=lambda i, j, rows, cols: i * rows + j, says="This lets a step down skip `rows` slots."),
            Wrong(does=lambda i, j, rows, cols: i * cols + j + 1, says="This counts from one."),
        ),
        hints=("How many cells lie above?", "There are `i` rows above.", "Multiply `i` by `cols`, then add `j`."),
        why="`i` whole rows come first.",
        right="One step down skips `cols` slots.",
    ),
    Build(
        key="99.row",
        call="row(flat, r, cols)",
        task="Return row r.",
        solution=row,
        cases=[([7], 0, 1), ([7, 8], 0, 2), ([7, 8], 1, 1), ([7, 8, 9, 4], 1, 2)],
        draw=draw_row,
        draws=20,
        hints=("Where does it start?", "At `r * cols`.", "Slice `cols` cells from there."),
        why="A row is one run.",
        right="One run.",
    ),
    Prediction(
        key="99.cell",
        asks="Which cell owns slot 9 of a (3, 4) grid?",
        form="(i, j)",
        answer=lambda: np.unravel_index(9, (3, 4)),
        right="{answer}: 9 = 2·4 + 1.",
        nudge="How many whole rows fit?",
        shows="Two rows fill slots 0 to 7.",
    ),
    Build(
        key="99.index_of",
        call="index_of(slot, rows, cols)",
        task="Return the cell (i, j) that owns this slot.",
        solution=index_of,
        cases=[(0, 1, 1), (1, 1, 2), (2, 2, 2), (9, 3, 4)],
        draw=draw_slot,
        draws=20,
        hints=("Which slots are row 1?", "Count whole rows.", "`//` and `%`."),
        why="`divmod` does both.",
        right="Whole rows, and what is left.",
    ),
    Prediction(
        key="99.byte",
        asks="At which byte does [2, 1] of an int32 grid of shape (3, 4) start?",
        answer=lambda: np.dot((2, 1), np.zeros((3, 4), np.int32).strides),
        right="{answer} = 9·4.",
        nudge="Find the slot first.",
        shows="Slot 9, and 4 bytes each.",
    ),
)


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("TENSORLAB_HOME", str(tmp_path))
    monkeypatch.setattr(progress_file, "_unwritten", {})
    return tmp_path


@pytest.fixture(autouse=True)
def register(monkeypatch):
    """Add the lesson as chapter 99, and a function that gives chapter 98 other exercises."""
    chapters, exercises_of = catalogue.chapters, catalogue.exercises_of
    added = {"98": (), "99": LESSON}
    monkeypatch.setattr(catalogue, "chapters", lambda: (*chapters(), *added))
    monkeypatch.setattr(
        catalogue, "exercises_of", lambda chapter: added[chapter] if chapter in added else exercises_of(chapter)
    )
    return lambda *exercises: added.update({"98": exercises})


def ask(answer, **more):
    texts = {"key": "98.q", "asks": "What?", "right": "{answer}.", "nudge": "Count.", "shows": "So: {answer}."}
    return Prediction(**texts, answer=answer, **more)


def double(x):
    return 2 * x


def build(**more):
    fields = {
        "key": "98.double",
        "call": "double(x)",
        "task": "Return twice x.",
        "solution": double,
        "cases": [(0,), (1,), (2,), (3,)],
        "hints": ("Add.", "Add x.", "x + x."),
        "why": "Two of them.",
        "right": "Twice.",
    }
    return Build(**fields | more)


def saved(home):
    return json.loads((home / "progress.json").read_text(encoding="utf-8"))


# -- predict ---------------------------------------------------------------------------------------------------------


def test_the_first_question_reads_as_designed():
    asked = "○ A (3, 5) grid is stored row by row. Which slot holds [1, 3]? Replace None, press Shift+Enter."
    assert repr(predict("01.slot", None)).splitlines()[0] == asked
    wrong = "✗ 10 puts columns first: 1 + 3·3. Here one step down skips a row of 5. Try again."
    assert repr(predict("01.slot", 10)).splitlines()[0] == wrong
    assert repr(predict("01.slot", 17)).splitlines()[0] == "✗ Not 17. Count whole rows above, then steps right."
    assert repr(predict("01.slot", 8)).splitlines()[0] == "✓ 8 = 1·5 + 3."
    circles = "●" + "○" * (len(catalogue.exercises_of("01")) - 1)
    assert repr(predict("01.slot", None)).splitlines()[-1] == f"Chapter 01: {circles}"


def test_a_chapter_is_found_by_its_file():
    assert {"00", "01", "06"} <= set(catalogue.chapters())
    assert [exercise.key[:2] for exercise in catalogue.exercises_of("06")] == ["06"] * len(catalogue.exercises_of("06"))
    assert catalogue.exercises_of("77") == ()


def test_the_last_line_shows_the_chapter_in_order():
    assert repr(predict("99.slot", None)).splitlines()[-1] == "Chapter 99: ○○○○○○"
    predict("99.byte", 36)
    assert repr(check("99.flat_index", flat_index)).splitlines()[-1] == "Chapter 99: ○●○○○●"
    assert predict("99.slot", 8)._repr_html_().endswith(">●●○○○●</span></div></div>")


def test_a_first_question_in_an_empty_home_writes_nothing(home):
    predict("99.slot", None)
    check("99.row", lambda flat, r, cols: ...)
    assert list(home.iterdir()) == []


def test_the_first_guess_is_kept_and_running_none_erases_nothing(home):
    for guess in (10, 17, 8, None, 9):
        predict("99.slot", guess)
    assert saved(home)["exercises"]["99.slot"] == {"first": "10", "solved": True}
    again = predict("99.slot", None)
    assert "You have solved this before." in repr(again)
    assert "8" not in repr(again).replace("Chapter", "")
    assert repr(predict("99.slot", 8)).splitlines()[-2:] == ["Your first guess: 10", "Chapter 99: ●○○○○○"]


def test_an_unsolved_first_guess_is_remembered_without_the_answer():
    predict("99.slot", 10)
    assert "Your first guess, 10, is kept." in repr(predict("99.slot", None))


def test_the_explanation_is_a_closed_fold_after_the_first_try_only():
    assert "<details" not in predict("99.slot", None)._repr_html_()
    assert "<details" not in predict("99.slot", None, reveal=True)._repr_html_()
    assert "The explanation comes after your first guess." in repr(predict("99.slot", None, reveal=True))
    tried = predict("99.slot", 17)._repr_html_()
    assert re.search(r"<details style=[^>]*><summary[^>]*>Show me</summary>", tried)
    assert "Three steps right from there: 5 + 3." in tried
    assert "Three steps right" not in repr(predict("99.slot", 17))
    assert "Three steps right" in repr(predict("99.slot", 17, reveal=True))


@pytest.mark.parametrize(
    ("answer", "right", "wrong"),
    [
        (8, [8, 8.0, np.int64(8), np.uint8(8), np.array(8)], [9, 8.5, -8, 10**5000, float("nan"), float("inf")]),
        (0.1, [0.1, np.float32(0.1), 0.1 + 1e-9], [0.2, 0, 1e300, 10**400]),
        (float("nan"), [float("nan"), np.float16("nan")], [0.0]),
        ((2, 1), [(2, 1), [2, 1], np.array([2, 1]), (np.int8(2), 1.0)], [(1, 2), (2, 1.5)]),
        (((1, 2), (3, 4)), [[[1, 2], [3, 4]], np.array([[1, 2], [3, 4]])], [((1, 2), (4, 3))]),
        ("2d 00", ["2d 00", "2D 00", " 2d  00 "], ["00 2d", ""]),
        (True, [True, np.bool_(True)], [False]),
    ],
)
def test_answers_of_every_kind_are_compared(register, answer, right, wrong):
    register(ask(lambda: answer))
    assert [predict("98.q", guess).verdict for guess in right] == ["right"] * len(right)
    assert [predict("98.q", guess).verdict for guess in wrong] == ["wrong"] * len(wrong)


def test_a_tensor_of_rank_0_is_a_number(register):
    register(ask(lambda: 8))
    assert predict("98.q", Tensor(np.array([8], np.int32), Layout((), ()))).verdict == "right"


@pytest.mark.parametrize(
    ("answer", "guess", "says"),
    [
        (8, "8", "Leave out the quotes: the answer is a whole number."),
        (8, True, "True cannot be it: the answer is a whole number."),
        (8, (1, 2), "A sequence of 2 cannot be it: the answer is a whole number."),
        (8, {}, "A dict cannot be it: the answer is a whole number."),
        (0.5, "0.5", "Leave out the quotes: the answer is a number."),
        (8, len, "the function len cannot be it: the answer is a whole number."),
        (True, 1, "1 cannot be it: the answer is True or False."),
        ((2, 1), 9, "9 cannot be it: the answer has 2 values, in parentheses."),
        ((2, 1), (2, 1, 0), "Yours has 3 values: the answer has 2 values, in parentheses."),
        ((2, 1), ("2", 1), "Leave out the quotes: the answer is a whole number."),
        ("2d", 2, "2 cannot be it: the answer is text in quotes."),
    ],
)
def test_a_guess_of_the_wrong_kind_is_told_kindly_and_not_counted(register, home, answer, guess, says):
    register(ask(lambda: answer))
    output = predict("98.q", guess)
    assert output.verdict == "unclear"
    assert repr(output).splitlines()[0] == f"○ {says} This did not count as a guess."
    assert not (home / "progress.json").exists()


def test_long_numbers_are_said_with_their_thousands_apart(register):
    register(ask(lambda: 785 * 2048, traps=(Trap(guess=lambda: 785 * 1024, says="{guess} counts elements."),)))
    assert repr(predict("98.q", 1607681)).startswith('✗ Not 1,607,681. Count.\nShow me: predict("98.q", 1607681,')
    assert repr(predict("98.q", 803840)).startswith("✗ 803,840 counts elements. Try again.")
    assert repr(predict("98.q", 1607680)).startswith("✓ 1,607,680.")


def test_choices_are_offered_and_others_refused(register):
    register(ask(lambda: "view", choices=("view", "copy"), traps=(Trap(guess=lambda: "copy", says="No byte moves."),)))
    assert 'Replace None with "view" or "copy", press Shift+Enter.' in repr(predict("98.q", None))
    assert predict("98.q", "View").verdict == "right"
    assert repr(predict("98.q", "copy")).startswith("✗ No byte moves. Try again.")
    assert repr(predict("98.q", "vew")).startswith('○ \'vew\' cannot be it: the answer is "view" or "copy".')


def test_a_question_says_what_form_its_answer_takes(register):
    register(ask(lambda: True))
    assert "Replace None with True or False, press Shift+Enter." in repr(predict("98.q", None))
    assert "Replace None with (i, j), press Shift+Enter." in repr(predict("99.cell", None))


class Evil:
    """Raises whatever is asked of it."""

    def __getattribute__(self, name):
        raise SystemExit(name)

    __repr__ = __eq__ = __len__ = __iter__ = __array__ = __hash__ = lambda *arguments: 1 / 0


ENDLESS_LIST = []
ENDLESS_LIST.append(ENDLESS_LIST)


STRANGE = {
    "evil": Evil(),
    "an endless list": ENDLESS_LIST,
    "an object": object(),
    "a large array": np.zeros((1000, 1000)),
    "a generator": (x for x in ()),
    "bytes": b"8",
    "a complex number": 8j,
    "a set": {8},
}


@pytest.mark.parametrize("name", STRANGE)
def test_no_guess_makes_predict_raise(name):
    output = predict("99.slot", STRANGE[name])
    assert output.verdict == "unclear"
    assert " at 0x" not in repr(output)
    assert output._repr_html_()


def test_an_unknown_key_names_the_near_ones():
    with pytest.raises(ArgumentError, match=r"there is no exercise '99\.slott'") as trouble:
        predict("99.slott", 8)
    assert "99.slot" in trouble.value.expected
    with pytest.raises(ArgumentError) as trouble:
        check("99.flat_indx", flat_index)
    assert "99.flat_index" in trouble.value.expected
    with pytest.raises(ArgumentError, match=r"'99\.row' is a function to write") as trouble:
        predict("99.row", 8)
    assert trouble.value.fix == 'check("99.row", row)'
    with pytest.raises(ArgumentError, match=r"'99\.slot' is a question to answer"):
        check("99.slot", flat_index)
    with pytest.raises(ArgumentError, match="there is no exercise 7"):
        predict(7, 8)
    with pytest.raises(ArgumentError, match="there is no hint 4"):
        check("99.row", row, hint=4)


# -- check -----------------------------------------------------------------------------------------------------------


def test_the_solutions_of_chapter_01_agree_with_numpy():
    for i, j, rows, cols in cases_of(catalogue.find("check", "01.flat_index", Build)):
        assert chapter_01.flat_index(i, j, rows, cols) == np.ravel_multi_index((i, j), (rows, cols))
    for flat, r, cols in cases_of(catalogue.find("check", "01.row", Build)):
        assert chapter_01.row(flat, r, cols) == np.array(flat).reshape(-1, cols)[r].tolist()
    for slot, rows, cols in cases_of(catalogue.find("check", "01.index_of", Build)):
        assert chapter_01.index_of(slot, rows, cols) == np.unravel_index(slot, (rows, cols))


def test_a_recognised_function_hears_its_belief_and_the_smallest_failing_case():
    output = check("99.flat_index", lambda i, j, rows, cols: i + j * rows)
    assert repr(output).splitlines() == [
        "✗ This goes column by column: `j·rows + i`.",
        "  flat_index(i=0, j=1, rows=2, cols=2)",
        "  yours     2",
        "  expected  1",
        'Hints: check("99.flat_index", flat_index, hint=1), then 2, 3, "solution".',
        "Chapter 99: ○○○○○○",
    ]


def test_an_unrecognised_function_hears_how_often_and_where():
    output = check("99.flat_index", lambda i, j, rows, cols: i * cols + j + (i == 2))
    first, call, yours, expected = repr(output).splitlines()[:4]
    assert re.fullmatch(r"✗ \d+ of 26 cases differ\. The smallest:", first)
    assert (call, yours, expected) == ("  flat_index(i=2, j=1, rows=3, cols=4)", "  yours     10", "  expected  9")


def test_a_right_function_fills_its_circle_and_stays_right():
    output = check("99.flat_index", flat_index)
    assert repr(output).splitlines() == [
        "✓ 26 of 26 cases agree. One step down skips `cols` slots.",
        'Compare: check("99.flat_index", flat_index, hint="solution").',
        "Chapter 99: ○●○○○○",
    ]
    assert repr(check("99.flat_index", flat_index)) == repr(output)
    wrong = check("99.flat_index", lambda i, j, rows, cols: 0)
    assert wrong.verdict == "wrong"
    assert "Chapter 99: ○●○○○○" in repr(wrong)
    assert "You have solved this before." in repr(check("99.flat_index", lambda i, j, rows, cols: ...))


def test_the_four_folds_are_closed_and_hint_opens_one():
    output = check("99.flat_index", lambda i, j, rows, cols: ...)
    titles = re.findall(r"<details style=[^>]*><summary[^>]*>(.*?)</summary>", output._repr_html_())
    assert titles == ["Hint 1", "Hint 2", "Hint 3", "Solution, and why"]
    opened = check("99.flat_index", lambda i, j, rows, cols: ..., hint=2)
    assert re.findall(r'" open><summary[^>]*>(.*?)</summary>', opened._repr_html_()) == ["Hint 2"]
    assert "Hint 2:\n  There are `i` rows above" in repr(opened)
    assert "Hint 1:" not in repr(opened)
    solution = repr(check("99.flat_index", lambda i, j, rows, cols: ..., hint="solution"))
    assert "  def flat_index(i, j, rows, cols):\n      return i * cols + j\n\n  `i` whole rows" in solution


@pytest.mark.parametrize("answer", [..., (..., ...), [...]])
def test_an_ellipsis_means_untried(home, answer):
    output = check("99.index_of", lambda slot, rows, cols: answer)
    assert output.verdict == "untried"
    assert repr(output).startswith("○ `index_of(slot, rows, cols)`: Return the cell (i, j)")
    assert not (home / "progress.json").exists()
    assert check("99.index_of", ...).verdict == "untried"


def test_a_function_that_reaches_its_stub_in_some_cases_was_tried():
    output = check("99.flat_index", lambda i, j, rows, cols: j if i == 0 else ...)
    assert repr(output).startswith(
        "✗ This case still reaches `return ...`.\n  flat_index(i=1, j=0, rows=2, cols=2)\n  yours     ..."
    )


def from_cell(source, name):
    """Make a function as a notebook cell does, with a file name that is a path and source lines in linecache."""
    path = "/tmp/ipykernel_1/123.py"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    namespace = {}
    exec(compile(source, path, "exec"), namespace)
    return namespace[name]


def test_the_readers_failing_line_is_named_without_a_path():
    source = "def flat_index(i, j, rows, cols):\n    start = i * col\n    return start + j\n"
    output = check("99.flat_index", from_cell(source, "flat_index"))
    assert repr(output).splitlines()[:5] == [
        "✗ `flat_index` stopped with an error.",
        "  flat_index(i=0, j=0, rows=1, cols=1)",
        "  line 2    start = i * col",
        "  error     NameError: name 'col' is not defined",
        "  expected  0",
    ]
    assert "/tmp" not in repr(output) + output._repr_html_()


def test_the_line_is_the_readers_own_even_if_a_library_raised():
    source = "import json\ndef flat_index(i, j, rows, cols):\n    return json.loads('{')\n"
    assert "  line 3    return json.loads('{')\n" in repr(check("99.flat_index", from_cell(source, "flat_index")))


def test_an_endless_loop_is_stopped_and_its_line_named():
    source = "def flat_index(i, j, rows, cols):\n    while i >= 0:\n        j += 1\n    return j\n"
    output = check("99.flat_index", from_cell(source, "flat_index"))
    assert repr(output).startswith("✗ `flat_index` did not come to an end: it was stopped after 1,000,000 steps.")
    assert re.search(r"  line [23]    (while i >= 0:|j \+= 1)\n  expected  0\n", repr(output))
    assert sys.gettrace() is None


def test_a_call_within_the_step_limit_is_left_alone():
    assert run(lambda n: sum(1 for _ in range(n)), (1000,)).value == 1000
    assert run(lambda n: [0 for _ in iter(int, 1)], (1,), steps=1000).kind == "endless"
    assert STEPS >= 100_000


def test_a_tracer_that_is_already_there_stays():
    def tracer(frame, event, argument):
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        outcome = run(lambda: 1, ())
        kept = sys.gettrace()
    finally:
        sys.settrace(before)
    assert outcome.value == 1
    assert kept is tracer


def test_endless_recursion_is_named():
    source = "def flat_index(i, j, rows, cols):\n    return flat_index(i, j, rows, cols)\n"
    output = check("99.flat_index", from_cell(source, "flat_index"))
    assert repr(output).startswith("✗ `flat_index` calls itself without end.\n")
    assert "line 2" in repr(output)


def test_printing_is_kept_off_the_page_and_shown_with_the_case(capsys):
    def print_it(flat, r, cols):
        print(flat[r * cols : r * cols + cols])  # noqa: T201

    output = check("99.row", print_it)
    assert repr(output).startswith("✗ It prints, and returns None. Write `return` where it says `print`.\n")
    assert "  yours     None\n  expected  [7]\n  printed   [7]\n" in repr(output)
    assert capsys.readouterr() == ("", "")


def test_writing_to_an_argument_is_refused_although_the_answer_is_right():
    def reverse(flat, r, cols):
        flat.reverse()
        return flat[::-1][r * cols : r * cols + cols]

    output = check("99.row", reverse)
    assert output.verdict == "wrong"
    assert repr(output).startswith("✗ It writes to `flat`, which belongs to the caller. Only return.\n")
    assert "  flat after  [8, 7]\n  yours       [7, 8]\n" in repr(output)


def test_the_cases_survive_a_function_that_writes_to_them():
    def empty(flat, r, cols):
        flat.clear()

    assert check("99.row", empty).verdict == "wrong"
    assert check("99.row", row).verdict == "right"


def test_numpy_numbers_sequences_and_tensors_are_taken_for_what_they_hold():
    assert check("99.flat_index", lambda i, j, rows, cols: np.int64(i * cols + j)).verdict == "right"
    assert (
        check("99.flat_index", lambda i, j, rows, cols: np.arange(rows * cols).reshape(rows, cols)[i, j]).verdict
        == "right"
    )
    assert check("99.index_of", lambda slot, rows, cols: [slot // cols, slot % cols]).verdict == "right"
    assert check("99.row", lambda flat, r, cols: np.array(flat).reshape(-1, cols)[r]).verdict == "right"

    def as_tensor(flat, r, cols):
        return Tensor(np.array(flat), Layout((cols,), (1,), r * cols))

    assert check("99.row", as_tensor).verdict == "right"


def test_a_float_slot_is_refused_and_said_to_be_a_float():
    output = check("99.flat_index", lambda i, j, rows, cols: float(i * cols + j))
    assert "  yours     0.0  (a float)\n  expected  0\n" in repr(output)


def test_a_function_that_cannot_take_the_arguments_is_told_both_forms():
    output = check("99.flat_index", lambda i, j: 0)
    assert repr(output).startswith("✗ It is called as `flat_index(i, j, rows, cols)`, and yours takes `(i, j)`.\n")


def test_the_result_in_place_of_the_function_is_noticed(home):
    output = check("99.flat_index", 8)
    says = "○ An int is not a function. Hand over the function itself, without parentheses"
    assert repr(output).startswith(f'{says}: `check("99.flat_index", flat_index)`.\n')
    assert repr(check("99.flat_index", None)).startswith("○ None is not a function.")
    assert not (home / "progress.json").exists()


def test_the_place_of_a_difference_in_a_long_answer_is_named(register):
    def numbers(n):
        return list(range(n))

    exercise = build(key="98.n", call="numbers(n)", solution=numbers, cases=[(40,)])
    register(exercise)
    output = check("98.n", lambda n: [*range(n - 1), 0])
    assert "  first at  [39]: 0, expected 39\n" in repr(output)


def test_the_smallest_drawn_case_is_the_one_shown(register):
    register(build(cases=[], draw=lambda source: (source.randint(0, 10**9),), draws=50))
    output = check("98.double", lambda x: -1)
    shown = int(re.search(r"double\(x=(\d+)\)", repr(output))[1])
    smallest = min(
        (arguments[0] for arguments in cases_of(catalogue.find("check", "98.double", Build))), key=lambda x: len(str(x))
    )
    assert len(str(shown)) == len(str(smallest))


def test_of_two_beliefs_that_explain_a_function_the_one_wrong_more_often_is_named(register):
    register(
        build(
            wrong=(
                Wrong(does=lambda x: 2 * x if x < 3 else 0, says="Stops at three."),
                Wrong(does=lambda x: 0, says="Always nothing."),
                Wrong(does=lambda x: x / 0, says="Divides by nothing."),
            )
        )
    )
    assert repr(check("98.double", lambda x: 0)).startswith("✗ Always nothing.")
    assert repr(check("98.double", lambda x: 0 if x == 3 else x + x)).startswith("✗ Stops at three.")
    assert repr(check("98.double", lambda x: 1 % 0)).startswith("✗ Divides by nothing.")
    assert repr(check("98.double", lambda x: x)).startswith("✗ 3 of 4 cases differ.")


class Loud(BaseException):
    def __str__(self):
        raise SystemExit


def raiser(error):
    def function(*arguments):
        raise error

    return function


async def sleeper(*arguments):
    await asyncio.sleep(0)


def counter(*arguments):
    yield from itertools.count()


def swallower(*arguments):
    try:
        return undefined  # noqa: F821
    except:  # noqa: E722
        return "caught"


def vandal(*arguments):
    sys.stdout = None
    sys.settrace(None)


def closes_its_output(*arguments):
    sys.stdout.close()
    print("still here")  # noqa: T201


class Callable:
    def __call__(self, i, j, rows, cols):
        return self.nothing


class Numbers(int):
    __eq__ = __repr__ = __index__ = __int__ = raiser(ZeroDivisionError())
    __hash__ = int.__hash__


def deep(*arguments):
    nest = []
    for _ in range(1_500):
        nest = [nest]
    return nest


ZOO = {
    "SystemExit": raiser(SystemExit(3)),
    "GeneratorExit": raiser(GeneratorExit()),
    "a BaseException that cannot be worded": raiser(Loud()),
    "an error that is not an exception": lambda *a: (_ for _ in ()).throw(5),
    "StopIteration": raiser(StopIteration()),
    "MemoryError": raiser(MemoryError()),
    "a long message": raiser(ValueError("x" * 10**6)),
    "a nested error": lambda *a: [1][2],
    "a coroutine": sleeper,
    "an endless generator": counter,
    "a bare except": swallower,
    "replaced output": vandal,
    "closed output": closes_its_output,
    "much output": lambda *a: print("x" * 10**6),  # noqa: T201
    "a callable object": Callable(),
    "a class": Callable,
    "a type": int,
    "a builtin": print,
    "a builtin of two": divmod,
    "a partial": functools.partial(raiser(KeyError("k")), 1),
    "a cached function": functools.cache(lambda *a: a[99]),
    "itself": lambda *a: a,
    "evil": lambda *a: Evil(),
    "an evil int": lambda *a: Numbers(3),
    "an endless list": lambda *a: ENDLESS_LIST,
    "a deep list": deep,
    "a large array": lambda *a: np.broadcast_to(0, (10**9, 10**9)),
    "an empty array": lambda *a: np.zeros((0, 3)),
    "an object array": lambda *a: np.array([Evil(), None], dtype=object),
    "a huge int": lambda *a: 10**10_000,
    "a dict": lambda *a: {1: {2: 3}},
    "a set": lambda *a: {1, 2},
    "a module": lambda *a: np,
    "not a number": lambda *a: float("nan"),
    "text": lambda *a: "<script>alert(1)</script>",
    "a lone surrogate": lambda *a: "\ud800",
    "a printed lone surrogate": lambda *a: print("\ud800"),  # noqa: T201
    "an error of a lone surrogate": raiser(ValueError("\ud800")),
    "a warning": lambda *a: np.float32(1) / np.float32(0),
    "an evil object": Evil(),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ZOO)
@pytest.mark.parametrize("key", ["99.flat_index", "99.row"])
def test_nothing_a_function_does_gets_out(key, name):
    stdout, stderr = sys.stdout, sys.stderr
    output = check(key, ZOO[name])
    assert output.verdict in ("wrong", "unclear")
    assert (sys.stdout, sys.stderr) == (stdout, stderr)
    assert sys.gettrace() is None or "coverage" in sys.modules
    text = repr(output)
    assert text.splitlines()[-1] == "Chapter 99: ○○○○○○"
    assert len(text) < 1500
    assert not re.search(r" at 0x|/tmp|\.py\b", text)
    assert "<script" not in output._repr_html_()
    assert (text + output._repr_html_()).encode()


def test_an_interrupt_gets_through():
    with pytest.raises(KeyboardInterrupt):
        check("99.row", raiser(KeyboardInterrupt()))
    assert sys.gettrace() is None or "coverage" in sys.modules


# -- the page --------------------------------------------------------------------------------------------------------

TAGS = {"div", "span", "b", "em", "code", "pre", "details", "summary"}
STYLES = {
    "border-left",
    "padding",
    "margin",
    "max-width",
    "background",
    "line-height",
    "cursor",
    "opacity",
    "letter-spacing",
}


class Page(html.parser.HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.attributes, self.styles = [], set(), set(), set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.seen.add(tag)
        for name, value in attributes:
            self.attributes.add(name)
            if name == "style":
                self.styles |= {part.partition(":")[0] for part in value.split(";")}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    "make",
    [
        lambda: predict("99.slot", None),
        lambda: predict("99.slot", 10),
        lambda: predict("99.cell", (2, 1), reveal=True),
        lambda: check("99.row", lambda flat, r, cols: ...),
        lambda: check("99.row", lambda flat, r, cols: "<b>&"),
        lambda: check("99.row", row, hint="solution"),
    ],
)
def test_the_page_uses_only_what_a_notebook_that_is_not_trusted_keeps(make):
    page = Page(make()._repr_html_())
    assert page.open == []
    assert page.seen <= TAGS
    assert page.attributes <= {"style", "open"}
    assert page.styles <= STYLES


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("`2 * 3` is *not* `3 * 2`", "<code>2 * 3</code> is <em>not</em> <code>3 * 2</code>"),
        ("the *lowest byte* first", "the <em>lowest byte</em> first"),
        ("one ` alone", "one ` alone"),
        ("`a` and ` alone", "<code>a</code> and ` alone"),
        ("a*b*c", "a*b*c"),
    ],
)
def test_backticks_and_stars_are_read_as_marks_only_in_pairs(text, page):
    assert inline(text) == page


def test_texts_are_escaped_and_keep_their_code():
    output = Output(
        "wrong", "`a < b` & <i>", facts=(("yours", "<b>"),), folds=(Fold("Show me", "One\nline.\n\n    x < 1"),)
    )
    page = output._repr_html_()
    assert "<code>a &lt; b</code> &amp; &lt;i&gt;" in page
    assert "yours  &lt;b&gt;" in page
    assert ">One line.</div>" in page
    assert ">x &lt; 1</pre>" in page


# -- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected", "verdict"),
    [
        ([1, 2], (1, 2), True),
        ([1, 2], [1, 2, 3], False),
        (2.0, 2, False),
        (2, 2.0, True),
        (True, 1, False),
        (1, True, False),
        ("1", 1, False),
        (float("nan"), float("nan"), True),
        ({"a": [1]}, {"a": (1,)}, True),
        ({"a": 1}, {"b": 1}, False),
        (b"\x01", b"\x01", True),
        (None, 0, False),
    ],
)
def test_plain_values_are_compared_with_their_types(value, expected, verdict):
    assert equal(value, expected) is verdict


def test_values_are_shown_in_one_short_line():
    assert show("a\nb") == r"'a\nb'"
    assert show(plain(np.arange(3))) == "[0, 1, 2]"
    assert len(show([[9] * 100] * 100)) < 600
    assert show(plain(np.zeros((1000, 1000)))) == "an array of 1,000,000 items"


# -- progress --------------------------------------------------------------------------------------------------------


def test_progress_is_one_readable_file(home):
    predict("99.slot", 10)
    check("99.row", row)
    assert saved(home) == {
        "format": 1,
        "exercises": {"99.slot": {"first": "10", "solved": False}, "99.row": {"solved": True}},
    }
    assert sorted(path.name for path in home.iterdir()) == ["progress.json", "progress.lock"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"exercises": 3}', '{"format": "x"}', "\x00\x00", '"' + "[" * 99, "[" * 10**5]
)
def test_a_broken_file_is_set_aside_whole_and_said_once(home, text):
    (home / "progress.json").write_text(text, encoding="utf-8")
    output = predict("99.slot", 10)
    notice = (
        "Your progress file could not be understood. It was set aside as progress-unreadable-1.json; a new one begins."
    )
    assert repr(output).splitlines()[-2:] == [notice, "Chapter 99: ○○○○○○"]
    assert (home / "progress-unreadable-1.json").read_text(encoding="utf-8") == text
    assert "unreadable" not in repr(predict("99.slot", 8))
    assert saved(home)["exercises"]["99.slot"] == {"first": "10", "solved": True}


def test_a_second_broken_file_does_not_replace_the_first(home):
    for text in ("first", "second"):
        (home / "progress.json").write_text(text)
        predict("99.slot", None)
    assert (home / "progress-unreadable-1.json").read_text() == "first"
    assert (home / "progress-unreadable-2.json").read_text() == "second"


def test_bytes_that_are_no_text_are_set_aside(home):
    (home / "progress.json").write_bytes(b"\xff\xfe\x00")
    assert "set aside" in repr(predict("99.slot", None))


def test_a_newer_file_is_read_and_left_alone(home):
    text = '{"format": 2, "exercises": {"99.slot": {"solved": true, "stars": 3}}, "more": [1]}'
    (home / "progress.json").write_text(text)
    assert repr(predict("99.slot", None)).endswith("You have solved this before.\nChapter 99: ●○○○○○")
    output = predict("99.cell", (2, 1))
    notice = "Your progress file belongs to a newer tensorlab. It is left as it is; this session is not saved."
    assert repr(output).splitlines()[-2:] == [notice, "Chapter 99: ●○○●○○"]
    assert repr(predict("99.byte", None)).endswith("Chapter 99: ●○○●○○")
    assert (home / "progress.json").read_text() == text


def test_what_this_version_does_not_know_is_kept(home):
    text = '{"format": 1, "exercises": {"77.other": {"stars": 3}, "99.slot": {"stars": 1}}, "more": [1]}'
    (home / "progress.json").write_text(text)
    predict("99.slot", 8)
    assert saved(home) == {
        "format": 1,
        "exercises": {"77.other": {"stars": 3}, "99.slot": {"stars": 1, "first": "8", "solved": True}},
        "more": [1],
    }


def test_records_of_a_strange_kind_are_ignored(home):
    (home / "progress.json").write_text('{"exercises": {"99.slot": 3, "99.cell": {"solved": "yes", "first": 4}}}')
    assert repr(predict("99.cell", None)).endswith("Shift+Enter.\nChapter 99: ○○○○○○")
    assert repr(predict("99.slot", 8)).endswith("Chapter 99: ●○○○○○")


def test_a_home_that_cannot_be_written_keeps_the_session_and_saves_it_later(home, monkeypatch):
    def refuse(*arguments):
        raise PermissionError(13, "Permission denied")

    predict("99.slot", 8)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        output = predict("99.cell", (2, 1))
        notice = "Your progress is kept for this session, but it could not be saved (Permission denied)."
        assert repr(output).splitlines()[-2:] == [notice, "Chapter 99: ●○○●○○"]
        assert set(saved(home)["exercises"]) == {"99.slot"}
        assert sorted(path.name for path in home.iterdir()) == ["progress.json", "progress.lock"]
    assert repr(predict("99.byte", 36)).endswith("Chapter 99: ●○○●○●")
    assert set(saved(home)["exercises"]) == {"99.slot", "99.cell", "99.byte"}


def test_a_home_that_is_a_file_is_no_error(home, monkeypatch):
    (home / "file").write_text("mine")
    monkeypatch.setenv("TENSORLAB_HOME", str(home / "file"))
    assert predict("99.slot", None).verdict == "untried"
    output = predict("99.slot", 8)
    assert output.verdict == "right"
    assert "could not be saved" in repr(output)
    assert repr(output).endswith("Chapter 99: ●○○○○○")
    assert (home / "file").read_text() == "mine"


def test_a_home_that_cannot_be_found_is_no_error(home, monkeypatch):
    def lost():
        raise RuntimeError("no home directory")

    with monkeypatch.context() as patch:
        patch.setattr(progress_file.data, "home", lost)
        assert "could not be saved (no home directory)" in repr(predict("99.slot", 8))
        assert repr(predict("99.cell", (2, 1))).endswith("Chapter 99: ●○○●○○")
    assert repr(predict("99.byte", 36)).endswith("Chapter 99: ●○○●○●")
    assert saved(home)["exercises"]["99.slot"] == {"first": "8", "solved": True}


def test_a_crash_while_writing_leaves_the_old_file(home, monkeypatch):
    predict("99.slot", 8)
    before = (home / "progress.json").read_bytes()
    monkeypatch.setattr(os, "fsync", raiser(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        predict("99.cell", (2, 1))
    assert (home / "progress.json").read_bytes() == before
    assert sorted(path.name for path in home.iterdir()) == ["progress.json", "progress.lock"]


def test_an_answer_that_changes_nothing_is_not_written_again(home):
    predict("99.slot", 8)
    os.utime(home / "progress.json", (1, 1))
    predict("99.slot", 8)
    assert (home / "progress.json").stat().st_mtime == 1


def test_a_linked_progress_file_stays_a_link(home, tmp_path_factory):
    target = tmp_path_factory.mktemp("elsewhere") / "kept.json"
    target.write_text("{}")
    try:
        (home / "progress.json").symlink_to(target)
    except OSError:
        pytest.skip("this system makes no links")
    predict("99.slot", 8)
    assert (home / "progress.json").is_symlink()
    assert json.loads(target.read_text())["exercises"]["99.slot"]["solved"] is True


def write_many(folder, name, barrier):
    os.environ["TENSORLAB_HOME"] = folder
    barrier.wait()
    for n in range(40):
        progress_file.record(f"98.{name}{n}", solved=True, first=str(n))


def test_two_kernels_that_write_at_once_lose_nothing(home):
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(2)
    kernels = [spawn.Process(target=write_many, args=(str(home), name, barrier)) for name in "ab"]
    for kernel in kernels:
        kernel.start()
    for kernel in kernels:
        kernel.join(60)
    assert [kernel.exitcode for kernel in kernels] == [0, 0]
    wanted = {f"98.{name}{n}": {"first": str(n), "solved": True} for name in "ab" for n in range(40)}
    assert saved(home)["exercises"] == wanted


def test_the_first_guess_of_two_kernels_is_the_one_written_first(home):
    progress_file.record("98.q", solved=False, first="3")
    progress_file.record("98.q", solved=True, first="4")
    assert saved(home)["exercises"]["98.q"] == {"first": "3", "solved": True}


def test_a_lock_that_another_kernel_holds_for_long_is_one_calm_line(home, monkeypatch):
    monkeypatch.setattr(progress_file, "PATIENCE", 0.05)
    (home / "progress.lock").touch()
    with progress_file._locked(Path(home, "progress.json")):
        output = predict("99.slot", 8)
    assert "could not be saved (another notebook is writing it)" in repr(output)
    assert repr(predict("99.cell", (2, 1))).endswith("Chapter 99: ●○○●○○")
    assert set(saved(home)["exercises"]) == {"99.slot", "99.cell"}


@pytest.mark.parametrize(
    "body",
    [
        "while True:\n  try:\n   while True:\n    pass\n  except:\n   pass",
        "while True:\n  try:\n   n += 1\n  except BaseException as error:\n   print(error)",
        "while True:\n  try:\n   while True:\n    n += 1\n  finally:\n   continue",
    ],
    ids=["bare except", "named error", "finally"],
)
def test_an_endless_loop_is_stopped_although_it_swallows_every_error(body):
    function = from_cell(f"def endless(n):\n {body}\n", "endless")
    assert run(function, (1,), steps=1000).kind == "endless"
    assert sys.gettrace() is None
    assert run(lambda n: n, (1,)).value == 1


def test_a_list_that_holds_itself_is_no_endless_recursion():
    def ring(flat, r, cols):
        flat.append(flat)
        return flat

    output = check("99.row", ring)
    assert repr(output).startswith("✗ It returns something that is no plain value.\n")
    assert "something that holds itself" in repr(output)


def test_a_file_with_half_a_character_is_kept_as_it_is(home):
    held = '{"exercises": {"99.old": {"first": "\\ud800", "solved": true}}, "format": 1}'
    (home / "progress.json").write_text(held, encoding="utf-8")
    assert predict("99.slot", 10).verdict == "wrong"
    kept = json.loads((home / "progress.json").read_bytes())["exercises"]
    assert kept["99.old"]["first"] == "\ud800"
    assert kept["99.slot"]["first"] == "10"


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_beliefs_that_explain_a_function_the_one_that_is_wrong_more_often_is_named(order):
    wrong = (
        Wrong(does=lambda i, j, rows, cols: i * cols + j, says="never wrong"),
        Wrong(does=lambda i, j, rows, cols: i * cols + j + (cols > 2), says="wrong in wide grids"),
        Wrong(does=lambda i, j, rows, cols: i * cols + j + 1, says="wrong everywhere"),
    )[::order]
    build = replace(next(exercise for exercise in LESSON if exercise.key == "99.flat_index"), wrong=wrong)
    cases = cases_of(build)
    expected = [flat_index(*arguments) for arguments in cases]

    def named(function):
        return recognise(build, cases, expected, [run(function, arguments) for arguments in cases]).says

    assert named(lambda i, j, rows, cols: i * cols + j + 1) == "wrong everywhere"
    assert named(lambda i, j, rows, cols: i * cols + j + (cols > 2)) == "wrong in wide grids"


def test_a_function_that_never_ends_is_not_run_again():
    calls = []

    def endless(i, j, rows, cols):
        calls.append((i, j, rows, cols))
        while True:
            i += 1

    assert check("99.flat_index", endless).verdict == "wrong"
    assert len(calls) == 1
