"""The linked figure: a grid, its buffer and its bytes, and the formula that joins them.

`linked` looks everything up once (`mapping.describe`). `plan` says where things stand for a given width; `linked.js`
holds the same plan in JavaScript, and a test holds the two together. The still picture is painted here.
"""

import json
from itertools import pairwise
from math import ceil

import numpy as np

from tensorlab.dtypes import as_dtype
from tensorlab.errors import ArgumentError, ShapeError
from tensorlab.figures import mapping
from tensorlab.figures.mapping import Source, alt_text, axis_class, signed, text_drawing
from tensorlab.figures.shell import MONO_ADVANCE, PAD, WIDTH, Canvas, Figure, mono_width, read_script, wrap
from tensorlab.layout import Layout
from tensorlab.matrix import Matrix
from tensorlab.tensor import Tensor, from_numpy

GEOMETRY = {
    "pad": PAD,
    "narrowPad": 12,
    "wide": 560,
    "label": 64,
    "rowLabel": 24,
    "cellWidth": 40,
    "cellHeight": 30,
    "columnLabel": 18,
    "planeLabel": 20,
    "legendLine": 26,
    "planeGap": 20,
    "breakWidth": 26,
    "breakHeight": 20,
    "emptyWidth": 120,
    "formulaGap": 24,
    "formulaLeft": 400,
    "formulaLine": 24,
    "stripPad": 16,
    "stripRight": 8,
    "stripBreak": 46,
    "fence": 12,
    "smallest": 22,
    "arcs": 46,
    "lane": 20,
    "second": 14,
    "toBytes": 98,
    "byteWidth": 32,
    "byteWide": 38,
    "byteHeight": 24,
    "byteGap": 10,
    "byteEnd": 44,
    "stripEnd": 72,
    "each": 4,
    "drawn": 12,
    "advance": MONO_ADVANCE,
}
"""The measures of a linked figure in pixels, shared by both painters."""


def linked(x, *, title="", select=None, note="", toggle=None, buffer=None, values=True, show_bytes=True):
    """Draw a grid above its buffer and its bytes, linked in every direction.

    Parameters
    ----------
    x : Tensor, Matrix, NumPy array or Layout
        What to draw. A bare layout shows places only, unless `buffer` says what stands there.
    title : str
        The heading.
    select : sequence of int, optional
        The index whose cell is selected at first. Without it, one that makes the point: an index that leaves the
        buffer if there is one, else the last row's second column.
    note : str
        A line below the figure.
    toggle : dict of str to Layout, optional
        Named layouts over the same buffer; the reader switches between them and the current slot stays. The first one
        is shown first.
    buffer : int, NumPy array or Tensor, optional
        Only with a layout: the length of the buffer, or what it holds. The layout may leave it; the figure shows where.
    values : bool
        False draws slot numbers in place of the values.
    show_bytes : bool
        False leaves out the bytes.

    Returns
    -------
    Figure
        Live in a trusted notebook and in an exported page, a still picture elsewhere, characters in a terminal.

    Raises
    ------
    BoundsError
        If `select` is no index of the grid.
    ArgumentError
        If `x` cannot be drawn, or `buffer` is given for something that has one.

    Examples
    --------
    >>> linked(Layout((2, 3), (3, 1)), buffer=np.arange(10, 16, dtype=np.int8), select=(1, 0))
    shape (2, 3) · strides (3, 1) · offset 0 · int8
    <BLANKLINE>
    grid      0   1   2
        0    10  11  12
        1   [13] 14  15
    <BLANKLINE>
    buffer   10  11  12 [13] 14  15
              0   1   2   3   4   5
              ^offset
    <BLANKLINE>
    position(1, 0) = 0 + 1×3 + 0×1 = 3
    hops: from 0, +3 to 3
    byte 3×1 = 3: 0d
    [1, 0] is slot 3: value 13, byte 3.
    """
    source = _source(x, toggle, buffer, values)
    data = mapping.describe(source, title=title, note=note, select=select, show_bytes=show_bytes)
    return Figure(
        "linked",
        data=data,
        still=still(data),
        alt=alt_text(data),
        text=text_drawing(data),
        script=live_painter(),
    )


def live_painter():
    """The JavaScript of the linked figure: the shared measures, then its painter with ``mount(host, data)``.

    Examples
    --------
    >>> live_painter().startswith("const G={")
    True
    """
    return f"const G={json.dumps(GEOMETRY, separators=(',', ':'))};\n{read_script('linked.js')}"


