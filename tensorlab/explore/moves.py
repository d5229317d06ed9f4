"""The moves of the stride explorer: each is a line of code that leads from one layout over a buffer to another."""

import ast
from dataclasses import dataclass, replace

from tensorlab import views
from tensorlab.errors import ArgumentError, BoundsError, ShapeError, TensorlabError
from tensorlab.figures.mapping import signed
from tensorlab.layout import Layout, as_integer

MOST_AXES = 6
MOST_CELLS = 65_536
MOST_SLOTS = 4_096
LARGEST = 10**9

VERBS = {
    "narrow": views.narrow,
    "step": views.step,
    "flip": views.flip,
    "permute": views.permute,
    "transpose": views.transpose,
    "diagonal": views.diagonal,
    "windows": views.windows,
    "squeeze": views.squeeze,
    "unsqueeze": views.unsqueeze,
    "broadcast_to": views.broadcast_to,
    "reshape": views.reshape,
}


@dataclass(frozen=True)
class State:
    """A layout over a buffer, after some moves.

    Parameters
    ----------
    layout : Layout
    buffer : tuple of int
        What each slot holds.
    """

    layout: Layout
    buffer: tuple[int, ...]

    @property
    def outside(self):
        """The first index that leaves the buffer and where it would land, or None.

        Examples
        --------
        >>> State(Layout(3, -1, 1), (0, 1)).outside
        ((2,), -1)
        """
        return self.layout.first_outside(len(self.buffer))


def follow(state, code):
    """Make one move, written as code.

    Parameters
    ----------
    state : State
    code : str
        A view of ``x`` (``".flip(0)"``, ``"[:, 1]"``), a copy (``".contiguous()"``), a number set by hand
        (``"strides[0] = 5"``, ``"offset = 3"``, ``"length = 16"``), or a whole ``"Layout((2, 3), (3, 1), 0)"``.

    Returns
    -------
    State

    Raises
    ------
    ArgumentError
        If the code is none of these.
    TensorlabError
        If the move cannot be made.

    Examples
    --------
    >>> follow(State(Layout.row_major((3, 4)), tuple(range(12))), ".flip(1)").layout
    Layout(shape=(3, 4), strides=(4, -1), offset=3)
    """
    move = _parsed(code)
    match move:
        case ast.Assign(targets=[ast.Name(id="offset")], value=value):
            after = replace(state, layout=replace(state.layout, offset=_literal(code, value)))
        case ast.Assign(targets=[ast.Name(id="length")], value=value):
            after = replace(state, buffer=resized(state.buffer, as_integer("length", "length", _literal(code, value))))
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id="shape" | "strides" as name), slice=axis)], value=value
        ):
            axis = views.as_axis(name, _literal(code, axis), state.layout.shape)
            numbers = list(getattr(state.layout, name))
            numbers[axis] = _literal(code, value)
            after = replace(state, layout=replace(state.layout, **{name: numbers}))
        case ast.Expr(value=ast.Call(func=ast.Name(id="Layout"), args=numbers, keywords=[])) if len(numbers) == 3:
            after = replace(state, layout=Layout(*(_literal(code, one) for one in numbers)))
        case ast.Expr(value=ast.Subscript(value=ast.Name(id="x"), slice=key)):
            after = replace(state, layout=views.index(state.layout, _key(code, key)))
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id="x"), attr="contiguous"), args=[], keywords=[])
        ):
            after = _copied(state)
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id="x"), attr=verb), args=numbers, keywords=[])
        ) if verb in VERBS and len(numbers) < 5:
            given = [_literal(code, one) for one in numbers]
            try:
                after = replace(state, layout=VERBS[verb](state.layout, *given))
            except TypeError as error:
                if isinstance(error, TensorlabError):
                    raise
                raise _not_a_move(code) from error
        case _:
            raise _not_a_move(code)
    return small_enough(after)


def _parsed(code):
    try:
        lines = ast.parse(f"x{code}" if code[:1] in (".", "[") else code).body
    except (SyntaxError, ValueError):
        lines = []
    if len(lines) != 1:
        raise _not_a_move(code)
    return lines[0]


def _literal(code, node):
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise _not_a_move(code) from None


def _key(code, node):
    """What stands in the brackets, as `views.index` takes it."""
    if isinstance(node, ast.Tuple):
        return tuple(_key(code, item) for item in node.elts)
    if isinstance(node, ast.Slice):
        return slice(*(part and _literal(code, part) for part in (node.lower, node.upper, node.step)))
    return _literal(code, node)


def _not_a_move(code):
    return ArgumentError(
        "StrideExplorer",
        f"{code!r} is no move",
        expected="a view such as .flip(0) or [:, 1], a number such as strides[0] = 5, or .contiguous()",
        got=code,
    )


def _copied(state):
    """Read every cell in logical order into a buffer of its own."""
    if state.outside:
        index, position = state.outside
        raise BoundsError(
            "contiguous",
            f"{bracket(index)} is slot {signed(position)}: there is nothing to copy",
            expected=f"positions from 0 to {len(state.buffer) - 1}",
            got=f"position {position}",
        )
    return State(Layout.row_major(state.layout.shape), tuple(state.buffer[p] for p in state.layout.positions()))


