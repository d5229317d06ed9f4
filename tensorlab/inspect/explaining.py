"""What an engineer asks of one array, answered in a few lines: `explain` and `explain_reshape`."""

import html
from dataclasses import dataclass

import numpy as np

from tensorlab import views
from tensorlab.errors import LayoutError
from tensorlab.inspect.comparing import compare
from tensorlab.inspect.memory import Place, distinct_slots, locate, with_article
from tensorlab.layout import MAX_WORK, Layout
from tensorlab.matrix import Matrix
from tensorlab.tensor import Tensor, memory_text

OUTER = "border-left:3px solid rgba(128,140,155,0.5);padding:1px 0 1px 14px;margin:4px 0;max-width:60em"
LINE = "margin:3px 0"
TABLE = "border-collapse:collapse;border:none;margin:4px 0;font-size:inherit;color:inherit;background:none"
ROW = "background:none"
NAME = "text-align:left;vertical-align:top;padding:2px 16px 2px 0;border:none;opacity:0.8;font-weight:normal"
TEXT = "text-align:left;vertical-align:top;padding:2px 0;border:none;white-space:normal"


@dataclass(frozen=True, repr=False)
class Explanation:
    """An answer: one sentence, and the facts under it. A notebook shows it as a table, a terminal as lines.

    Parameters
    ----------
    says : str
        The answer in one sentence.
    facts : tuple of (str, str)
        Names and texts.

    Examples
    --------
    >>> Explanation("One sentence.", (("a fact", "its text"), ("another", "more")))
    One sentence.
      a fact   its text
      another  more
    """

    says: str
    facts: tuple[tuple[str, str], ...] = ()

    def __repr__(self):
        width = max((len(name) for name, _ in self.facts), default=0)
        return "\n".join([self.says, *(f"  {name:<{width}}  {text}" for name, text in self.facts)])

    def _repr_html_(self):
        rows = [
            f'<tr style="{ROW}"><th scope="row" style="{NAME}">{html.escape(name, quote=False)}</th>'
            f'<td style="{TEXT}">{html.escape(text, quote=False)}</td></tr>'
            for name, text in self.facts
        ]
        says = f'<div style="{LINE}">{html.escape(self.says, quote=False)}</div>'
        return f'<div style="{OUTER}">{says}<table style="{TABLE}">{"".join(rows)}</table></div>'


def explain(a, b=None, *, max_work=MAX_WORK):
    """Say where an array lives and how it steps through memory; of two, whether they share any of it.

    Parameters
    ----------
    a : Tensor, Matrix, Layout, NumPy array, or whatever `as_tensor` takes
        Nothing is copied, and no element is read: only shapes, strides and addresses are looked at.
    b : likewise, optional
        The array to compare with. Two bare layouts are compared as if over one buffer.
    max_work : int or None
        How many choices the search for an overlap may try before the answer is "undecided".

    Returns
    -------
    Explanation

    Raises
    ------
    ArgumentError, DTypeError, LayoutError
        If an argument does not share its memory, or not as numbers of the course.

    Examples
    --------
    >>> a = np.arange(12, dtype=np.int32).reshape(3, 4)
    >>> explain(a.T)
    NumPy array (4, 3) int32: a view, column-major, writable.
      shape       (4, 3): 12 elements
      dtype       int32, 4 bytes each
      strides     (1, 4) in elements, (4, 16) in bytes
      memory      of a NumPy array: 12 slots, 48 bytes
      offset      slot 0 of its base, byte 0
      reaches     12 of 12 slots are reached: all 48 bytes
      contiguous  no: axis 0 steps 1, a row-major (4, 3) grid needs 3; column-major, yes
      shared      no two indices share a slot
      writable    yes
    >>> explain(a[:, ::2], a[:, 1::2])
    They share no byte, although they live in the same memory.
      a         NumPy array (3, 2) int32, strides (4, 2), offset 0
      b         NumPy array (3, 2) int32, strides (4, 2), offset 1
      memory    the same, of a NumPy array
      envelope  a spans bytes [0, 44) of its base, b [4, 48): they meet
      exact     no element of one lies on a byte of the other
      writing   to one never changes the other
    """
    if b is not None:
        return Explanation(*compare(a, b, max_work=max_work))
    if isinstance(a, Layout):
        return _explain_layout(a, max_work)
    return _explain_place(locate(a, operation="explain"), a, max_work)


