"""Run a function that nobody has checked yet, and report what it did. Nothing it does gets out."""

import contextlib
import copy
import inspect
import io
import linecache
import sys
from dataclasses import dataclass

from tensorlab.exercises.values import Opaque, equal, plain, show

STEPS = 1_000_000  # lines of Python after which a call counts as endless
PRINTED = 2_000  # characters of its printing that are kept


@dataclass(frozen=True)
class Outcome:
    """What one call did.

    `kind` is "value", "error" or "endless"; `value` is plain; `error` is the exception's type and message; `line` is
    the number and text of the last line of the function's own file; `changed` is the place of an argument it wrote to,
    and what that holds now; `steps` counts the events that were traced.
    """

    kind: str
    value: object = None
    error_type: str = ""
    error: str = ""
    line: tuple[int, str] | None = None
    printed: str = ""
    changed: tuple[int, object] | None = None
    steps: int = 0


class _Endless(BaseException):
    """Raised inside a function that has run for too long.

    Python ends all tracing when a trace function raises, so a loop around a bare `except:` would run on unwatched. An
    error that was swallowed is soon destroyed, and that is the moment to watch again.
    """

    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def __del__(self):
        self.limit.watch_again(sys._getframe(1))


class _Printed(io.TextIOBase):
    """Keeps the first characters written to it."""

    def __init__(self):
        self.text = ""

    def writable(self):
        return True

    def write(self, text):
        self.text += text[: max(0, PRINTED - len(self.text))]
        return len(text)


class _StepLimit:
    """Counts traced events and raises `_Endless` past a limit; stands aside while a debugger is tracing."""

    def __init__(self, limit):
        self.limit = limit
        self.used = 0
        self.is_on = sys.gettrace() is None

    def __enter__(self):
        if self.is_on:
            sys.settrace(self.watch)

    def __exit__(self, *error):
        if self.is_on:
            self.is_on = False
            sys.settrace(None)

    def watch(self, frame, event, argument):
        self.used += 1
        if self.used > self.limit:
            raise _Endless(self)
        return self.watch

    def watch_again(self, frame):
        """Go on after an `_Endless` was swallowed in `frame`: trace it, and what called it, up to `run`."""
        if self.is_on:
            while frame is not None and frame.f_code is not run.__code__:
                frame.f_trace = self.watch
                frame = frame.f_back
            sys.settrace(self.watch)


def run(function, arguments, *, steps=STEPS):
    """Call `function` with copies of `arguments` and report the `Outcome`. Only KeyboardInterrupt gets out.

    Examples
    --------
    >>> run(lambda x: x + 1, (1,)).value
    2
    >>> run(lambda x: x / 0, (1,)).error
    'ZeroDivisionError: division by zero'
    """
    given = copy.deepcopy(arguments)
    before = plain(given)
    printed, limit = _Printed(), _StepLimit(steps)
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), limit:
            value = _plain_or_opaque(function(*given))
            after = _plain_or_opaque(given)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Outcome(
            "endless" if isinstance(error, _Endless) else "error",
            error_type=type(error).__name__,
            error=_words(error),
            line=_failing_line(function, error),
            printed=printed.text,
            steps=limit.used,
        )
    if isinstance(after, Opaque):
        after = [after] * len(before)
    changed = next(((n, after[n]) for n, item in enumerate(before) if not equal(after[n], item)), None)
    return Outcome("value", value=value, printed=printed.text, changed=changed, steps=limit.used)


def _plain_or_opaque(value):
    """Make a value plain; a list that holds itself would never become so."""
    try:
        return plain(value)
    except RecursionError:
        return Opaque("something that holds itself")


def _words(error):
    """Word an exception in one line: type, then message."""
    kind = type(error).__name__
    try:
        message = " ".join(str(error).split())
    except KeyboardInterrupt:
        raise
    except BaseException:
        message = ""
    if len(message) > 200:
        message = message[:200] + "…"
    return f"{kind}: {message}" if message else kind


def _failing_line(function, error):
    """Find the last line of the function's own file in a traceback: its number and text, never a path.

    A `def` line that was entered but not passed tells less than the line that called it.
    """
    code = code_of(function)
    found = None
    step = error.__traceback__
    while step is not None and code is not None:
        frame = step.tb_frame.f_code
        if frame.co_filename == code.co_filename and (found is None or step.tb_lineno != frame.co_firstlineno):
            found = step.tb_lineno
        step = step.tb_next
    if found is None:
        return None
    return found, linecache.getline(code.co_filename, found).strip()


def code_of(function):
    """Find the code object behind a function, a method, a partial or a callable object; None for anything else."""
    try:
        function = inspect.unwrap(getattr(function, "func", function))
        if not hasattr(function, "__code__"):
            function = type(function).__call__
        return function.__code__ if inspect.iscode(function.__code__) else None
    except KeyboardInterrupt:
        raise
    except BaseException:
        return None


def misfit(function, count):
    """Show a function's parameters where it cannot take `count` arguments; None where it can, or where nobody knows.

    Examples
    --------
    >>> misfit(lambda i, j: i, 4)
    '(i, j)'
    >>> misfit(lambda *args: 0, 4)
    """
    try:
        signature = inspect.signature(function)
        text = str(signature)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return None
    try:
        signature.bind(*range(count))
    except TypeError:
        return show(Opaque(text))
    return None
