"""The broadcast explorer: change two shapes, and see how Python pairs them and who reads which slot."""

from tensorlab.errors import ArgumentError, BoundsError, ShapeError, TensorlabError
from tensorlab.explore.panel import Checked, Panel, page
from tensorlab.figures.broadcast import OPERATIONS, broadcast, facts
from tensorlab.figures.shell import read_script
from tensorlab.layout import Layout, as_integers, as_shape
from tensorlab.views import broadcast_shapes

MOST_AXES = 4
LONGEST = 999


def _shape(name):
    def read(value):
        shape = as_shape(name, value)
        if len(shape) > MOST_AXES:
            raise ShapeError(
                name, f"{len(shape)} axes are too many here", expected=f"{MOST_AXES} at most", got=str(shape)
            )
        for axis, n in enumerate(shape):
            if n > LONGEST:
                raise ShapeError(
                    name, f"axis {axis} of length {n} is too long here", expected=f"{LONGEST} at most", got=str(shape)
                )
        return shape

    return read


def _operation(value):
    if value not in OPERATIONS:
        raise ArgumentError(
            "operation", f"there is no {value!r}", expected=f"one of {' '.join(OPERATIONS)}", got=repr(value)
        )
    return value


def _index(value):
    return None if value is None else as_integers("select", "index", value)


class BroadcastExplorer(Panel):
    """Explore how two shapes are paired: steppers for every length, axes to add and remove, a cursor on the result.

    Parameters
    ----------
    a, b : int or sequence of int
        The two shapes. They need not fit: the panel points at the axes that differ.
    operation : str
        What joins them, one of `tensorlab.figures.broadcast.OPERATIONS`.
    select : sequence of int, optional
        The selected cell of the result. None: one that makes the point.

    Notes
    -----
    Every parameter is a trait: set it, and the panel follows; change the panel, and the trait follows. `result` is the
    shape of the result. What is wrong shows inside the panel, in `error` and in the log.

    Examples
    --------
    >>> panel = BroadcastExplorer(a=(3,), b=(4, 1))
    >>> panel.result
    (4, 3)
    >>> panel.a = (3, 2)
    >>> panel.result is None
    True
    >>> panel.picture["figure"]["why"]
    'axis −2: 3 against 4. Neither is 1, so neither can be repeated.'
    >>> panel.select = (9, 9)
    >>> panel.error
    'select: there is no result to select a cell of (expected shapes that fit)'
    """

    _esm = page("broadcast.js", read_script("broadcast.js"), "scene, OWN")

    a = Checked((4,), _shape("a"))
    b = Checked((4, 1), _shape("b"))
    operation = Checked("-", _operation)
    select = Checked(None, _index)

    def __init__(self, a=(4,), b=(4, 1), *, operation="-", select=None):
        super().__init__({"a": a, "b": b, "operation": operation, "select": select})

    @property
    def result(self):
        """The shape of the result; None if the shapes do not fit.

        Examples
        --------
        >>> BroadcastExplorer(a=(2, 1), b=(3,)).result
        (2, 3)
        """
        try:
            return broadcast_shapes(self.a, self.b)
        except ShapeError:
            return None

    def changed(self, name):
        """Let go of a selection that names no cell of the result, and paint anew."""
        problem = self._unselectable()
        if problem is None:
            self.refresh()
            return
        self.select = None
        if name == "select":
            self.refuse(problem)

    def _unselectable(self):
        if self.select is None:
            return None
        if self.result is None:
            return ShapeError("select", "there is no result to select a cell of", expected="shapes that fit")
        try:
            Layout.row_major(self.result).position(self.select)
        except TensorlabError as error:
            return BoundsError("select", error.problem, expected=error.expected)
        return None

    def compute(self):
        """Everything that the page paints."""
        return {
            "figure": facts([self.a, self.b], operation=self.operation, select=self.select),
            "shapes": [list(self.a), list(self.b)],
            "operation": self.operation,
            "most": MOST_AXES,
        }

    def still(self):
        """The broadcasting figure of what is shown.

        Examples
        --------
        >>> print(repr(BroadcastExplorer(a=(2,), b=(3,)).still()).splitlines()[0])
        (2,) − (3,) → no result
        """
        return broadcast(self.a, self.b, operation=self.operation, select=self.select)

    def obey(self, name, *values):
        """Do what the page asks: set a shape, the operation or the selection."""
        if name not in ("a", "b", "operation", "select"):
            raise ArgumentError("BroadcastExplorer", f"the page asked for {name!r}", expected="a command", got=name)
        setattr(self, name, *values)
