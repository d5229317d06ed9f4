"""What a linked figure shows, as one plain dict: which slot each cell is, what each slot holds, and who lands there.

Everything here is looked up from a `Layout` and a buffer. The painters, in Python and in JavaScript, only read it.
A figure holds one list of slots (the buffer) and one or more views of it, so a toggle changes the view and never the
buffer. Large arrays are shown through a window that says what it leaves out.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from tensorlab.dtypes import DType, to_values
from tensorlab.layout import Layout

WHOLE = 256
"""A grid or a buffer of at most this many elements is shown whole."""

WINDOW = {"lead": 4, "row": 8, "column": 6}
"""How many planes, rows and columns a window on a larger grid shows."""

EXACT = 4096
"""Grids of at most this many cells have every landing counted; on larger ones the count stops at `MANY`."""

MANY = 99
NEAR = 4
SAFE = 2**53 - 1
NO_BREAK = "\u00a0"


@dataclass(frozen=True)
class Source:
    """What a figure is drawn from: layouts over one buffer.

    Parameters
    ----------
    layouts : dict of str to Layout
        One or more views of the buffer, by name.
    length : int
        Slots of the buffer.
    words : (length,) array or None
        What the buffer holds, in the storage type of `dtype`; None for a figure of places only.
    dtype : DType or None
        What the words mean.
    """

    layouts: dict[str, Layout]
    length: int
    words: np.ndarray | None = None
    dtype: DType | None = None


def describe(source, *, title, note, select, show_bytes):
    """Look up everything that a linked figure of `source` shows.

    Parameters
    ----------
    source : Source
    title, note : str
    select : sequence of int or None
        The index whose cell is selected at first, in the first view. None: a cell that makes the point.
    show_bytes : bool
        Whether the bytes of the slots are part of the figure.

    Returns
    -------
    dict
        Plain numbers, texts, lists and dicts, ready for JSON.

    Examples
    --------
    >>> source = Source({"": Layout.row_major((3, 4))}, 12)
    >>> data = describe(source, title="", note="", select=(2, 1), show_bytes=False)
    >>> data["views"][0]["cells"], data["start"]
    ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], [0, 9, 9])
    """
    layouts = list(source.layouts.values())
    first = layouts[0]
    if select is None:
        select = _telling(first, source.length)
    elif first.size:
        first.position(select)
    windows = [_window(layout.shape, select if view == 0 else None) for view, layout in enumerate(layouts)]
    positions = _shown_positions(layouts, windows, source.length)
    item = {position: number for number, position in enumerate(positions)}
    values = source.words is not None
    width = source.dtype.itemsize if show_bytes and values else 0
    views = [_view(layout, window, item, source.length, width) for layout, window in zip(layouts, windows, strict=True)]
    cell = -1 if select is None else _numbers(windows[0])[tuple(select)]
    slot = views[0]["cells"][cell] if cell >= 0 else -1
    return {
        "title": title,
        "note": note,
        "dtype": str(source.dtype or ""),
        "values": int(values),
        "width": width,
        "names": list(source.layouts) if len(layouts) > 1 else [],
        "slots": _slots(source, positions, width > 0),
        "gaps": _gaps(positions, source.length),
        "length": _plain(source.length),
        "views": views,
        "start": [0, slot, cell],
    }


def _telling(layout, length):
    """The index to start from: one that leaves the buffer, else the last row's second column."""
    if layout.size == 0:
        return None
    outside = layout.first_outside(length)
    if outside:
        return outside[0]
    return tuple(n - 1 if axis < layout.ndim - 1 else min(1, n - 1) for axis, n in enumerate(layout.shape))


def _window(shape, select):
    """The shown indices: leading tuples (one per plane), rows and columns."""
    select = tuple(select) if select is not None else (0,) * len(shape)
    if np.prod(shape, dtype=object) <= WHOLE and max(shape, default=1) <= 64:
        axes = [list(range(n)) for n in shape]
    else:
        kinds = ["lead"] * (len(shape) - 2) + ["row", "column"]
        axes = [
            _axis_window(n, i, WINDOW[kind]) for n, i, kind in zip(shape, select, kinds[-len(shape) :], strict=True)
        ]
    lead = list(product(*axes[:-2]))
    if len(lead) > WINDOW["lead"] and np.prod(shape, dtype=object) > WHOLE:
        own = {select[: k + 1] + (0,) * (len(shape) - 3 - k) for k in range(len(shape) - 2)}
        lead = sorted(own.union(lead[: max(1, WINDOW["lead"] - len(own))]))
    return lead, axes[-2] if len(shape) > 1 else None, axes[-1] if shape else None


