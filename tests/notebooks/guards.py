"""What every committed chapter must keep to: one function per rule, each of which lists what breaks it."""

import ast
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import reads_json

from tensorlab.exercises.catalogue import exercises_of
from tests.notebooks.normalise import ADDRESS, ANSI, WIDGET_STATE, as_text, is_run, normalise, tags, texts

FIRST_CELL = """\
import numpy as np
import tensorlab as tl
from tensorlab import data, figures
from tensorlab.exercises import check, predict, show_error"""
SECTIONS = ("Predict", "See", "Build", "Measure|Break it", "Key points", "Terms")
SECTIONS_OF = {"00": ()}  # the chapter that comes before the pattern
TAGS = ({"measure", "nbval-ignore-output"}, {"real-file", "nbval-ignore-output"}, set())
REAL_FILE_CHAPTER = "06"
MAX_LINES, MAX_MEDIAN, MIN_ALT = 12, 4, 20

FORBIDDEN_SOURCE = {
    "a star import": r"^\s*from\s+\S+\s+import\s+\*",
    "a magic or shell command": r"^\s*[%!]",
    "a change of sys.path": r"\bsys\.path\b",
    "a comment that steers the test": r"(?i)#\s*(nbval|pytest_validate)_",
    "an updated display": r"\b(clear_output|display_id|update_display)\b",
    "a captured output": r"\b(interact|interactive|interactive_output|widgets\.Output|capture_output)\b",
}
FORBIDDEN_ANYWHERE = {
    "a path of one machine": r"(?<![\w.:/])/(home|Users|root|tmp|var|work|private|opt|mnt)/\w|\b[A-Z]:\\+Users",
    "a host of a package registry": r"(?i)\b(pypi|pythonhosted|anaconda|npmjs)\.(org|com)\b",
}


class Chapter:
    """One committed notebook, as text and as cells."""

    def __init__(self, text: str, name: str):
        self.text = text
        self.number = name[:2]
        self.notebook = reads_json(text)  # as it is: nbformat.reads would repair it
        self.cells: list[NotebookNode] = self.notebook.cells
        self.code = [cell for cell in self.cells if is_run(cell)]
        self.prose = [cell for cell in self.cells if cell.cell_type == "markdown"]

    @classmethod
    def read(cls, path: Path) -> "Chapter":
        return cls(path.read_bytes().decode("utf-8"), path.name)

    @property
    def shown(self) -> Iterator[tuple[NotebookNode, str]]:
        """Every text that the page shows or holds, with its cell."""
        for cell in self.cells:
            yield cell, cell.source
            yield from ((cell, text) for output in cell.get("outputs", []) for text in texts(output))

    @property
    def headings(self) -> list[tuple[int, str]]:
        """The level and words of each heading, in order."""
        lines = (line for cell in self.prose for line in _prose_lines(cell.source))
        return [(len(found[1]), found[2].strip()) for line in lines if (found := re.match(r"(#+)\s+(.*)", line))]

    @property
    def exercises(self) -> list[str]:
        """The keys of its predict and check calls, in order."""
        calls = (node for cell in self.code for node in ast.walk(_tree(cell)) if isinstance(node, ast.Call))
        asked = [call for call in calls if getattr(call.func, "id", "") in {"predict", "check"} and call.args]
        return [call.args[0].value for call in asked if isinstance(call.args[0], ast.Constant)]


def every_cell_was_run_in_order(chapter: Chapter) -> list[str]:
    counts = [cell.execution_count for cell in chapter.code]
    wanted = list(range(1, len(counts) + 1))
    return [] if counts == wanted else [f"execution counts {counts}, wanted 1 to {len(counts)}"]


def no_cell_is_silenced_by_a_semicolon(chapter: Chapter) -> list[str]:
    return [_at(cell, "ends in ;") for cell in chapter.code if cell.source.rstrip().endswith(";")]


def cells_are_short(chapter: Chapter) -> list[str]:
    lengths = {cell.id: len(cell.source.splitlines()) for cell in chapter.code}
    problems = [f"cell {name}: {n} lines, at most {MAX_LINES}" for name, n in lengths.items() if n > MAX_LINES]
    middle = statistics.median(lengths.values()) if lengths else 0
    return problems + ([f"the median is {middle} lines, at most {MAX_MEDIAN}"] if middle > MAX_MEDIAN else [])


