"""What every figure shares: palette, style sheet, drawing primitives, and the shell that carries a live figure.

How a figure is made. Python computes one plain `data` dict (numbers, texts, look-ups; no drawing). Two painters draw
it: a Python one fills a `Canvas`, the still picture at `WIDTH`; a hand-written JavaScript one draws the live figure
and never computes what Python already knows. `Figure` joins them:

    canvas = Canvas(WIDTH, height)
    canvas.rect(92, 40, 38, 28, "cell cur")
    canvas.text(111, 59, "45", "num cur", anchor="middle")
    return Figure("file", data=data, still=canvas, alt="...", text="...", script=read_script("file.js"))

The JavaScript file defines `function mount(host, data)`, which returns `{update(data), destroy()}`; it is run after
`shell.js`, so it may use `html(tag, attrs, ...children)`, `svg(tag, attrs, ...children)` and
`frame(host, css, resized)`, which gives a themed box inside a shadow root and calls `resized(width)` at once and on
every change of width. The style sheet is the constant `CSS` there: the same classes as in the still picture.

Classes of the style sheet. Text: `title`, `body`, `lab` (row labels), `note`, `mono` (formulas), `num` (numbers in
cells), `idx` (small numbers). Boxes: `cell` (read), and with it `off` (unreached: grey, dashed), `rep` (repeated:
pair it with `Canvas.hatch`), `same` (lands on the current slot too), `cur` (current: orange), `neu` (neutral); the same
words on `num` give the number that fits. Fills: `wedge` joins a box to what it opens into. Axes: `a0`, `a1`, `a2` on
text, `arc a0` on lines, `head a0` on arrow heads. `hot` is the current colour as text.
"""

import base64
import hashlib
import html
import json
import re
from importlib import resources
from itertools import groupby
from operator import itemgetter

from tensorlab.errors import ArgumentError
from tensorlab.figures.pack import packed

WIDTH = 760
"""Width of every still picture, padding included."""

PAD = 16
"""Empty margin inside a figure, on all sides."""

MONO = 'ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace'
SANS = 'system-ui,"DejaVu Sans",sans-serif'
MONO_ADVANCE = 0.602
"""Width of one monospaced character, in units of the font size (the widest of the fonts asked for)."""

PALETTE = {
    "light": {
        "bg": "#ffffff",
        "fg": "#1d2430",
        "mut": "#5b6575",
        "line": "#b9c3d0",
        "on": "#eaf2fa",
        "onl": "#0072b2",
        "rep": "#e3f2fc",
        "repl": "#56b4e9",
        "off": "#fafbfc",
        "cur": "#e69f00",
        "curt": "#1d2430",
        "hot": "#8a5a00",
        "a0": "#882255",
        "a1": "#00745a",
        "a2": "#4650b8",
        "wedge": "#eef1f6",
        "neu": "#e3e7ed",
    },
    "dark": {
        "bg": "#14181f",
        "fg": "#e8edf4",
        "mut": "#a2adbd",
        "line": "#4a5566",
        "on": "#172a3c",
        "onl": "#5fb3e6",
        "rep": "#17354a",
        "repl": "#3f86b0",
        "off": "#181d25",
        "cur": "#e69f00",
        "curt": "#14181f",
        "hot": "#f0b43c",
        "a0": "#f29bc4",
        "a1": "#4fd0ab",
        "a2": "#aab6ff",
        "wedge": "#1f2630",
        "neu": "#2b333f",
    },
}
"""One meaning per colour, in both themes; the names are the custom properties of the style sheet."""

TEXT_ON = (
    ("fg", "bg"),
    ("mut", "bg"),
    ("hot", "bg"),
    ("a0", "bg"),
    ("a1", "bg"),
    ("a2", "bg"),
    ("fg", "on"),
    ("fg", "rep"),
    ("fg", "neu"),
    ("mut", "off"),
    ("curt", "cur"),
    ("mut", "wedge"),
    ("hot", "wedge"),
)
"""Every pair of text and ground that the figures use; a test holds each to 4.5:1."""