def _axis_window(n, i, limit):
    if n <= limit:
        return list(range(n))
    if i < limit - 1:
        return list(range(limit))
    kept = {0, 1, *range(i - 1, min(n, i + limit - 3))}
    return sorted(kept)


def _indices(window):
    lead, rows, columns = window
    for plane in lead:
        for row in [()] if rows is None else [(r,) for r in rows]:
            for column in [()] if columns is None else [(c,) for c in columns]:
                yield plane + row + column


def _numbers(window):
    return {index: number for number, index in enumerate(_indices(window))}


def _shown_positions(layouts, windows, length):
    """Every slot that the figure draws, in order: the whole buffer if it is small, else what the window reaches."""
    wanted = set(range(length)) if length <= WHOLE else set()
    for layout, window in zip(layouts, windows, strict=True):
        wanted.add(layout.offset)
        for index in _indices(window):
            position = layout.position(index)
            wanted.update(p for p in (position - 1, position, position + 1) if p == position or 0 <= p < length)
    if not length and not any(layout.size for layout in layouts):
        return []
    shown = []
    for position in sorted(wanted):
        if shown and position - shown[-1] <= NEAR:
            shown.extend(range(shown[-1] + 1, position))
        shown.append(position)
    return shown


def _gaps(positions, length):
    """How many slots are left out before slot item k, by k as text; the last key is the number of items."""
    gaps = {}
    before = min(0, *positions) if positions else 0
    for number, position in enumerate(positions):
        if position > before:
            gaps[str(number)] = _plain(position - before)
        before = position + 1
    if before < length:
        gaps[str(len(positions))] = _plain(length - before)
    return gaps


def _plain(number):
    """A number that JavaScript can hold, else its digits: it is only ever shown."""
    return number if abs(number) <= SAFE else str(number)


def signed(number):
    """A number with a real minus sign.

    Examples
    --------
    >>> signed(-4), signed(4)
    ('−4', '4')
    """
    return str(number).replace("-", "−")


def _slots(source, positions, bytes_shown):
    """One list per slot: position, shown value, whether outside, hex digits, its first byte's number, full value."""
    real = [p for p in positions if 0 <= p < source.length]
    texts, says, digits = {}, {}, {}
    if source.words is not None:
        words = np.ascontiguousarray(source.words[real])
        shown, full = value_texts(to_values(words, source.dtype))
        texts, says = dict(zip(real, shown, strict=True)), dict(zip(real, full, strict=True))
        size = words.itemsize
        hexes = words.tobytes().hex()
        digits = {p: hexes[2 * size * k : 2 * size * (k + 1)] for k, p in enumerate(real)}
    slots = []
    for p in positions:
        ghost = p not in texts and not 0 <= p < source.length
        slot = [_plain(p), texts.get(p, ""), 1 if ghost else 0]
        if bytes_shown and not ghost:
            slot += [digits[p], _plain(p * source.dtype.itemsize)]
        if texts.get(p, "").strip(NO_BREAK) != says.get(p, ""):
            slot += [""] * (5 - len(slot)) + [says[p]]
        slots.append(slot)
    return slots


def _view(layout, window, item, length, width):
    lead, rows, columns = window
    numbers = _numbers(window)
    cells = [item[layout.position(index)] for index in numbers]
    counts, far = _landings(layout, item, set(cells))
    outside = layout.first_outside(length)
    strides = [signed(stride) for stride in layout.strides]
    view = {
        "meta": [
            f"shape {_tuple(layout.shape)}",
            f"strides {_tuple(layout.strides)}",
            f"offset {signed(layout.offset)}",
        ],
        "shape": [str(n) for n in layout.shape],
        "strides": strides,
        "steps": [step if step.startswith("−") else f"+{step}" for step in strides],
        "offset": item.get(layout.offset, -1),
        "lead": [list(plane) for plane in lead],
        "rows": rows,
        "columns": columns,
        "cells": cells,
        "landings": counts,
        "far": far,
        "legend": _legend(layout, counts, cells, outside, window),
    }
    view["wide"] = _formula_width(view, layout, item, width)
    return view


