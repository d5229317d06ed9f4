"""Try out a function the reader wrote, and name the belief behind what it does."""

import inspect
import random
import textwrap

from tensorlab.errors import ArgumentError
from tensorlab.exercises import progress
from tensorlab.exercises.catalogue import chapter_line, find
from tensorlab.exercises.model import Build
from tensorlab.exercises.render import Fold, Output
from tensorlab.exercises.running import STEPS, misfit, run
from tensorlab.exercises.values import Opaque, article, equal, first_difference, show

HINTS = (1, 2, 3, "solution")


def check(key, function, *, hint=None):
    """Try out your function on many cases and say what the smallest failing one shows.

    Parameters
    ----------
    key : str
        The exercise, such as ``"01.flat_index"``.
    function : callable
        The function itself, without parentheses. Whatever it does, `check` does not raise.
    hint : 1, 2, 3 or "solution", optional
        In a terminal: also print this hint. In a notebook they are folds.

    Returns
    -------
    Output
        Shown by a notebook, printed by a terminal.

    Raises
    ------
    ArgumentError
        If no function exercise has this key, with the keys near it, or there is no such hint.

    Examples
    --------
    >>> def flat_index(i, j, rows, cols):
    ...     return ...
    >>> check("01.flat_index", flat_index).verdict
    'untried'
    """
    build = find("check", key, Build)
    if hint is not None and hint not in HINTS:
        raise ArgumentError("check", f"there is no hint {show(hint)}", expected='1, 2, 3 or "solution"')
    verdict, says, facts = judge(build, function)
    was_tried = verdict in ("right", "wrong")
    state = progress.record(key, solved=verdict == "right") if was_tried else progress.load()
    quiet = [state.notice] if state.notice else []
    if verdict == "untried" and state.solved(key):
        quiet.insert(0, "You have solved this before.")
    folds = _folds(build, hint)
    more = f'Hints: check("{key}", {build.name}, hint=1), then 2, 3, "solution".'
    if verdict == "right" and hint is None:
        folds = folds[-1:]
        more = f'Compare: check("{key}", {build.name}, hint="solution").'
    return Output(
        verdict,
        says,
        facts=facts,
        folds=folds,
        more=more,
        quiet=(*quiet, chapter_line(build.chapter, state)),
    )


def cases_of(build):
    """List the arguments to try: the given ones, then the drawn ones, the smallest first.

    The draw is seeded by the key, so everybody meets the same cases.
    """
    given = list(build.cases() if callable(build.cases) else build.cases)
    if build.draw is None:
        return given
    source = random.Random(build.key)
    drawn = [build.draw(source) for _ in range(build.draws)]
    return given + sorted(drawn, key=lambda arguments: len(repr(arguments)))


def judge(build, function):
    """Decide on a function: a verdict, the first line, and the facts below it."""
    if function is Ellipsis:
        return "untried", _task(build), ()
    if not callable(function):
        what = "None" if function is None else article(type(function).__name__).capitalize()
        says = f"{what} is not a function. Hand over the function itself, "
        return "unclear", f'{says}without parentheses: `check("{build.key}", {build.name})`.', ()
    parameters = misfit(function, len(build.parameters))
    if parameters:
        return "wrong", f"It is called as `{build.call}`, and yours takes `{parameters}`.", ()

    cases = cases_of(build)
    truth = build.truth or build.solution
    expected = [run(truth, arguments).value for arguments in cases]
    outcomes, spent = [], 0
    for arguments in cases:
        outcomes.append(run(function, arguments))
        spent += outcomes[-1].steps
        if spent > STEPS and not _is_right(build, outcomes[-1], expected[len(outcomes) - 1]):
            break
    if all(_is_stub(outcome) for outcome in outcomes):
        return "untried", _task(build), ()
    failing = [n for n, outcome in enumerate(outcomes) if not _is_right(build, outcome, expected[n])]
    if not failing:
        return "right", f"{len(cases)} of {len(cases)} cases agree. {build.right}", ()
    n = failing[0]
    return (
        "wrong",
        _explain(build, cases, expected, outcomes, failing),
        _facts(build, cases[n], expected[n], outcomes[n]),
    )


