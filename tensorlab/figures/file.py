"""The file figure: from a whole checkpoint down to the bits of one number, and what each term of the formula is for.

`landings.facts` works everything out. Two painters draw it, the still one here and the live one in `file.js`; both turn
the same facts into the same list of marks (a test compares the lists), and neither knows how a file is laid out.
"""

from tensorlab.figures.landings import facts, raised, total
from tensorlab.figures.shell import PAD, WIDTH, Canvas, Figure, mono_width, number, read_script, wrap

# How wide a word is drawn, by its bytes; and the room between the fields of its bits.
_CELL = {1: 48, 2: 70, 4: 84, 8: 140}
_FIELD_GAP = 20


def file(checkpoint, name, row, column=0, *, title=None, note=None, without=()):
    """Draw where a number of a checkpoint lies: file, parts, row, bytes, bits, and the formula that finds it.

    file_byte = 8 + N + tensor.start + (row * C + column) * itemsize

    In the live figure the arrow keys move along the row, and every term of the formula can be left out: the landing
    moves, and the figure says where it is now.

    Parameters
    ----------
    checkpoint : Checkpoint
        The open checkpoint.
    name : str
        A tensor in it.
    row : int
        An index along axis 0. A tensor of rank 1 is one row: there it picks the element.
    column : int
        A place inside the row, counted row-major over the other axes.
    title, note : str, optional
        What stands above and below the figure.
    without : sequence of str
        Terms left out at first, by their names in `TERMS`.

    Returns
    -------
    Figure

    Raises
    ------
    BoundsError
        If `row` or `column` does not exist.
    DTypeError
        If the elements of the tensor are not whole bytes.
    ArgumentError
        If `without` names a term that the formula does not have.

    Notes
    -----
    Reads a few hundred short runs of bytes through a handle of its own: `checkpoint.bytes_read` does not move.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import tensorlab as tl
    >>> tensors = {"a": np.zeros(2, np.int16), "b": np.arange(12, dtype=np.int16).reshape(3, 4)}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tl.save_checkpoint(f"{folder}/two.safetensors", tensors)
    ...     file(tl.open_checkpoint(f"{folder}/two.safetensors"), "b", 2, 1)
    Where is row 2?   b  I16 [3, 4]
    file       |-------------------------------------#--| 148 bytes; row 2 begins 95 percent in
    parts      N 8 | header 112 | another tensor 4 | rows 0 … 1 16 | row 2 8
    row 2      0008 [0009] 000a 000b
    bytes      09 00   at 142; lowest byte first, so it reads 0009
    bits       0000000000001001   9
    formula    file_byte(2, 1) = 8 + 112 + 4 + (2×4 + 1)×2 = 142
    Row 2, column 1: bytes 142 and 143 hold 0009 = 9.
    """
    data = facts(checkpoint, name, row, column, title=title, note=note, without=without)
    marks, _, height = paint(data, WIDTH, data["column"], data["without"])
    canvas = Canvas(WIDTH, height)
    for kind, *mark in sorted(marks, key=layer):
        getattr(canvas, kind)(*mark)
    said = sentence(data, data["column"], data["without"])
    return Figure(
        "file", data=data, still=canvas, alt=_alt(data, said), text=_drawing(data, said), script=read_script("file.js")
    )


def layer(mark):
    """Boxes below lines below words, the current box on top; like beside like, which a canvas stores once."""
    kind, *_, style, last = mark
    if kind == "rect":
        return 1 + (style == "cell cur"), style, mark[3:5]
    if kind == "text":
        return 4, style, last, mark[2]
    return (0 if last == "wedge" else 3,)


