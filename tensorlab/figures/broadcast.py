"""The broadcasting figure: shapes paired from the right, stride 0 where one is repeated, and who reads which slot.

`facts` works everything out with `views.broadcast_shapes` and `views.broadcast_to`. Two painters draw it: the still one
here and the live one in `broadcast.js`, which the explorer uses too. Both turn the same facts into the same list of
marks (a test compares the lists), and neither knows a rule of broadcasting.
"""

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from itertools import islice, product

import numpy as np

from tensorlab.dtypes import to_values
from tensorlab.errors import ArgumentError, ShapeError
from tensorlab.figures.mapping import axis_class, index_of, signed, term, value_texts
from tensorlab.figures.shell import PAD, WIDTH, Canvas, Figure, mono_width, number, read_script, wrap
from tensorlab.layout import Layout, as_shape
from tensorlab.matrix import Matrix
from tensorlab.tensor import Tensor, from_numpy, tensor
from tensorlab.views import broadcast_shapes, broadcast_to

OPERATIONS = {
    "+": ("+", np.add, "sum"),
    "-": ("−", np.subtract, "difference"),
    "*": ("×", np.multiply, "product"),
    "/": ("÷", np.true_divide, "quotient"),
    "==": ("==", np.equal, "comparison"),
    "!=": ("!=", np.not_equal, "comparison"),
    "<": ("<", np.less, "comparison"),
    "<=": ("<=", np.less_equal, "comparison"),
    ">": (">", np.greater, "comparison"),
    ">=": (">=", np.greater_equal, "comparison"),
}
"""What may join the operands: its sign, what computes it, and what one result is called."""

SHOWN = {"lead": (1, 2, 2), "row": 8, "column": 6}
"""How many planes (along the last three leading axes), rows and columns are shown; of longer axes five."""

WHOLE = 24
"""A buffer of at most this many slots is shown whole."""

MANY = 99


def broadcast(*operands, operation="+", select=None, title="", note="", names=None):
    """Draw how shapes are paired, what is repeated by stride 0, and which slot each cell of the result reads.

    Parameters
    ----------
    *operands : Tensor, Matrix, NumPy array, number or tuple of int
        At least one. A tuple is a shape: such an operand holds 10, 20, ..., 990, and again.
    operation : str
        What joins them, one of `OPERATIONS`. Comparisons take two operands.
    select : sequence of int, optional
        The cell of the result that is selected at first.
    title, note : str
        What stands above and below the figure.
    names : sequence of str, optional
        What the operands are called; otherwise a, b, c, ...

    Returns
    -------
    Figure
        Shapes that do not fit are drawn too: the figure points at the pair of axes that differs.

    Raises
    ------
    BoundsError
        If `select` is no index of the result.
    ArgumentError
        If an operand cannot be drawn, or the operation does not exist or does not take them.

    Examples
    --------
    >>> broadcast((3,), (2, 1), operation="-")
    (3,) − (2, 1) → (2, 3)
    <BLANKLINE>
                   axis −2  axis −1
    a (3,)              ·1       3   strides (0, 1)
    b (2, 1)             2   1 → 3   strides (1, 0)
    result (2, 3)        2       3
    <BLANKLINE>
    a        10 [20] 30
    b        10
            [20]
    result     0   10   20
             −10   [0]  10
    <BLANKLINE>
    a: position(1, 1) = 0 + 1×0 + 1×1 = 1
    b: position(1, 1) = 0 + 1×1 + 1×0 = 1
    [1, 1] reads a[1] = 20 in slot 1 and b[1, 0] = 20 in slot 1: 20 − 20 = 0.
    6 differences from 5 stored numbers. What is repeated is stored once and read with stride 0.
    >>> broadcast((3,), (4,))
    (3,) + (4,) → no result
    <BLANKLINE>
            axis −1
    a (3,)        3   strides (1,)
    b (4,)        4   strides (1,)
    result  3 against 4
    <BLANKLINE>
    a        10  20  30
    b        10  20  30  40
    <BLANKLINE>
    axis −1: 3 against 4. Neither is 1, so neither can be repeated. With a[:, None], of shape (3, 1), every pair fits.
    """
    data = facts(operands, operation=operation, select=select, title=title, note=note, names=names)
    state = start(data)
    marks, _, height = paint(data, WIDTH, state)
    canvas = Canvas(WIDTH, height)
    for kind, *mark in sorted(marks, key=layer):
        getattr(canvas, kind)(*mark)
    return Figure(
        "broadcast",
        data=data,
        still=canvas,
        alt=alt_text(data),
        text=text_drawing(data),
        script=read_script("broadcast.js"),
    )


# ---- facts -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Operand:
    """One operand: where its elements live, and what they are; a bare shape holds 10, 20, ..., 990, 10, ..."""

    name: str
    layout: Layout
    held: Tensor | None

    @property
    def length(self):
        return self.layout.size if self.held is None else len(self.held.buffer)

    def values(self, positions):
        if self.held is None:
            return np.array([10 * (position % 99 + 1) for position in positions], dtype=np.int64)
        return to_values(np.ascontiguousarray(self.held.buffer[list(positions)]), self.held.dtype)


