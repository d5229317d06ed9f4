"""The stride explorer: change shape, strides and offset over one buffer, and see where every index goes."""

from itertools import accumulate, islice, pairwise

import numpy as np

from tensorlab.dtypes import as_dtype
from tensorlab.errors import ArgumentError, BoundsError, LayoutError, TensorlabError
from tensorlab.explore.moves import MOST_SLOTS, MOVES, State, bracket, follow, jump, resized, small_enough, uneven_jumps
from tensorlab.explore.panel import Checked, Panel, page
from tensorlab.explore.puzzles import PUZZLES
from tensorlab.figures import mapping
from tensorlab.figures.linked import linked
from tensorlab.figures.mapping import Source, axis_class, signed
from tensorlab.layout import Layout, as_integer, as_integers, as_shape

ITEM = as_dtype("int32")
"""What a slot holds, so that bytes can be counted."""

DRAWN = 128
"""A walk of at most this many steps is drawn."""


def _index_or_none(value):
    return None if value is None else as_integers("select", "index", value)


def _codes(value):
    if isinstance(value, str) or not all(isinstance(code, str) for code in value):
        raise ArgumentError("history", "moves are texts", expected='such as (".flip(0)",)', got=repr(value)[:60])
    return tuple(value)


def _whole(name, low, high):
    def read(value):
        number = as_integer(name, name, value)
        if not low <= number <= high:
            raise BoundsError(name, f"{number} is out of reach", expected=f"{low} to {high}", got=str(number))
        return number

    return read