def _landings(layout, item, shown):
    """How many indices land on each slot item, and one of them where the window shows none."""
    if layout.size <= EXACT:
        found, first = Counter(), {}
        for index, position in layout.walk():
            found[position] += 1
            first.setdefault(position, index)
        counts = [found[position] for position in item]
    else:
        landing = {position: list(islice(layout.indices(position), MANY)) for position in item}
        counts = [len(indices) for indices in landing.values()]
        first = {position: indices[0] for position, indices in landing.items() if indices}
    far = {str(k): _bracket(first[p]) for p, k in item.items() if p in first and k not in shown}
    return counts, far


def _legend(layout, counts, cells, outside, window):
    parts = []
    lead, rows, columns = window
    if layout.size and len(cells) < layout.size:
        shown = [
            f"{len(part)} of {whole:,} {name}"
            for part, whole, name in (
                (columns or [0], layout.shape[-1], "columns"),
                (rows or [0], layout.shape[-2] if layout.ndim > 1 else 1, "rows"),
                (lead, int(np.prod(layout.shape[:-2], dtype=object)), "planes"),
            )
            if len(part) < whole
        ]
        parts.append(f"This window shows {' and '.join(shown)}.")
    if outside:
        parts.append("Crossed: outside the buffer.")
    if layout.size and any(count > 1 for count in counts):
        parts.append("Hatched: more than one index lands here.")
    if layout.size and any(count == 0 for count in counts):
        parts.append("Dashed: no index reaches it.")
    return " ".join(parts)


def _formula_width(view, layout, item, width):
    """Characters of the longest line of the formula, so that choosing another cell never moves it."""
    indices = [max(0, n - 1) for n in layout.shape]
    longest = max((len(signed(p)) for p in item), default=1)
    call = len(f"position{_call(indices)}")
    terms = sum(len(str(i)) + len(term(s)) + 4 for i, s in zip(indices, view["strides"], strict=True))
    last = max(item, default=0)
    span = len(f"bytes {last}×{width} = {last * width} … {last * width + width - 1}") if width else 0
    return max(call, 2 + len(signed(layout.offset)) + terms + 3 + longest, span)


def term(stride):
    """A stride as the second factor of a product: a negative one stands in brackets.

    Examples
    --------
    >>> term("4"), term("−4")
    ('4', '(−4)')
    """
    return f"({stride})" if stride.startswith("−") else stride


def _tuple(numbers):
    return signed(tuple(numbers))


def _call(index):
    return f"({', '.join(map(str, index))})"


def _bracket(index):
    return f"[{', '.join(map(str, index))}]"


def value_texts(values):
    """Values as short texts for cells, and as full texts for sentences.

    Floats share one number of decimals where that stays short, with no-break spaces in place of the zeros nobody
    wrote; NaN is X and infinity is I, with the word in the sentence.

    Parameters
    ----------
    values : (n,) array

    Returns
    -------
    (list of str, list of str)

    Examples
    --------
    >>> value_texts(np.array([7, -12]))
    (['7', '−12'], ['7', '−12'])
    >>> value_texts(np.array([np.nan, -np.inf, 0.1], dtype=np.float32))
    (['X', '−I', '0.1'], ['not a number (NaN)', 'minus infinity', '0.1'])
    """
    if values.dtype.kind == "b":
        texts = [str(bool(value)) for value in values]
        return texts, texts
    full = [_full(value) for value in values]
    if values.dtype.kind in "iu":
        short = [
            text if len(text) <= 11 else _scientific(f"{int(value):.3g}")
            for text, value in zip(full, values, strict=True)
        ]
        return short, full
    short = [_short(value, text) for value, text in zip(values, full, strict=True)]
    decimals = [len(text.partition(".")[2]) if "." in text and "e" not in text else -1 for text in short]
    most = max(decimals, default=0)
    padded = [text + NO_BREAK * (most - d if d >= 0 else 0) for text, d in zip(short, decimals, strict=True)]
    return (padded if max(map(len, padded), default=0) <= 9 else short), full


