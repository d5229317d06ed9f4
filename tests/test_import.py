"""What `import tensorlab` brings, and what it does not."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tensorlab as tl

PUBLIC = {
    *("ArgumentError", "AxisError", "BoundsError", "CheckpointError", "CheckpointNameError", "DataError", "DTypeError"),
    *("LayoutError", "ReadOnlyError", "ShapeError", "TensorlabError"),
    *("Layout", "Overlap", "views", "broadcast_shapes"),
    *("DType", "float64", "float32", "float16", "bfloat16", "bool_"),
    *("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"),
    *("Tensor", "tensor", "zeros", "arange", "from_numpy", "Matrix"),
    *("add", "subtract", "multiply", "mean", "copy", "contiguous"),
    *("open_checkpoint", "save_checkpoint"),
    *("show", "explain", "explain_reshape"),
}


def loaded_after(code):
    """The top-level modules that a fresh Python has loaded after running some code."""
    code += "\nimport sys\nprint(*{name.partition('.')[0] for name in sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_import_brings_numpy_and_nothing_else_from_outside():
    brought = loaded_after("import tensorlab") - loaded_after("import numpy")
    assert brought - set(sys.stdlib_module_names) == {"tensorlab"}


@pytest.mark.parametrize("room", ["figures", "inspect", "exercises", "explore", "data", "cli"])
def test_rooms_that_chapters_ask_for_by_name_are_not_imported(room):
    code = "import sys, tensorlab\nprint(*[name for name in sys.modules if name.startswith('tensorlab')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "tensorlab.tensor" in run.stdout
    assert f"tensorlab.{room}" not in run.stdout


def test_the_public_names_are_the_listed_ones():
    assert set(tl.__all__) == PUBLIC
    assert [name for name in PUBLIC if not hasattr(tl, name)] == []
    assert [name for name in PUBLIC if not getattr(tl, name).__doc__] == []
    assert set(dir(tl)) >= PUBLIC


def test_the_version_is_the_one_in_pyproject():
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert tl.__version__ == project["version"]


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'tensorlab' has no attribute 'nothing'"):
        _ = tl.nothing