class StrideExplorer(Panel):
    """Explore which slot every index reads: steppers for every number, moves, a walk, a history and puzzles.

    Parameters
    ----------
    shape : int or sequence of int
    strides : int or sequence of int, optional
        Without it, row-major.
    offset : int
    length : int, optional
        Slots of the buffer, which holds 0, 1, 2, ... Without it, as many as the layout reaches.
    select : sequence of int, optional
        The index that is selected. None: one that makes the point.
    puzzle : int
        The number of the puzzle to open; 0 for none.
    history : sequence of str
        Moves to make at once, as code.

    Notes
    -----
    Every parameter is a trait: set it, and the panel follows; change the panel, and the trait follows. `link` is the
    link of the history that is shown, `line` the slots of one cache line, `solved` the puzzles that were solved. What
    is wrong shows inside the panel, in `error` and in the log. `current` is the layout that is shown, `move` makes
    one move.

    Examples
    --------
    >>> panel = StrideExplorer(shape=(3, 4))
    >>> panel.move(".transpose(0, 1)")
    >>> panel.offset = 1
    >>> panel.strides, panel.history
    ((1, 4), ('.transpose(0, 1)', 'offset = 1'))
    >>> panel.current.first_outside(panel.length)
    ((3, 2), 12)
    """

    _esm = page("strides.js")

    shape = Checked((3, 4), lambda value: as_shape("StrideExplorer", value))
    strides = Checked((4, 1), lambda value: as_integers("StrideExplorer", "strides", value))
    offset = Checked(0, lambda value: as_integer("StrideExplorer", "offset", value))
    length = Checked(12, _whole("length", 0, MOST_SLOTS))
    select = Checked(None, _index_or_none)
    puzzle = Checked(0, _whole("puzzle", 0, len(PUZZLES)))
    history = Checked((), _codes)
    link = Checked(0, lambda value: as_integer("StrideExplorer", "link", value))
    line = Checked(4, _whole("line", 1, 64))
    solved = Checked((), lambda value: as_integers("StrideExplorer", "solved", value))

    def __init__(self, shape=(3, 4), *, strides=None, offset=0, length=None, select=None, puzzle=0, history=()):
        puzzle = _whole("puzzle", 0, len(PUZZLES))(puzzle)
        if puzzle:
            layout = PUZZLES[puzzle - 1].start
        else:
            layout = Layout.row_major(shape, offset) if strides is None else Layout(shape, strides, offset)
        length = max(0, layout.span[1]) if length is None or puzzle else length
        start = small_enough(State(layout, resized((), as_integer("StrideExplorer", "length", length))))
        self._own = False
        self._start = self._free = start
        self._states = _followed(start, _codes(history))
        self._chain = _codes(history)
        self._known = self._states[-1]
        self._broken = None
        self._compared = False
        self._choices = {"axis": 0, "other": 1, "at": 0, "by": 2, "into": "-1"}
        now = self._states[-1]
        if select is not None:
            select = _index_or_none(select)
            now.layout.position(select)
        super().__init__(
            {
                "shape": now.layout.shape,
                "strides": now.layout.strides,
                "offset": now.layout.offset,
                "length": len(now.buffer),
                "select": select,
                "puzzle": puzzle,
                "history": _codes(history),
                "link": len(self._states) - 1,
            }
        )

    @property
    def current(self) -> Layout:
        """The layout that is shown; setting it is one link of the history.

        Examples
        --------
        >>> panel = StrideExplorer(shape=(3, 4))
        >>> panel.current = Layout(4, 5)
        >>> panel.shape, panel.history
        ((4,), ('Layout((4,), (5,), 0)',))
        """
        return self._state.layout

    @current.setter
    def current(self, layout):
        self.move(f"Layout({layout.shape}, {layout.strides}, {layout.offset})")

    @property
    def _state(self):
        return self._states[self.link]

    def move(self, code):
        """Make one move; what cannot be done shows inside the panel.

        Parameters
        ----------
        code : str
            See `follow`.

        Examples
        --------
        >>> panel = StrideExplorer(shape=(3, 4))
        >>> panel.move("[:, ::2]")
        >>> panel.current
        Layout(shape=(3, 2), strides=(4, 2), offset=0)
        """
        self.refresh(lambda: self._move(code))

    def _move(self, code):
        self._broken = None
        try:
            after = follow(self._state, code)
        except LayoutError:
            if code.startswith(".reshape("):
                self._break(code)
            raise
        kept, states = list(self.history[: self.link]), self._states[: self.link + 1]
        if kept and _same_number(kept[-1], code):
            kept.pop()
            states.pop()
        self._go([*kept, code], [*states, after], len(states))

    def _break(self, code):
        """Keep what a refused reshape would have needed."""
        layout = self._state.layout
        shape = follow(State(Layout.row_major(layout.shape), self._state.buffer), code).layout.shape
        axis, *steps = uneven_jumps(layout, shape)
        positions = list(layout.positions())
        jumps = [{"steps": step, "jump": signed(f"{jump(positions, step):+}")} for step in steps]
        self._broken = {
            "code": code,
            "bytes": layout.size * ITEM.itemsize,
            "axis": axis,
            "jumps": jumps,
            "words": f"axis {axis} would jump {jumps[0]['jump']}, then {jumps[1]['jump']}",
        }

    def _go(self, history, states, link):
        """Show one link of a chain; every trait follows."""
        self._own = True
        try:
            self._states, self._chain = states, tuple(history)
            now, before = states[link], self._known
            self.history, self.link = tuple(history), link
            self.shape, self.strides, self.offset = now.layout.shape, now.layout.strides, now.layout.offset
            self.length = len(now.buffer)
            if now != before and (self.select is not None and not self._keeps(now)):
                self.select = None
            self._known = now
            self._compared = self._compared and now == before
            if self.puzzle and self._solves(now) and self.puzzle not in self.solved:
                self.solved = (*self.solved, self.puzzle)
        finally:
            self._own = False

    def _keeps(self, state):
        """Whether the selection still names a cell, and nothing else needs to be shown."""
        select, shape = self.select, state.layout.shape
        inside = len(select) == len(shape) and all(i < n for i, n in zip(select, shape, strict=True))
        return inside and not state.outside

    def _solves(self, state):
        return state.buffer == self._start.buffer and PUZZLES[self.puzzle - 1].solved_by(state.layout)

    def changed(self, name):
        """React to a trait that was set from outside: the history and the other traits follow."""
        if self._own:
            return
        acts = {"history": self._replay, "link": self._walk_back, "puzzle": self._open, "select": self._check_select}
        acts |= dict.fromkeys(("shape", "strides", "offset", "length"), self._edited)
        self.refresh(acts.get(name))

    def _edited(self):
        """Numbers were set from Python: one link of the history, as soon as they fit together."""
        now = self._state
        wanted = Layout(self.shape, self.strides, self.offset)
        if self.length != len(now.buffer):
            self._move(f"length = {self.length}")
        if wanted != now.layout:
            self._move(_edit(now.layout, wanted))

    def _replay(self):
        codes = self.history
        self._broken = None
        try:
            states = _followed(self._start, codes)
        except TensorlabError:
            self._own = True
            self.history = self._chain
            self._own = False
            raise
        self._go(codes, states, len(codes))

    def _walk_back(self):
        last = len(self._states) - 1
        if not 0 <= self.link <= last:
            asked, self._own = self.link, True
            self.link = min(max(self.link, 0), last)
            self._own = False
            self._go(self.history, self._states, self.link)
            raise BoundsError("link", f"the history has no link {asked}", expected=f"0 to {last}", got=str(asked))
        self._broken = None
        self._go(self.history, self._states, self.link)

    def _open(self):
        """Begin a puzzle, or go back to exploring."""
        if self.puzzle:
            puzzle = PUZZLES[self.puzzle - 1]
            self._start = State(puzzle.start, tuple(range(puzzle.start.size)))
        else:
            self._start = self._free
        self._choices |= {"axis": 0, "other": 1, "at": 0, "by": 2, "into": "-1"}
        self._broken, self._compared = None, False
        self._go((), [self._start], 0)

    def _check_select(self):
        if self.select is not None:
            asked = self.select
            try:
                self.current.position(asked)
            except TensorlabError:
                self.select = None
                raise

    # ---- what the page asks ---------------------------------------------------------------------------------------

    def obey(self, name, *values):
        """Do what the page asks: a move, a link, a puzzle, a selection, or a choice for the next moves."""
        if name == "move":
            self.move(*values)
        elif name == "number":
            self.refresh(lambda: self._move(f"{values[0]} = {as_integer('StrideExplorer', *values)}"))
        elif name in ("link", "puzzle", "select", "line"):
            setattr(self, name, values[0])
        elif name == "choose" and values[0] in self._choices:
            self.refresh(lambda: self._choose(*values))
        elif name == "compare":
            self._compared = True
            self.refresh()
        elif name == "reset":
            self.history = ()
        else:
            raise ArgumentError("StrideExplorer", f"the page asked for {name!r}", expected="a command", got=name)

    def _choose(self, name, value):
        self._broken = None
        if name == "into":
            self._choices[name] = str(value)
            return
        number = as_integer(name, name, value)
        low = 0 if name != "by" else None
        if low is not None and number < low:
            raise BoundsError(name, f"{number} is out of reach", expected="0 or more", got=str(number))
        self._choices[name] = number

    # ---- the picture ----------------------------------------------------------------------------------------------

    def _describe(self):
        state = self._state
        source = Source({"": state.layout}, len(state.buffer), np.array(state.buffer, ITEM.storage), ITEM)
        return mapping.describe(source, title=self._title(), note="", select=self.select, show_bytes=False)

    def _title(self):
        """What is shown, as code where moves alone led to it."""
        codes = self.history[: self.link]
        if any(code[0] not in ".[" for code in codes):
            return "x, set by hand"
        return f"x{''.join(codes)}" if codes else "x, before any move"

    def compute(self):
        """Everything that the page paints."""
        figure, state = self._describe(), self._state
        return {
            "figure": figure,
            "axes": self._axes(),
            "offset": state.layout.offset,
            "length": len(state.buffer),
            "changed": _changed(self._states[self.link - 1], state) if self.link else [],
            "effect": self._effect(),
            "facts": _facts(state),
            "choices": self._shown_choices(),
            "moves": self._offered(),
            "chain": self._links(),
            "broken": self._broken,
            "walk": _walk(state, figure, self.line),
            "puzzles": [{"title": puzzle.title, "solved": k in self.solved} for k, puzzle in enumerate(PUZZLES, 1)],
            "puzzle": self._target() if self.puzzle else None,
        }

    def _axes(self):
        layout = self._state.layout
        return [
            {"length": length, "stride": stride, "look": axis_class(axis)}
            for axis, (length, stride) in enumerate(zip(layout.shape, layout.strides, strict=True))
        ]

    def _effect(self):
        if not self.link:
            return "Change any number, or make a move: nothing in the buffer moves."
        before, now = self._states[self.link - 1], self._state
        names = [
            name for name in ("shape", "strides", "offset") if getattr(before.layout, name) != getattr(now.layout, name)
        ]
        parts = [f"{name} {_numbers(before.layout, name)} → {_numbers(now.layout, name)}" for name in names]
        moved = _bytes_moved(self.history[self.link - 1], now)
        if len(now.buffer) != len(before.buffer) and not moved:
            parts.append(f"slots {len(before.buffer)} → {len(now.buffer)}")
        return f"{', '.join(parts) or 'No number changed'}. {moved:,} bytes moved."

    def _shown_choices(self):
        ndim, shown = self.current.ndim, dict(self._choices)
        shown["axis"] = min(shown["axis"], max(0, ndim - 1))
        others = [axis for axis in range(ndim) if axis != shown["axis"]]
        shown["other"] = shown["other"] if shown["other"] in others else min(others, default=1)
        shown["others"] = others
        return shown

    def _offered(self):
        """The moves on offer with the present choices, each as code, and whether it can be made."""
        chosen, layout = self._shown_choices(), self._state.layout
        unlocked, fresh = MOVES, ()
        if self.puzzle:
            known = [name for puzzle in PUZZLES[: self.puzzle] for name in puzzle.unlocks]
            unlocked, fresh = {name: MOVES[name] for name in MOVES if name in known}, PUZZLES[self.puzzle - 1].unlocks
        offered = []
        for name, (words, write) in unlocked.items():
            code = write(layout, chosen)
            try:
                follow(self._state, code)
                possible = 1
            except TensorlabError:
                possible = 0
            offered.append(
                {"name": name, "words": words, "code": code, "possible": possible, "fresh": int(name in fresh)}
            )
        return offered

    def _links(self):
        links = []
        for number, state in enumerate(self._states):
            code = self.history[number - 1] if number else "start"
            before = self._states[number - 1] if number else state
            links.append(
                {
                    "code": signed(code) if "=" in code else code,
                    "numbers": [[name, _numbers(state.layout, name)] for name in ("shape", "strides", "offset")],
                    "changed": sorted({name.split(":")[0] for name in _changed(before, state)}) if number else [],
                    "bytes": _bytes_moved(code, state),
                }
            )
        return {"links": links, "now": self.link}

    def _target(self):
        puzzle, layout = PUZZLES[self.puzzle - 1], self._state.layout
        target, solved = puzzle.target, self._solves(self._state)
        start = State(puzzle.start, tuple(range(puzzle.start.size)))
        difference = None if solved or not self._compared else puzzle.first_difference(layout)
        if solved:
            said = (
                f"Solved with {len(self.history[: self.link])} changes and no byte moved."
                if self.link != 1
                else "Solved with one change and no byte moved."
            )
        elif not self._compared:
            said = puzzle.hint
        elif difference is None:
            said = f"Every cell of the target is there, but your shape is {layout.shape}, not {target.shape}."
        else:
            index, wanted, found = difference
            own = f"yours is slot {signed(found)}" if found is not None else "yours has no such cell"
            said = f"{bracket(index)} should be slot {wanted}; {own}."
            if layout.ndim != target.ndim:
                said = f"The target has {_axes_words(target.ndim)}, yours {_axes_words(layout.ndim)}. {said}"
        return {
            "number": self.puzzle,
            "title": puzzle.title,
            "shape": list(target.shape),
            "cells": [start.buffer[position] for position in target.positions()],
            "solved": int(solved),
            "said": said,
            "marked": -1 if difference is None else list(target.walk()).index((difference[0], difference[1])),
            "last": int(self.puzzle == len(PUZZLES)),
        }

    # ---- the still twin -------------------------------------------------------------------------------------------

    def still(self):
        """The linked figure of what is shown, with the chain of moves as its title.

        Examples
        --------
        >>> StrideExplorer(4, strides=2, length=8, select=(1,)).still()
        x, before any move
        shape (4,) · strides (2,) · offset 0 · int32
        <BLANKLINE>
        grid     0  1  2  3
                 0 [2] 4  6
        <BLANKLINE>
        buffer   0  1 [2] 3  4  5  6  7
                 0  1  2  3  4  5  6  7
                    .     .     .     .
                 ^offset
        <BLANKLINE>
        position(1) = 0 + 1×2 = 2
        hops: from 0, +2 to 2
        [1] is slot 2: value 2.
        '.': no index reaches it.
        """
        state = self._state
        title = f"Puzzle {self.puzzle}: {PUZZLES[self.puzzle - 1].title}" if self.puzzle else self._title()
        return linked(
            state.layout,
            title=title,
            buffer=np.array(state.buffer, ITEM.storage),
            select=self.select,
            show_bytes=False,
        )