def every_picture_says_what_it_shows(chapter: Chapter) -> list[str]:
    problems = []
    for cell in chapter.cells:
        alts = _alts_of_markdown(cell.source) if cell.cell_type == "markdown" else _alts_of_outputs(cell)
        problems += [_at(cell, f"alt text {alt!r} is too short to say it") for alt in alts if len(alt) <= MIN_ALT]
    return problems


def no_widget_captures_output(chapter: Chapter) -> list[str]:
    models = chapter.notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    return [f"model {name} is an Output" for name, model in models.items() if model.model_name == "OutputModel"]


def no_cell_ends_in_an_error_or_a_warning(chapter: Chapter) -> list[str]:
    outputs = [(cell, output) for cell in chapter.code for output in cell.outputs]
    bad = [(cell, out) for cell, out in outputs if out.output_type == "error" or out.get("name") == "stderr"]
    return [_at(cell, f"shows {out.get('ename', 'text on stderr')}") for cell, out in bad]


def the_first_code_cell_is_the_same_everywhere(chapter: Chapter) -> list[str]:
    first = chapter.code[0].source if chapter.code else ""
    return [] if first == FIRST_CELL else [f"the first code cell is\n{first}\nand should be\n{FIRST_CELL}"]


def code_is_plain_python_that_a_test_can_follow(chapter: Chapter) -> list[str]:
    return [
        _at(cell, f"has {what}")
        for cell in chapter.code
        for what, pattern in FORBIDDEN_SOURCE.items()
        if re.search(pattern, cell.source, re.MULTILINE)
    ]


def every_sentence_has_its_own_line(chapter: Chapter) -> list[str]:
    problems = []
    for cell in chapter.prose:
        for line in _prose_lines(cell.source):
            plain = re.sub(r"^\s*(>|[-*+]|\d+\.)\s+|^\*\*[^*]*\.\*\*", "", line)  # neither a bullet nor a bold label
            plain = re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|<[^>]*>", "X", plain)
            plain = re.sub(r"\b(e\.g|i\.e|vs|cf|etc|Fig|No|Dr|St)\.", "X", plain)
            if not plain.startswith("|") and re.search(r"[.?!…][)\"'”’*_]*\s+[(\"'“‘*_]*[A-Z]", plain):
                problems.append(_at(cell, f"two sentences on one line: {line}"))
    return problems


def prose_comes_before_code(chapter: Chapter) -> list[str]:
    pairs = zip([None, *chapter.cells], chapter.cells, strict=False)
    bare = [cell for before, cell in pairs if is_run(cell) and (before is None or before.cell_type != "markdown")]
    return [_at(cell, "no prose before this code") for cell in bare]


def nothing_names_a_machine_or_a_registry(chapter: Chapter) -> list[str]:
    unwanted = FORBIDDEN_ANYWHERE | {"a memory address": ADDRESS.pattern, "terminal colours": ANSI.pattern}
    found = [
        (cell, what, match[0])
        for cell, text in chapter.shown
        for what, pattern in unwanted.items()
        if (match := re.search(pattern, text))
    ]
    return [_at(cell, f"holds {what}: {match}") for cell, what, match in found]


def a_cell_that_shows_something_has_it_stored(chapter: Chapter) -> list[str]:
    return [_at(cell, "its output is not stored") for cell in chapter.code if _shows(cell) and not cell.outputs]


def only_cells_that_cannot_be_compared_are_not(chapter: Chapter) -> list[str]:
    problems = [
        _at(cell, f"has the tags {sorted(tags(cell))}")
        for cell in chapter.cells
        if tags(cell) not in TAGS or (cell.cell_type != "code" and tags(cell))
    ]
    real = [cell for cell in chapter.code if "real-file" in tags(cell)]
    allowed = 1 if chapter.number == REAL_FILE_CHAPTER else 0
    return problems + [_at(cell, "is one real-file cell too many") for cell in real[allowed:]]


def the_file_is_as_a_rebuild_writes_it(chapter: Chapter) -> list[str]:
    problems = ["it has Windows line ends"] if "\r" in chapter.text else []
    ids = Counter(cell.get("id") for cell in chapter.cells)
    problems += [f"the id {name} stands on {n} cells" for name, n in ids.items() if n > 1]
    wanted = as_text(normalise(chapter.notebook, chapter.number))
    if not problems and wanted != chapter.text:
        pairs = zip(chapter.text.splitlines(), wanted.splitlines(), strict=False)
        first = next((pair for pair in pairs if pair[0] != pair[1]), ("the end", "another end"))
        problems.append(f"it is not in the normal form: {first[0].strip()!r}, wanted {first[1].strip()!r}")
    return problems


