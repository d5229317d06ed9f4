"""Every registered exercise, held to the rules of a good exercise."""

import ast
import inspect
import re
from itertools import combinations

import pytest

from tensorlab.exercises import Build, Prediction, check, predict
from tensorlab.exercises import progress as progress_file
from tensorlab.exercises.catalogue import chapters, exercises_of
from tensorlab.exercises.checking import cases_of
from tensorlab.exercises.running import run
from tensorlab.exercises.values import equal, plain, say, show

EXERCISES = [exercise for chapter in chapters() for exercise in exercises_of(chapter)]
PREDICTIONS = [exercise for exercise in EXERCISES if isinstance(exercise, Prediction)]
BUILDS = [exercise for exercise in EXERCISES if isinstance(exercise, Build)]
TRAPS = [(prediction, n) for prediction in PREDICTIONS for n in range(len(prediction.traps))]
WRONGS = [(build, n) for build in BUILDS for n in range(len(build.wrong))]

predictions = pytest.mark.parametrize("prediction", PREDICTIONS, ids=lambda p: p.key)
builds = pytest.mark.parametrize("build", BUILDS, ids=lambda b: b.key)
traps = pytest.mark.parametrize(("prediction", "n"), TRAPS, ids=[f"{p.key}-{n}" for p, n in TRAPS])
wrongs = pytest.mark.parametrize(("build", "n"), WRONGS, ids=[f"{b.key}-{n}" for b, n in WRONGS])


@pytest.fixture(autouse=True)
def _empty_home(monkeypatch, tmp_path):
    monkeypatch.setenv("TENSORLAB_HOME", str(tmp_path))
    monkeypatch.setattr(progress_file, "_unwritten", {})


def filled(text, given, answer):
    return text.replace("{guess}", say(given)).replace("{answer}", say(answer))


def visible(output):
    """The HTML without its folds, as a reader sees it."""
    text = re.sub(r"<details.*?</details>", "", output._repr_html_(), flags=re.DOTALL)
    return re.sub(r"<[^>]+>", "", text)


def tells(text, answer):
    """Whether a text holds the answer as a whole word or number."""
    forms = "|".join(map(re.escape, (show(answer), say(answer))))
    return re.search(rf"(?<![\w.,])({forms})(?!\w|[.,]\d)", text) is not None


def answer_of(prediction):
    answer = plain(prediction.answer())
    return tuple(answer) if isinstance(answer, list) else answer


def stub(*arguments):
    return ...


def test_keys_are_unique_and_belong_to_their_chapter():
    keys = [exercise.key for exercise in EXERCISES]
    assert len(keys) == len(set(keys))
    for chapter in chapters():
        for exercise in exercises_of(chapter):
            assert re.fullmatch(rf"{chapter}\.[a-z][a-z0-9_]*", exercise.key)


@predictions
def test_an_untried_question_gives_nothing_away(prediction):
    answer = answer_of(prediction)
    output = predict(prediction.key, None)
    assert output.verdict == "untried"
    assert "<details" not in output._repr_html_()
    for text in (repr(output), visible(output)):
        said = text.replace(prediction.asks, "")
        if not prediction.choices and not isinstance(answer, bool):
            assert not tells(said, answer)
        for secret in (prediction.right, prediction.nudge, prediction.shows, *(trap.says for trap in prediction.traps)):
            assert filled(secret, answer, answer) not in text


@predictions
def test_a_question_shows_the_number_that_is_its_answer_only_on_purpose(prediction):
    answer = answer_of(prediction)
    if prediction.choices or isinstance(answer, bool):
        pytest.skip("the answer is one of the choices that are shown")
    assert tells(prediction.asks, answer) == prediction.answer_in_question


@predictions
def test_the_right_answer_is_right(prediction):
    answer = answer_of(prediction)
    output = predict(prediction.key, answer)
    assert output.verdict == "right"
    assert repr(output).startswith(f"✓ {filled(prediction.right, answer, answer)}\n")
    assert tells(prediction.right.replace("{answer}", say(answer)), answer) or isinstance(answer, str | bool)


@predictions
def test_the_answer_and_every_trap_differ(prediction):
    answers = [plain(prediction.answer()), *(plain(trap.guess()) for trap in prediction.traps)]
    for one, other in combinations(answers, 2):
        assert not equal(one, other, tolerance=prediction.tolerance, exact_types=False)