def _followed(start, codes):
    states = [start]
    for code in codes:
        states.append(follow(states[-1], code))
    return states


def _same_number(before, code):
    """Whether two edits set the same number, so that one link is enough."""
    return " = " in code and before.split(" = ")[0] == code.split(" = ")[0] and " = " in before


def _edit(before, after):
    """The shortest code that leads from one layout to another."""
    if before.ndim == after.ndim:
        edits = [
            f"{name}[{axis}] = {new}"
            for name in ("shape", "strides")
            for axis, (old, new) in enumerate(zip(getattr(before, name), getattr(after, name), strict=True))
            if old != new
        ]
        edits += [f"offset = {after.offset}"] if before.offset != after.offset else []
        if len(edits) == 1:
            return edits[0]
    return f"Layout({after.shape}, {after.strides}, {after.offset})"


def _changed(before, now):
    """The names of the numbers that differ, such as ``strides:1``."""
    names = []
    for name in ("shape", "strides"):
        old, new = getattr(before.layout, name), getattr(now.layout, name)
        names += [f"{name}:{k}" for k, number in enumerate(new) if len(old) != len(new) or old[k] != number]
    names += ["offset"] if before.layout.offset != now.layout.offset else []
    return names + (["length"] if len(before.buffer) != len(now.buffer) else [])


