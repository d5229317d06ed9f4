"""The rules of the house: which room may import which, how large each may grow, and what no room may do."""

import ast
import inspect
import io
import sys
import tokenize
from pathlib import Path

import pytest

import tensorlab as tl
from tensorlab.errors import TensorlabError

PACKAGE = Path(tl.__file__).parent

# Top to bottom: a room may import any room above it. `tensorlab` is the package's own __init__. The number is a budget
# of lines that hold code; a room over its budget is split, or its budget is raised on purpose.
ROOMS = {
    "errors": 80,
    "layout": 420,
    "views": 360,
    "dtypes": 330,
    "tensor": 660,
    "matrix": 200,
    "checkpoint": 820,
    "data": 300,
    "kernels": 260,
    "tensorlab": 110,
    "figures": 3300,
    "inspect": 800,
    "exercises": 2400,
    "explore": 1200,
    "lab": 170,
    "cli": 110,
}

# Functions that import a room below theirs, inside themselves.
DOWNWARD = {
    ("tensor", "Tensor.matrix"): {"matrix"},
    ("tensor", "_operator"): {"kernels"},
    ("tensorlab", "__getattr__"): {"inspect"},
}

# A room that must not know another one, although the order would allow it.
APART = {"figures": {"kernels", "scheme", "models", "cli"}}


def room_of(module):
    """The room of a module, such as `figures` for `tensorlab.figures.linked`."""
    return module.split(".")[1] if "." in module else module


def sources():
    """Every module of the package, as (room, path)."""
    for path in sorted(PACKAGE.rglob("*.py")):
        inner = path.relative_to(PACKAGE)
        if inner.name in ("__main__.py", "conftest.py"):
            continue
        yield ("tensorlab" if inner == Path("__init__.py") else inner.parts[0].removesuffix(".py")), path


def modules_of(room):
    return [path for owner, path in sources() if owner == room]


def imports(tree):
    """Every room that a module imports, as (qualified name of the function around it, room)."""

    def walk(node, names, inside):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield from walk(child, [*names, child.name], inside or not isinstance(child, ast.ClassDef))
                continue
            if isinstance(child, ast.Import):
                found = [alias.name for alias in child.names]
            elif isinstance(child, ast.ImportFrom) and child.module == "tensorlab":
                found = [f"tensorlab.{alias.name}" for alias in child.names]
            elif isinstance(child, ast.ImportFrom):
                found = ["." * child.level + (child.module or "")]
            else:
                yield from walk(child, names, inside)
                continue
            for module in found:
                if module.split(".")[0] in ("tensorlab", ""):
                    yield ".".join(names) if inside else None, module

    yield from walk(tree, [], False)


def lines_of_code(source):
    """Count the lines that hold code: no blank lines, no comments, no docstrings.

    >>> lines_of_code('"docstring"\\n\\n# a comment\\nx = (1,\\n     2)\\n')
    2
    """
    quiet = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    ends = (tokenize.ENCODING, tokenize.ENDMARKER)
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in quiet + ends:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def faults_of_order(room, tree):
    order = list(ROOMS)
    for function, module in imports(tree):
        if module.startswith("."):
            yield f"{module} is a relative import"
            continue
        other = room_of(module)
        if other == room or other in DOWNWARD.get((room, function), ()):
            continue
        if other not in order:
            if not hasattr(tl, module.split(".")[1]):
                yield f"{module} is in no listed room"
        elif order.index(other) > order.index(room):
            yield f"{module} is a room below"
        if other in APART.get(room, ()):
            yield f"{module} must stay unknown here"


def each_module(path):
    return path.relative_to(PACKAGE).as_posix()


MODULES = list(sources())


@pytest.mark.parametrize(("room", "path"), MODULES, ids=[each_module(path) for _, path in MODULES])
def test_a_room_imports_only_rooms_above_it(room, path):
    assert room in ROOMS, f"{room} is not in the list of rooms"
    assert list(faults_of_order(room, parsed(path))) == []


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("from tensorlab.tensor import Tensor", "tensorlab.tensor is a room below"),
        ("from tensorlab import tensor", "tensorlab.tensor is a room below"),
        ("import tensorlab.cli", "tensorlab.cli is a room below"),
        ("import tensorlab", "tensorlab is a room below"),
        ("def f():\n    from tensorlab.matrix import Matrix", "tensorlab.matrix is a room below"),
        ("from .tensor import Tensor", ".tensor is a relative import"),
        ("if True:\n    from tensorlab import exercises", "tensorlab.exercises is a room below"),
    ],
)
def test_an_import_of_a_room_below_is_noticed(code, fault):
    assert list(faults_of_order("layout", ast.parse(code))) == [fault]


def test_the_exceptions_to_the_order_are_still_needed():
    used = {
        (room, function): room_of(module)
        for room, path in MODULES
        for function, module in imports(parsed(path))
        if (room, function) in DOWNWARD
    }
    assert {key: {room} for key, room in used.items()} == DOWNWARD


@pytest.mark.parametrize("room", ["errors", "layout", "views"])
def test_layouts_and_their_views_know_integers_only(room):
    for path in modules_of(room):
        for node in ast.walk(parsed(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names | {"tensorlab"}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_keeps_its_line_budget(room):
    lines = sum(lines_of_code(path.read_text(encoding="utf-8")) for path in modules_of(room))
    assert lines <= ROOMS[room], f"{room} holds {lines} lines of code; its budget is {ROOMS[room]}"


@pytest.mark.parametrize(("room", "path"), MODULES, ids=[each_module(path) for _, path in MODULES])
def test_no_room_asserts_or_prints_or_takes_any_keyword(room, path):
    faults = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Assert):
            faults.append(f"line {node.lineno}: assert")
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "print" and room != "cli":
            faults.append(f"line {node.lineno}: print")
        if isinstance(node, ast.FunctionDef) and node.args.kwarg and (node.name == "__init__" or node.name[0] != "_"):
            faults.append(f"line {node.lineno}: {node.name}(**{node.args.kwarg.arg})")
    assert faults == []


def public_objects():
    """Every public name of the package with its public methods, as (name, object)."""
    for name in tl.__all__:
        thing = getattr(tl, name)
        if not (inspect.isfunction(thing) or inspect.isclass(thing)):
            continue
        yield name, thing
        if inspect.isclass(thing) and not issubclass(thing, TensorlabError):
            for member, found in vars(thing).items():
                found = getattr(found, "fget", None) or getattr(found, "__func__", found)
                if not member.startswith("_") and inspect.isfunction(found):
                    yield f"{name}.{member}", found


@pytest.mark.parametrize(
    ("name", "thing"), list(public_objects()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_everything_public_has_an_example_that_runs(name, thing):
    documentation = inspect.getdoc(thing) or ""
    assert documentation, f"{name} has no docstring"
    if not (inspect.isclass(thing) and issubclass(thing, TensorlabError)):
        assert ">>> " in documentation, f"{name} has no example"
