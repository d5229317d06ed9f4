"""Two arrays over memory: whether it is the same, whether their spans meet, and whether their elements do."""

from tensorlab.errors import ArgumentError
from tensorlab.inspect.memory import kind_of, locate, with_article
from tensorlab.layout import MAX_WORK, Layout

COUNTED = 20_000
"""Bytes of either array up to which the overlapping elements are counted one by one."""


def compare(a, b, *, max_work=MAX_WORK):
    """Say what two arrays share; see `explain`.

    Parameters
    ----------
    a, b : two layouts, or two of whatever `as_tensor` takes
    max_work : int or None

    Returns
    -------
    (str, tuple of (str, str))
        The answer in one sentence, and the facts under it.

    Examples
    --------
    >>> says, facts = compare(Layout(4, 2), Layout(4, 2, offset=1))
    >>> says, dict(facts)["envelope"]
    ('They share no slot.', 'a spans slots [0, 7), b [1, 8): they meet')
    """
    bare = [isinstance(each, Layout) for each in (a, b)]
    if all(bare):
        return _compare_layouts(a, b, max_work)
    if any(bare):
        raise ArgumentError(
            "explain",
            "a layout has no memory to compare with an array's",
            expected="two arrays, or two layouts",
            got=f"a {kind_of(a)} and a {kind_of(b)}",
        )
    return _compare_places(*(locate(each, operation="explain") for each in (a, b)), max_work)


def _compare_places(mine, yours, max_work):
    overlap = mine.tensor.overlaps(yours.tensor, max_work=max_work)
    relation, memory = _memory(mine, yours)
    facts = [("a", _brief(mine)), ("b", _brief(yours))]
    if mine.tensor.dtype != yours.tensor.dtype:
        facts.append(("dtypes", f"{_typed(mine)} and {_typed(yours)}: they are compared in bytes"))
    facts += [("memory", memory), ("envelope", _envelope(mine, yours, relation))]
    if overlap.verdict == "undecided":
        facts += [("exact", _undecided(overlap)), ("writing", "to one may change the other")]
        return _reckon(overlap), tuple(facts)
    if overlap.verdict == "no":
        exact = "no element of one lies on a byte of the other"
        facts += [("exact", exact), ("writing", "to one never changes the other")]
        says = "They share no memory." if relation == "apart" else _NO_BYTE[relation]
        return says, tuple(facts)
    first, second = (
        f"{name}{list(index[: place.layout.ndim])}"
        for name, index, place in (("a", overlap.first, mine), ("b", overlap.second, yours))
    )
    facts += [("exact", f"{first} and {second} share {_where(mine, overlap)}"), *_counts(mine, yours)]
    if mine.in_memory == yours.in_memory and mine.tensor.dtype == yours.tensor.dtype:
        facts.append(("writing", "to an element of one changes the same element of the other"))
        return "They are the same elements: every index lands on the same bytes in both.", tuple(facts)
    facts.append(("writing", f"to {first} changes {second}"))
    return f"They overlap: {first} and {second} share memory.", tuple(facts)


_NO_BYTE = {
    "same": "They share no byte, although they live in the same memory.",
    "held twice": "They share no byte, although their owners hold the same memory.",
}


def _compare_layouts(a, b, max_work):
    overlap = a.overlaps(b, max_work=max_work)
    if overlap.verdict == "yes":
        pair = f"a{list(overlap.first)} and b{list(overlap.second)}"
        says, exact = f"They overlap: {pair} share a slot.", f"{pair} are both slot {overlap.position:,}"
    elif overlap.verdict == "no":
        says, exact = "They share no slot.", "no index of one lands on a slot of the other"
    else:
        says, exact = _reckon(overlap), _undecided(overlap)
    spans = f"a spans slots [{a.span[0]:,}, {a.span[1]:,}), b [{b.span[0]:,}, {b.span[1]:,})"
    facts = (
        ("a", f"shape {a.shape}, strides {a.strides}, offset {a.offset:,}"),
        ("b", f"shape {b.shape}, strides {b.strides}, offset {b.offset:,}"),
        ("memory", "none: two layouts are compared as if over one buffer"),
        ("envelope", f"{spans}: {_meet(a, b)}"),
        ("exact", exact),
    )
    return says, facts


def _reckon(overlap):
    return f"Undecided after {overlap.work:,} tries: reckon with an overlap."


def _undecided(overlap):
    return f"undecided after {overlap.work:,} tries; a larger max_work may settle it"


def _meet(a, b):
    return "they meet" if a.envelope_overlaps(b) else "they do not meet"


def _brief(place):
    layout = place.layout
    return f"{place.kind} {layout.shape} {place.tensor.dtype}, strides {layout.strides}, offset {layout.offset:,}"


def _typed(place):
    itemsize = place.tensor.itemsize
    return f"{place.tensor.dtype} ({itemsize} byte{'s' * (itemsize != 1)})"


def _memory(mine, yours):
    """How the memory of two arrays is related, in a word and in a sentence."""
    is_one = mine.owner is yours.owner or (mine.base == yours.base and mine.owner_name == yours.owner_name)
    if is_one and mine.owner is not None:
        return "same", f"the same, of {with_article(mine.owner_name)}"
    if max(mine.base[0], yours.base[0]) >= min(mine.base[1], yours.base[1]):
        return "apart", "not the same: each has its own"
    names = [with_article(place.owner_name) for place in (mine, yours)]
    holders = f"{names[0]} and {names[1]}" if names[0] != names[1] else f"{names[0]} and another"
    return "held twice", f"the same addresses, held by {holders}"


def _envelope(mine, yours, relation):
    first, second, begin = mine.in_memory, yours.in_memory, mine.base[0]
    if relation == "apart" and not first.envelope_overlaps(second):
        sizes = [layout.span[1] - layout.span[0] for layout in (first, second)]
        return f"a spans {sizes[0]:,} bytes, b {sizes[1]:,} bytes elsewhere: they do not meet"
    spans = [f"[{layout.span[0] - begin:,}, {layout.span[1] - begin:,})" for layout in (first, second)]
    return f"a spans bytes {spans[0]} of its base, b {spans[1]}: {_meet(first, second)}"


def _where(mine, overlap):
    """The shared place: a slot of `a` and its byte, or a byte where the two count in different units."""
    if len(overlap.first) > mine.layout.ndim:
        return f"byte {mine.shift + overlap.position:,} of a's base"
    byte = mine.shift + overlap.position * mine.tensor.itemsize
    return f"slot {overlap.position:,}, byte {byte:,}" + (" of a's base" if mine.shift else "")


def _counts(mine, yours):
    """How many elements of each lie on the other, where they are few enough to be compared one by one."""
    first, second = mine.in_memory, yours.in_memory
    if max(first.size, second.size) > COUNTED:
        return []
    here, there = set(first.positions()), set(second.positions())
    said = []
    for name, place, layout, others in (("a", mine, first, there), ("b", yours, second, here)):
        touched = {index[:-1] for index, position in layout.walk() if position in others}
        said.append(f"{len(touched):,} of {place.layout.size:,} elements of {name}")
    return [("how many", f"{said[0]}, {said[1]}")]
