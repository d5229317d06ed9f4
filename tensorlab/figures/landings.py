"""Where the formula of a checkpoint lands: with all of its terms, and with any of them left out.

The facts behind the file figure, as plain data. `facts` reads the words around every place that the formula can give,
so that the painters in `file.py` and `file.js` only look them up.
"""

from bisect import bisect_right
from decimal import Decimal
from itertools import combinations
from math import isfinite, prod
from operator import index as as_int
from typing import NamedTuple

from tensorlab import dtypes
from tensorlab.errors import ArgumentError, BoundsError, DTypeError

TERMS = ("8", "N", "tensor.start", "row×C", "column", "×itemsize")
"""The terms of the formula, by the names that `without` takes."""

# How many words of one row stand side by side, by the bytes of a word.
_LEAD = {1: 8, 2: 6, 4: 5, 8: 3}
_EIGHTHS = " ⅛¼⅜½⅝¾⅞"
_SUPERSCRIPTS = str.maketrans("−-0123456789", "⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_PARTS_OF_A_WAY = (
    (0.5, "half a percent in"),
    (25, "a quarter of the way in"),
    (100 / 3, "a third of the way in"),
    (50, "half way in"),
    (200 / 3, "two thirds of the way in"),
    (75, "three quarters of the way in"),
)


def facts(checkpoint, name, row, column=0, *, title=None, note=None, without=()):
    """Work out everything that the file figure shows, as plain data; the parameters are those of `file`.

    Returns
    -------
    dict
        Numbers, strings, lists and dicts only. `landings` maps every sum that the formula can give for a shown column,
        with any terms left out, to a panel and the cell of that panel it lands on. A panel is its number in `kinds`
        (name, place, remarks), a row, and runs of words: first byte, hex digits, first label, what follows it, step.
    """
    begin, _ = checkpoint.byte_range(name)
    entry = checkpoint.entries[name]
    shape, rank = entry.shape, len(entry.shape)
    row = _checked("row", row, shape[0] if shape else 1)
    column = _checked("column", column, prod(shape[1:]))
    itemsize = _itemsize(entry)
    columns = prod(shape[1:]) if rank > 1 else prod(shape)
    if rank < 2:
        row, column = None, row
    first = begin + (row or 0) * columns * itemsize
    row_name = f"row {row}" if row is not None else "tensor"
    asked = row_name if row is not None else f"element {column} of {name}" if rank else name
    inner = {1: "index", 2: "column"}.get(rank, "place")
    terms = [
        ["8", "8", "the 8", 8],
        [f"{checkpoint.header_length:,}", "N", "N", checkpoint.header_length],
        [f"{entry.start:,}", "tensor.start", "tensor.start", entry.start],
        [f"{row}×{columns}", "row×C", "row×C", row * columns] if rank > 1 else None,
        ["", inner, f"the {inner}", 0] if rank else None,
        [f"×{itemsize}", "×itemsize", "×itemsize", itemsize] if rank else None,
    ]
    shown = [place for place in _window(columns, column, column, itemsize) if isinstance(place, int)]
    with open(checkpoint.path, "rb") as handle:
        reader = _Reader(handle, checkpoint, entry, row, itemsize)
        landings = reader.landings(terms, shown)
    start = checkpoint.data_start + entry.start
    return {
        "title": title or f"Where is {asked}?",
        "about": [name, f"{entry.dtype_tag} {list(shape)}"],
        "note": note or "",
        "size": checkpoint.file_size,
        "row": [row_name, first, first + columns * itemsize],
        "way": _way(first, checkpoint.file_size),
        "parts": _parts(checkpoint, entry, row, row_name, start, first, columns * itemsize),
        "itemsize": itemsize,
        "terms": terms,
        "without": [_term(terms, left_out) for left_out in without],
        "calls": [f"file_byte({', '.join(map(str, _unravel(place, row, shape)))})" for place in shown],
        "columns": shown,
        "column": shown.index(column),
        "kinds": reader.kinds,
        "panels": reader.panels,
        "landings": landings,
        **_meanings(reader.words, entry, itemsize),
    }