def explain_reshape(x, shape):
    """Say whether a reshape is a view or a copy, and why.

    Parameters
    ----------
    x : Tensor, Matrix, Layout, NumPy array, or whatever `as_tensor` takes
    shape : int or sequence of int
        One length may be -1.

    Returns
    -------
    Explanation

    Raises
    ------
    ShapeError
        If the element counts differ, or the -1 cannot be worked out: that is no reshape at all.

    Examples
    --------
    >>> explain_reshape(np.zeros((2, 6)), (3, -1))
    (2, 6) -> (3, 4) is a view: no element moves.
      strides  (6, 1) -> (4, 1) in elements, (32, 8) in bytes
      offset   0, as before
      cost     nothing is moved: 0 bytes
    >>> explain_reshape(np.zeros((2, 3)).T, 6)
    (3, 2) -> (6,) is a copy: one stride per axis cannot walk the elements in their order.
      strides  (1, 3), of shape (3, 2)
      why      a reshape only renames positions; this one needs a new order in memory: axis 0 would jump +3, then -2
      copy     strides (1,) in elements, (8,) in bytes
      cost     48 bytes read, as many written to new memory
      NumPy    x.reshape(6) copies without a word
    """
    place = Place("Layout", x) if isinstance(x, Layout) else locate(x, operation="explain_reshape")
    layout = place.layout
    copied = views.reshape(Layout.row_major(layout.shape), shape)
    says = f"{layout.shape} -> {copied.shape} is a"
    try:
        view = views.reshape(layout, shape)
    except LayoutError as error:
        facts = _copy_facts(place, copied, error, isinstance(x, np.ndarray))
        return Explanation(f"{says} copy: one stride per axis cannot walk the elements in their order.", facts)
    facts = (
        ("strides", f"{layout.strides} -> {_strides(view, place)}"),
        ("offset", f"{view.offset:,}, as before"),
        ("cost", "nothing is moved: 0 bytes"),
    )
    return Explanation(f"{says} view: no element moves.", facts)


def reach_text(place):
    """Say how much of its memory an array reaches, and how much stays alive for it.

    Parameters
    ----------
    place : Place

    Returns
    -------
    str

    Examples
    --------
    >>> reach_text(locate(np.zeros(10**7)[:10], operation="explain"))
    '10 of 10,000,000 slots are reached; the whole 80,000,000 bytes stay alive for these 80'
    """
    layout, slots, alive = place.layout, place.tensor.buffer.size, place.bytes_alive
    reached = distinct_slots(layout)
    if reached is None:
        start, stop = layout.span
        said, used = f"at most {min(stop - start, layout.size):,}", "them"
    else:
        said, used = f"{reached:,}", f"these {reached * place.tensor.itemsize:,}"
    before, after = place.bytes_outside
    if before or after:
        sides = [f"{n:,} bytes {side}" for n, side in ((before, "before it"), (after, "behind it")) if n]
        return f"{said} slots are reached; it leaves its {alive:,} bytes, up to {' and '.join(sides)}"
    said += f" of {slots:,} slot{'s' * (slots != 1)} {'is' if reached == 1 else 'are'} reached"
    if reached is not None and reached * place.tensor.itemsize == alive:
        return f"{said}: all {alive:,} bytes"
    return f"{said}; the whole {alive:,} bytes stay alive for {used}"


def _explain_layout(layout, max_work):
    start, stop = layout.span
    distinct = distinct_slots(layout)
    counted = "" if distinct is None else f": {distinct:,} of {stop - start:,}"
    facts = (
        ("shape", _shape_text(layout)),
        ("strides", str(layout.strides)),
        ("offset", f"slot {layout.offset:,}"),
        ("reaches", f"slots in [{start:,}, {stop:,}){counted}" if layout.size else "no slot"),
        ("contiguous", _contiguity(layout)),
        ("shared", _shared_text(layout, layout.self_overlap(max_work=max_work))),
    )
    return Explanation(f"Layout {layout.shape}: {_order(layout)}. It has no memory of its own.", facts)


def _explain_place(place, x, max_work):
    layout, tensor = place.layout, place.tensor
    overlap = layout.self_overlap(max_work=max_work)
    writable = _writable(place, x, overlap)
    facts = (
        ("shape", _shape_text(layout)),
        ("dtype", f"{tensor.dtype}, {_count(tensor.itemsize, 'byte')} each"),
        ("strides", _strides(layout, place)),
        ("memory", _memory_text(place, x)),
        ("offset", _offset_text(place)),
        ("reaches", reach_text(place)),
        ("contiguous", _contiguity(layout)),
        ("shared", _shared_text(layout, overlap)),
        ("writable", writable),
    )
    may_write = "writable" if writable == "yes" else "not writable"
    says = f"{place.kind} {layout.shape} {tensor.dtype}: {_role(place, x)}, {_order(layout)}, {may_write}."
    return Explanation(says, facts)


def _copy_facts(place, copied, error, is_numpy):
    layout = place.layout
    facts = (
        ("strides", f"{layout.strides}, of shape {layout.shape}"),
        ("why", error.why),
        ("copy", f"strides {_strides(copied, place)}"),
    )
    if place.tensor is None:
        return (*facts, ("cost", f"{layout.size:,} elements read, as many written to a new buffer"))
    cost = ("cost", f"{place.tensor.nbytes:,} bytes read, as many written to new memory")
    if is_numpy:
        call = error.fix.removeprefix("x.contiguous()")
        return (*facts, cost, ("NumPy", f"x{call} copies without a word"))
    return (*facts, cost, ("fix", error.fix)) if place.kind == "Tensor" else (*facts, cost)