def facts(operands, *, operation="+", select=None, title="", note="", names=None):
    """Work out everything that the figure shows.

    Parameters
    ----------
    operands : sequence
        As in `broadcast`; so are the other parameters.

    Returns
    -------
    dict
        Plain numbers, texts, lists and dicts, ready for JSON.

    Examples
    --------
    >>> data = facts([(3,), (2, 1)])
    >>> data["result"]["shape"], [operand["strides"] for operand in data["operands"]]
    ('(2, 3)', [['0', '1'], ['1', '0']])
    """
    sign, compute, noun = _operation(operation, len(operands))
    names = list(names) if names is not None else [_letter(k) for k in range(len(operands))]
    if len(names) != len(operands):
        raise ArgumentError(
            "broadcast", f"{len(operands)} operands, {len(names)} names", expected="one name each", got=str(names)
        )
    inputs = [_operand(name, given) for name, given in zip(names, operands, strict=True)]
    shapes = [operand.layout.shape for operand in inputs]
    ndim = max(map(len, shapes))
    columns = [_column(shapes, back) for back in range(ndim, 0, -1)]
    fits = all(column["fail"] is None for column in columns)
    target = tuple(column["length"] for column in columns)
    if fits:
        if select is not None:
            Layout.row_major(target).position(select)
        select = _telling(target) if select is None else tuple(select)
    elif select is not None:
        raise ShapeError(
            "broadcast", "there is no result to select a cell of", expected="shapes that fit", got=_why(columns)
        )
    window = _window(target, select)
    drawn = [_drawn(operand, target, columns, window if fits else None) for operand in inputs]
    shown = " ".join(f"{_shape(shape)} {sign}" for shape in shapes)[: -len(sign) - 1]
    return {
        "title": title,
        "note": note,
        "sign": sign,
        "noun": noun,
        "head": [shown, f"→ {_shape(target) if fits else 'no result'}"],
        "axes": [f"axis {signed(-back)}" for back in range(ndim, 0, -1)],
        "operands": drawn,
        "result": _result(inputs, drawn, target, window, compute) if fits else None,
        "columns": [[str(column["length"]), column["fail"], column["pair"]] for column in columns],
        "why": "" if fits else _why(columns) + _hint(names, shapes),
        "legend": _legend(inputs, target, noun, columns) if fits else "",
        "start": list(select) if fits and select is not None else None,
    }


def _operation(operation, count):
    if operation not in OPERATIONS:
        raise ArgumentError(
            "broadcast",
            f"no operation {operation!r}",
            expected=f"one of {' '.join(OPERATIONS)}",
            got=repr(operation),
        )
    if count < 1 or (count != 2 and OPERATIONS[operation][2] == "comparison"):
        wanted = "two operands" if count else "at least one operand"
        raise ArgumentError("broadcast", f"{operation} does not join {count} operands", expected=wanted, got=str(count))
    return OPERATIONS[operation]


def _letter(k):
    return chr(ord("a") + k) if k < 26 else f"x{k}"


def _operand(name, given):
    if isinstance(given, tuple):
        return _Operand(name, Layout.row_major(as_shape("broadcast", given)), None)
    if isinstance(given, Matrix):
        given = given.tensor()
    elif isinstance(given, np.ndarray):
        given = from_numpy(given)
    elif isinstance(given, (bool, int, float, np.generic)):
        given = tensor(given)
    if not isinstance(given, Tensor):
        raise ArgumentError(
            "broadcast",
            f"{name} is of type {type(given).__name__}",
            expected="a Tensor, a Matrix, a NumPy array, a number, or a tuple for a shape",
            got=repr(given)[:60],
            fix="np.array(values)" if isinstance(given, list) else None,
        )
    return _Operand(name, given.layout, given)


def _column(shapes, back):
    """What meets in one column, counted from the right: the length of the result, or the pair that differs."""
    lengths = [shape[-back] if back <= len(shape) else 1 for shape in shapes]
    try:
        return {"length": broadcast_shapes(*((n,) for n in lengths))[0], "fail": None, "pair": None, "back": back}
    except ShapeError:
        first = next(k for k, n in enumerate(lengths) if n != 1)
        second = next(k for k, n in enumerate(lengths) if n not in (1, lengths[first]))
        fail = [str(lengths[first]), str(lengths[second])]
        return {"length": "", "fail": fail, "pair": [first, second], "back": back}


def _telling(shape):
    """The cell to start from: off the diagonal, so that every operand has moved."""
    if 0 in shape:
        return None
    return tuple(min(n - 1, 1 if axis == len(shape) - 1 else 2) for axis, n in enumerate(shape))


def _why(columns):
    pairs = [
        f"axis {signed(-column['back'])}: {' against '.join(column['fail'])}" for column in columns if column["fail"]
    ]
    return "; ".join(pairs) + ". Neither is 1, so neither can be repeated."


def _hint(names, shapes):
    """Say where new last axes would make two shapes fit, if they would."""
    if len(shapes) != 2:
        return ""
    for name, own, other in ((names[0], *shapes), (names[1], *shapes[::-1])):
        for new in range(1, max(2, len(other)) - len(own) + 1 if own else 1):
            longer = own + (1,) * new
            try:
                broadcast_shapes(longer, other)
            except ShapeError:
                continue
            key = ", ".join([":" if len(own) == 1 else "..."] + ["None"] * new)
            return f" With {name}[{key}], of shape {_shape(longer)}, every pair fits."
    return ""


def _shape(shape):
    return str(tuple(shape))


def _window(shape, select):
    """Which indices of each axis are drawn."""
    limits = [*SHOWN["lead"], SHOWN["row"], SHOWN["column"]]
    if len(shape) == 3:
        limits[2] = 4
    limits = [1] * (len(shape) - len(limits)) + limits[-len(shape) :] if shape else []
    select = select or (0,) * len(shape)
    return [_axis_window(n or 0, i, limit) for n, i, limit in zip(shape, select, limits, strict=True)]


def _axis_window(n, i, limit):
    if n <= limit:
        return list(range(n))
    if limit < 5:
        return sorted({i, *list(range(limit))[: limit - (i >= limit)]})
    if i < 3:
        return [0, 1, 2, 3, n - 1]
    return sorted({0, i - 1, i, min(i + 1, n - 1), n - 1})


def _grid(shape, window):
    """The drawn indices of a grid: its planes, rows and columns."""
    return {
        "shape": [str(n) for n in shape],
        "lead": [list(plane) for plane in product(*window[:-2])],
        "rows": window[-2] if len(window) > 1 else None,
        "columns": window[-1] if window else None,
    }


def _count(grid):
    return (
        len(grid["lead"])
        * len([0] if grid["rows"] is None else grid["rows"])
        * len([0] if grid["columns"] is None else grid["columns"])
    )