def resized(buffer, length):
    """Give a buffer fewer slots, or more that go on counting.

    Examples
    --------
    >>> resized((0, 4, 8), 5), resized((0, 4, 8), 2)
    ((0, 4, 8, 9, 10), (0, 4))
    """
    if not 0 <= length <= MOST_SLOTS:
        raise ShapeError(
            "length",
            f"a buffer of {length} slots cannot be shown",
            expected=f"0 to {MOST_SLOTS:,} slots",
            got=str(length),
        )
    following = max(buffer, default=-1) + 1
    return (*buffer[:length], *range(following, following + length - len(buffer)))


def small_enough(state):
    """Give a state back if the panel can show it, else raise.

    Examples
    --------
    >>> small_enough(State(Layout(3, 10**10), (0,)))
    Traceback (most recent call last):
        ...
    tensorlab.errors.ShapeError: StrideExplorer: a number has more than nine digits
      expected: numbers up to 1,000,000,000
      got:      strides (10000000000,), offset 0
    """
    layout = state.layout
    if layout.ndim > MOST_AXES or layout.size > MOST_CELLS:
        raise ShapeError(
            "StrideExplorer",
            f"{layout.shape} is more than the panel can show",
            expected=f"at most {MOST_AXES} axes and {MOST_CELLS:,} cells",
            got=f"{layout.ndim} axes, {layout.size:,} cells",
        )
    if any(abs(number) > LARGEST for number in (*layout.shape, *layout.strides, layout.offset)):
        raise ShapeError(
            "StrideExplorer",
            "a number has more than nine digits",
            expected=f"numbers up to {LARGEST:,}",
            got=f"strides {layout.strides}, offset {layout.offset}",
        )
    return state


def bracket(index):
    """An index as it is written.

    Examples
    --------
    >>> bracket((2, 1))
    '[2, 1]'
    """
    return f"[{', '.join(map(str, index))}]"


def uneven_jumps(layout, shape):
    """Find why a reshape needs a copy: two steps along one new axis that would jump by different amounts.

    Parameters
    ----------
    layout : Layout
    shape : tuple of int
        With as many elements as the layout.

    Returns
    -------
    (axis, (start, end), (start, end)) or None
        The new axis, and two steps along it, as numbers of cells in logical order; None if one stride per axis does.

    Examples
    --------
    >>> uneven_jumps(Layout((4, 4), (1, 4)), (16,))
    (0, (0, 1), (3, 4))
    """
    positions, inner = list(layout.positions()), 1
    for axis in reversed(range(len(shape))):
        first = None
        for here in range(len(positions) - inner):
            if here // inner % shape[axis] == shape[axis] - 1:
                continue
            step = here, here + inner
            first = first or step
            if jump(positions, step) != jump(positions, first):
                return axis, first, step
        inner *= shape[axis]
    return None


def jump(positions, step):
    """How far one step of a walk moves.

    Examples
    --------
    >>> jump([0, 4, 1], (1, 2))
    -3
    """
    return positions[step[1]] - positions[step[0]]


def _repeat(layout, chosen):
    shape, axis, times = list(layout.shape), chosen["axis"], chosen["by"]
    if axis < len(shape) and shape[axis] == 1:
        shape[axis] = times
    else:
        shape.insert(0, times)
    return f".broadcast_to({tuple(shape)})"


def _pair(chosen):
    return ", ".join(map(str, sorted((chosen["axis"], chosen["other"]))))


def _into(chosen):
    lengths = chosen["into"].replace("−", "-").strip("() ,")
    return f".reshape(({lengths}))" if "," in lengths else f".reshape({lengths})"


MOVES = {
    "swap": ("swap axes", lambda layout, chosen: f".transpose({_pair(chosen)})"),
    "reverse": ("reverse", lambda layout, chosen: f".flip({chosen['axis']})"),
    "range": ("keep a range", lambda layout, chosen: f".narrow({chosen['axis']}, {chosen['at']}, {chosen['by']})"),
    "step": ("step", lambda layout, chosen: f".step({chosen['axis']}, {chosen['by']})"),
    "diagonal": ("diagonal", lambda layout, chosen: f".diagonal({_pair(chosen)})"),
    "repeat": ("repeat", _repeat),
    "windows": ("windows", lambda layout, chosen: f".windows({chosen['axis']}, {chosen['by']})"),
    "add": ("add an axis", lambda layout, chosen: f".unsqueeze({chosen['axis']})"),
    "pick": ("pick one", lambda layout, chosen: f"[{':, ' * chosen['axis']}{chosen['at']}]"),
    "copy": ("copy", lambda layout, chosen: ".contiguous()"),
    "reshape": ("reshape", lambda layout, chosen: _into(chosen)),
}
"""Every move that the panel offers: its word, and how it is written with the present choices."""
