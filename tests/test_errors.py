"""The errors say their facts in aligned lines, and are what a Python programmer expects to catch."""

import copy
import pickle

import pytest

from tensorlab import errors

BUILTINS = {
    errors.ShapeError: (ValueError,),
    errors.LayoutError: (ValueError,),
    errors.BoundsError: (IndexError,),
    errors.AxisError: (ValueError, IndexError),
    errors.DTypeError: (TypeError,),
    errors.ArgumentError: (TypeError,),
    errors.ReadOnlyError: (ValueError,),
    errors.CheckpointError: (ValueError,),
    errors.CheckpointNameError: (KeyError, ValueError),
    errors.DataError: (OSError,),
}
EVERY_TYPE = pytest.mark.parametrize("kind", BUILTINS, ids=lambda kind: kind.__name__)
FIELDS = {"expected": "0 <= row < 3", "got": "3", "why": "rows count from 0", "fix": "x.row(2)"}


def test_the_table_names_every_error_type():
    defined = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)}
    assert defined == {errors.TensorlabError, *BUILTINS}


@EVERY_TYPE
def test_each_type_is_the_builtin_a_programmer_would_catch(kind):
    assert issubclass(kind, errors.TensorlabError)
    assert issubclass(kind, BUILTINS[kind])
    for builtin in BUILTINS[kind]:
        with pytest.raises(builtin):
            raise kind("row", "row 3 does not exist")


@EVERY_TYPE
def test_the_lines_of_a_message_are_aligned_and_in_a_fixed_order(kind):
    assert str(kind("row", "row 3 does not exist", **FIELDS)) == (
        "row: row 3 does not exist\n"
        "  expected: 0 <= row < 3\n"
        "  got:      3\n"
        "  why:      rows count from 0\n"
        "  fix:      x.row(2)"
    )


@pytest.mark.parametrize("field", FIELDS)
def test_only_the_lines_that_carry_something_are_there(field):
    lines = str(errors.BoundsError("row", "row 3 does not exist", **{field: FIELDS[field]})).split("\n")
    assert lines == ["row: row 3 does not exist", f"  {field + ':':<10}{FIELDS[field]}"]
    assert str(errors.BoundsError("row", "row 3 does not exist")) == "row: row 3 does not exist"


@EVERY_TYPE
def test_the_parts_of_an_error_are_attributes(kind):
    error = kind("row", "row 3 does not exist", **FIELDS)
    assert (error.operation, error.problem) == ("row", "row 3 does not exist")
    assert {field: getattr(error, field) for field in errors.FIELDS} == FIELDS
    assert kind("row", "row 3 does not exist").fix is None


@EVERY_TYPE
@pytest.mark.parametrize("remade", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
def test_an_error_survives_pickling_and_copying_whole(kind, remade):
    error = kind("row", "row 3 does not exist", expected="0 <= row < 3", fix="x.row(2)")
    twin = remade(error)
    assert type(twin) is kind
    assert str(twin) == str(error)
    assert vars(twin) == vars(error)


def test_what_was_got_stays_one_line_that_can_be_read():
    error = errors.ArgumentError("tensor", "data is no number", got="x" * 10**6)
    assert max(map(len, str(error).splitlines())) < 450
    assert error.got == "x" * 10**6
    error = errors.ArgumentError("tensor", "data is no number", got="[[1\n  2]]")
    assert str(error) == "tensor: data is no number\n  got:      [[1 2]]"
    fix = "f(\n" + "x" * 1000
    assert str(errors.ArgumentError("tensor", "no", fix=fix)).endswith(fix)
