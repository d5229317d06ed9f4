"""Paint what an exercise says: the same blocks as plain text for a terminal and as HTML for a notebook.

The HTML carries inline styles only, no ids, no script and no colours of its own, so it reads the same in light and
dark, and JupyterLab leaves it whole in a notebook that is not trusted.
"""

import html
import inspect
import re
import textwrap
from dataclasses import dataclass

OUTER = "border-left:3px solid rgba(128,140,155,0.5);padding:1px 0 1px 14px;margin:4px 0;max-width:46em"
LINE = "margin:3px 0"
PRE = "margin:5px 0 7px 20px;padding:0;background:none;line-height:1.5"
FOLD = "margin:3px 0"
SUMMARY = "cursor:pointer"
INSIDE = "margin:2px 0 8px 16px"
QUIET = "margin:5px 0 3px 0;opacity:0.8"
CIRCLES = "letter-spacing:2px"


@dataclass(frozen=True)
class Fold:
    """A closed part of an output: a title and the text inside, `code` first where there is some."""

    title: str
    text: str
    code: str = ""
    is_open: bool = False


@dataclass(frozen=True, repr=False)
class Output:
    """What `predict` and `check` hand back; a notebook shows it, and a terminal prints it.

    Parameters
    ----------
    verdict : str
        "untried", "right", "wrong", or "unclear" for something that was not counted as a try.
    says : str
        The first line, after the mark.
    facts : sequence of (name, text)
        Lines below it, aligned; a name may be empty.
    folds : sequence of Fold
        Shown closed in a notebook; in a terminal only the open ones are printed.
    more : str
        How a terminal reaches the closed folds.
    quiet : sequence of str
        Small lines, the chapter's line last.

    Examples
    --------
    >>> Output("right", "8 = 1·5 + 3.", quiet=("Chapter 01: ●○",))
    ✓ 8 = 1·5 + 3.
    Chapter 01: ●○
    """

    verdict: str
    says: str
    facts: tuple = ()
    folds: tuple = ()
    more: str = ""
    quiet: tuple = ()

    @property
    def mark(self):
        """The tick, cross or circle in front of the first line."""
        return {"right": "✓", "wrong": "✗"}.get(self.verdict, "○")

    def __repr__(self):
        parts = [f"{self.mark} {self.says}"]
        if self.facts:
            parts.append(textwrap.indent(aligned(self.facts), "  "))
        for fold in self.folds:
            if fold.is_open:
                body = "\n\n".join(filter(None, (fold.code, *map(as_text, blocks_of(fold.text)))))
                parts.append(f"{fold.title}:\n{textwrap.indent(body, '  ')}")
        if self.more and not all(fold.is_open for fold in self.folds):
            parts.append(self.more)
        return _sendable("\n".join([*parts, *self.quiet]))

    def _repr_html_(self):
        parts = [f'<div style="{LINE}"><b>{self.mark}</b> {inline(self.says)}</div>']
        if self.facts:
            parts.append(f'<pre style="{PRE}">{html.escape(aligned(self.facts), quote=False)}</pre>')
        for fold in self.folds:
            code = f'<pre style="{PRE}">{html.escape(fold.code, quote=False)}</pre>' if fold.code else ""
            parts.append(
                f'<details style="{FOLD}"{" open" if fold.is_open else ""}>'
                f'<summary style="{SUMMARY}">{inline(fold.title)}</summary>'
                f'<div style="{INSIDE}">{code}{"".join(map(as_html, blocks_of(fold.text)))}</div></details>'
            )
        for line in self.quiet:
            spaced = re.sub(r"[●○]{2,}", rf'<span style="{CIRCLES}">\g<0></span>', inline(line))
            parts.append(f'<div style="{QUIET}">{spaced}</div>')
        return _sendable(f'<div style="{OUTER}">' + "\n".join(parts) + "</div>")


def _sendable(text):
    """Replace what no message to a notebook can carry: halves of characters that a reader's function printed."""
    return text.encode("utf-8", "replace").decode("utf-8")


def aligned(facts):
    """Set names and texts in two columns; a text without a name starts at the left edge.

    Examples
    --------
    >>> print(aligned([("", "f(1)"), ("yours", "3"), ("expected", "2")]))
    f(1)
    yours     3
    expected  2
    """
    width = max(len(name) for name, text in facts) + 2
    return "\n".join(f"{name:<{width}}{text}" if name else text for name, text in facts)


def inline(text):
    """Escape a text; what stands between backticks is code, and a word between stars is stressed.

    Examples
    --------
    >>> inline("`a * b * c < d` *never* holds")
    '<code>a * b * c &lt; d</code> <em>never</em> holds'
    """
    parts = html.escape(text, quote=False).split("`")
    if len(parts) % 2 == 0:  # a backtick without a partner is only a backtick
        parts[-2:] = ["`".join(parts[-2:])]
    parts[0::2] = [re.sub(r"(?<!\w)\*(\w[^*]*)\*(?!\w)", r"<em>\1</em>", part) for part in parts[0::2]]
    parts[1::2] = [f"<code>{part}</code>" for part in parts[1::2]]
    return "".join(parts)


def blocks_of(text):
    """Split a text into its blocks: (whether it is kept as it stands, the text)."""
    for block in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if all(line.startswith("    ") for line in block.splitlines()):
            yield True, textwrap.dedent(block)
        else:
            yield False, " ".join(block.split())


def as_text(block):
    """Set one block for a terminal."""
    is_kept, text = block
    return textwrap.indent(text, "    ") if is_kept else text


def as_html(block):
    """Set one block for a notebook."""
    is_kept, text = block
    if is_kept:
        return f'<pre style="{PRE}">{html.escape(text, quote=False)}</pre>'
    return f'<div style="{LINE}">{inline(text)}</div>'