def _full(value):
    if value.dtype.kind == "f" and not np.isfinite(value):
        return "not a number (NaN)" if np.isnan(value) else "infinity" if value > 0 else "minus infinity"
    whole = value.dtype.kind == "f" and abs(float(value)) < 10**6 and float(value).is_integer()
    return signed(f"{float(value):.1f}" if whole else _scientific(str(value)))


def _short(value, full):
    if np.isnan(value):
        return "X"
    if np.isinf(value):
        return "I" if value > 0 else "−I"
    return full if len(full) <= 7 else signed(_scientific(f"{float(value):.4g}"))


def _scientific(text):
    """1e+06 as 1e6, 1e-05 as 1e-5."""
    head, mark, tail = text.partition("e")
    return signed(f"{head}e{int(tail)}" if mark else text)


def index_of(view, cell):
    """The index of a cell of the window, by its number in logical order.

    Examples
    --------
    >>> index_of({"lead": [[]], "rows": [0, 1], "columns": [0, 1, 2]}, 4)
    [1, 1]
    """
    rows, columns = view["rows"], view["columns"]
    wide, high = 1 if columns is None else len(columns), 1 if rows is None else len(rows)
    plane, rest = divmod(cell, wide * high)
    row, column = divmod(rest, wide)
    return view["lead"][plane] + ([] if rows is None else [rows[row]]) + ([] if columns is None else [columns[column]])


def formula(data, state):
    """The formula of the current cell as lines of ``(text, class)`` runs."""
    view, slot, cell = data["views"][state[0]], state[1], state[2]
    if slot < 0:
        return [[(f"position({', '.join('?' * len(view['shape']))})", "")], [("no cell, no position", "lab")]]
    position = signed(data["slots"][slot][0])
    if cell < 0:
        lines = [[(f"slot {position}", "hot")], [(_unreached(view, slot), "lab")]]
    else:
        index = index_of(view, cell)
        runs = [(f"= {signed(data['slots'][view['offset']][0])}", "")]
        for axis, (i, stride) in enumerate(zip(index, view["strides"], strict=True)):
            runs += [(" + ", ""), (f"{i}×{term(stride)}", axis_class(axis))]
        lines = [[(f"position{_call(index)}", "")], [*runs, (" = ", ""), (position, "hot")]]
    if data["width"] and not data["slots"][slot][2]:
        start, width = data["slots"][slot][4], data["width"]
        span = f"{start} … {int(start) + width - 1}" if width > 1 else str(start)
        lines.append([(f"byte{'s' * (width > 1)} {position}×{width} = {span}", "")])
    return lines


def _unreached(view, slot):
    return f"{view['far'][str(slot)]} lands here" if str(slot) in view["far"] else "no index reaches it"


def axis_class(axis):
    """The class of an axis: three have colours of their own, any further one is grey.

    Examples
    --------
    >>> axis_class(1), axis_class(3)
    ('a1', 'lab')
    """
    return f"a{axis}" if axis < 3 else "lab"


def hops(data, state):
    """The way from the offset to the current slot, axis by axis.

    Returns
    -------
    list of (axis, count, stops)
        `stops` are the slot items landed on: each one if the window shows them, else the first and the last.
    """
    view, cell = data["views"][state[0]], state[2]
    if cell < 0 or view["offset"] < 0:
        return []
    numbers = {tuple(index_of(view, k)): k for k in range(len(view["cells"]))}
    index, at, path = index_of(view, cell), [0] * len(view["shape"]), []
    here = view["offset"]
    for axis, count in enumerate(index):
        stops = [here]
        for step in sorted({shown[axis] for shown in numbers if 0 < shown[axis] <= count}):
            at[axis] = step
            number = numbers.get(tuple(at))
            if number is not None:
                stops.append(view["cells"][number])
        if count:
            whole = len(stops) == count + 1
            path.append((axis, count, stops if whole else [here, stops[-1]]))
            here = stops[-1]
    return path