@traps
def test_a_trap_is_recognised_by_its_own_words_and_hides_the_answer(prediction, n):
    trap, answer = prediction.traps[n], answer_of(prediction)
    guess = trap.guess()
    output = predict(prediction.key, guess)
    assert output.verdict == "wrong"
    given = tuple(plain(guess)) if isinstance(plain(guess), list) else plain(guess)
    assert repr(output).startswith(f"✗ {filled(trap.says, given, answer)} Try again.\n")
    if not isinstance(answer, str | bool):
        assert not tells(visible(output).split("Chapter")[0], answer)


@predictions
def test_every_question_names_beliefs_and_explains_itself(prediction):
    assert len(prediction.traps) >= (1 if prediction.choices or isinstance(answer_of(prediction), bool) else 2)
    assert prediction.asks.endswith("?")
    assert len(prediction.asks) <= 200
    assert prediction.shows.strip()
    if isinstance(answer_of(prediction), tuple):
        assert prediction.form


@builds
def test_the_untried_stub_is_untried(build):
    output = check(build.key, stub)
    assert output.verdict == "untried"
    assert build.task in repr(output)


@builds
def test_the_solution_passes_its_own_check(build):
    output = check(build.key, build.solution)
    assert output.verdict == "right", repr(output)
    assert build.right in repr(output)


@builds
def test_the_cases_are_the_same_every_time_and_none_of_them_fails(build):
    assert plain(cases_of(build)) == plain(cases_of(build))
    truth = build.truth or build.solution
    assert [run(truth, arguments).kind for arguments in cases_of(build)] == ["value"] * len(cases_of(build))


@builds
def test_hints_wrong_functions_and_a_short_solution_are_there(build):
    assert len(build.hints) == len(set(build.hints)) == 3
    assert len(build.wrong) >= 3
    assert len(inspect.getsource(build.solution).rstrip().splitlines()) <= 10
    assert build.solution.__name__ == build.name
    assert tuple(inspect.signature(build.solution).parameters) == build.parameters
    assert build.why.strip()
    assert build.right.strip()


@builds
def test_the_solution_is_in_its_fold_and_nowhere_else(build):
    last_line = inspect.getsource(build.solution).strip().splitlines()[-1].strip()
    output = check(build.key, stub)
    assert last_line not in repr(output)
    assert last_line not in visible(output)
    assert last_line in repr(check(build.key, stub, hint="solution"))


@wrongs
def test_a_named_wrong_function_is_refused_with_its_own_words(build, n):
    output = check(build.key, build.wrong[n].does)
    assert output.verdict == "wrong"
    assert repr(output).startswith(f"✗ {build.wrong[n].says}\n")


def texts_of(exercise):
    if isinstance(exercise, Build):
        return [exercise.task, exercise.right, exercise.why, *exercise.hints, *(wrong.says for wrong in exercise.wrong)]
    answer = answer_of(exercise)
    traps = [filled(trap.says, plain(trap.guess()), answer) for trap in exercise.traps]
    return [
        exercise.asks,
        exercise.nudge,
        filled(exercise.right, None, answer),
        filled(exercise.shows, None, answer),
        *traps,
    ]


SUM = re.compile(r"(?<![\w.])(\d[\d,]*) = ((?:[\d(][\d,]*|[·+\-−×()]|\s)*[\d)])(?![\w/%])")


def sums_in(text):
    """Pairs (left, right) of every written sum such as `8 = 1·5 + 3`."""
    for left, right in SUM.findall(text):
        expression = right.replace("·", "*").replace("×", "*").replace("−", "-").replace(",", "")
        tree = ast.parse(expression.strip(), mode="eval")
        yield int(left.replace(",", "")), eval(compile(tree, "sum", "eval"), {"__builtins__": {}})


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.key)
def test_sums_written_in_texts_are_true(exercise):
    for text in texts_of(exercise):
        for left, right in sums_in(text):
            assert left == right, text


def test_the_sum_reader_reads_sums():
    assert list(sums_in("`8 = 1·5 + 3.` and 1,607,680 = 785·2,048; 20 = (2 + 1·3)·4. i = 3")) == [
        (8, 8),
        (1_607_680, 1_607_680),
        (20, 20),
    ]
    assert list(sums_in("8 = 1·5 + 4.")) == [(8, 9)]