def _source(x, toggle, buffer, values):
    if isinstance(x, Layout):
        layout, words, dtype, length = x, None, None, None
        if buffer is None:
            layouts = [x, *(toggle or {}).values()]
            length = max(0, *(each.span[1] for each in layouts))
        elif isinstance(buffer, int):
            length = buffer
        else:
            words, dtype = _words(buffer)
            length = len(words)
    else:
        if buffer is not None:
            raise ArgumentError(
                "linked",
                "buffer is only for a layout",
                got=f"{type(x).__name__} and a buffer",
                fix="linked(x.layout, buffer=buffer)",
            )
        x = _tensor(x)
        layout, words, dtype = x.layout, x.buffer, x.dtype
        length = len(words)
    return Source(toggle or {"": layout}, length, words if values else None, dtype)


def _words(buffer):
    """A one-dimensional buffer as stored words and their type."""
    if isinstance(buffer, Tensor):
        return buffer.buffer, buffer.dtype
    words = np.asarray(buffer)
    if words.ndim != 1:
        raise ShapeError(
            "linked",
            "a buffer has one axis",
            expected="shape (n,)",
            got=f"shape {words.shape}",
            fix="buffer.reshape(-1)",
        )
    return words, as_dtype(words.dtype, operation="linked")


def _tensor(x):
    if isinstance(x, Matrix):
        return x.tensor()
    if isinstance(x, np.ndarray):
        return from_numpy(x)
    if isinstance(x, Tensor):
        return x
    raise ArgumentError(
        "linked",
        f"cannot draw {type(x).__name__}",
        expected="a Tensor, a Matrix, a NumPy array or a Layout",
        got=repr(x)[:60],
    )


def plan(data, room):
    """Where everything stands when `room` pixels are free between the paddings.

    Every number is an integer, so that both painters round alike; y counts from the top of its block.

    Returns
    -------
    dict
        `views` holds one plan per view of the grid; the rest is shared by all, so that the buffer stays where it is
        when the view changes.
    """
    g, slots = GEOMETRY, data["slots"]
    wide = room >= g["wide"]
    label = g["label"] if wide else 0
    rows = [row for view in data["views"] for row in view["rows"] or []]
    row_label = max(g["rowLabel"], ceil(max((len(str(row)) for row in rows), default=0) * 12 * g["advance"]) + 12)
    longest = max((len(signed(slot[0])) for slot in slots), default=1)
    characters = max((len(slot[1]) for slot in slots), default=1) if data["values"] else longest
    cell = max(g["cellWidth"], ceil(characters * 14 * g["advance"]) + 14, ceil(longest * 12 * g["advance"]) + 8)
    left = label + row_label
    views = [_plan_view(view, room, wide, label, row_label, cell) for view in data["views"]]
    strip = _plan_strip(data, room - left + g["stripPad"], cell, characters, longest)
    return {
        "wide": wide,
        "label": label,
        "left": left,
        "cell": cell,
        "characters": characters,
        "views": views,
        "top": max(view["height"] for view in views),
        **strip,
    }


def _steps(shown, whole, each, gap):
    """Start of each shown row or column, with a gap where some are left out, and the end."""
    starts, at, before = [], 0, -1
    for number in shown:
        at += gap if number != before + 1 else 0
        starts.append(at)
        at, before = at + each, number
    return starts, at + (gap if shown and before != whole - 1 else 0)