def _indices(grid):
    return [tuple(index_of(grid, cell)) for cell in range(_count(grid))]


def _drawn(operand, target, columns, window):
    """One operand: its pairs, its own grid, its buffer, and, if the shapes fit, how often each slot is read."""
    layout, ndim = operand.layout, len(target)
    own, missing = layout.shape, ndim - layout.ndim
    meets = tuple(
        n if column["fail"] else column["length"] for n, column in zip((1,) * missing + own, columns, strict=True)
    )
    wide = broadcast_to(layout, meets)
    pairs = []
    for axis in range(ndim):
        n = own[axis - missing] if axis >= missing else 1
        repeated = str(meets[axis]) if n != meets[axis] else ""
        pairs.append([str(n), int(axis < missing), repeated, signed(wide.strides[axis])])
    if window is None:
        grid = _grid(own, _window(own, None))
    else:
        grid = _grid(
            own, [window[missing + axis] if n == target[missing + axis] else [0] for axis, n in enumerate(own)]
        )
    positions = [layout.position(index) for index in _indices(grid)]
    shown = list(range(operand.length)) if operand.length <= WHOLE else sorted(set(positions))
    item = {position: k for k, position in enumerate(shown)}
    texts, full = value_texts(operand.values(shown)) if shown else ([], [])
    slots = []
    for position, text, words in zip(shown, (text.strip("\u00a0") for text in texts), full, strict=True):
        slots.append([str(position), text] if text == words else [str(position), text, words])
    repeats = wide.size // layout.size if window is not None and layout.size else 0
    landings = _landings(layout, shown)
    return {
        "name": operand.name,
        "shape": _shape(own),
        "pairs": pairs,
        "strides": [pair[3] for pair in pairs],
        "offset": signed(layout.offset),
        "grid": grid,
        "cells": [item[position] for position in positions],
        "slots": slots,
        "gaps": _gaps(shown, operand.length),
        "used": [count * repeats for count in landings],
        "caption": _caption(landings, repeats),
    }


def _landings(layout, shown):
    """How many indices of the operand itself land on each shown slot; more than `MANY` are not counted."""
    if layout.size <= 4096:
        counts = Counter(layout.positions())
        return [counts[position] for position in shown]
    return [sum(1 for _ in islice(layout.indices(position), MANY)) for position in shown]


def _caption(landings, repeats):
    if not repeats or set(landings) - {0} != {1}:
        return ""
    return "each read once" if repeats == 1 else f"each read {repeats:,} times"


def _gaps(shown, length):
    """How many slots are left out before each shown one, by its place; the last key is the number of shown ones."""
    gaps, before = {}, 0
    for k, position in enumerate([*shown, length]):
        if position > before:
            gaps[str(k)] = f"{position - before:,} more"
        before = position + 1
    return gaps


def _result(inputs, drawn, target, window, compute):
    grid = _grid(target, window)
    indices = _indices(grid)
    reads, values = [], []
    for operand, picture in zip(inputs, drawn, strict=True):
        wide = broadcast_to(operand.layout, target)
        positions = [wide.position(index) for index in indices]
        item = {slot[0]: k for k, slot in enumerate(picture["slots"])}
        reads.append([item[str(position)] for position in positions])
        values.append(operand.values(positions))
    texts = full = []
    if indices:
        try:
            with np.errstate(all="ignore"):
                computed = reduce(compute, values)
        except TypeError:
            kinds = ", ".join(str(value.dtype) for value in values)
            raise ArgumentError("broadcast", f"{compute.__name__} does not take {kinds}", got=kinds) from None
        texts, full = value_texts(np.asarray(computed))
    texts = [text.strip("\u00a0") for text in texts]
    return {
        "shape": _shape(target),
        "grid": grid,
        "size": f"{int(np.prod(target, dtype=object)):,}",
        "values": [[text] if text == words else [text, words] for text, words in zip(texts, full, strict=True)],
        "reads": reads,
    }


def _legend(inputs, target, noun, columns):
    size, stored = int(np.prod(target, dtype=object)), sum(operand.layout.size for operand in inputs)
    if not size:
        return "An axis of length 0 leaves no cell."
    made = f"{size:,} {noun}{'' if size == 1 else 's'} from {stored:,} stored number{'' if stored == 1 else 's'}"
    repeated = any(operand.layout.size < size for operand in inputs)
    if repeated:
        return f"{made}. What is repeated is stored once and read with stride 0."
    return f"{made}. The shapes are equal: nothing is repeated."


# ---- words -----------------------------------------------------------------------------------------------------------


def start(data):
    """The state to begin with: a cell of the result, and no slot; (-1, -1, -1) where there is no cell.

    Examples
    --------
    >>> start(facts([(3,), (2, 1)], select=(1, 2)))
    (5, -1, -1)
    """
    if data["start"] is None:
        return -1, -1, -1
    return _indices(data["result"]["grid"]).index(tuple(data["start"])), -1, -1


def sentence(data, state):
    """Say what is selected.

    Parameters
    ----------
    data : dict
        What `facts` returned.
    state : tuple of int
        A cell of the result, or an operand and one of its slots; -1 for what is not selected.

    Returns
    -------
    str

    Examples
    --------
    >>> sentence(facts([(3,), (2, 1)]), (-1, 1, 0))
    'Slot 0 of b holds 10. 3 of 6 results read it: [0, 0], [0, 1] and [0, 2].'
    """
    cell, own, slot = state
    if own >= 0:
        return _of_slot(data, own, slot)
    if cell < 0:
        return data["why"] or "The result has no cell: nothing is read."
    index = index_of(data["result"]["grid"], cell)
    found = [
        (operand, operand["slots"][reads[cell]])
        for operand, reads in zip(data["operands"], data["result"]["reads"], strict=True)
    ]
    where = [f"{_own_index(operand, index)} = {held[-1]} in slot {held[0]}" for operand, held in found]
    sum_ = f" {data['sign']} ".join(_factor(held[-1], k) for k, (_, held) in enumerate(found))
    return f"{_bracket(index)} reads {_joined(where)}: {sum_} = {data['result']['values'][cell][-1]}."


