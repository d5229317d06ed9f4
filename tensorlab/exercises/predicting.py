"""Ask before showing: a question, one guess, and what that guess believes."""

from tensorlab.exercises import progress
from tensorlab.exercises.catalogue import chapter_line, find
from tensorlab.exercises.model import Prediction
from tensorlab.exercises.render import Fold, Output
from tensorlab.exercises.values import Opaque, article, equal, plain, say, show


def predict(key, guess, *, reveal=False):
    """Answer a question before looking, and hear what the answer believes.

    Parameters
    ----------
    key : str
        The question, such as ``"01.slot"``.
    guess : int, float, bool, str, tuple or None
        Your answer; None asks the question. The first real guess is kept.
    reveal : bool
        In a terminal: also print the explanation, once you have tried. In a notebook it is the fold "Show me".

    Returns
    -------
    Output
        Shown by a notebook, printed by a terminal. A guess never raises, whatever it is.

    Raises
    ------
    ArgumentError
        If no question has this key; the message names the keys near it.

    Examples
    --------
    >>> predict("01.slot", None).verdict
    'untried'
    """
    prediction = find("predict", key, Prediction)
    given = _tidy(guess)
    if given is None or given is Ellipsis:
        return _ask(prediction, reveal)
    answer = _tidy(prediction.answer())
    trouble = misfit(given, answer, prediction)
    if trouble:
        return _output(prediction, progress.load(), "unclear", f"{trouble} This did not count as a guess.")
    is_right = agrees(prediction, given, answer)
    state = progress.record(key, solved=is_right, first=show(given))
    first = state.first(key)
    if is_right:
        says = prediction.right
    else:
        traps = (trap for trap in prediction.traps if agrees(prediction, given, _tidy(trap.guess())))
        trap = next(traps, None)
        says = f"{trap.says} Try again." if trap else f"Not {{guess}}. {prediction.nudge}"
    fold = Fold("Show me", _filled(prediction.shows, given, answer), is_open=reveal)
    return _output(
        prediction,
        state,
        "right" if is_right else "wrong",
        _filled(says, given, answer),
        folds=(fold,),
        more=f'Show me: predict("{key}", {show(given)}, reveal=True)',
        quiet=(f"Your first guess: {first}",) if is_right and first not in (show(given), show(answer), None) else (),
    )


def agrees(prediction, given, answer):
    """Say whether a tidy guess is this answer: 8.0 is 8, and a float may be off by the tolerance."""
    return equal(given, answer, tolerance=prediction.tolerance, exact_types=False)


def misfit(given, answer, prediction):
    """Say kindly why a guess cannot be an answer of this kind; None where it can."""
    if isinstance(answer, tuple):
        if not isinstance(given, tuple):
            return f"{_kind(given)} cannot be it: {_wanted(answer, prediction)}."
        if len(given) != len(answer):
            return f"Yours has {len(given)} values: {_wanted(answer, prediction)}."
        troubles = (misfit(part, whole, prediction) for part, whole in zip(given, answer, strict=True))
        return next(filter(None, troubles), None)
    if isinstance(answer, bool | str):
        fits = type(given) is type(answer) and (not prediction.choices or given in _lower(prediction.choices))
    else:
        fits = type(given) in (int, float)
    if fits:
        return None
    if isinstance(given, str) and not isinstance(answer, str):
        return f"Leave out the quotes: {_wanted(answer, prediction)}."
    return f"{_kind(given)} cannot be it: {_wanted(answer, prediction)}."


def _ask(prediction, reveal):
    state = progress.load()
    quiet = []
    if state.solved(prediction.key):
        quiet.append("You have solved this before.")
    elif state.first(prediction.key) is not None:
        quiet.append(f"Your first guess, {state.first(prediction.key)}, is kept.")
    if reveal:
        quiet.append("The explanation comes after your first guess.")
    says = f"{prediction.asks} Replace None{_with(prediction)}, press Shift+Enter."
    return _output(prediction, state, "untried", says, quiet=tuple(quiet))


def _output(prediction, state, verdict, says, *, folds=(), more="", quiet=()):
    notice = (state.notice,) if state.notice else ()
    line = chapter_line(prediction.chapter, state)
    return Output(verdict, says, folds=folds, more=more, quiet=(*quiet, *notice, line))


def _filled(text, given, answer):
    return text.replace("{guess}", say(given)).replace("{answer}", say(answer))


def _with(prediction):
    """Say what None is replaced with, where that is no secret."""
    if prediction.choices:
        return " with " + _either(prediction.choices)
    if isinstance(prediction.answer(), bool):
        return " with True or False"
    return f" with {prediction.form}" if prediction.form else ""


def _wanted(answer, prediction):
    if isinstance(answer, tuple):
        written = f", written {prediction.form}" if prediction.form else ", in parentheses"
        return f"the answer has {len(answer)} values{written}"
    if isinstance(answer, bool):
        return "the answer is True or False"
    if isinstance(answer, str):
        return f"the answer is {_either(prediction.choices)}" if prediction.choices else "the answer is text in quotes"
    return "the answer is a whole number" if isinstance(answer, int) else "the answer is a number"


def _either(choices):
    quoted = [f'"{choice}"' for choice in choices]
    return " or ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


def _lower(choices):
    return [_tidy(choice) for choice in choices]


def _kind(given):
    if isinstance(given, tuple):
        return f"A sequence of {len(given)}"
    if isinstance(given, str | bool | int | float | Opaque):
        return show(given)
    return article(type(given).__name__).capitalize()


def _tidy(value):
    """Make a guess or an answer plain: sequences are tuples, words are lower case with single spaces."""
    try:
        return _canonical(plain(value))
    except KeyboardInterrupt:
        raise
    except BaseException:
        return Opaque(article(type(value).__name__))


def _canonical(value):
    if isinstance(value, list | tuple):
        return tuple(_canonical(item) for item in value)
    return " ".join(value.lower().split()) if isinstance(value, str) else value