def _count(n, noun):
    plural = "indices" if noun == "index" else noun + "s"
    return f"{n:,} {noun if n == 1 else plural}"


def _shape_text(layout):
    return f"{layout.shape}: {_count(layout.size, 'element')}"


def _strides(layout, place):
    if place.tensor is None:
        return str(layout.strides)
    byte_strides = tuple(stride * place.tensor.itemsize for stride in layout.strides)
    return f"{layout.strides} in elements, {byte_strides} in bytes"


def _owns_itself(place, x):
    own_buffer = isinstance(x, (Tensor, Matrix)) and place.owner is place.tensor.buffer
    return place.is_whole and (place.owner is x or own_buffer)


def _role(place, x):
    if not place.is_whole:
        return "shares memory"
    owns = memory_text(x).startswith("owns") if isinstance(x, Tensor) else _owns_itself(place, x)
    return "owns its memory" if owns else "a view"


def _memory_text(place, x):
    """Whose memory it is, and how large."""
    buffer, alive = place.tensor.buffer, place.bytes_alive
    slots = _count(buffer.size, "slot")
    if not place.is_whole:
        handed = f"handed over by {with_article(place.owner_name)}: {slots}, {alive:,} bytes"
        return f"{handed}; what lies around them is not told"
    whose = f"of {with_article(place.owner_name)}"
    if _owns_itself(place, x):
        whose = "its buffer" if isinstance(x, (Tensor, Matrix)) else "its own"
    elif isinstance(place.owner, np.ndarray) and place.owner.dtype not in (buffer.dtype, place.tensor.dtype.numpy):
        whose += f" of {place.owner.size:,} {'records' if place.owner.dtype.names else place.owner.dtype}"
    if any(place.bytes_outside):
        return f"{whose}: {alive:,} bytes"
    if place.shift == 0 and alive // place.tensor.itemsize == buffer.size:
        left = alive - buffer.nbytes
        return f"{whose}: {slots}, {alive:,} bytes" + (f", the last {left} no whole slot" if left else "")
    return f"{whose}: {alive:,} bytes; the buffer is {slots} of them, from byte {place.shift:,} on"


def _offset_text(place):
    first, itemsize = place.layout.offset, place.tensor.itemsize
    if not place.is_whole:
        return f"slot {first:,} of those, byte {first * itemsize:,}"
    if place.shift == 0:
        return f"slot {first:,} of its base, byte {first * itemsize:,}"
    return f"slot {first:,} of its buffer, byte {place.shift + first * itemsize:,} of its base"


def _order(layout):
    if layout.is_row_major:
        return "row-major"
    return "column-major" if layout.is_column_major else "not contiguous"


def _contiguity(layout):
    if layout.is_row_major:
        return "yes: row-major and column-major alike" if layout.is_column_major else "yes: row-major"
    packed = Layout.row_major(layout.shape).strides
    axis = next(a for a, n in enumerate(layout.shape) if n > 1 and layout.strides[a] != packed[a])
    step = layout.strides[axis]
    repeats = " (it repeats)" if step == 0 else ""
    why = f"no: axis {axis} steps {step}{repeats}, a row-major {layout.shape} grid needs {packed[axis]}"
    return f"{why}; column-major, yes" if layout.is_column_major else why


def _shared_text(layout, overlap):
    if overlap.verdict == "no":
        return "no two indices share a slot"
    if overlap.verdict == "undecided":
        return f"undecided after {overlap.work:,} tries whether two indices share a slot"
    distinct = distinct_slots(layout)
    slots = "fewer slots" if distinct is None else _count(distinct, "slot")
    return f"{_pair(overlap)} share slot {overlap.position:,}: {_count(layout.size, 'index')} on {slots}"


def _pair(overlap):
    return f"{list(overlap.first)} and {list(overlap.second)}"


def _writable(place, x, overlap):
    reasons = []
    if not place.tensor.buffer.flags.writeable:
        if not isinstance(place.owner, np.ndarray):
            reasons.append(f"its memory is read-only, as {with_article(place.owner_name)} hands it out")
        elif place.owner is not x and place.owner.flags.writeable:
            reasons.append("it is marked read-only, the array under it is not")
        else:
            reasons.append("it is marked read-only")
    if overlap.verdict == "yes":
        reasons.append(f"{_pair(overlap)} share slot {overlap.position:,}, so a write to one would change the other")
    elif overlap.verdict == "undecided":
        reasons.append("undecided whether two indices share a slot, which counts as shared")
    return f"no: {'; and '.join(reasons)}" if reasons else "yes"