def sentence(data, state):
    """Say in words what is selected."""
    view, slot, cell = data["views"][state[0]], state[1], state[2]
    if slot < 0:
        return f"{view['meta'][0]}: no cell, nothing is read."
    entry = data["slots"][slot]
    position = signed(entry[0])
    if entry[2]:
        last = int(data["length"]) - 1
        place = f"the buffer ends at slot {last}" if int(entry[0]) > 0 else "the buffer starts at slot 0"
        place = place if last >= 0 else "the buffer is empty"
        if cell < 0:
            return f"Slot {position} does not exist: {place}."
        return f"{_bracket(index_of(view, cell))} leaves the buffer: it would be slot {position}, but {place}."
    facts = []
    if data["values"]:
        facts.append(f"value {entry[5] if len(entry) > 5 else entry[1].strip(NO_BREAK)}")
    if data["width"]:
        start, width = entry[4], data["width"]
        facts.append(f"bytes {start} to {int(start) + width - 1}" if width > 1 else f"byte {start}")
    held = f": {', '.join(facts)}" if facts else ""
    if cell < 0:
        if str(slot) in view["far"]:
            return f"Slot {position}{held}. {view['far'][str(slot)]} lands there, outside this window."
        return f"Slot {position}{held}. No index reaches it."
    others = [k for k, other in enumerate(view["cells"]) if other == slot and k != cell]
    also = ""
    if view["landings"][slot] > 1:
        named = [_bracket(index_of(view, k)) for k in others[:3]]
        hidden = view["landings"][slot] - 1 - len(named)
        if hidden:
            named.append(f"{hidden} more" if view["landings"][slot] < MANY else f"at least {hidden} more")
        also = f" {_joined(named)} land{'s' if len(named) == 1 and hidden < 2 else ''} there too."
    return f"{_bracket(index_of(view, cell))} is slot {position}{held}.{also}"


def _joined(words):
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def others(data, state):
    """The other cells that land on the current slot."""
    view, slot, cell = data["views"][state[0]], state[1], state[2]
    return [number for number, other in enumerate(view["cells"]) if other == slot and number != cell]


def alt_text(data):
    """What the still picture shows, in sentences, for readers who cannot see it."""
    view, state = data["views"][0], data["start"]
    title = f"{data['title'].rstrip('.')}. " if data["title"] and data["title"][-1] not in "?!" else data["title"] + " "
    layout = f"A grid of {', '.join(view['meta'])}"
    kind = f" of {data['dtype']}" if data["dtype"] else ""
    slots = f"above its buffer of {data['length']} slot{'s' * (data['length'] != 1)}{kind}"
    rows = ""
    if data["values"] and 0 < len(view["cells"]) <= 64:
        rows = f" Rows: {'; '.join(_rows(data, view))}."
    hexes = ""
    if data["width"] and state[1] >= 0 and not data["slots"][state[1]][2]:
        hexes = f" In hex: {_pairs(data['slots'][state[1]][3])}."
    legend = f" {view['legend']}" if view["legend"] else ""
    return f"{title.lstrip()}{layout}, {slots}.{rows} {sentence(data, state)}{hexes}{legend}"


def _rows(data, view):
    wide = 1 if view["columns"] is None else len(view["columns"])
    texts = ["outside" if data["slots"][k][2] else data["slots"][k][1].strip(NO_BREAK) for k in view["cells"]]
    return [" ".join(texts[start : start + wide]) for start in range(0, len(texts), wide)]


def _pairs(hexes):
    return " ".join(hexes[k : k + 2] for k in range(0, len(hexes), 2))