def _checked(what, value, length):
    """Take an index as a plain int and insist that it exists."""
    try:
        value = as_int(value)
    except TypeError:
        raise ArgumentError("figures.file", f"{what} is a whole number", expected="an int", got=repr(value)) from None
    if not 0 <= value < length:
        raise BoundsError(
            "figures.file", f"{what} {value} does not exist", expected=f"0 <= {what} < {length}", got=str(value)
        )
    return value


def _term(terms, left_out):
    """The number of a term that is left out at first."""
    there = [name for name, term in zip(TERMS, terms, strict=True) if term]
    if left_out not in there:
        raise ArgumentError(
            "figures.file", f"the formula has no term {left_out!r}", expected="one of " + ", ".join(there)
        )
    return TERMS.index(left_out)


def _itemsize(entry):
    """Bytes per element, also of a type that cannot be converted."""
    if entry.dtype is not None:
        return entry.dtype.itemsize
    itemsize, rest = divmod(entry.nbytes, max(prod(entry.shape), 1))
    if rest or itemsize not in _LEAD:
        raise DTypeError(
            "figures.file",
            f"elements of {entry.dtype_tag} are not whole bytes, so no byte number belongs to one",
            expected="1, 2, 4 or 8 bytes per element",
            got=f"{entry.nbytes} bytes for shape {entry.shape}",
        )
    return itemsize


def _unravel(place, row, shape):
    """The index that `file_byte` takes for a place in a row."""
    axes = []
    for length in reversed(shape[1:] if row is not None else shape):
        place, index = divmod(place, length)
        axes.insert(0, index)
    return axes if row is None else [row, *axes]