def _is_stub(outcome):
    value = outcome.value
    parts = value if isinstance(value, list | tuple) and value else [value]
    return all(part is Ellipsis for part in parts)


def _is_right(build, outcome, expected):
    is_clean = outcome.kind == "value" and outcome.changed is None
    return is_clean and equal(outcome.value, expected, tolerance=build.tolerance)


def _explain(build, cases, expected, outcomes, failing):
    """Say the most that is known about a failure: a named belief, else what went wrong, else how often."""
    outcome = outcomes[failing[0]]
    if outcome.kind == "endless":
        return f"`{build.name}` did not come to an end: it was stopped after {STEPS:,} steps."
    belief = recognise(build, cases, expected, outcomes)
    if belief:
        return belief.says
    if outcome.kind == "error":
        if outcome.error_type == "RecursionError":
            return f"`{build.name}` calls itself without end."
        return f"`{build.name}` stopped with an error."
    if _is_stub(outcome):
        return "This case still reaches `return ...`."
    if outcome.value is None and outcome.printed.strip():
        return "It prints, and returns None. Write `return` where it says `print`."
    if outcome.value is None:
        return "It returns None here: does every path end in `return`?"
    if outcome.changed is not None and equal(outcome.value, expected[failing[0]], tolerance=build.tolerance):
        return f"It writes to `{build.parameters[outcome.changed[0]]}`, which belongs to the caller. Only return."
    if isinstance(outcome.value, Opaque):
        return "It returns something that is no plain value."
    return f"{len(failing)} of {len(outcomes)} cases differ. The smallest:"


def recognise(build, cases, expected, outcomes):
    """Find the named wrong function that explains the outcomes, or None.

    It explains them if it gives the same as the reader's function in every case where it is wrong itself; of several,
    the one that is wrong most often.
    """
    best, most = None, 0
    for wrong in build.wrong:
        theirs = [run(wrong.does, arguments) for arguments in cases[: len(outcomes)]]
        where = [n for n, outcome in enumerate(theirs) if not _is_right(build, outcome, expected[n])]
        if len(where) > most and all(_same(outcomes[n], theirs[n], build.tolerance) for n in where):
            best, most = wrong, len(where)
    return best


def _same(outcome, other, tolerance):
    if outcome.kind != other.kind or outcome.error_type != other.error_type:
        return False
    return outcome.kind == "error" or equal(outcome.value, other.value, tolerance=tolerance)


def _facts(build, arguments, expected, outcome):
    """Show one case: the call, what came out, what should have, and the line that failed."""
    given = ", ".join(f"{name}={show(value)}" for name, value in zip(build.parameters, arguments, strict=True))
    facts = [("", f"{build.name}({given})")]
    if outcome.line:
        facts.append((f"line {outcome.line[0]}", outcome.line[1]))
    if outcome.kind == "error":
        facts.append(("error", outcome.error))
    if outcome.kind == "value":
        yours, right = show(outcome.value), show(expected)
        if type(outcome.value) is float and type(expected) is int:
            yours += "  (a float)"
        if outcome.changed:
            facts.append((f"{build.parameters[outcome.changed[0]]} after", show(outcome.changed[1])))
        facts.append(("yours", yours))
        facts.append(("expected", right))
        different = first_difference(outcome.value, expected, tolerance=build.tolerance)
        if different and len(right) > 24:
            place, one, other = different
            facts.append(("first at", f"{place}: {show(one)}, expected {show(other)}"))
    else:
        facts.append(("expected", show(expected)))
    printed = outcome.printed.strip()
    if printed:
        facts.append(("printed", show(Opaque(" ".join(printed.split())))))
    return tuple(facts)


def _task(build):
    return f"`{build.call}`: {build.task} Replace the `...`, press Shift+Enter."


def _folds(build, hint):
    hints = [Fold(f"Hint {n}", text, is_open=hint == n) for n, text in enumerate(build.hints, 1)]
    code = textwrap.dedent(inspect.getsource(build.solution)).rstrip()
    return (*hints, Fold("Solution, and why", build.why, code=code, is_open=hint == "solution"))