def look_up(data, column, struck):
    """Everything about one state that the marks need; no byte is worked out here beyond the formula itself."""
    home, byte = (total(data["terms"], without, data["columns"][column]) for without in ((), struck))
    panel, cell = data["landings"][str(byte)]
    kind, row, *runs = data["panels"][panel]
    _, word, below = [item for item in spread(runs, data["itemsize"]) if item[2] is not None][cell]
    name, place, there, elsewhere = (text.replace("{r}", str(row)) for text in data["kinds"][kind])
    captions, value = _captions(data, word)
    asked = str(data["columns"][column])
    return {
        "home": home,
        "byte": byte,
        "moved": byte != home,
        "cell": cell,
        "runs": runs,
        "word": word,
        "row": name,
        "place": place.replace("{}", below),
        "remark": there if below == asked else elsewhere,
        "captions": captions,
        "value": value,
    }


def spread(runs, itemsize):
    """The cells of a panel in a row: (first byte, word, label), and (None, words, None) where some are left out."""
    items = []
    for run in runs:
        if isinstance(run, str):
            items.append((None, run, None))
            continue
        byte, digits, first, part, step = run
        for at in range(len(digits) // (2 * itemsize)):
            word = digits[2 * itemsize * at : 2 * itemsize * (at + 1)]
            below = f"{first + at * step}{part}" if first is not None else _characters(word)
            items.append((byte + at * itemsize, word, below))
    return items


def _characters(word):
    """The bytes of a word as text, in file order."""
    return "".join(chr(byte) if 32 < byte < 127 else "·" for byte in reversed(bytes.fromhex(word)))


def _captions(data, word):
    """What stands below each field of a word, and the value: as a product if it is one, and as a number."""
    bits = f"{int(word, 16):0{8 * data['itemsize']}b}"
    share, value = data["words"][word]
    if len(data["fields"]) == 1:
        return [""], [value.removeprefix("= ")]
    width = data["fields"][1][1]
    exponent, fraction, minus = int(bits[1 : 1 + width], 2), int(bits[1 + width :], 2), "−" if bits[0] == "1" else ""
    power, lead = data["exponents"][str(exponent)], "1 + " if exponent else "0 + "
    caption = f"{exponent} − {data['bias']} = {power}" if exponent else f"0 means {power}"
    if exponent == 2**width - 1:
        caption, lead = "all ones", ""
    captions = ["−" if minus else "+", caption, f"{lead}{fraction:,}/{data['whole']}"]
    if not share:
        return captions, [value.removeprefix("= ")]
    mark = "≈ " if share.startswith("≈") else ""
    return captions, [f"{mark}{minus}{share.removeprefix('≈ ')} × 2{raised(power)}", value]


def sentence(data, column, struck):
    """Say what is selected, or where the formula lands without its struck terms."""
    state = look_up(data, column, struck)
    names = [data["terms"][term][2] for term in sorted(struck)]
    missing = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    if state["moved"]:
        early = f"{state['home'] - state['byte']:,}"
        return (
            f"Without {missing} the sum is {state['byte']:,}, {early} byte{'' if early == '1' else 's'} too early: "
            f"{state['place']}. {state['remark']}"
        )
    last = state["byte"] + data["itemsize"] - 1
    where = f"bytes {state['byte']:,} {'and' if data['itemsize'] == 2 else 'to'} {last:,} hold"
    where = f"byte {last:,} holds" if data["itemsize"] == 1 else where
    value = data["words"][state["word"]][1]
    place = state["place"][0].upper() + state["place"][1:]
    here = f"{place}: {where} {state['word']}{' ' if value[0] in '=≈' else ', '}{value}."
    return f"Without {missing} the sum is the same here. {here}" if names else here


def _alt(data, said):
    """The figure in sentences."""
    parts = ", then ".join(f"{words} ({end - begin:,} bytes)" for words, *_, begin, end in data["parts"])
    return (
        f"{data['title']} The file that holds {data['about'][0]} has {data['size']:,} bytes; "
        f"{data['row'][0]} begins {data['way']}. Up to its end the file holds {parts}. {said}"
    )


def _drawing(data, said):
    """The figure in characters."""
    state = look_up(data, data["column"], data["without"])
    (row, begin, _), size = data["row"], data["size"]
    at = min(int(40 * begin / size), 39)
    ruler = "-" * at + "#" + "-" * (39 - at)
    parts = [f"{words} {end - begin:,}" for words, *_, begin, end in data["parts"]]
    items = spread(state["runs"], data["itemsize"])
    places = [at for at, item in enumerate(items) if item[2] is not None]
    cells = [f"[{item[1]}]" if at == places[state["cell"]] else item[1] for at, item in enumerate(items)]
    word = state["word"]
    pairs = [word[at : at + 2] for at in range(len(word) - 2, -1, -2)]
    bits, groups = f"{int(word, 16):0{4 * len(word)}b}", []
    for _, count in data["fields"]:
        groups.append(bits[:count])
        bits = bits[count:]
    said_first = f"; lowest byte first, so it reads {word}" if len(pairs) > 1 else ""
    formula = "".join(_words(data, data["column"], data["without"]))
    lines = [
        f"{data['title']}   {'  '.join(data['about'])}",
        ("file", f"|{ruler}| {size:,} bytes; {row} begins {data['way']}"),
        ("parts", " | ".join(parts)),
        (state["row"], " ".join(cells)),
        ("bytes", f"{' '.join(pairs)}   at {state['byte']:,}" + said_first),
        ("bits", f"{' '.join(groups)}   {' '.join(state['value'])}"),
        ("formula", f"{data['calls'][data['column']]} = {formula} = {state['byte']:,}"),
        said,
        *([data["note"]] if data["note"] else []),
    ]
    return "\n".join(line if isinstance(line, str) else f"{line[0]:<11}{line[1]}" for line in lines)


def _words(data, column, struck):
    """The formula on one line; what is left out stands between tildes."""
    for chunk in _chunks(data, column, "", "")[:-1]:
        for _, words, term in chunk:
            if term is None:
                yield "" if words == "=" else f" {words} ".replace("( ", "(") if words.startswith("+") else words
            else:
                yield f"~{words}~" if term in struck else words


def paint(data, width, column, struck):
    """Lay the figure out for one width and state: its marks, the places that take input, its height.

    Parameters
    ----------
    data : dict
        What `facts` returned.
    width : int
        Pixels, padding included. Below 600 the row labels move above their strips.
    column : int
        Which of the shown columns is selected.
    struck : sequence of int
        The numbers of the terms left out.

    Returns
    -------
    list, dict, number
        Each mark is a method name of `Canvas` and its arguments.
    """
    sheet = _Sheet(data, width, column, struck)
    sheet.head()
    sheet.file_and_parts()
    sheet.panel()
    sheet.bytes_and_bits()
    sheet.formula()
    sheet.said()
    return sheet.wedges + sheet.marks, sheet.spots, sheet.y + PAD


class _Sheet:
    """The marks of one figure, drawn from the top down; `file.js` does the same, name by name."""

    def __init__(self, data, width, column, struck):
        self.data, self.column, self.struck = data, column, struck
        self.wide = width >= 600
        self.left, self.right = 92 if self.wide else PAD, width - PAD
        self.room = self.right - self.left
        self.state = look_up(data, column, struck)
        self.wedges, self.marks, self.spots = [], [], {"terms": []}
        self.y = 0

    def text(self, x, y, words, style="body", anchor="start"):
        self.marks.append(("text", x, y, words, style, anchor))

    def rect(self, x, y, width, height, style="cell", radius=5):
        self.marks.append(("rect", x, y, width, height, style, radius))

    def path(self, d, style):
        self.marks.append(("path", d, style))

    def cross(self, x, y):
        self.marks.append(("cross", x, y))

    def wedge(self, x0, x1, top, waist, left, right, low):
        """Join a box, past the label below it, to the strip it opens into."""
        corners = ((x0, top), (x1, top), (x1, waist), (right, low), (left, low), (x0, waist))
        d = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in corners) + "Z"
        self.wedges.append(("path", d, "wedge"))

    def label(self, words, more="", lift=8):
        """Name a strip, whose top is at `y`: in the gutter, or above it where the figure is narrow."""
        if self.wide and len(words) > 9:
            words, more = words.split(" ", 1) if not more else (words, more)
        if not self.wide:
            self.text(self.left, self.y - lift, f"{words} {more}".strip(), "lab")
        elif more:
            self.text(PAD, self.y + 11, words, "lab")
            self.text(PAD, self.y + 27, more, "lab")
        else:
            self.text(PAD, self.y + 19, words, "lab")

    def down(self, gap):
        """Move on to the next strip; a narrow figure needs a line for its label."""
        self.y += gap + (0 if self.wide else 16)

    def head(self):
        title, about = self.data["title"], self.data["about"]
        room, full, self.y = self.right - PAD, " ".join(about), 10
        for line in wrap(title, room, 16):
            self.y += 20
            self.text(PAD, self.y, line, "title")
        if self.y == 30 and len(title) * 8.6 + mono_width(full) + 24 <= room:
            self.text(self.right, 30, full, "mono", "end")
            return
        most = int(room / mono_width("x"))
        for line in [full] if len(full) <= most else about:
            self.y += 20
            self.text(PAD, self.y, line if len(line) <= most else "…" + line[1 - most :], "mono")

    def file_and_parts(self):
        data, state = self.data, self.state
        size, (_, begin, end) = data["size"], data["row"]
        self.y += 28
        self.text(self.right, self.y, f"{size:,} bytes", "idx", "end")
        if self.wide:
            self.text(self.left, self.y, "0", "idx")
        self.y += 8
        self.label("file,", "to scale")
        self.rect(self.left, self.y, self.room, 28)
        scale = self.room / size
        x0, x1 = self.left + begin * scale, self.left + end * scale
        x1 = min(max(x1, x0 + 2), self.right)
        x0 = min(x0, x1 - 2)
        self.rect(x0, self.y, x1 - x0, 28, "cell off" if state["moved"] else "cell cur", min(5, (x1 - x0) / 2))
        pin = self.left + state["byte"] * scale
        if state["moved"]:
            self.pin(pin, self.y)
        self.way(x0, x1, pin)
        low = self.y + 28
        self.down(62 if self.wide else 70)
        self.label("parts, not", "to scale", 26)
        self.wedge(self.left, x1, low, low, self.left, self.right, self.y)
        pieces = self.pieces()
        pin = None
        if state["moved"]:
            pin = next(x + (state["byte"] - b) / (e - b) * w for x, w, _, _, b, e in pieces if b <= state["byte"] < e)
        ends = [-99, -99]
        for number_, (x, width, words, kind, piece_begin, piece_end) in enumerate(pieces):
            style = "off" if kind == "cur" and state["moved"] else kind
            self.rect(x, self.y, width, 28, f"cell {style}".strip())
            look = {"cur": "num cur", "off": "lab"}.get(style, "body")
            self.text(_clear(x, width, len(words) * 7.4, pin), self.y + 18.5, words, look, "middle")
            count = f"{piece_end - piece_begin:,}"
            half = mono_width(count, 12) / 2
            middle = min(max(x + width / 2, self.left + half), self.right - half)
            line = 0 if middle - half > ends[0] + 8 else 1
            ends[line] = middle + half
            self.text(middle, self.y + 45 + 15 * line, count, "idx", "middle")
            if number_:
                gap = x - self.gap / 2
                self.path(f"M{number(gap - 2)} {number(self.y + 32)}L{number(gap + 2)} {number(self.y - 4)}", "arc")
        x, width = pieces[-1][:2]
        self.out = (x, x + width)
        if state["moved"]:
            right = pin < self.left + self.room / 2
            self.pin(pin, self.y)
            self.cross(pin + 11 if right else pin - 11, self.y - 12)
            self.text(pin + 20 if right else pin - 20, self.y - 8, "lands here", "body", "start" if right else "end")
            self.out = (pin - 1.5, pin + 1.5)
        self.top = self.y + 28
        self.y += 52 if ends[1] < 0 else 67

    def pin(self, x, y):
        """Mark the landing on a strip."""
        self.rect(x - 1.5, y - 4, 3, 36, "cell cur", 1.5)

    def way(self, x0, x1, pin):
        """Say how far in the row begins, beside its mark, or on it where it fills the file."""
        row, way = self.data["row"][0], self.data["way"]
        words = f"{row} begins {way}" if self.wide else way
        need, y = len(words) * 6.9 + 16, self.y + 18.5
        if need <= self.right - x1:
            self.text(x1 + 10, y, words)
        elif need <= x0 - self.left:
            if not x0 - need < pin < x0:
                self.text(x0 - 10, y, words, "body", "end")
        elif need <= x1 - x0 and not self.state["moved"]:
            self.text((x0 + x1) / 2, y, words, "num cur", "middle")

    def pieces(self):
        """Widths of the parts: as much as their words need, and the rest shared out."""
        parts = self.data["parts"]
        self.gap = 8 if self.wide else 6
        room = self.room - self.gap * (len(parts) - 1)
        for words in (0, 1, 2):
            least = [max(len(part[words]) * (8.5 if part[3] == "cur" else 7.4) + 8, 24) for part in parts]
            if sum(least) <= room:
                break
        share = [0 if part[1] == "N" else {"": 4, "cur": 2}.get(part[3], 1) for part in parts]
        spare = max(room - sum(least), 0) / sum(share)
        squeeze = min(room / sum(least), 1)
        x, pieces = self.left, []
        for part, narrow, extra in zip(parts, least, share, strict=True):
            width = narrow * squeeze + extra * spare
            pieces.append((x, width, part[words], *part[3:]))
            x += width + self.gap
        return pieces

    def panel(self):
        data, state = self.data, self.state
        self.down(26)
        lines = max(len(self.flow(panel[2:])) for panel in data["panels"])
        shown = self.flow(state["runs"])
        self.label(state["row"])
        last = shown[0][-1]
        self.wedge(*self.out, self.top, self.y - 26 if self.wide else self.y - 42, self.left, last[0] + last[1], self.y)
        cell = 0
        self.spots["strip"] = [self.left, self.y, self.room, 54 * len(shown) - 8]
        self.spots["cells"] = []
        for line, items in enumerate(shown):
            y = self.y + 54 * line
            for x, width, words, below in items:
                if below is None:
                    self.rect(x, y, width, 28, "cell off")
                    self.text(x + width / 2, y + 18.5, words, "idx", "middle")
                    continue
                on = cell == state["cell"]
                self.rect(x, y, width, 28, "cell cur" if on else "cell")
                self.text(x + width / 2, y + 19, words, "num cur" if on else "num", "middle")
                self.text(x + width / 2, y + 45, below, "idx", "middle")
                self.spots["cells"].append([x, y, width])
                if on:
                    self.out = (x, x + width)
                    self.top = y + 28
                cell += 1
        self.y += 54 * lines - 2

    def flow(self, runs):
        """Place the words of a panel on as many lines as they need; what is left out fills a line up."""
        itemsize = self.data["itemsize"]
        items = spread(runs, itemsize)
        labels = max((len(below) for *_, below in items if below), default=0)
        width = max(mono_width("x" * 2 * itemsize, 14) + 8, mono_width("x" * labels, 12) + 4)
        width = max(width, _CELL[itemsize]) if self.wide else width
        line = max(int((self.room + 2) / (width + 2)), 1)
        if not self.wide and line < sum(1 for item in items if item[2] is not None):
            width = (self.room + 2) / line - 2
        lines, x = [[]], 0
        for _, words, below in items:
            need = width if below is not None else mono_width(words, 12) + 12
            if x and x + need > self.room + 0.5:
                lines.append([])
                x = 0
            lines[-1].append([x, need, words, below])
            x += need + 2
        for placed in lines:
            gaps = sum(1 for item in placed if item[3] is None)
            spare = (self.room - placed[-1][0] - placed[-1][1]) / gaps if gaps else 0
            x = self.left
            for item in placed:
                item[0] = x
                item[1] += spare if item[3] is None else 0
                x += item[1] + 2
        return lines

    def bytes_and_bits(self):
        data, state = self.data, self.state
        word, itemsize = state["word"], data["itemsize"]
        pairs = [word[at : at + 2] for at in range(2 * itemsize - 2, -1, -2)]
        width = max(mono_width(f"{data['row'][2]:,}", 12) + 8, 36)
        line = min(max(int((self.room + 2) / (width + 2)), 1), itemsize)
        waist = self.y
        self.down(26)
        self.label("bytes" if itemsize > 1 else "byte")
        self.wedge(*self.out, self.top, waist, self.left, self.left + line * (width + 2) - 2, self.y)
        for at, pair in enumerate(pairs):
            x, y = self.left + at % line * (width + 2), self.y + at // line * 54
            self.rect(x, y, width, 28, "cell cur")
            self.text(x + width / 2, y + 19, pair, "num cur", "middle")
            self.text(x + width / 2, y + 45, f"{state['byte'] + at:,}", "idx", "middle")
        used = line * (width + 2) + 14
        said = f"lowest byte first, so it reads {word}"
        if itemsize > 1 and used + len(said) * 7.4 <= self.room:
            self.text(self.left + used, self.y + 18.5, said, "note")
            said = ""
        self.y += (itemsize - 1) // line * 54 + 50
        if itemsize > 1 and said:
            self.text(self.left, self.y + 12, said if len(said) * 7.4 <= self.room else f"lowest first: {word}", "note")
            self.y += 18
        self.bits(f"{int(word, 16):0{8 * itemsize}b}")

    def bits(self, bits):
        self.down(20)
        self.label("bits")
        lines = self.split()
        pitch = min(22, *(self.share(line) for line in lines))
        apart, inset = pitch >= 15, 2 if pitch >= 15 else 0
        for line in lines:
            x, low = self.left, 34
            for field, start, count in line:
                name, whole = self.data["fields"][field]
                style = "cell neu" if name == "exponent" else "cell byte"
                if not apart:
                    self.rect(x, self.y, pitch * count, 26, style)
                for at in range(count):
                    if apart:
                        self.rect(x + at * pitch, self.y, pitch - 2, 26, style, 4)
                    middle = x + at * pitch + (pitch - inset) / 2
                    self.text(middle, self.y + 17.5, bits[at], "num" if apart else "idx", "middle")
                bits = bits[count:]
                if start + count == whole:
                    self.text(x, self.y + 42, name, "lab")
                    self.text(x, self.y + 58, self.state["captions"][field], "idx")
                    low = 66 if self.state["captions"][field] else 50
                x += pitch * count + _FIELD_GAP - inset
            self.y += low
        self.down(8)
        self.label("value")
        value = self.state["value"]
        self.y += 18.5 if self.wide else 12
        for line in [" ".join(value)] if self.room >= mono_width("x" * 38) else value:
            self.text(self.left, self.y, line, "mono")
            self.y += 20
        self.y -= 10.5 if self.wide else 10

    def share(self, line):
        """Room for one bit of a line, in quarters of a pixel."""
        return int((self.room - _FIELD_GAP * (len(line) - 1)) / sum(count for *_, count in line) * 4) / 4

    def split(self):
        """The fields of a word on as few lines as keep the digits apart: (field, first bit, bits) each."""
        fields = [[field, 0, count] for field, (_, count) in enumerate(self.data["fields"])]
        pitch, bias = min(22, self.share(fields)), self.data.get("bias", 0)
        longest = mono_width(f"{2 * bias} − {bias} = {bias}", 12) + 4
        if pitch >= 9.5 and (len(fields) == 1 or pitch * fields[1][2] + _FIELD_GAP >= longest):
            return [fields]
        field, _, count = fields.pop()
        each = -(-count // -(-count // int(self.room / 9.5)))
        last = [[[field, start, min(each, count - start)]] for start in range(0, count, each)]
        return [fields, *last] if fields else last

    def formula(self):
        data, state = self.data, self.state
        self.down(18)
        self.label("formula")
        self.text(self.left, self.y + (18.5 if self.wide else 12), data["calls"][self.column], "mono")
        self.y += 34 if self.wide else 28
        x, low = self.left, 50
        for chunk in _chunks(data, self.column, f"{state['byte']:,}", f"{state['home']:,}"):
            if x > self.left and x + sum(item[0] for item in chunk) > self.right + 0.5:
                x = self.left + mono_width("= ")
                self.y += low
                low = 30
            for width, words, term in chunk:
                if term is None:
                    self.text(x + (0 if words == "=" and x == self.left else 5), self.y + 18, words, "mono")
                elif term < 0:
                    self.text(x, self.y + 18, words, "mono hot")
                    if state["moved"]:
                        self.cross(x + mono_width(words) + 12, self.y + 13.5)
                else:
                    self.term(x, width, words, term)
                    low = 54
                x += width
        self.y += low

    def term(self, x, width, words, term):
        """One term: a button with its name below."""
        gone = term in self.struck
        colour = "lab" if gone else {3: "a0", 4: "a1"}.get(term, "")
        self.rect(x, self.y, width, 26, "cell off" if gone else "cell byte")
        middle = x + width / 2
        self.text(middle, self.y + 18, words, f"mono {colour}".strip(), "middle")
        self.text(middle, self.y + 42, self.data["terms"][term][1], "idx", "middle")
        if gone:
            half = mono_width(words) / 2 + 3
            self.path(f"M{number(middle - half)} {number(self.y + 13)}H{number(middle + half)}", "cross")
        self.spots["terms"].append([term, x, self.y, width, 26])

    def said(self):
        self.y += 4
        for line in wrap(sentence(self.data, self.column, self.struck), self.room):
            self.y += 18
            self.text(self.left, self.y, line)
        self.y += 6
        for line in wrap(self.data["note"], self.room):
            self.y += 18
            self.text(self.left, self.y, line, "note")


def _clear(x, width, need, pin):
    """The middle of a word in a box: aside of a pin that would cross it, where there is room."""
    middle = x + width / 2
    if pin is None or abs(pin - middle) >= need / 2 + 6:
        return middle
    before, after = pin - x, x + width - pin
    if max(before, after) < need + 16:
        return middle
    return x + before / 2 if before > after else pin + after / 2


def _chunks(data, column, result, longest):
    """The formula in pieces that stay on one line: (width, words, term or None, -1 for the result) each."""
    terms, columns = data["terms"], data["columns"]

    def sign(words):
        return mono_width(words) + 10, words, None

    def term(at):
        words = str(columns[column]) if at == 4 else terms[at][0]
        most = max(len(str(place)) for place in columns) if at == 4 else len(words)
        return max(mono_width("x" * most), mono_width(terms[at][1], 12), 12) + 12, words, at

    chunks = [[(mono_width("= "), "=", None), term(0)], [sign("+"), term(1)], [sign("+"), term(2)]]
    if terms[3]:
        chunks += [[sign("+ ("), term(3)], [sign("+"), term(4), (mono_width(")") + 10, ")", None)], [term(5)]]
    elif terms[4]:
        chunks += [[sign("+"), term(4)], [(4, "", None), term(5)]]
    return [*chunks, [sign("="), (mono_width(longest) + 24, result, -1)]]