RULES = f"""
svg,.fig{{--mono:{MONO};fill:var(--fg);color:var(--fg);font:13px {SANS}}}
.fig{{background:var(--bg);border-radius:6px;text-align:left}}
.title{{font-weight:600;font-size:15px}}
.lab,.note,.idx,.num.off{{fill:var(--mut);color:var(--mut)}}
polyline{{fill:none}}marker{{overflow:visible}}
.mono{{font:13.5px var(--mono)}}
.num{{font:14px var(--mono)}}
.idx{{font:12px var(--mono)}}
.small .num,.num.small{{font-size:12px}}
.cell{{fill:var(--on);stroke:var(--onl)}}
.cell.off{{fill:var(--off);stroke:var(--line);stroke-dasharray:3 3}}
.cell.neu{{fill:var(--neu);stroke:var(--line)}}
.cell.byte{{fill:var(--bg);stroke:var(--line)}}
.cell.rep{{fill:var(--rep);stroke:var(--repl)}}
.hatch{{fill:none;stroke:var(--repl);stroke-width:1.2;opacity:.55}}
.num.rep,.num.same{{paint-order:stroke;stroke:var(--rep);stroke-width:4px;stroke-linejoin:round}}
.cell.same{{stroke:var(--cur);stroke-width:2.5}}
.cell.cur{{fill:var(--cur);stroke:var(--cur);stroke-width:1;stroke-dasharray:none}}
.num.cur{{fill:var(--curt);font-weight:700;stroke:none}}
.arc{{fill:none;stroke:var(--mut);stroke-width:1.6}}
.arc.a0{{stroke:var(--a0)}}.arc.a1{{stroke:var(--a1)}}.arc.a2{{stroke:var(--a2)}}
.head{{fill:var(--mut)}}
.a0,.head.a0{{fill:var(--a0);color:var(--a0)}}.a1,.head.a1{{fill:var(--a1);color:var(--a1)}}
.a2,.head.a2{{fill:var(--a2);color:var(--a2)}}
.arc.a0,.arc.a1,.arc.a2{{fill:none}}
.halo{{paint-order:stroke;stroke:var(--bg);stroke-width:4px;stroke-linejoin:round}}
.hot{{fill:var(--hot);color:var(--hot);font-weight:700}}
.now{{font-weight:700}}
.mono.step{{font-size:12.5px}}
.fence{{fill:none;stroke:var(--fg);stroke-width:1.5}}
.cell.pick{{stroke:var(--fg);stroke-width:1.5}}
.tab{{fill:var(--mut)}}.tab.pick{{fill:var(--fg);font-weight:600}}
.cross{{fill:none;stroke:var(--fg);stroke-width:1.8}}
.cross.cur{{stroke:var(--curt)}}
.wedge{{fill:var(--wedge)}}
"""


def contrast(first, second):
    """Contrast ratio of two colours as the Web Content Accessibility Guidelines define it, 1 to 21.

    Examples
    --------
    >>> contrast("#000000", "#ffffff")
    21.0
    """
    bright, dim = sorted((_luminance(first), _luminance(second)), reverse=True)
    return round((bright + 0.05) / (dim + 0.05), 2)


def _luminance(colour):
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mono_width(text, size=13.5):
    """Width in pixels of a monospaced text: every character takes the same room.

    Examples
    --------
    >>> round(mono_width("position(2, 1)"), 1)
    113.8
    """
    return len(text) * size * MONO_ADVANCE