def _of_slot(data, own, slot):
    operand, result = data["operands"][own], data["result"]
    held = operand["slots"][slot]
    words = f"Slot {held[0]} of {operand['name']} holds {held[-1]}."
    if result is None:
        return f"{words} There is no result to read it."
    used = operand["used"][slot]
    if not used:
        return f"{words} No result reads it."
    readers = [
        _bracket(index_of(result["grid"], cell)) for cell, read in enumerate(result["reads"][own]) if read == slot
    ]
    named = readers if len(readers) <= 6 else readers[:5]
    rest = [f"{used - len(named):,} more"] if used > len(named) else []
    many = "1 of" if used == 1 else f"{used:,} of"
    return f"{words} {many} {result['size']} results read{'s' * (used == 1)} it: {_joined(named + rest)}."


def _own_index(operand, index):
    """The cell of an operand that a cell of the result reads: 0 where it is repeated, nothing where it has no axis."""
    own = [
        0 if repeated else i
        for i, (_, missing, repeated, _) in zip(index, operand["pairs"], strict=True)
        if not missing
    ]
    return operand["name"] + (_bracket(own) if own else "")


def _bracket(index):
    return f"[{', '.join(map(str, index))}]" if index else "The one cell"


def _joined(words):
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _factor(text, place):
    return f"({text})" if place and text.startswith("−") else text


def alt_text(data):
    """The figure in sentences.

    Examples
    --------
    >>> alt_text(facts([(3,), (4,)]))[:58]
    'Broadcasting (3,) + (4,) → no result. Axis −1: 3 against 4'
    """
    pairs = []
    for column, (axis, (length, fail, _)) in enumerate(zip(data["axes"], data["columns"], strict=True)):
        met = [operand["pairs"][column] for operand in data["operands"]]
        words = _joined(["none" if missing else n for n, missing, _, _ in met])
        verdict = " against ".join(fail) + ", which differ" if fail else f"{words} give {length}"
        pairs.append(f"{axis[0].upper()}{axis[1:]}: {verdict}.")
    strides = [f"{operand['name']} is read with strides {_strides(operand)}" for operand in data["operands"]]
    head = " ".join(data["head"])
    said = [f"{data['title']}: {head}." if data["title"] else f"Broadcasting {head}.", *pairs]
    if data["result"]:
        said += [f"{_joined(strides)}."]
    return " ".join([*said, sentence(data, start(data)), *filter(None, [data["legend"]])])


def _strides(operand):
    strides = operand["strides"]
    return f"({', '.join(strides)}{',' * (len(strides) == 1)})"


def text_drawing(data):
    """The figure in characters.

    Examples
    --------
    >>> print(text_drawing(facts([(2,), 5])).splitlines()[3])
    a (2,)             2   strides (1,)
    """
    state = start(data)
    result, operands = data["result"], data["operands"]
    names = [f"{operand['name']} {operand['shape']}" for operand in operands]
    names.append(f"result {result['shape']}" if result else "result")
    first = max(map(len, names)) + 1
    wide = [max(8, *(len(_length(operand["pairs"][k])) + 1 for operand in operands)) for k in range(len(data["axes"]))]
    lines = [" ".join(data["head"]), ""]
    if data["axes"]:
        lines.append(
            " " * (first - 1) + "".join(axis.rjust(w + 1)[-w - 1 :] for axis, w in zip(data["axes"], wide, strict=True))
        )
    for name, operand in zip(names, operands, strict=False):
        row = "".join(_length(pair).rjust(w) for pair, w in zip(operand["pairs"], wide, strict=True))
        lines.append(f"{name:<{first}}{row}   strides {_strides(operand)}")
    verdicts = [" against ".join(fail) if fail else length for length, fail, _ in data["columns"]]
    lines += [
        f"{names[-1]:<{first}}" + "".join(f" {verdict}".rjust(w) for verdict, w in zip(verdicts, wide, strict=True)),
        "",
    ]
    longest = max([len("result"), *(len(operand["name"]) for operand in operands)]) + 3
    for k, operand in enumerate(operands):
        texts = [operand["slots"][slot][1] for slot in operand["cells"]]
        lit = result["reads"][k][state[0]] if state[0] >= 0 else -1
        lines += _rows(
            operand["name"], longest, operand["grid"], texts, operand["cells"].index(lit) if lit >= 0 else -1
        )
    if result:
        lines += _rows("result", longest, result["grid"], [value[0] for value in result["values"]], state[0])
    lines.append("")
    if state[0] >= 0:
        index = index_of(result["grid"], state[0])
        for k, operand in enumerate(operands):
            runs = _terms(data, k, state[0])
            lines.append(
                f"{operand['name']}: position({', '.join(map(str, index))}) {''.join(words for words, _ in runs)}"
            )
    return "\n".join([*lines, sentence(data, state), *filter(None, [data["legend"], data["note"]])])


def _length(pair):
    n, missing, repeated, _ = pair
    return f"{'·' * missing}{n}{f' → {repeated}' if repeated and not missing else ''}"


def _rows(name, longest, grid, texts, lit):
    """The rows of one grid in characters, planes below each other."""
    if not texts:
        return [f"{name:<{longest}}no cell"]
    wide = len([0] if grid["columns"] is None else grid["columns"])
    cell = max(map(len, texts))
    lines = []
    for begin in range(0, len(texts), wide):
        row = [
            f"[{text}]".rjust(cell + 2) if at == lit else f"{text.rjust(cell + 1)} "
            for at, text in enumerate(texts[begin : begin + wide], begin)
        ]
        lines.append(f"{name if not begin else '':<{longest - 1}}{''.join(row)}".rstrip())
    return lines