def _plan_view(view, room, wide, label, row_label, cell):
    g, ndim = GEOMETRY, len(view["shape"])
    columns = [0] if view["columns"] is None else view["columns"]
    rows = [0] if view["rows"] is None else view["rows"]
    xs, across = _steps(columns, int(view["shape"][-1]) if ndim else 1, cell, g["breakWidth"])
    ys, down = _steps(rows, int(view["shape"][-2]) if ndim > 1 else 1, g["cellHeight"], g["breakHeight"])
    if not view["cells"]:
        across, down = max(across, g["emptyWidth"]), max(down, g["cellHeight"])
    planes = max(1, len(view["lead"]))
    above = g["columnLabel"] + (g["planeLabel"] if ndim > 2 else 0)
    unit, gap, free = row_label + across, g["planeGap"], room - label
    arrow = 26 + max((ceil(len(axis_label(view, a)) * 12.5 * g["advance"]) for a in range(ndim)), default=0)
    fits = (free - arrow + gap) // (unit + gap)
    beside = fits >= 1 and ndim > 1
    per_row = min(planes, max(1, fits if beside else (free + gap) // (unit + gap)))
    lead = [64 + ceil(len(axis_label(view, axis)) * 12.5 * g["advance"]) for axis in range(ndim - 2)]
    stacked = sum(lead) > free - row_label
    first = g["legendLine"] * (ndim - 2 if stacked else 1) if ndim > 2 else 0
    px = [label + row_label + (k % per_row) * (unit + gap) for k in range(planes)]
    py = [first + (k // per_row) * (above + down + 14) + above for k in range(planes)]
    right = label + per_row * (unit + gap) - gap
    bottom = py[-1] + down
    height = bottom + (32 if ndim else 8)
    below = 0 if beside or ndim < 2 else arrow + 8
    width = right + (arrow if beside else 0)
    across_formula = ceil(view["wide"] * 13.5 * g["advance"])
    side = wide and width + g["formulaGap"] + across_formula <= room
    return {
        "xs": xs,
        "ys": ys,
        "across": across,
        "down": down,
        "px": px,
        "py": py,
        "right": right,
        "bottom": bottom,
        "arrow": arrow,
        "beside": beside,
        "width": width,
        "below": below,
        "lead": lead,
        "stacked": stacked,
        "full": max(width, px[0] + below + 19 + arrow, px[0] + (max(lead) if stacked else sum(lead))),
        "side": side,
        "grid": height,
        "fx": max(width + g["formulaGap"], min(g["formulaLeft"], room - across_formula)) if side else label + row_label,
        "fy": py[0] if side else height + 8,
        "height": max(height, py[0] + 76) if side else height + 8 + 3 * g["formulaLine"],
    }


def _plan_strip(data, free, cell, characters, longest):
    g, slots, gaps = GEOMETRY, data["slots"], data["gaps"]
    fences = [k for k in range(1, len(slots)) if slots[k][2] != slots[k - 1][2]]
    extra = len(gaps) * g["stripBreak"] + len(fences) * g["fence"] + g["stripPad"] + g["stripRight"]
    count = max(1, len(slots))
    smallest = max(
        g["smallest"],
        ceil(characters * 12 * g["advance"]) + 8 if data["values"] else 0,
        ceil(longest * 12 * g["advance"]) + 6,
    )
    pitch = cell if count * cell + extra <= free else min(cell, max(smallest, (free - extra) // count))
    xs, at = [], g["stripPad"]
    for k in range(len(slots)):
        at += (g["stripBreak"] if str(k) in gaps else 0) + (g["fence"] if k in fences else 0)
        xs.append(at)
        at += pitch
    at += g["stripBreak"] if str(len(slots)) in gaps else 0
    total = max(at, g["stripPad"] + (0 if slots else 120)) + g["stripRight"]
    arcs = max(_arc_room(view) for view in data["views"])
    long = any(len(slot) > 4 and int(slot[4]) + data["width"] > 1000 for slot in slots)
    roomy = data["width"] * g["byteWide"] + 2 * g["rowLabel"] <= free
    byte = g["byteWide"] if long and roomy else g["byteWidth"]
    each = data["width"] * byte
    fit = (free - 2 * g["stripBreak"] + g["byteGap"]) // (each + g["byteGap"]) if each else 0
    fit = max(1, min(fit, 7, 3 if data["width"] > 2 else 7))
    around = (fit - 1) // 2
    return {
        "pitch": pitch,
        "small": pitch < ceil(characters * 14 * g["advance"]) + 8,
        "slots": xs,
        "fences": fences,
        "total": total,
        "free": free,
        "arcs": arcs,
        "byte": byte,
        "bytes": arcs + g["toBytes"],
        "around": around,
        "strip": arcs + (g["toBytes"] + g["byteEnd"] if data["width"] else g["stripEnd"]),
    }


def _arc_room(view):
    """Height kept above the strip for hops: one lane, or one per axis where hops go both ways."""
    moving = [step for step, n in zip(view["steps"], view["shape"], strict=True) if int(n) > 1]
    if not moving or not view["cells"]:
        return 14
    jumps = [step for step in moving if step != "+0"]
    both = len({step[0] for step in jumps}) > 1
    doubled = any(step == "+0" and int(n) > 2 for step, n in zip(view["steps"], view["shape"], strict=True))
    return (
        GEOMETRY["arcs"] + (GEOMETRY["lane"] * (len(jumps) - 1) if both else 0) + (GEOMETRY["second"] if doubled else 0)
    )


def axis_label(view, axis):
    """The words beside the arrow of an axis: its number and its step."""
    return f"axis {axis}  {view['steps'][axis]}"


def still(data):
    """Paint the still picture of a figure: its first state, `WIDTH` pixels wide."""
    g, state = GEOMETRY, data["start"]
    room = WIDTH - 2 * g["pad"]
    where = plan(data, room)
    canvas = Canvas(WIDTH, 0)
    view, at = data["views"][0], where["views"][0]
    y = _paint_header(canvas, data, view, room)
    y = _paint_toggle(canvas, data, where, y)
    _paint_grid(canvas, data, where, y)
    for number, runs in enumerate(mapping.formula(data, state)):
        canvas.text(g["pad"] + at["fx"], y + at["fy"] + 20 + number * g["formulaLine"], runs, "mono")
    y += where["top"] + 8
    _paint_strip(canvas, data, where, y)
    y += where["strip"] + 12
    x, width = g["pad"] + where["left"], room - where["left"]
    for style, words in (("body", mapping.sentence(data, state)), ("note", view["legend"]), ("note", data["note"])):
        for line in wrap(words, width):
            canvas.text(x, y + 15, line, style)
            y += 20
    canvas.height = y + g["pad"] - 2
    return canvas


def _paint_header(canvas, data, view, room):
    g, y = GEOMETRY, GEOMETRY["pad"]
    meta = " · ".join([*view["meta"], *([data["dtype"]] if data["dtype"] else [])])
    beside = header_beside(data["title"], meta, room)
    if data["title"]:
        for line in wrap(data["title"], room if not beside else 10**6, 15):
            canvas.text(g["pad"], y + 17, line, "title")
            y += 22
    if beside:
        canvas.text(g["pad"] + room, y - 5, meta, "mono", anchor="end")
    else:
        characters = int(room / (13.5 * g["advance"]))
        line = ""
        for part in meta.split(" · "):
            if line and len(line) + 3 + len(part) > characters:
                canvas.text(g["pad"], y + 16, line + " ·", "mono")
                line, y = "", y + 20
            line += (" · " if line else "") + part
        canvas.text(g["pad"], y + 16, line, "mono")
        y += 20
    return y + 14


def header_beside(title, meta, room):
    """Whether the heading and the facts of the layout stand on one line."""
    return bool(title) and len(title) * 9 + 24 + mono_width(meta) <= room


def _paint_toggle(canvas, data, where, y):
    if not data["names"]:
        return y
    x = GEOMETRY["pad"] + where["left"]
    canvas.text(GEOMETRY["pad"], y + 19, "layout", "lab")
    for number, name in enumerate(data["names"]):
        width = toggle_width(name)
        canvas.rect(x + 0.5, y + 0.5, width - 3, 27, "cell byte" if number else "cell neu pick")
        canvas.text(x + (width - 2) / 2, y + 19, name, "tab" if number else "tab pick", anchor="middle")
        x += width
    return y + 28 + 12


def toggle_width(name):
    """Width of one button of the toggle."""
    return ceil(len(name) * 7.6) + 28


def grid_scroll(data, where, cell, room):
    """How far a grid wider than the figure is scrolled so that the current cell is in view."""
    at, free = where["views"][0], room - where["label"]
    full = at["full"] - where["label"]
    if cell < 0 or full <= free:
        return 0
    x = at["px"][0] - where["label"] + at["xs"][cell % len(at["xs"])]
    return max(0, min(x + where["cell"] + 24, full) - free)


def _paint_grid(page, data, where, y):
    view, at = data["views"][0], where["views"][0]
    slot, cell = data["start"][1:]
    same = set(mapping.others(data, data["start"]))
    ndim = len(view["shape"])
    index = mapping.index_of(view, cell) if cell >= 0 else []
    rows, columns = view["rows"], view["columns"]
    width, height = where["cell"] - 2, GEOMETRY["cellHeight"] - 2
    room = WIDTH - 2 * GEOMETRY["pad"]
    page.text(GEOMETRY["pad"], y + at["py"][0] + 19, "grid", "lab")
    scrolled, label = grid_scroll(data, where, cell, room), where["label"]
    canvas = page.inset(
        GEOMETRY["pad"] + label, y, room - label, at["grid"], label + scrolled, at["full"] if at["full"] > room else 0
    )
    along = where["left"]
    for axis, long in enumerate(at["lead"]):
        line = axis * GEOMETRY["legendLine"] if at["stacked"] else 0
        canvas.arrow(along + 2, line + 8, 28, 0, axis_class(axis))
        canvas.text(along + 38, line + 12, axis_label(view, axis), f"mono step {axis_class(axis)}")
        along += 0 if at["stacked"] else long
    for plane, (px, py) in enumerate(zip(at["px"], at["py"], strict=True)):
        if ndim > 2 and view["lead"]:
            lead = view["lead"][plane]
            runs = [("[", "")]
            for axis, i in enumerate(lead):
                runs.append((str(i), f"now {axis_class(axis)}" if index[: axis + 1] == lead[: axis + 1] else ""))
                runs.append((", ", ""))
            canvas.text(px, py - GEOMETRY["columnLabel"] - 5, [*runs, (":, :]", "")], "idx")
        current = ndim < 3 or (index and view["lead"][plane] == index[:-2])
        for c, dx in zip(columns or [], at["xs"], strict=False):
            now = f" now {axis_class(ndim - 1)}" if current and index and c == index[-1] else ""
            canvas.text(px + dx + where["cell"] / 2, py - 6, str(c), f"idx{now}", anchor="middle")
        for r, dy in zip(rows or [], at["ys"], strict=False):
            now = f" now {axis_class(ndim - 2)}" if current and index and r == index[-2] else ""
            canvas.text(px - 10, py + dy + 19, str(r), f"idx{now}", anchor="end")
        if not view["cells"]:
            canvas.rect(px + 1, py + 1, at["across"] - 2, at["down"] - 2, "cell off")
            canvas.text(px + at["across"] / 2, py + at["down"] / 2 + 4, "no cell", "note", anchor="middle")
        _paint_breaks(canvas, view, at, where, px, py)
    spots = [
        (px + dx, py + dy) for px, py in zip(at["px"], at["py"], strict=True) for dy in at["ys"] for dx in at["xs"]
    ]
    looks = [cell_look(data, view, number, slot, cell, same) for number in range(len(view["cells"]))]
    for (cx, cy), (look, _, _) in sorted(zip(spots, looks, strict=False), key=lambda one: one[1][0]):
        canvas.rect(cx + 1, cy + 1, width, height, f"cell {look}".strip())
    for (cx, cy), (_, _, hatched) in zip(spots, looks, strict=False):
        if hatched:
            canvas.hatch(cx + 1, cy + 1, width, height)
    for number, ((cx, cy), (look, crossed, _)) in enumerate(zip(spots, looks, strict=False)):
        if crossed:
            canvas.cross(cx + where["cell"] / 2, cy + 15, current="cur" in look)
            continue
        entry = data["slots"][view["cells"][number]]
        right = cx + where["cell"] / 2 + where["characters"] * 14 * MONO_ADVANCE / 2
        canvas.text(
            right, cy + 20, entry[1] if data["values"] else signed(entry[0]), f"num {look}".strip(), anchor="end"
        )
    _paint_axes(canvas, view, at)


def cell_look(data, view, number, slot, cell, same):
    """Class of a cell, whether it is crossed out, and whether it is hatched."""
    own = view["cells"][number]
    crossed = bool(data["slots"][own][2])
    base = "off" if crossed else "rep" if view["landings"][own] > 1 else ""
    look = " ".join(filter(None, (base, "cur" if number == cell else "same" if number in same else "")))
    return look, crossed, base == "rep" and number != cell


def _paint_breaks(canvas, view, at, where, px, py):
    """Three dots where rows or columns are left out."""
    ndim = len(view["shape"])
    if ndim and view["columns"]:
        for middle in break_spots(
            view["columns"], int(view["shape"][-1]), at["xs"], where["cell"], GEOMETRY["breakWidth"]
        ):
            canvas.text(px + middle, py + at["down"] / 2 + 4, "⋯", "note", anchor="middle")
    if ndim > 1 and view["rows"]:
        for middle in break_spots(
            view["rows"], int(view["shape"][-2]), at["ys"], GEOMETRY["cellHeight"], GEOMETRY["breakHeight"]
        ):
            canvas.text(px + at["across"] / 2, py + middle + 5, "⋮", "note", anchor="middle")


def break_spots(shown, whole, starts, each, gap):
    """The middle of every place where rows or columns are left out."""
    spots = [start - gap / 2 for k, start in enumerate(starts) if shown[k] != (shown[k - 1] + 1 if k else 0)]
    return spots + ([starts[-1] + each + gap / 2] if shown[-1] != whole - 1 else [])


def _paint_axes(canvas, view, at):
    ndim = len(view["shape"])
    if not ndim:
        return
    left, line, style = at["px"][0], at["bottom"] + 19, axis_class(ndim - 1)
    canvas.arrow(left + at["below"] + 3, line, 34, 0, style)
    canvas.text(left + at["below"] + 45, line + 4, axis_label(view, ndim - 1), f"mono step {style}")
    if ndim == 1:
        return
    words, style = axis_label(view, ndim - 2), axis_class(ndim - 2)
    if at["beside"]:
        long = min(at["down"], 60)
        canvas.arrow(at["right"] + 14, at["py"][0] + 3, 0, long - 4, style)
        canvas.text(at["right"] + 24, at["py"][0] + long / 2 + 4, words, f"mono step {style}")
    else:
        canvas.arrow(left + 6, line - 8, 0, 16, style)
        canvas.text(left + 16, line + 4, words, f"mono step {style}")


def _paint_strip(canvas, data, where, y):
    g, slots, view = GEOMETRY, data["slots"], data["views"][0]
    slot = data["start"][1]
    box, arcs, pitch = where["pitch"] - 2, where["arcs"], where["pitch"]
    scrolled = strip_scroll(data, where, slot)
    canvas.text(g["pad"], y + arcs + 19, "buffer", "lab")
    left = g["pad"] + where["left"] - g["stripPad"]
    strip = canvas.inset(left, y, where["free"], where["strip"], scrolled, where["total"])
    seen = [k for k, x in enumerate(where["slots"]) if scrolled - pitch < x < scrolled + where["free"]]
    if data["width"]:
        canvas.text(g["pad"], y + where["bytes"] + 17, "bytes", "lab")
        _paint_bytes(strip, data, where, slot)
    small = " small" if where["small"] else ""
    looks = {k: slot_look(data, view, k, slot) for k in seen}
    for k in sorted(seen, key=lambda k: looks[k][0]):
        strip.rect(where["slots"][k] + 1, arcs + 1, box, 28, f"cell {looks[k][0]}".strip())
    for k in seen:
        if looks[k][2]:
            strip.hatch(where["slots"][k] + 1, arcs + 1, box, 28)
    for k in seen:
        middle = where["slots"][k] + pitch / 2
        if looks[k][1]:
            strip.cross(middle, arcs + 15, current="cur" in looks[k][0])
        elif data["values"]:
            strip.text(
                middle,
                arcs + 20,
                slots[k][1].strip(mapping.NO_BREAK),
                f"num {looks[k][0]}".strip() + small,
                anchor="middle",
            )
    for k in seen:
        strip.text(
            where["slots"][k] + pitch / 2,
            arcs + 44,
            signed(slots[k][0]),
            "idx hot" if k == slot else "idx",
            anchor="middle",
        )
    for k in where["fences"]:
        x = where["slots"][k] - g["fence"] / 2
        strip.path(f"M{x:g} {arcs - 3}V{arcs + 33}", "fence")
    for key, left_out in data["gaps"].items():
        k = int(key)
        end = where["slots"][k] if k < len(slots) else where["total"] - g["stripRight"]
        middle = end - g["stripBreak"] / 2 - (g["fence"] if k in where["fences"] else 0)
        strip.text(middle, arcs + 19, "⋯", "note", anchor="middle")
        strip.text(middle, arcs + 44, gap_words(left_out), "idx", anchor="middle")
    if not slots:
        strip.text(g["stripPad"], arcs + 20, "no slot", "note")
    if view["offset"] >= 0:
        middle = where["slots"][view["offset"]] + pitch / 2
        strip.path(f"M{middle:g} {arcs + 48}v6", "arc")
        strip.text(middle, arcs + 66, "offset", "idx", anchor="middle")
    for arc in arc_list(data, where, data["start"]):
        strip.path(arc["path"], f"arc {arc['style']}")
        strip.head(*arc["head"], arc["style"])
    for arc in arc_list(data, where, data["start"]):
        if arc["label"]:
            strip.text(*arc["at"], arc["label"], f"mono step halo {arc['style']}", anchor="middle")


def gap_words(left_out):
    """How many slots a break leaves out, short enough for its room: 1012, 802k, 155M.

    Examples
    --------
    >>> gap_words(1012), gap_words(801780), gap_words(154774517)
    ('1012', '802k', '155M')
    """
    number = int(left_out)
    for unit, letter in ((10**9, "G"), (10**6, "M"), (10**4, "k")):
        if number >= unit:
            return f"{(number + unit // 2) // unit}{letter}" if letter != "k" else f"{(number + 500) // 1000}k"
    return str(number)


def slot_look(data, view, k, slot):
    """Class of a slot, whether it is crossed out, and whether it is hatched."""
    ghost, count = data["slots"][k][2], view["landings"][k]
    base = "off" if ghost or not count else "rep" if count > 1 else ""
    return " ".join(filter(None, (base, "cur" if k == slot else ""))), bool(ghost), base == "rep" and k != slot


def byte_window(data, where, anchor):
    """The slot items whose bytes are shown around `anchor`, and where each one's first byte stands."""
    g, slots = GEOMETRY, data["slots"]
    if anchor < 0 or slots[anchor][2] or not data["width"]:
        return []
    low = high = anchor
    while anchor - low < where["around"] and low > 0 and not slots[low - 1][2] and str(low) not in data["gaps"]:
        low -= 1
    while (
        high - anchor < where["around"]
        and high < len(slots) - 1
        and not slots[high + 1][2]
        and str(high + 1) not in data["gaps"]
    ):
        high += 1
    each = data["width"] * where["byte"] + g["byteGap"]
    across = (high - low + 1) * each - g["byteGap"]
    middle = where["slots"][anchor] + where["pitch"] / 2
    left = middle - data["width"] * where["byte"] / 2 - (anchor - low) * each
    end = max(where["total"], where["free"]) - g["rowLabel"]
    left = int(max(g["rowLabel"] if low else g["stripPad"], min(left, end - across)))
    return [(k, left + (k - low) * each) for k in range(low, high + 1)]


def strip_scroll(data, where, slot):
    """How far the strip is scrolled so that the current slot and its bytes are in view."""
    if slot < 0 or where["total"] <= where["free"]:
        return 0
    window = byte_window(data, where, slot)
    each = data["width"] * where["byte"]
    low = max(0, min([where["slots"][slot], *(x for _, x in window)]) - 24)
    high = max([where["slots"][slot] + where["pitch"], *(x + each for _, x in window)]) + 24
    high = min(where["total"], high)
    if high <= where["free"]:
        return 0
    return int(max(0, min((low + high - where["free"]) / 2, where["total"] - where["free"])))


def _paint_bytes(strip, data, where, slot):
    g, top = GEOMETRY, where["bytes"]
    window = byte_window(data, where, slot)
    if not window:
        words = "no bytes: this slot does not exist" if slot >= 0 else "no bytes are read"
        strip.text(g["stripPad"], top + 17, words, "note")
        return
    each, width = where["byte"], data["width"]
    (first, left), (last, right) = window[0], window[-1]
    own = dict(window)[slot]
    sx = where["slots"][slot]
    high, end = where["arcs"] + 50, sx + where["pitch"] - 2
    strip.path(f"M{sx + 2} {high}L{own} {top - 2}H{own + width * each}L{end} {high}Z", "wedge")
    for k, x in window:
        for b in range(width):
            strip.rect(x + b * each + 1, top, each - 2, g["byteHeight"], "cell cur" if k == slot else "cell byte")
    for k, x in window:
        for b in range(width):
            digits = data["slots"][k][3][2 * b : 2 * b + 2]
            strip.text(
                x + b * each + each / 2, top + 17, digits, "num cur" if k == slot else "num off", anchor="middle"
            )
    for k, x in window:
        for b in range(width):
            label = short_number(int(data["slots"][k][4]) + b)
            strip.text(x + b * each + each / 2, top + 40, label, "idx", anchor="middle")
    if data["slots"][first][4]:
        strip.text(left - 5, top + 17, "…", "note", anchor="end")
    if int(data["slots"][last][0]) + 1 < int(data["length"]):
        strip.text(right + width * each + 5, top + 17, "…", "note")


def short_number(number):
    """A byte number that fits under a byte: its last three digits where it is long.

    Examples
    --------
    >>> short_number(9999), short_number(1615044)
    ('9999', '…044')
    """
    return str(number) if number < 10**4 else f"…{number % 1000:03}"


def arc_list(data, where, state):
    """The hops from the offset to the current slot as paths, heads and labels."""
    view = data["views"][state[0]]
    middles = [x + where["pitch"] / 2 for x in where["slots"]]
    path = mapping.hops(data, state)
    base, arcs = where["arcs"] - 3, []
    jumps = [hop for hop in path if middles[hop[2][0]] != middles[hop[2][-1]]]
    lanes = {}
    for axis, _, stops in sorted(jumps, key=lambda hop: abs(middles[hop[2][-1]] - middles[hop[2][0]])):
        low, high = sorted((middles[stops[0]], middles[stops[-1]]))
        below = [lane for lane, a, b in lanes.values() if a < high and low < b]
        lanes[axis] = (max(below) + 1 if below else 0, low, high)
    coming = lean = 0
    for number, (axis, count, stops) in enumerate(path):
        step, style = view["steps"][axis], axis_class(axis)
        if axis not in lanes:
            going = next((_sign(middles[h[2][-1]] - middles[h[2][0]]) for h in path[number + 1 :] if h[0] in lanes), 0)
            lean = -lean if lean else 0 if coming and going else coming or -going or -1
            arcs.append(_loop(middles[stops[0]] + 7 * lean, base, step, style, count))
            continue
        before, coming, lean = coming, _sign(middles[stops[-1]] - middles[stops[0]]), 0
        whole = len(stops) == count + 1 and count <= GEOMETRY["drawn"]
        ends = [middles[stop] for stop in (stops if whole else (stops[0], stops[-1]))]
        tight = any(abs(b - a) < mono_width(step, 12.5) + 3 for a, b in pairwise(ends))
        labelled = count == len(ends) - 1 and count <= GEOMETRY["each"] and not (tight and count > 1)
        lane, low, high = lanes[axis]
        covered = any(other > lane and a < high and low < b for other, a, b in lanes.values())
        rise = 22 + GEOMETRY["lane"] * lane
        for k, (a, b) in enumerate(pairwise(ends)):
            turned = k == 0 and before not in (0, coming)
            arc = _arc(a, b, base, rise, style, turned)
            inside = covered and labelled and abs(b - a) > mono_width(step, 12.5) + 18
            spot = _label_spot(a, b, where["free"]) if labelled else _label_spot(ends[0], ends[-1], where["free"])
            arc["label"] = step if labelled else "" if k else f"{count} × {step}"
            arc["at"] = (spot, base - 5 if inside else base - rise - 6)
            arcs.append(arc)
    return arcs


def _label_spot(start, end, free):
    """The middle of a hop, or a spot near its end where its middle may be scrolled out of sight."""
    return (start + end) / 2 if abs(end - start) * 2 < free else end - _sign(end - start) * 100


def _sign(number):
    return (number > 0) - (number < 0)


def _arc(start, end, base, rise, style, turned):
    """One hop; one that turns back starts on the other side of the place where the hop before it landed."""
    way = _sign(end - start)
    start, end = start + (-3 if turned else 3) * way, end - 3 * way
    bend = way * min(abs(end - start) / 4, 30)
    top = base - rise * 4 / 3
    path = f"M{start:.1f} {base}C{start + bend:.1f} {top:.1f} {end - bend:.1f} {top:.1f} {end:.1f} {base}"
    return {"path": path, "head": (end, base + 2, bend, base - top), "style": style}


def _loop(x, base, step, style, count):
    top = base - 29.3
    path = f"M{x - 3:.1f} {base}C{x - 14:.1f} {top:.1f} {x + 14:.1f} {top:.1f} {x + 3:.1f} {base}"
    label, lift = (step, 28) if count == 1 else (f"{count} × {step}", 28 + GEOMETRY["second"])
    return {"path": path, "head": (x + 3, base + 2, -2, 6), "style": style, "label": label, "at": (x, base - lift)}
