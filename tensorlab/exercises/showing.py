"""Show an error as part of a page: the cell fails only if nothing is refused."""

from dataclasses import dataclass

from tensorlab.errors import ArgumentError


@dataclass(frozen=True, repr=False)
class Refusal:
    """An error that was expected, shown as Python would print its last lines.

    Parameters
    ----------
    error : Exception
        What was raised.

    Examples
    --------
    >>> Refusal(IndexError("no row 3"))
    IndexError: no row 3
    """

    error: Exception

    def __repr__(self):
        return f"{type(self.error).__name__}: {self.error}"


def show_error(function):
    """Run something that must be refused, and show the refusal.

    Parameters
    ----------
    function : callable of no arguments
        What should fail, such as ``lambda: matrix.at(0, 5)``.

    Returns
    -------
    Refusal
        Shown as ``BoundsError: ...``; its `error` is the exception itself.

    Raises
    ------
    ArgumentError
        If nothing was raised: a page that shows an error must fail when there is none.

    Examples
    --------
    >>> show_error(lambda: [10, 11][2])
    IndexError: list index out of range
    >>> show_error(lambda: [10, 11][1])
    Traceback (most recent call last):
    tensorlab.errors.ArgumentError: show_error: nothing was refused
      expected: an error
      got:      11
    """
    try:
        value = function()
    except Exception as error:
        return Refusal(error)
    raise ArgumentError("show_error", "nothing was refused", expected="an error", got=repr(value))