def _terms(data, own, cell):
    """The formula of one operand's position for a cell of the result, as (words, axis or None) runs."""
    operand = data["operands"][own]
    index = index_of(data["result"]["grid"], cell)
    runs = [(f"= {operand['offset']}", None)]
    for axis, (i, stride) in enumerate(zip(index, operand["strides"], strict=True)):
        runs += [(" + ", None), (f"{i}×{term(stride)}", axis)]
    position = operand["slots"][data["result"]["reads"][own][cell]][0]
    return [*runs, (" = ", None), (position, None)]


# ---- the still painter; `broadcast.js` does the same, name by name ---------------------------------------------------


def layer(mark):
    """Boxes below lines below words; like beside like, which a canvas stores once."""
    kind, *_, style, last = mark
    if kind == "rect":
        return 1, style, mark[3:5]
    if kind == "hatch":
        return 2, "", mark[3:5]
    if kind == "text":
        return 4, style, last, mark[2]
    return (3,)


def paint(data, width, state):
    """Lay the figure out for one width and state: its marks, the places that take input, its height.

    Parameters
    ----------
    data : dict
        What `facts` returned.
    width : int
        Pixels, padding included. Below 600 the row labels move above their rows.
    state : tuple of int
        As for `sentence`.

    Returns
    -------
    list, dict, number
        Each mark is a method name of `Canvas` and its arguments.
    """
    sheet = _Sheet(data, width, state)
    sheet.head()
    sheet.table()
    sheet.formulas()
    sheet.numbers()
    sheet.spots["end"] = sheet.y
    sheet.said()
    return sheet.marks, sheet.spots, sheet.y + PAD