def _window(columns, low, high, itemsize):
    """The columns to show around `low` to `high`: ints, and a string wherever some are left out."""
    lead = _LEAD[itemsize]
    if columns <= lead + (2 if itemsize < 8 else 1):
        return list(range(columns))
    if high < lead:
        return [*range(lead), f"{columns - lead - 1:,} more", columns - 1]
    if low >= columns - lead:
        return [0, f"{columns - lead - 1:,} more", *range(columns - lead, columns)]
    start = min(max(low - (lead - 1 - high + low) // 2, 0), columns - lead)
    after = columns - start - lead
    return [f"{start:,} before", *range(start, start + lead), *([f"{after:,} after"] if after else [])]


def _way(begin, size):
    """How far into the file a byte lies, in words.

    >>> _way(1_615_040, 311_172_288), _way(1_216, 311_172_288), _way(41, 100)
    ('half a percent in', 'at the very start', '41 percent in')
    """
    percent = 100 * begin / size
    for exact, words in _PARTS_OF_A_WAY:
        if abs(percent - exact) <= min(0.05 * exact, 0.5):
            return words
    if percent < 0.05:
        return "at the very start"
    if percent > 99.5:
        return "near the very end"
    return f"{percent:.0f} percent in" if percent >= 10 else f"{percent:.1f} percent in"


def _parts(checkpoint, entry, row, row_name, start, first, nbytes):
    """The pieces of the file from byte 0 to the end of the row: three labels, each shorter, kind, begin, end."""
    others = sum(1 for other in checkpoint.entries.values() if other.nbytes and other.start < entry.start)
    many = "another tensor" if others == 1 else f"{others:,} other tensors"
    rows = "row 0" if row == 1 else f"rows 0 … {(row or 0) - 1}"
    whole = row_name if row is not None else "this tensor"
    pieces = [
        ["N", "N", "N", "neu", 0, 8],
        ["header", "header", "header", "neu", 8, checkpoint.data_start],
        [many, "others", "others", "neu", checkpoint.data_start, start],
        [rows, rows.removeprefix("rows "), "rows", "", start, first],
        [whole, row_name, row_name.split()[0], "cur", first, first + nbytes],
    ]
    return [piece for piece in pieces if piece[-2] < piece[-1]]


class _Region(NamedTuple):
    """A run of bytes with one meaning: N, the header, or one tensor."""

    begin: int
    end: int
    name: str
    itemsize: int
    shape: tuple


class _Reader:
    """Finds and reads the words around every landing, each panel of words once."""

    def __init__(self, handle, checkpoint, entry, row, itemsize):
        self._handle, self._entry, self._row, self._itemsize = handle, entry, row, itemsize
        start = checkpoint.data_start
        tensors = sorted((e for e in checkpoint.entries.values() if e.nbytes), key=lambda e: e.start)
        self._regions = [_Region(0, 8, "", 1, ()), _Region(8, start, "", 1, ())]
        for e in tensors:
            whole = e.nbytes % prod(e.shape) == 0
            step = e.nbytes // prod(e.shape) if whole else 0
            self._regions.append(_Region(start + e.start, start + e.stop, e.name, step, e.shape))
        self._begins = [region.begin for region in self._regions]
        self._known, self._kinds = [], {}
        self.panels = []
        self.words = {}

    @property
    def kinds(self):
        return [list(kind) for kind in self._kinds]

    def landings(self, terms, shown):
        """Every landing: with all terms, then with each choice of them left out, the fewest first."""
        landings = {}
        there = [position for position, term in enumerate(terms) if term]
        for count in range(len(there) + 1):
            for struck in combinations(there, count):
                for byte, landing in self._land(sorted({total(terms, struck, column) for column in shown})):
                    landings.setdefault(str(byte), landing)
        return landings

    def _land(self, bytes_):
        """Give each byte its panel and cell; neighbours share a panel."""
        groups = []
        for byte in bytes_:
            place, column = self._place(byte)
            if groups and groups[-1][0] == place and column - groups[-1][1][0][1] < _LEAD[self._itemsize]:
                groups[-1][1].append((byte, column))
            else:
                groups.append((place, [(byte, column)]))
        for place, members in groups:
            panel, cells = self._panel(place, [column for _, column in members])
            for byte, column in members:
                self.words[cells[column]] = None
                yield byte, [panel, list(cells).index(column)]

    def _place(self, byte):
        """Where a byte lies: (region, row, bytes into the value), column."""
        region = bisect_right(self._begins, byte) - 1
        begin, _, _, itemsize, shape = self._regions[region]
        element, rest = divmod(byte - begin, self._itemsize)
        if itemsize != self._itemsize or len(shape) < 2:
            return (region, None, rest), element
        row, column = divmod(element, prod(shape[1:]))
        return (region, row, rest), column

    def _panel(self, place, wanted):
        """The panel that shows these columns of a place: its number, and its words by column."""
        for panel, (known, cells) in enumerate(self._known):
            if known == place and cells.keys() >= set(wanted):
                return panel, cells
        region, row, rest = place
        begin, end, *_, shape = self._regions[region]
        length = (end - begin) // self._itemsize if row is None else prod(shape[1:])
        first = begin + (row or 0) * length * self._itemsize + rest
        window = _window(max(length - bool(rest), wanted[-1] + 1), wanted[0], wanted[-1], self._itemsize)
        runs, cells = [], {}
        for column in window:
            if isinstance(column, str):
                runs.append(column)
                continue
            byte = first + column * self._itemsize
            self._handle.seek(byte)
            cells[column] = self._handle.read(self._itemsize)[::-1].hex()
            if not runs or isinstance(runs[-1], str):
                runs.append([byte, "", *self._label(region, column, rest)])
            runs[-1][1] += cells[column]
        kind = self._kinds.setdefault(self._texts(region, row, rest), len(self._kinds))
        self._known.append((place, cells))
        self.panels.append([kind, row or 0, *runs])
        return len(self.panels) - 1, cells

    def _label(self, region, column, rest):
        """What stands below the words of a run: first number (None: characters), what follows it, step."""
        if region == 1:
            return None, "", 1
        if self._regions[region].itemsize != self._itemsize:
            return column * self._itemsize + rest, "", self._itemsize
        return column, _EIGHTHS[rest * 8 // self._itemsize].strip(), 1

    def _texts(self, region, row, rest):
        """A kind of panel: row label, place, remark where the column is the one asked for, remark elsewhere."""
        if region == 0:
            return "N", "byte {} of N itself", *["The header's length, read as a number."] * 2
        if region == 1:
            return "header", "in the header, at the characters {}", *["Text, read as a number."] * 2
        _, _, name, itemsize, shape = self._regions[region]
        halves = "In the middle of a value: the end of one and the start of the next." if rest else None
        inner = "column" if len(shape) == 2 else "place"
        place = f"row {{r}}, {inner} {{}}" if row is not None else "element {}" if shape else "the one value"
        if name != self._entry.name:
            place = place if itemsize == self._itemsize else "byte {}"
            return "elsewhere", f"{place} of {name}", *[halves or "A number of another tensor."] * 2
        if row is None:
            return "tensor", place, halves or "", halves or "The right tensor, another element."
        if row == self._row:
            return "row {r}", place, halves or "", halves or f"The right row, another {inner}."
        return (
            "row {r}",
            place,
            halves or "A plausible vector, of row {r}.",
            halves or "A plausible number, of row {r}.",
        )


def total(terms, struck, column):
    """What the formula gives without the struck terms."""
    kept = [0 if position in struck or not term else term[3] for position, term in enumerate(terms)]
    inner = kept[3] + (0 if 4 in struck or not terms[4] else column)
    return kept[0] + kept[1] + kept[2] + inner * (kept[5] or 1)


def _meanings(words, entry, itemsize):
    """What the bits of a word are called, and what each word, and each exponent, stands for."""
    dtype = entry.dtype
    if dtype is None or dtype.kind != "float":
        name = dtype.name if dtype else entry.dtype_tag
        return {"fields": [[name, 8 * itemsize]], "words": {word: ["", _whole(word, dtype)] for word in words}}
    exponents, values, bits = {}, {}, dtypes.bit_fields(0, dtype)
    fields = [["sign", 1], ["exponent", bits.exponent_bits], ["fraction", bits.fraction_bits]]
    whole = f"{2**bits.fraction_bits:,}" if bits.fraction_bits <= 10 else f"2{raised(bits.fraction_bits)}"
    for word in words:
        bits = dtypes.bit_fields(int(word, 16), dtype)
        exponents[str(bits.exponent)] = str(max(bits.exponent, 1) - bits.bias).replace("-", "−")
        share = bool(bits.exponent) + bits.fraction / 2**bits.fraction_bits
        factor = " ".join(_decimal(share, 9)).removeprefix("= ") if bits.value and isfinite(bits.value) else ""
        values[word] = [factor, _number(bits)]
    return {"fields": fields, "bias": bits.bias, "whole": whole, "exponents": exponents, "words": values}


def _whole(word, dtype):
    """The value of a word without an exponent."""
    if dtype is None:
        return "not converted by this course yet"
    bits = int(word, 16)
    if dtype.kind == "bool":
        return f"= {bool(bits)}"
    top = 8 * dtype.itemsize - 1
    return f"= {bits - (bits >> top << top + 1 if dtype.kind == 'int' else 0):,}".replace("-", "−")


def _number(bits):
    """The value of a floating point word, after "=" or "≈"."""
    if isfinite(bits.value):
        return " ".join(_decimal(bits.value, 15)) if bits.value else "= −0" if bits.sign else "= 0"
    return "= not a number" if bits.fraction else "= −infinity" if bits.sign else "= infinity"


def raised(power):
    return str(power).translate(_SUPERSCRIPTS)


def _decimal(value, room):
    """A number in full after "=" if that fits into `room` characters, else rounded after "≈".

    >>> _decimal(-0.044189453125, 15), _decimal(1 / 3, 9), _decimal(2.0**-40, 15)
    (('=', '−0.044189453125'), ('≈', '0.3333'), ('≈', '9.095 × 10⁻¹³'))
    """
    exact = f"{Decimal(value):f}"
    if "." not in exact:
        exact = f"{int(exact):,}"
    mark, text = ("=", exact) if len(exact) <= room else ("≈", f"{value:.4g}")
    if "e" in text:
        digits, power = text.split("e")
        text = f"{digits} × 10{raised(int(power))}"
    return mark, text.replace("-", "−")