def text_drawing(data):
    """The facts of a figure as a drawing in characters.

    Marks: [ ] current, ( ) lands on the same slot, x outside the buffer, . unreached, = shared by several indices.
    """
    view, state = data["views"][0], data["start"]
    lines = [data["title"]] if data["title"] else []
    lines += [" · ".join([*view["meta"], *([data["dtype"]] if data["dtype"] else [])]), ""]
    lines += [*_text_grid(data, view, state), *_text_strip(data, view, state), ""]
    (call, *_), *rest = formula(data, state)
    if state[2] >= 0:
        lines.append(f"{call[0]} {''.join(run for run, _ in rest[0])}")
        start = signed(data["slots"][view["offset"]][0])
        way = [
            f"{f'{count} × ' * (count > 1)}{view['steps'][axis]} to {signed(data['slots'][stops[-1]][0])}"
            for axis, count, stops in hops(data, state)
        ]
        lines += [f"hops: from {start}, {', then '.join(way)}"] if way else []
        lines += [f"{rest[1][0][0]}: {_pairs(data['slots'][state[1]][3])}"] if len(rest) > 1 else []
    lines.append(sentence(data, state))
    lines += [f"Toggle: {', '.join(data['names'])}."] if data["names"] else []
    legend = view["legend"].replace("Crossed", "'x'").replace("Hatched", "'='").replace("Dashed", "'.'")
    lines += [text for text in (legend, data["note"]) if text]
    return "\n".join(line.rstrip() for line in lines)


def _text_width(data):
    texts = [entry[1] if data["values"] else "" for entry in data["slots"]]
    return max(
        (max(len(text), len(signed(entry[0]))) for text, entry in zip(texts, data["slots"], strict=True)), default=1
    )


def _text_grid(data, view, state):
    wide, same = _text_width(data), set(others(data, state))
    rows, columns = view["rows"], view["columns"]
    head = "grid".ljust(8)
    if not view["cells"]:
        return [f"{head} no cell", ""]
    marked = []
    for number, slot in enumerate(view["cells"]):
        entry = data["slots"][slot]
        text = "x" if entry[2] else entry[1] if data["values"] else signed(entry[0])
        left, right = "[]" if number == state[2] else "()" if number in same else "  "
        marked.append(f"{left}{text.rjust(wide)}{right}")
    lines, per_row = [], len(columns or [0])
    per_plane = per_row * len(rows or [0])
    for plane, lead in enumerate(view["lead"]):
        name = f"[{', '.join(map(str, lead))}, :, :]" if lead else ""
        if columns is not None:
            labels = "".join(f" {str(c).rjust(wide)} " for c in columns)
            lines.append(f"{(name or head).ljust(8)}{labels}" if len(name) < 8 else f"{name}\n{' ' * 8}{labels}")
        for r, row in enumerate(rows or [None]):
            start = plane * per_plane + r * per_row
            label = "" if row is None else str(row).rjust(5)
            lines.append(f"{(label or head * (columns is None)).ljust(8)}{''.join(marked[start : start + per_row])}")
        lines.append("")
    return lines


def _text_strip(data, view, state, room=100):
    wide, slots = _text_width(data), data["slots"]
    if not slots:
        return ["buffer   no slot"]
    per_line, lines = max(1, (room - 8) // (wide + 2)), []
    for start in range(0, len(slots), per_line):
        part = range(start, min(len(slots), start + per_line))
        lead = {k: "  " if str(k) in data["gaps"] and k > start else "" for k in part}
        held = "".join(lead[k].replace("  ", "⋯ ") + _text_slot(data, k, state[1], wide) for k in part)
        numbers = "".join(f"{lead[k]} {signed(slots[k][0]).rjust(wide)} " for k in part)
        marks = "".join(f"{lead[k]} {_text_mark(view['landings'][k]).rjust(wide)} " for k in part)
        lines.append(f"{'' if start else 'buffer':8}{held}")
        lines += [f"{'':8}{numbers}"] if data["values"] else []
        lines += [f"{'':8}{marks}"] if marks.strip() else []
        if view["offset"] in part:
            before = (
                (view["offset"] - start) * (wide + 2) + wide + sum(len(lead[k]) for k in part if k <= view["offset"])
            )
            lines.append(f"{'':8}{' ' * before}^offset")
    return lines


def _text_mark(count):
    return "." if not count else "=" if count > 1 else ""


def _text_slot(data, k, current, wide):
    entry = data["slots"][k]
    text = "x" if entry[2] else entry[1].strip(NO_BREAK) if data["values"] else signed(entry[0])
    return f"[{text.rjust(wide)}]" if k == current else f" {text.rjust(wide)} "
