"""The errors a reader can cause, and the one place that words them.

Every error reads the same way: a first line `operation: what is wrong, with the numbers`, then only the lines that
carry something: `expected`, `got`, `why` (a rule the reader may not know) and `fix` (code, where code does it).
Each type is also a Python builtin, so `except IndexError` catches what a Python programmer expects it to catch.
"""

FIELDS = ("expected", "got", "why", "fix")
LONGEST = 400  # characters of one line; whole lists of numbers would hide what is wrong with them


def words(operation, problem, expected=None, got=None, why=None, fix=None):
    """Word an error message: one line of facts, then the aligned lines that carry something.

    Examples
    --------
    >>> print(words("position", "axis 1 has no index 5", expected="0 <= index < 3", got="(0, 5)"))
    position: axis 1 has no index 5
      expected: 0 <= index < 3
      got:      (0, 5)
    """
    lines = [f"{operation}: {_one_line(problem)}"]
    for name, value in zip(FIELDS, (expected, _one_line(got), why, fix), strict=True):
        if value is not None:
            lines.append(f"  {name + ':':<10}{value}")
    return "\n".join(lines)


def _one_line(text):
    """Join the lines of an array's repr, and cut what nobody reads to its end."""
    if text is None:
        return None
    text = " ".join(line.strip() for line in str(text).splitlines()) if "\n" in str(text) else str(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 60]} … {text[-50:]}"


class TensorlabError(Exception):
    """The base of every error of this package; its parts are kept as attributes.

    Parameters
    ----------
    operation : str
        What was asked for, such as ``"reshape"``.
    problem : str
        What is wrong, with the numbers, in one line.
    expected, got, why, fix : str, optional
        The lines below it. `fix` is code wherever code does it.

    Examples
    --------
    >>> error = BoundsError("row", "row 3 does not exist", expected="0 <= row < 3", got="3")
    >>> isinstance(error, IndexError), error.got
    (True, '3')
    """

    def __init__(self, operation, problem, *, expected=None, got=None, why=None, fix=None):
        super().__init__(operation, problem, expected, got, why, fix)
        self.operation = operation
        self.problem = problem
        self.expected = expected
        self.got = got
        self.why = why
        self.fix = fix

    def __str__(self):
        return words(*self.args)

    def __reduce__(self):
        return _rebuild, (type(self), self.args)


def _rebuild(kind, args):
    operation, problem, expected, got, why, fix = args
    return kind(operation, problem, expected=expected, got=got, why=why, fix=fix)


class ShapeError(TensorlabError, ValueError):
    """Two shapes, or a shape and a count, do not fit together."""


class LayoutError(TensorlabError, ValueError):
    """The strides forbid what was asked, whatever the counts say."""


class BoundsError(TensorlabError, IndexError):
    """An index, a position or a range lies outside what exists."""


class AxisError(TensorlabError, ValueError, IndexError):
    """An axis does not exist, or is named twice."""


class DTypeError(TensorlabError, TypeError):
    """An element type cannot be held, mixed or converted as asked."""


class ArgumentError(TensorlabError, TypeError):
    """An argument is not the kind of thing the operation takes."""


class ReadOnlyError(TensorlabError, ValueError):
    """A write was refused: the memory is read-only, or two indices share one position."""


class CheckpointError(TensorlabError, ValueError):
    """A checkpoint file is not what its format demands."""


class CheckpointNameError(CheckpointError, KeyError):
    """A checkpoint holds no tensor of this name."""

    __str__ = TensorlabError.__str__


class DataError(TensorlabError, OSError):
    """A course file could not be made, fetched or kept."""

    __str__ = TensorlabError.__str__