class _Sheet:
    """The marks of one figure, drawn from the top down."""

    def __init__(self, data, width, state):
        self.data, self.state = data, state
        self.operands, self.result = data["operands"], data["result"]
        self.cell, self.own, self.slot = state
        self.wide = width >= 600
        shapes = [operand["shape"] for operand in self.operands] + [self.result["shape"] if self.result else ""]
        self.left = max(92, PAD + max(map(len, shapes)) * 7.4 + 16) if self.wide else PAD
        self.right = width - PAD
        self.room = self.right - self.left
        self.index = index_of(self.result["grid"], self.cell) if self.cell >= 0 and self.own < 0 else None
        self.marks, self.spots = [], {"boxes": [], "grids": [], "strips": []}
        self.y = 0

    def text(self, x, y, words, style="body", anchor="start"):
        self.marks.append(("text", x, y, words, style, anchor))

    def rect(self, x, y, width, height, style="cell", radius=5):
        self.marks.append(("rect", x, y, width, height, style, radius))

    def hatch(self, x, y, width, height):
        self.marks.append(("hatch", x, y, width, height))

    def path(self, d, style):
        self.marks.append(("path", d, style))

    def cross(self, x, y):
        self.marks.append(("cross", x, y))

    def tick(self, x, y):
        """Draw a tick, in the colour of text, whose lowest point is at (x, y)."""
        self.path(f"M{number(x - 4)} {number(y - 4)}L{number(x)} {number(y)}L{number(x + 7)} {number(y - 9)}", "cross")

    def head(self):
        title, (shown, gives) = self.data["title"], self.data["head"]
        full = f"{shown} {gives}"
        self.y = 10
        beside = title and len(title) * 8.6 + mono_width(full) + 24 <= self.right - PAD
        for line in wrap(title, 10**6 if beside else self.right - PAD, 15):
            self.y += 20
            self.text(PAD, self.y, line, "title")
        if beside:
            self.text(self.right, self.y, full, "mono", "end")
            return
        for line in [full] if mono_width(full) <= self.right - PAD else [shown, gives]:
            self.y += 20
            self.text(PAD, self.y, line, "mono")

    def label(self, name, shape, style="body"):
        """Name a row of the table: in the gutter, or above it where the figure is narrow."""
        if self.wide:
            self.text(PAD, self.y + 13, name, style)
            self.text(PAD, self.y + 29, shape, "idx")
        else:
            self.text(self.left, self.y - 8, [[f"{name} ", style], [shape, "idx"]], "body")

    # -- the shapes, axis by axis

    def table(self):
        data, ndim = self.data, len(self.data["axes"])
        words = [_box_words(operand["pairs"][k]) for operand in self.operands for k in range(ndim)]
        words += [column[0] for column in data["columns"]]
        self.pitch = max(92, max(map(len, words), default=0) * 8.43 + 34)
        if self.pitch * ndim - 8 > self.room:
            self.pitch = max((self.room + 8) / ndim, 66)
        self.box = self.pitch - 8
        self.digits = "num small" if max(map(len, words), default=0) * 8.43 + 8 > self.box else "num"
        self.y += 36
        for k, axis in enumerate(data["axes"]):
            self.text(self.column(k) + self.box / 2, self.y, axis, f"mono step {axis_class(k)}", "middle")
        self.y += 10
        self.tops = []
        for own, operand in enumerate(self.operands):
            self.y += 0 if self.wide else 22
            self.tops.append(self.y)
            self.label(operand["name"], operand["shape"], "now")
            if not ndim:
                self.text(self.left, self.y + 19, "no axis", "note")
            for k in range(ndim):
                self.length(own, k, operand["pairs"][k])
            self.y += 58
        self.y += 0 if self.wide else 22
        self.tops.append(self.y)
        self.label("result", self.result["shape"] if self.result else "", "now")
        across = self.column(ndim) - 8 - self.left
        if ndim:
            rule = self.y - (7 if self.wide else 26)
            self.path(f"M{number(self.left)} {number(rule)}h{number(across)}", "arc")
        else:
            self.text(self.left, self.y + 19, "no axis", "note")
        for k, (length, fail, pair) in enumerate(data["columns"]):
            self.verdict(k, length, fail, pair)
        self.y += 52 if not self.result else 34

    def column(self, k):
        return self.left + k * self.pitch

    def length(self, own, k, pair):
        n, missing, repeated, stride = pair
        x, fail = self.column(k), self.data["columns"][k][1]
        look = "off" if missing else "pick" if fail and n in fail else "rep" if repeated else ""
        self.rect(x, self.y, self.box, 30, f"cell {look}".strip())
        if repeated:
            self.hatch(x, self.y, self.box, 30)
        style = self.digits + (" halo" if missing else " rep" if repeated else "")
        words = [[n, "lab" if missing else ""]] + ([[f" → {repeated}", ""]] if repeated else [])
        self.text(x + self.box / 2, self.y + 20, words, style, "middle")
        style = "idx now" if repeated else "idx"
        self.text(x + self.box / 2, self.y + 45, f"stride {stride}", style, "middle")
        self.spots["boxes"].append([own, k, x, self.y, self.box, 30])

    def verdict(self, k, length, fail, pair):
        x, middle = self.column(k), self.column(k) + self.box / 2
        if fail is None:
            self.rect(x, self.y, self.box, 30, "cell")
            self.text(middle, self.y + 20, length, self.digits, "middle")
            self.tick(x + self.box - 15, self.y + 19)
            return
        self.rect(x, self.y, self.box, 30, "cell off")
        self.cross(middle, self.y + 15)
        between = " against " if mono_width(" against ".join(fail), 12) <= self.pitch - 4 else " ≠ "
        self.text(middle, self.y + 45, between.join(fail), "idx now", "middle")
        top, low, edge = self.tops[pair[0]] + 15, self.tops[pair[1]] + 15, x + self.box
        self.path(f"M{number(edge + 1)} {number(top)}h4V{number(low)}h-4", "fence")

    # -- the formulas: a row for each operand, beside the table or below it

    def formulas(self):
        result = self.result
        if not result or not result["values"]:
            return
        rows = [self.runs(own) for own in range(len(self.operands))]
        x = self.column(max(len(self.data["axes"]), 1)) + 20
        below = not self.wide or x + max(sum(run[0] for run in runs) for runs in rows) > self.right
        if below:
            self.y += 30
            x = self.left + mono_width("x" * max(6, *(len(operand["name"]) for operand in self.operands))) + 10
        call = f"position({', '.join(map(str, self.index or []))})"
        style = "mono"
        if self.own >= 0:
            operand = self.operands[self.own]
            call, style = f"slot {operand['slots'][self.slot][0]} of {operand['name']}", "mono hot"
        self.text(x, self.y if below else self.tops[0] - 10, call, style)
        for own, runs in enumerate(rows):
            y = self.y + 26 if below else self.tops[own] + 20
            if below:
                self.text(self.left, y, self.operands[own]["name"], "mono now")
            self.y, keep = self.formula(own, runs, x, y), self.y
            self.y = self.y if below else keep
        y = self.y + 26 if below else self.tops[-1] + 20
        if below:
            self.text(self.left, y, "result", "mono now")
            self.y = y
        if self.index is not None:
            values = [operand["slots"][reads[self.cell]][1] for operand, reads in self.reading()]
            gives = f"= {result['values'][self.cell][0]}"
            sum_ = f" {self.data['sign']} ".join(_factor(value, k) for k, value in enumerate(values))
            long = mono_width(f"{sum_} {gives}") > self.right - x
            self.text(x, y, gives if long else f"{sum_} {gives}", "mono")

    def reading(self):
        return zip(self.operands, self.result["reads"], strict=True)

    def runs(self, own):
        """The formula of one operand: (room, words, axis) of each run; the room suits every cell."""
        operand, grid = self.operands[own], self.result["grid"]
        axes = [*zip(*grid["lead"], strict=True)] + [
            axis for axis in (grid["rows"], grid["columns"]) if axis is not None
        ]
        runs = [[mono_width(f"= {operand['offset']}"), f"= {operand['offset']}", -1]]
        for axis, stride in enumerate(operand["strides"]):
            most = "x" * len(str(max(axes[axis])))
            words = f"{self.index[axis]}×{term(stride)}" if self.index is not None else ""
            runs += [[mono_width(" + "), "+", -1], [mono_width(f"{most}×{term(stride)}"), words, axis]]
        last = max(len(slot[0]) for slot in operand["slots"])
        position = operand["slots"][self.result["reads"][own][self.cell]][0] if self.index is not None else ""
        return [*runs, [mono_width(" = "), "=", -1], [mono_width("x" * last), position, -2]]

    def formula(self, own, runs, x, y):
        """Write one formula, on as many lines as it needs; what stride 0 keeps in place is hatched."""
        if self.own == own:
            self.text(
                x, y, f"read by {self.operands[own]['used'][self.slot]:,} of {self.result['size']} results", "body"
            )
        left = x
        for at, (width, words, axis) in enumerate(runs):
            joint = axis == -1 and at > 0
            if joint and x + width + runs[at + 1][0] > self.right + 0.5:
                x, y = left, y + 26
            if self.index is not None:
                style = "mono hot" if axis == -2 else "mono" if axis == -1 else f"mono {axis_class(axis)}"
                if axis >= 0 and self.operands[own]["pairs"][axis][2]:
                    self.rect(x - 3, y - 15, width + 6, 21, "cell rep", 4)
                    self.hatch(x - 3, y - 15, width + 6, 21)
                    style += " num rep"
                self.text(x + (width / 2 if joint else 0), y, words, style, "middle" if joint else "start")
            x += width
        return y

    # -- the numbers: every operand at its own size above its buffer, and the result

    def numbers(self):
        operands, result = self.operands, self.result
        texts = [slot[1] for operand in operands for slot in operand["slots"]]
        texts += [value[0] for value in result["values"]] if result else []
        most = max(map(len, texts), default=1)
        places = max((len(slot[0]) for operand in operands for slot in operand["slots"]), default=1)
        grids = [operand["grid"] for operand in operands] + ([result["grid"]] if result else [])
        self.cell_width = max(36, most * 8.43 + 12, places * 7.3 + 6)
        self.dense = any(self.grid_plan(grid)["unit"] > self.room - 36 for grid in grids)
        if self.dense:
            self.cell_width = max(28, most * 7.3 + 6, places * 7.3 + 4)
        panels = [self.panel(own, operand) for own, operand in enumerate(operands)] + [self.panel(-1, result)]
        self.y += 26 if self.wide else 22
        self.line(panels)

    def line(self, panels):
        """Place the panels side by side, on as many lines as they need, with the sign before each."""
        lines, x = [[]], 0
        for panel in panels:
            sign = 36 if panel["own"] else 0
            if x and x + sign + panel["width"] > self.room + 0.5:
                lines.append([])
                x = 0
            lines[-1].append((self.left + x + sign, panel))
            x += sign + panel["width"]
        for placed in lines:
            names = self.y + 12
            top = names + 10 + max(panel["grid"]["above"] for _, panel in placed)
            down = max(panel["grid"]["height"] for _, panel in placed)
            strips = [panel["strip"]["height"] for _, panel in placed if panel["strip"]]
            low = top + down + (14 if self.wide else 32)
            if self.wide:
                self.text(PAD, top + 19, "numbers" if placed is lines[0] else "", "lab")
                self.text(PAD, low + 19, "buffers" if strips else "", "lab")
            for x, panel in placed:
                self.draw(panel, x, names, top, low)
            self.y = low + max(strips) + 12 if strips else top + down + 14

    def grid_plan(self, grid):
        """Where the cells of a grid stand, from the top left corner of its first cell's row."""
        rows, columns = grid["rows"], grid["columns"]
        row_label = 0 if rows is None else max(22, max((len(str(row)) for row in rows), default=0) * 7.3 + 12)
        shape = [int(n) for n in grid["shape"]]
        xs, across = _steps([0] if columns is None else columns, shape[-1] if shape else 1, self.cell_width, 24)
        ys, down = _steps([0] if rows is None else rows, shape[-2] if len(shape) > 1 else 1, 30, 22)
        empty = not _count(grid)
        if empty:
            across, down = max(across, 84), max(down, 30)
        above = (0 if columns is None else 18) + (20 if len(shape) > 2 else 0)
        planes, unit = max(1, len(grid["lead"])), row_label + across
        title = max((len(_plane(lead)) for lead in grid["lead"]), default=0) * 7.3 if len(shape) > 2 else 0
        next_ = max(unit + 20, title + 10)
        per_row = max(1, min(planes, int((self.room - 36 - unit) // next_) + 1))
        lines = -(-planes // per_row)
        return {
            "xs": xs,
            "ys": ys,
            "across": across,
            "down": down,
            "empty": empty,
            "above": above,
            "unit": unit,
            "px": [row_label + k % per_row * next_ for k in range(planes)],
            "py": [k // per_row * (down + above + 12) for k in range(planes)],
            "width": max(row_label + title, unit) + (per_row - 1) * next_,
            "height": lines * (down + above + 12) - above - 12,
        }

    def panel(self, own, part):
        """One operand (`own` from 0 on) or the result (-1): its grid, its strip, and the room they need."""
        if part is None:
            grid = {"above": 0, "height": 30, "width": 84}
            return {"own": own, "part": None, "grid": grid, "strip": None, "width": 84}
        grid = self.grid_plan(part["grid"])
        strip, width = None, max(grid["width"], len(part.get("name", "result")) * 8.2)
        if own >= 0:
            strip = self.strip_plan(part, max(grid["width"], min(self.room - 36, 8 * self.cell_width)))
            width = max(width, strip["width"], len(part["caption"]) * 7.3)
        return {"own": own, "part": part, "grid": grid, "strip": strip, "width": width}

    def strip_plan(self, operand, room):
        """Where the slots of a buffer stand, on as many lines as they need."""
        xs, ys, gaps, x, line, widest = [], [], [], 0, 0, 0
        high = 54 if operand["offset"] == "0" else 68
        for k in range(len(operand["slots"]) + 1):
            gap = operand["gaps"].get(str(k))
            need = (len(gap) * 7.3 + 16 if gap else 0) + (self.cell_width if k < len(operand["slots"]) else 0)
            if x and need and x + need > room + 0.5:
                x, line = 0, line + 1
            if gap:
                gaps.append((x + len(gap) * 3.65 + 8, line * high, gap))
                x += len(gap) * 7.3 + 16
            if k < len(operand["slots"]):
                xs.append(x)
                ys.append(line * high)
                x += self.cell_width
            widest = max(widest, x)
        height = (line + 1) * high + (16 if operand["caption"] else 0)
        width = widest if xs or gaps else 84
        return {"xs": xs, "ys": ys, "gaps": gaps, "width": width, "height": height, "low": (line + 1) * high - 6}

    def draw(self, panel, x, names, top, low):
        own, part = panel["own"], panel["part"]
        if own:
            self.text(x - 18, top + 20, "=" if own < 0 else self.data["sign"], "title", "middle")
        self.text(x, names, "result" if own < 0 else part["name"], "now")
        if part is None:
            self.rect(x + 1, top + 1, 82, 28, "cell off")
            self.cross(x + 42, top + 15)
            return
        self.grid(own, part, panel["grid"], x, top, self.lit(own))
        if own >= 0:
            self.strip(own, part, panel["strip"], x, low, self.lit(own))

    def lit(self, own):
        """The current slot of an operand, -1 if none."""
        if self.index is not None and own >= 0:
            return self.result["reads"][own][self.cell]
        return self.slot if own >= 0 and own == self.own else -1

    def grid(self, own, part, plan, x, top, lit):
        grid, shape = part["grid"], part["grid"]["shape"]
        rows = [0] if grid["rows"] is None else grid["rows"]
        columns = [0] if grid["columns"] is None else grid["columns"]
        missing = len(self.data["axes"]) - len(shape)
        now = self.now(own, lit)
        cells = []
        for plane, (px, py) in enumerate(zip(plan["px"], plan["py"], strict=True)):
            left, y = x + px, top + py
            if len(shape) > 2 and grid["lead"]:
                here = now is not None and grid["lead"][plane] == list(now[:-2])
                runs = [["[", ""]]
                for axis, i in enumerate(grid["lead"][plane]):
                    runs += [[str(i), f"now {axis_class(missing + axis)}" if here else ""], [", ", ""]]
                self.text(left, y - 24, [*runs, [":, :]", ""]], "idx")
            else:
                here = now is not None
            if grid["columns"] is not None:
                for k, column in enumerate(columns):
                    lights = here and column == now[-1]
                    style = f"idx now {axis_class(missing + len(shape) - 1)}" if lights else "idx"
                    self.text(left + plan["xs"][k] + self.cell_width / 2, y - 6, str(column), style, "middle")
            if grid["rows"] is not None:
                for k, row in enumerate(rows):
                    lights = here and row == now[-2]
                    style = f"idx now {axis_class(missing + len(shape) - 2)}" if lights else "idx"
                    self.text(left - 8, y + plan["ys"][k] + 19, str(row), style, "end")
            if plan["empty"]:
                self.rect(left + 1, y + 1, plan["across"] - 2, plan["down"] - 2, "cell off")
                self.text(left + plan["across"] / 2, y + plan["down"] / 2 + 4, "no cell", "note", "middle")
                continue
            for spot in _breaks(columns, int(shape[-1]) if shape else 1, plan["xs"], self.cell_width, 24):
                self.text(left + spot, y + plan["down"] / 2 + 4, "⋯", "note", "middle")
            for spot in _breaks(rows, int(shape[-2]) if len(shape) > 1 else 1, plan["ys"], 30, 22):
                self.text(left + plan["across"] / 2, y + spot + 5, "⋮", "note", "middle")
            cells += [(left + dx, y + dy) for dy in plan["ys"] for dx in plan["xs"]]
        for k, (cx, cy) in enumerate(cells):
            self.box_of(own, part, k, cx, cy, lit)
        frame = [x + plan["px"][0], top, plan["width"] - plan["px"][0], plan["height"]]
        self.spots["grids"].append([frame, [[cx, cy, self.cell_width, 30] for cx, cy in cells]])

    def now(self, own, lit):
        """The index that is current in a panel, in its own axes."""
        if self.index is not None and own < 0:
            return self.index
        if own < 0 or lit < 0 or lit not in self.operands[own]["cells"]:
            return None
        return index_of(self.operands[own]["grid"], self.operands[own]["cells"].index(lit))

    def box_of(self, own, part, k, x, y, lit):
        """One cell of a grid."""
        if own < 0:
            words = part["values"][k][0]
            same = self.own >= 0 and part["reads"][self.own][k] == self.slot
            self.box_at(x, y, "cur" if k == self.cell and self.own < 0 else "same" if same else "", words)
            return
        slot = part["cells"][k]
        self.slot_at(part, slot, x, y, lit)

    def slot_at(self, operand, slot, x, y, lit):
        used = operand["used"][slot]
        base = "" if self.result is None or used == 1 else "rep" if used else "off"
        self.box_at(x, y, "cur" if slot == lit else base, operand["slots"][slot][1])

    def box_at(self, x, y, look, words):
        self.rect(x + 1, y + 1, self.cell_width - 2, 28, f"cell {look}".strip())
        if look == "rep":
            self.hatch(x + 1, y + 1, self.cell_width - 2, 28)
        style = f"num {look}".strip() + (" small" if self.dense else "")
        self.text(x + self.cell_width / 2, y + 20, words, style, "middle")

    def strip(self, own, operand, plan, x, low, lit):
        if not self.wide:
            self.text(x, low - 7, f"buffer of {operand['name']}", "lab")
        for k, (dx, dy) in enumerate(zip(plan["xs"], plan["ys"], strict=True)):
            self.slot_at(operand, k, x + dx, low + dy, lit)
            style = "idx hot" if k == lit else "idx"
            self.text(x + dx + self.cell_width / 2, low + dy + 44, operand["slots"][k][0], style, "middle")
            if operand["slots"][k][0] == operand["offset"] != "0":
                self.text(x + dx + self.cell_width / 2, low + dy + 58, "offset", "idx", "middle")
        for dx, dy, words in plan["gaps"]:
            self.text(x + dx, low + dy + 19, "⋯", "note", "middle")
            self.text(x + dx, low + dy + 44, words, "idx", "middle")
        if not plan["xs"] and not plan["gaps"]:
            self.text(x, low + 19, "no slot", "note")
        if operand["caption"]:
            self.text(x, low + plan["height"] - 4, operand["caption"], "idx")
        places = [[x + dx, low + dy, self.cell_width, 48] for dx, dy in zip(plan["xs"], plan["ys"], strict=True)]
        self.spots["strips"].append([[x, low, plan["width"], plan["low"]], places])

    def said(self):
        data = self.data
        for words, style in ((sentence(data, self.state), "body"), (data["legend"], "note"), (data["note"], "note")):
            for line in wrap(words, self.room):
                self.y += 18
                self.text(self.left, self.y, line, style)
            self.y += 4


def _plane(lead):
    return f"[{', '.join(map(str, lead))}, :, :]"


def _box_words(pair):
    n, _, repeated, _ = pair
    return f"{n} → {repeated}" if repeated else n


def _steps(shown, whole, each, gap):
    """Start of each shown row or column, with a gap where some are left out, and the end."""
    starts, at, before = [], 0, -1
    for i in shown:
        at += gap if i != before + 1 else 0
        starts.append(at)
        at, before = at + each, i
    return starts, at + (gap if shown and before != whole - 1 else 0)


def _breaks(shown, whole, starts, each, gap):
    """The middle of every place where rows or columns are left out."""
    spots = [start - gap / 2 for k, start in enumerate(starts) if shown[k] != (shown[k - 1] + 1 if k else 0)]
    return spots + ([starts[-1] + each + gap / 2] if shown[-1] != whole - 1 else [])