def _bytes_moved(code, state):
    return state.layout.size * ITEM.itemsize if code == ".contiguous()" else 0


def _numbers(layout, name):
    return signed(getattr(layout, name))


def _axes_words(count):
    return f"{count} ax{'i' if count == 1 else 'e'}s"


def _facts(state):
    """What can be said about the layout: does it stay inside, has every index a slot of its own, what is reached."""
    layout, length, facts = state.layout, len(state.buffer), []
    start, stop = layout.span
    if not layout.size:
        return [{"holds": 1, "words": "No index: nothing is read."}]
    if state.outside:
        index, position = state.outside
        place = "the buffer starts at slot 0" if position < 0 else f"the buffer ends at slot {length - 1}"
        place = place if length else "the buffer is empty"
        facts.append(
            {"holds": 0, "words": f"{bracket(index)} leaves the buffer: slot {signed(position)}, but {place}."}
        )
    else:
        span = f"slots {start} to {stop - 1}" if stop - start > 1 else f"slot {start}"
        reached = f", {len(set(layout.positions()))} of {length} read" if layout.size <= mapping.EXACT else ""
        facts.append({"holds": 1, "words": f"Every index stays inside: {span}{reached}."})
    overlap = layout.self_overlap()
    if overlap.verdict == "yes":
        pair = f"{bracket(overlap.first)} and {bracket(overlap.second)} share slot {signed(overlap.position)}"
        facts.append({"holds": 0, "words": f"{pair}: read-only."})
    elif overlap.verdict == "no":
        facts.append({"holds": 1, "words": "Every index has a slot of its own."})
    else:
        facts.append({"holds": -1, "words": "Whether two indices share a slot takes too long to decide."})
    return facts