def the_title_is_a_question(chapter: Chapter) -> list[str]:
    titles = [words for level, words in chapter.headings if level == 1]
    if len(titles) != 1 or chapter.headings[0][0] != 1:
        return [f"one title at the top is wanted, not {titles}"]
    asks = titles[0].endswith("?") or chapter.number == "00"
    return [] if asks else [f"the title asks nothing: {titles[0]}"]


def the_sections_come_in_their_order(chapter: Chapter) -> list[str]:
    headings = [words for level, words in chapter.headings if level > 1]
    places = []
    for section in SECTIONS_OF.get(chapter.number, SECTIONS):
        at = [n for n, words in enumerate(headings) if re.match(rf"({section})\b", words)]
        if not at:
            return [f"no heading begins with {section}; there are {headings}"]
        places.append(at[0])
    return [] if places == sorted(places) else [f"the sections stand in another order: {headings}"]


def it_asks_each_of_its_exercises_once_and_in_order(chapter: Chapter) -> list[str]:
    registered = [exercise.key for exercise in exercises_of(chapter.number)]
    return [] if chapter.exercises == registered else [f"it asks {chapter.exercises}, registered are {registered}"]


GUARDS: list[Callable[[Chapter], list[str]]] = [
    every_cell_was_run_in_order,
    no_cell_is_silenced_by_a_semicolon,
    cells_are_short,
    every_picture_says_what_it_shows,
    no_widget_captures_output,
    no_cell_ends_in_an_error_or_a_warning,
    the_first_code_cell_is_the_same_everywhere,
    code_is_plain_python_that_a_test_can_follow,
    every_sentence_has_its_own_line,
    prose_comes_before_code,
    nothing_names_a_machine_or_a_registry,
    a_cell_that_shows_something_has_it_stored,
    only_cells_that_cannot_be_compared_are_not,
    the_file_is_as_a_rebuild_writes_it,
    the_title_is_a_question,
    the_sections_come_in_their_order,
    it_asks_each_of_its_exercises_once_and_in_order,
]


class _Pictures(HTMLParser):
    """Collects the alternative text of every picture of a page, also of drawings that stand in it."""

    def __init__(self) -> None:
        super().__init__()
        self.alts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"img", "svg", "canvas", "video"}:
            given = dict(attrs)
            self.alts.append((given.get("alt") or given.get("aria-label") or "").strip())


def _alts_of_html(text: str) -> list[str]:
    pictures = _Pictures()
    pictures.feed(text)
    return pictures.alts


def _alts_of_markdown(source: str) -> list[str]:
    prose = "\n".join(_prose_lines(source))
    return re.findall(r"!\[([^\]]*)\]", prose) + _alts_of_html(prose)


def _alts_of_outputs(cell: NotebookNode) -> list[str]:
    alts = []
    for output in cell.get("outputs", []):
        for mime, content in output.get("data", {}).items():
            if mime == "text/html":
                alts += _alts_of_html(content)
            elif mime == "text/markdown":
                alts += _alts_of_markdown(content)
            elif mime == "image/svg+xml":
                alts += re.findall(r"<title>(.*?)</title>", content, re.DOTALL)[:1] or [""]
            elif mime.startswith("image/"):
                alts.append(output.metadata.get(mime, {}).get("alt", ""))
    return alts


def _prose_lines(source: str) -> list[str]:
    """The lines of a markdown cell outside fenced code."""
    return re.sub(r"^(```|~~~).*?^\1[^\n]*$", "", source, flags=re.MULTILINE | re.DOTALL).splitlines()


def _tree(cell: NotebookNode) -> ast.Module:
    try:
        return ast.parse(cell.source)
    except SyntaxError:  # a magic: another guard names it
        return ast.parse("")


def _shows(cell: NotebookNode) -> bool:
    """Whether the last line of a cell surely shows a value: a bare method call may well give None."""
    body = _tree(cell).body
    if not body or not isinstance(body[-1], ast.Expr):
        return False
    value = body[-1].value
    if not isinstance(value, ast.Call):
        return True
    owner = getattr(value.func, "value", None)
    return owner is None or getattr(owner, "id", "") in {"tl", "figures"}


def _at(cell: NotebookNode, what: str) -> str:
    return f"cell {cell.get('id')}: {what}"