def wrap(text, width, size=13):
    """Break a proportional text into lines that surely fit `width` pixels (the width is estimated, with room to spare).

    Examples
    --------
    >>> wrap("Nothing moved in memory.", 100)
    ['Nothing moved', 'in memory.']
    """
    room, lines = max(1, int(width / (size * 0.58))), []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= room:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def read_script(name):
    """The text of one JavaScript file of this folder, without indentation and comment lines.

    Examples
    --------
    >>> read_script("shell.js").splitlines()[0][:13]
    'const build ='
    """
    source = resources.files("tensorlab.figures").joinpath(name).read_text(encoding="utf-8")
    lines = (line.strip() for line in source.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def style_sheet(theme=None):
    """The style sheet: custom properties of one theme (or both, by the reader's setting), then the shared classes.

    Parameters
    ----------
    theme : "light", "dark", "auto" or None
        For a still picture: one theme, or both by the reader's setting. None: for the live figure, whose box says
        which theme is on.

    Returns
    -------
    str
        CSS without line breaks.

    Examples
    --------
    >>> style_sheet("light")[:33]
    'svg{--bg:#ffffff;--fg:#1d2430;--m'
    """
    if theme is None:
        colours = f".fig{{{_properties('light')}}}.fig[data-theme=dark]{{{_properties('dark')}}}"
    elif theme == "auto":
        dark = f"@media(prefers-color-scheme:dark){{svg{{{_properties('dark')}}}}}"
        colours = f"svg{{{_properties('light')}}}{dark}"
    elif theme in PALETTE:
        colours = f"svg{{{_properties(theme)}}}"
    else:
        raise ArgumentError("svg", f"no theme {theme!r}", expected='"light", "dark" or "auto"')
    return colours + RULES.replace("\n", "")


def _properties(theme):
    return ";".join(f"--{name}:{colour}" for name, colour in PALETTE[theme].items())


def number(value):
    """A coordinate as short text: at most one decimal, no trailing zero.

    Examples
    --------
    >>> number(12.0), number(12.25), number(-0.01)
    ('12', '12.2', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


class Canvas:
    """A still picture under construction: an opaque ground and primitives in the order they are drawn.

    Parameters
    ----------
    width, height : number
        Size in pixels. `height` may be set again before the document is asked for.

    Examples
    --------
    >>> canvas = Canvas(200, 60)
    >>> canvas.rect(10, 10, 38, 28, "cell cur")
    >>> canvas.text(29, 29, "45", "num cur", anchor="middle")
    >>> canvas.document("light").count("<rect")
    2
    """

    def __init__(self, width, height):
        self.width = width
        self.height = height
        self._parts = []
        self._shapes = {}
        self._frame = None

    def text(self, x, y, words, style="body", anchor="start"):
        """Write one line of text; `words` may be a list of ``(text, style)`` runs on one line."""
        if isinstance(words, str):
            body = html.escape(words, quote=False)
        else:
            body = "".join(_run(run, look) for run, look in words)
        space = ' xml:space="preserve"' if "  " in body or body != body.strip() else ""
        group = f'class="{style}"' + ("" if anchor == "start" else f' text-anchor="{anchor}"')
        line = f' y="{number(y)}">'
        if not space and self._parts and self._parts[-1][0] == group and line in self._parts[-1][1]:
            so_far = self._parts[-1][1].removesuffix("</text>")
            self._parts[-1] = (group, f'{so_far}<tspan x="{number(x)}">{body}</tspan></text>')
        else:
            self._parts.append((group, f'<text{space} x="{number(x)}"{line}{body}</text>'))

    def rect(self, x, y, width, height, style="cell", radius=5):
        """Draw a box with round corners. Equal boxes are stored once."""
        body = f'<rect width="{number(width)}" height="{number(height)}" rx="{number(radius)}"/>'
        self._stamp(body, x, y, style)

    def hatch(self, x, y, width, height, step=8):
        """Draw the diagonal lines of a repeated box over it."""
        self._stamp(f'<path d="{hatch_path(width, height, step)}"/>', x, y, "hatch")

    def path(self, d, style):
        """Draw a path given by its SVG data."""
        self._parts.append((f'class="{style}"', f'<path d="{d}"/>'))

    def arrow(self, x, y, dx, dy, style=""):
        """Draw a straight arrow from (x, y), along one axis, with its head at the end."""
        end_x, end_y = x + dx, y + dy
        line = f"M{number(x)} {number(y)}L{number(end_x)} {number(end_y)}"
        self.path(line, f"arc {style}".strip())
        self.head(end_x, end_y, dx, dy, style)

    def head(self, x, y, dx, dy, style=""):
        """Draw an arrow head whose tip is at (x, y) and that points along (dx, dy)."""
        self.path(head_path(x, y, dx, dy), f"head {style}".strip())

    def cross(self, x, y, size=4.5, current=False):
        """Draw a cross centred on (x, y): something illegal, in the colour of text; `current` on the current box."""
        left, right, top, low = (number(v) for v in (x - size, x + size, y - size, y + size))
        self.path(f"M{left} {top}L{right} {low}M{left} {low}L{right} {top}", "cross cur" if current else "cross")

    def inset(self, x, y, width, height, left=0, total=0):
        """Give a canvas inside this one, at (x, y): what is drawn there at `left` stands at its left edge.

        If it is `total` wide and that is more than `width`, it is cut off, and fades where there is more.
        """
        child = Canvas(width, height)
        child._shapes = self._shapes
        child._frame = (x, y, left, total > width)
        self._parts.append(("", child))
        if total > width and left > 0:
            self._parts.append(("", _fade(f"{number(x)} {number(y)}", height)))
        if total > width and left + width < total:
            self._parts.append(("", _fade(f"{number(x + width)} {number(y + height)})rotate(180", height)))
        return child

    def _stamp(self, body, x, y, style):
        name = self._shapes.setdefault(body.replace("/>", f' class="{style}"/>'), f"s{len(self._shapes)}")
        self._parts.append((f"#{name}", f"{number(x)} {number(y)} "))

    def document(self, theme="auto"):
        """The finished SVG document.

        Parameters
        ----------
        theme : "light", "dark" or "auto"
            "auto" follows the reader's system setting.

        Returns
        -------
        str
            One SVG document that needs nothing else.
        """
        width, height = number(self.width), number(self.height)
        drawn = self._markup()
        fade = FADE if "url(#fade)" in drawn else ""
        shapes = fade + "".join(f'<marker id="{name}">{body}</marker>' for body, name in self._shapes.items())
        drawn = f'<rect width="{width}" height="{height}" style="fill:var(--bg)"/>{drawn}'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
            f"<style>{_used(style_sheet(theme), shapes + drawn)}</style><defs>{shapes}</defs>"
            f"{drawn}</svg>"
        )

    def _markup(self):
        drawn = "".join(
            _group(look, body)
            for look, group in groupby(self._parts, key=itemgetter(0))
            for body in ["".join(part._markup() if isinstance(part, Canvas) else part for _, part in group)]
        )
        if self._frame is None:
            return drawn
        x, y, left, clip = self._frame
        box = f'width="{number(self.width)}" height="{number(self.height)}"'
        view = f'viewBox="{number(left)} 0 {number(self.width)} {number(self.height)}"'
        visible = "" if clip else ' overflow="visible"'
        return f'<svg x="{number(x)}" y="{number(y)}" {box} {view}{visible}>{drawn}</svg>'


def _run(words, look):
    words = html.escape(words, quote=False)
    return f'<tspan class="{look}">{words}</tspan>' if look else words


FADE = (
    '<linearGradient id="fade"><stop style="stop-color:var(--bg)"/>'
    '<stop offset="1" style="stop-color:var(--bg);stop-opacity:0"/></linearGradient>'
)


def _fade(place, height):
    return f'<rect width="24" height="{number(height)}" fill="url(#fade)" transform="translate({place})"/>'


def _group(look, body):
    """Markup of neighbours that look alike: equal boxes are the markers of one line, so each costs only its place."""
    if look.startswith("#"):
        places = body.split()
        if len(places) == 2:
            return f'<polyline points="{body}{body.strip()}" marker-start="url({look})"/>'
        return f'<polyline points="{body.strip()}" style="marker:url({look})"/>'
    return f"<g {look}>{body}</g>" if look else body


def _used(css, markup):
    """The style sheet without the rules and the colours that the markup does not use."""
    classes = {name for group in re.findall(r'class="([^"]*)"', markup) for name in group.split()}
    kept = []
    for selectors, body in re.findall(r"([^{}]+)({[^{}]*}|{(?:[^{}]*{[^{}]*})*})", css):
        wanted = [one for one in selectors.split(",") if classes.issuperset(re.findall(r"\.([a-z][\w-]*)", one))]
        kept += [",".join(wanted) + body] if wanted else []
    kept = "".join(kept)
    colours = set(re.findall(r"var\(--(\w+)\)", kept + markup))
    return re.sub(r"--(\w+):[^;}]*;?", lambda found: found[0] if found[1] in colours else "", kept)


def hatch_path(width, height, step=8):
    """Path data of diagonal lines that fill a box of this size, two pixels short of its edges.

    Examples
    --------
    >>> hatch_path(18, 14)
    'M2 8L8 2M6 12L16 2M14 12L16 10'
    """
    left, top, right, low = 2, 2, width - 2, height - 2
    lines = []
    for total in range(left + top + step - 2, int(right + low), step):
        x0, x1 = max(left, total - low), min(right, total - top)
        if x1 - x0 > 1:
            lines.append(f"M{number(x0)} {number(total - x0)}L{number(x1)} {number(total - x1)}")
    return "".join(lines)


def head_path(x, y, dx, dy):
    """Path data of an arrow head with its tip at (x, y), pointing along (dx, dy).

    Examples
    --------
    >>> head_path(20, 0, 1, 0)
    'M20 0L13 3.6L13 -3.6Z'
    """
    length = (dx * dx + dy * dy) ** 0.5 or 1
    ux, uy = dx / length, dy / length
    back_x, back_y = x - 7 * ux, y - 7 * uy
    corners = ((x, y), (back_x - 3.6 * uy, back_y + 3.6 * ux), (back_x + 3.6 * uy, back_y - 3.6 * ux))
    return "M" + "L".join(f"{number(a)} {number(b)}" for a, b in corners) + "Z"


class Figure:
    """A finished figure: a still picture that its own script turns into a live one.

    Parameters
    ----------
    kind : str
        Which painter draws it, such as ``"linked"``.
    data : dict
        What the painters draw; plain numbers, texts, lists and dicts.
    still : Canvas
        The still picture of the default state.
    alt : str
        What the picture shows, for readers who cannot see it.
    text : str
        The same facts as a drawing in characters.
    script : str
        JavaScript that defines ``mount(host, data)``; see this module's first lines.

    Examples
    --------
    >>> canvas = Canvas(40, 40)
    >>> figure = Figure("blank", data={}, still=canvas, alt="An empty square.", text="[ ]",
    ...                 script="function mount(host, data) {}")
    >>> figure
    [ ]
    >>> 'alt="An empty square."' in figure.html
    True
    """

    def __init__(self, kind, *, data, still, alt, text, script):
        self.kind = kind
        self.data = data
        self.alt = alt
        self._still = still
        self._text = text
        self._script = script

    def __repr__(self):
        return self._text

    def _repr_html_(self):
        return self.html

    def svg(self, theme="light"):
        """The still picture as an SVG document, in one theme or ("auto") in the reader's."""
        return self._still.document(theme)

    @property
    def _version(self):
        return f"{self.kind}-{hashlib.sha256(live_script(self._script).encode()).hexdigest()[:8]}"

    @property
    def program(self):
        """The whole script of a live figure of this kind: it upgrades every still picture of its own version."""
        return f"(function(){{{live_script(self._script)}\nupgrade({self._version!r},mount)}})()"

    @property
    def html(self):
        """One self-contained fragment: still picture, data and script, without ids, global styles or requests."""
        data = html.escape(json.dumps(self.data, separators=(",", ":"), ensure_ascii=False), quote=False)
        picture = base64.b64encode(self.svg("auto").encode()).decode()
        loader = read_script("loader.js").replace("PACKED", packed(self.program))
        return (
            f'<div class="tl-figure" data-tl="{self._version}" data-model=\'{data.replace(chr(39), "&#39;")}\'>'
            f'<img alt="{html.escape(self.alt)}" width="{number(self._still.width)}" '
            f'src="data:image/svg+xml;base64,{picture}">'
            "<p><em>This is a still picture: trust the notebook to make it live.</em></p></div>"
            f"<script>{loader}</script>"
        )


def live_script(script):
    """The JavaScript of one live figure: what all share, the style sheet as ``CSS``, then its own painter.

    Parameters
    ----------
    script : str
        JavaScript that defines ``mount(host, data)``.

    Returns
    -------
    str
        Statements without a wrapper: a figure runs them in a function, an explorer's module adds its exports.

    Examples
    --------
    >>> live_script("function mount() {}").endswith("function mount() {}")
    True
    """
    return f"{read_script('shell.js')}\nconst CSS={json.dumps(style_sheet())};\n{script}"