def _walk(state, figure, line):
    """The walk in logical order: slots visited, and cache lines touched so far."""
    layout, length = state.layout, len(state.buffer)
    items = {int(slot[0]): k for k, slot in enumerate(figure["slots"])}
    visits = list(islice(layout.walk(), DRAWN))
    stop = next((k for k, (_, position) in enumerate(visits) if not 0 <= position < length), len(visits))
    left = stop < len(visits)
    visits = visits[: stop + 1]
    positions = [position for _, position in visits]
    lines = [position // line if 0 <= position < length else -1 for position in positions]
    touched = [len(set(lines[: k + 1]) - {-1}) for k in range(len(lines))]
    loads = accumulate(int(number not in (before, -1)) for before, number in pairwise([-1, *lines]))
    turned = [
        next(k for k, (i, j) in enumerate(zip(a, b, strict=True)) if i != j) for (a, _), (b, _) in pairwise(visits)
    ]
    return {
        "positions": positions,
        "items": [items.get(position, -1) for position in positions],
        "lines": lines,
        "touched": touched,
        "loads": list(loads),
        "looks": [axis_class(axis) for axis in turned],
        "line": line,
        "bytes": line * ITEM.itemsize,
        "size": layout.size,
        "left": int(left),
        "drawn": int(layout.size <= DRAWN and all(position in items for position in positions)),
    }
