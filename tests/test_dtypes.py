"""Element types, held against NumPy, ml_dtypes and the standard's own tables."""

import math
import warnings

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.dtypes import (
    DTYPES,
    FILE_TAGS,
    as_dtype,
    bit_fields,
    cast,
    from_python,
    from_values,
    narrow_bf16,
    promote,
    to_values,
    widen_bf16,
)

ALL_WORDS = np.arange(65536, dtype=np.uint16)
FLOATS = {"float16": np.uint16, "float32": np.uint32, "float64": np.uint64, "bfloat16": np.uint16}
INTEGERS = [name for name, dtype in DTYPES.items() if dtype.kind in ("int", "uint")]


def run(fix, **names):
    """Run the code of an error's fix line."""
    return eval(fix, {"tl": tl, "np": np, **names})


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_every_dtype_has_its_width_and_its_name_in_files():
    table = {
        "F64": (8, "float64"), "F32": (4, "float32"), "F16": (2, "float16"), "BF16": (2, "uint16"),
        "I64": (8, "int64"), "I32": (4, "int32"), "I16": (2, "int16"), "I8": (1, "int8"),
        "U64": (8, "uint64"), "U32": (4, "uint32"), "U16": (2, "uint16"), "U8": (1, "uint8"), "BOOL": (1, "bool"),
    }  # fmt: skip
    assert {tag: (dtype.itemsize, dtype.storage.name) for tag, dtype in FILE_TAGS.items()} == table
    assert all(dtype.storage.itemsize == dtype.itemsize for dtype in DTYPES.values())


def test_only_bfloat16_has_no_numpy_twin():
    assert [dtype.name for dtype in DTYPES.values() if dtype.numpy is None] == ["bfloat16"]


@pytest.mark.parametrize("name", sorted(DTYPES))
def test_a_dtype_is_known_by_name_by_numpy_and_as_itself(name):
    dtype = DTYPES[name]
    assert as_dtype(name) is as_dtype(dtype) is dtype
    assert repr(dtype) == str(dtype) == name
    if dtype.numpy is not None:
        assert as_dtype(np.dtype(name)) is as_dtype(np.dtype(name).type) is dtype


def test_python_types_name_the_course_defaults():
    assert [as_dtype(kind) for kind in (bool, int, float)] == [tl.bool_, tl.int64, tl.float32]


def test_numpys_two_names_of_one_integer_are_one_dtype():
    assert as_dtype(np.longlong) is as_dtype(np.int64) is tl.int64


def test_the_bfloat16_of_another_package_is_known_by_its_name():
    assert as_dtype(np.dtype(ml_dtypes.bfloat16)) is tl.bfloat16


@pytest.mark.parametrize(
    "unknown", ["float33", "f4", np.complex64, np.dtype("V2"), "S3", None, 3, list, np.dtype("M8[s]")]
)
def test_a_type_the_course_does_not_hold_is_refused_with_those_it_does(unknown):
    with pytest.raises(tl.DTypeError, match="not an element type of the course") as caught:
        as_dtype(unknown)
    assert caught.value.expected == "one of " + " ".join(DTYPES)


def test_bytes_in_the_other_order_are_refused_and_the_fix_helps():
    array = np.array([1, 2], dtype=np.dtype("i4").newbyteorder("S"))
    with pytest.raises(tl.DTypeError, match="in the other order than this machine's") as caught:
        as_dtype(array.dtype)
    assert as_dtype(run(caught.value.fix, array=array).dtype) is tl.int32


# Promotion


ARRAY_API = """
i1 i1 i1, i1 i2 i2, i1 i4 i4, i1 i8 i8, i2 i2 i2, i2 i4 i4, i2 i8 i8, i4 i4 i4, i4 i8 i8, i8 i8 i8,
u1 u1 u1, u1 u2 u2, u1 u4 u4, u1 u8 u8, u2 u2 u2, u2 u4 u4, u2 u8 u8, u4 u4 u4, u4 u8 u8, u8 u8 u8,
i1 u1 i2, i1 u2 i4, i1 u4 i8, i2 u1 i2, i2 u2 i4, i2 u4 i8, i4 u1 i4, i4 u2 i4, i4 u4 i8, i8 u1 i8, i8 u2 i8, i8 u4 i8,
f4 f4 f4, f4 f8 f8, f8 f8 f8, ?1 ?1 ?1
"""


@pytest.mark.parametrize("row", ARRAY_API.replace("\n", " ").split(","))
def test_promotion_within_a_kind_is_the_array_apis_table_and_numpys(row):
    a, b, both = (np.dtype(code.replace("?1", "?")) for code in row.split())
    assert promote(a, b) == promote(b, a) == as_dtype(both)
    assert np.promote_types(a, b) == both


def test_the_two_halves_meet_in_float32_because_neither_holds_the_other():
    assert promote(tl.float16, tl.bfloat16) == promote(tl.bfloat16, tl.float16) == tl.float32
    assert promote(tl.bfloat16, tl.float32) == tl.float32
    assert promote(tl.bfloat16, tl.float64) == promote(tl.float16, tl.float64) == tl.float64


@pytest.mark.parametrize("signed", ["int8", "int16", "int32", "int64"])
def test_no_integer_holds_uint64_and_a_signed_one(signed):
    with pytest.raises(
        tl.DTypeError, match=f"promote: no integer type holds every {signed} and every uint64"
    ) as caught:
        promote(signed, tl.uint64)
    fixed = run(caught.value.fix, x=tl.tensor([1], dtype=tl.uint64))
    assert promote(fixed.dtype, signed) == DTYPES[signed]


def test_across_kinds_the_error_names_the_cast_that_helps():
    kinds = {"bool": tl.bool_, "integer": tl.int32, "float": tl.float32}
    for low, high in [("bool", "integer"), ("bool", "float"), ("integer", "float")]:
        for pair in [(kinds[low], kinds[high]), (kinds[high], kinds[low])]:
            with pytest.raises(tl.DTypeError, match=f"{pair[0]} and {pair[1]} are of different kinds") as caught:
                promote(*pair)
            fixed = run(caught.value.fix, x=tl.zeros(1, dtype=kinds[low]))
            assert promote(fixed.dtype, kinds[high]) == kinds[high]


def test_the_reason_why_kinds_do_not_mix_is_true_of_the_two_types():
    with pytest.raises(tl.DTypeError, match="int64 counts further than float32 can"):
        promote(tl.int64, tl.float32)
    with pytest.raises(tl.DTypeError, match="kinds never mix by themselves"):
        promote(tl.int16, tl.float32)
    assert float(np.float32(2**15 - 1)) == 2**15 - 1
    assert float(np.float32(2**24 + 1)) != 2**24 + 1


# bfloat16


def test_widening_is_exact_for_all_65536_words():
    oracle = ALL_WORDS.view(ml_dtypes.bfloat16).astype(np.float32)
    assert (widen_bf16(ALL_WORDS).view(np.uint32) == ALL_WORDS.astype(np.uint32) * 65536).all()
    np.testing.assert_array_equal(widen_bf16(ALL_WORDS), oracle)
    np.testing.assert_array_equal(np.signbit(widen_bf16(ALL_WORDS)), np.signbit(oracle))


def test_narrowing_what_was_widened_gives_every_word_back_nans_included():
    np.testing.assert_array_equal(narrow_bf16(widen_bf16(ALL_WORDS)), ALL_WORDS)


def test_widening_keeps_the_shape_of_any_layout():
    words = ALL_WORDS[:24].reshape(2, 3, 4)[::-1, :, ::2]
    assert (widen_bf16(words) == widen_bf16(np.ascontiguousarray(words))).all()
    assert widen_bf16(np.uint16(0x3F80)).shape == narrow_bf16(np.float32(1)).shape == ()
    assert narrow_bf16(np.zeros((0, 3), np.float32)).shape == (0, 3)


def test_known_words_and_numbers():
    known = widen_bf16(np.array([0x3F80, 0xC049, 0x7F81, 0x0001, 0x8000], dtype=np.uint16))
    np.testing.assert_allclose(known, [1, -3.140625, np.nan, 9.1835e-41, -0.0], rtol=1e-4)
    assert np.signbit(known[4])
    row = np.array([47904, 15495, 48437, 15482, 15324, 15360], dtype=np.uint16)
    numbers = [-0.00244140625, 0.01647949, -0.04418945, 0.01525879, 0.00671387, 0.0078125]
    np.testing.assert_allclose(widen_bf16(row), numbers, rtol=1e-6)


def test_known_roundings():
    values = np.array([0x3E89CCD0, 0x7F800001, 0x7FFFFFFF, 0xFF800001], dtype=np.uint32).view(np.float32)
    values[0] = 0.2691408770272292
    narrowed = widen_bf16(narrow_bf16(values))
    assert narrowed[0] == 0.26953125
    assert np.isnan(narrowed[1:]).all()
    assert list(np.signbit(narrowed)) == [False, False, False, True]


def around_halfway():
    """Every float32 next to a bfloat16 and to the middle between two."""
    low = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], dtype=np.uint32)
    return ((ALL_WORDS.astype(np.uint32) << 16)[:, None] | low).reshape(-1)


def test_narrowing_rounds_to_nearest_even_as_ml_dtypes_does():
    values = around_halfway().view(np.float32)
    number = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        oracle = values.astype(ml_dtypes.bfloat16).view(np.uint16)
    np.testing.assert_array_equal(narrow_bf16(values)[number], oracle[number])
    np.testing.assert_array_equal(np.isnan(widen_bf16(narrow_bf16(values))), ~number)
    np.testing.assert_array_equal(narrow_bf16(values)[~number] >> 15, values.view(np.uint32)[~number] >> 31)


def exactly_rounded(value):
    """The nearest bfloat16 to a finite float, by exact comparison with its two neighbours; ties to the even word."""
    finite = np.arange(0x7F81)  # the last one stands for 2**128, where infinity begins
    sizes = [*widen_bf16(finite[:-1].astype(np.uint16)).tolist(), 2.0**128]
    above = int(np.searchsorted(sizes, abs(value)))
    below = max(above - 1, 0)
    if above == len(sizes):
        word = 0x7F80
    else:
        down, up = abs(value) - sizes[below], sizes[above] - abs(value)
        word = below if down < up else above if up < down else below + below % 2
    return word | (0x8000 if math.copysign(1, value) < 0 else 0)


@given(
    st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([1.00390625, 1 + 2**-8 + 2**-40, 3.3961775e38])
)
def test_a_float64_is_rounded_once(value):
    assert narrow_bf16(np.array([value]))[0] == exactly_rounded(value)


def test_rounding_twice_would_be_wrong_here():
    value = 1 + 2**-8 + 2**-40  # just above the middle between two bfloat16s; as float32 it is the middle
    assert widen_bf16(narrow_bf16(np.array([value])))[0] == 1 + 2**-7
    assert widen_bf16(narrow_bf16(np.array([value], dtype=np.float32)))[0] == 1


def test_counting_by_one_stops_where_the_digits_end():
    n = np.float32(1)
    while (after := widen_bf16(narrow_bf16(np.array([n + 1])))[0]) != n:
        n = after
    assert n == 256
    assert np.float32(16777216) + np.float32(1) == np.float32(16777216)


def test_widening_and_narrowing_refuse_other_words():
    with pytest.raises(tl.DTypeError, match="bfloat16 words are 16 bits"):
        widen_bf16(np.zeros(2, dtype=np.int16))
    with pytest.raises(tl.DTypeError, match="only floats are rounded"):
        narrow_bf16(np.zeros(2, dtype=np.int32))


# Words and values


def test_values_of_every_dtype_but_bfloat16_are_the_words_themselves():
    for dtype in DTYPES.values():
        words = np.zeros(3, dtype=dtype.storage)
        assert (to_values(words, dtype) is words) == (dtype != tl.bfloat16)
    with pytest.raises(tl.DTypeError, match="words of float32 are float32"):
        to_values(np.zeros(3), tl.float32)


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", INTEGERS)
def test_an_integer_that_does_not_fit_is_refused_and_every_other_is_kept(source, target):
    ends = {name: (int(np.iinfo(name).min), int(np.iinfo(name).max)) for name in (source, target)}
    tries = {0, *ends[source], *ends[target], ends[target][0] - 1, ends[target][1] + 1}
    for number in (n for n in tries if ends[source][0] <= n <= ends[source][1]):
        values = np.array([0, number], dtype=source)
        if ends[target][0] <= number <= ends[target][1]:
            assert from_values(values, target).tolist() == [0, number]
            assert from_values(values[1], target).tolist() == number
        else:
            with pytest.raises(tl.DTypeError, match=f"from_values: {number} does not fit {target}"):
                from_values(values, target)


@given(
    st.integers(-(2**63), 2**63 - 1)
    | st.integers(2**53 - 5, 2**53 + 5)
    | st.sampled_from([2**60 + 2**52 + 1, 257, -385])
)
def test_an_integer_becomes_the_nearest_bfloat16(number):
    word = int(from_values(np.array([number]), tl.bfloat16)[0])
    got, step = float(widen_bf16(np.array([word], np.uint16))[0]), 2 ** max(number.bit_length() - 8, 0)
    assert abs(int(got) - number) * 2 <= step
    if abs(int(got) - number) * 2 == step and step > 1:
        assert word % 2 == 0
    assert from_python([number], tl.bfloat16)[0][0] == word


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_an_integer_becomes_the_nearest_float_as_numpy_rounds_it(name):
    numbers = [0, 1, -1, 2049, 2051, 65504]
    if name != "float16":
        numbers += [2**24 + 1, 2**24 + 3, -(2**53) - 1, 2**53 + 3, 2**62 + 2**38 + 1, 2**63 - 1]
    expected = np.array(numbers).astype(name)
    np.testing.assert_array_equal(from_values(np.array(numbers), name), expected)
    np.testing.assert_array_equal(from_python(numbers, name)[0], expected)


def test_an_integer_too_large_for_a_float_is_refused_and_not_made_infinite():
    for convert in (from_values(np.array([1]), tl.float16), from_python([1], tl.float16)[0]):
        assert convert.tolist() == [1]
    with pytest.raises(tl.DTypeError, match="70000 does not fit float16"):
        from_values(np.array([1, 70000]), tl.float16)
    with pytest.raises(tl.DTypeError, match="70000 does not fit float16"):
        from_python([1, 70000], tl.float16)
    with pytest.raises(tl.DTypeError, match="does not fit float64"):
        from_python([10**400], tl.float64)


def test_a_float_too_large_for_a_narrower_one_becomes_infinite_as_ieee_says():
    assert from_values(np.array([1e300, -1e300]), tl.float32).tolist() == [math.inf, -math.inf]
    assert from_python([1e300], tl.float16)[0].tolist() == [math.inf]
    assert to_values(from_values(np.array([3.4e38], np.float32), tl.bfloat16), tl.bfloat16).tolist() == [math.inf]


def test_kinds_do_not_change_by_themselves_and_the_fix_does_it():
    for values, target, answer in [
        (np.array([1.5, -1.5]), tl.int32, [1, -1]),
        (np.array([0, 3]), tl.bool_, [False, True]),
        (np.array([True, False]), tl.float32, [1.0, 0.0]),
    ]:
        with pytest.raises(tl.DTypeError, match=f"{values.dtype} values are no {target}") as caught:
            from_values(values, target)
        assert run(caught.value.fix, x=tl.tensor(values)).tolist() == answer
        assert cast(values, target).tolist() == answer


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("source", ["float16", "float32", "float64"])
def test_a_float_is_cast_to_an_integer_only_if_its_whole_part_fits(name, source):
    low, high = int(np.iinfo(name).min), int(np.iinfo(name).max)
    for number in (
        0.0,
        -0.0,
        0.9,
        -0.9,
        100.5,
        low - 0.5,
        low - 1,
        float(high),
        high + 1.0,
        2.0**63,
        2.0**64,
        -(2.0**63),
    ):
        with np.errstate(over="ignore"):
            values = np.array([number]).astype(source)
        if np.isfinite(values[0]) and low <= int(values[0]) <= high:
            assert cast(values, name).tolist() == [int(values[0])]
        else:
            with pytest.raises(tl.DTypeError, match=f"does not fit {name}"):
                cast(values, name)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("source", ["float16", "float32", "float64", "bfloat16"])
def test_nan_and_infinity_are_no_integers(number, source):
    x = tl.tensor([1.0, number], dtype=source)
    for target in INTEGERS:
        with pytest.raises(tl.DTypeError, match=f"astype: {number} does not fit {target}"):
            x.astype(target)


def test_python_numbers_take_the_dtype_they_meet():
    assert from_python([1, 2])[1] == tl.int64
    assert from_python([1, 2.0])[1] == tl.float32
    assert from_python([True])[1] == tl.bool_
    assert from_python([])[1] == tl.float32
    assert from_python([1, 2], tl.uint8)[0].dtype == np.uint8
    for wrong, dtype, said in [
        ([1.0], tl.int64, "1.0 is no int64"),
        ([1], tl.bool_, "1 is no bool"),
        ([True], tl.float32, "True is no float32"),
        ([True, 1], None, "True and False are mixed with numbers"),
        ([256], tl.uint8, "256 does not fit uint8"),
        ([-1], tl.uint64, "-1 does not fit uint64"),
        ([2**64], tl.uint64, "18446744073709551616 does not fit uint64"),
    ]:
        with pytest.raises(tl.DTypeError, match=f"from_python: {said}"):
            from_python(wrong, dtype)


# The parts of a word


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_all_words_of_16_bits_come_apart_into_the_value_they_mean(name):
    values = to_values(ALL_WORDS.view(DTYPES[name].storage), name)
    for word, value in enumerate(values.tolist()):
        fields = bit_fields(word, name)
        assert math.copysign(1, fields.value) == (-1) ** fields.sign
        assert fields.value == value or (math.isnan(fields.value) and math.isnan(value))
        assert (
            word == ((fields.sign << fields.exponent_bits) + fields.exponent << fields.fraction_bits) + fields.fraction
        )


@pytest.mark.parametrize(("name", "bits", "parts"), [("float32", 32, (8, 23, 127)), ("float64", 64, (11, 52, 1023))])
def test_wider_words_come_apart_into_the_value_they_mean(name, bits, parts):
    @given(st.integers(0, 2**bits - 1))
    def same_value(word):
        value = np.array([word], dtype=FLOATS[name]).view(name)[0].item()
        fields = bit_fields(word, name)
        assert fields.value == value or (math.isnan(fields.value) and math.isnan(value))
        assert (fields.exponent_bits, fields.fraction_bits, fields.bias) == parts

    same_value()
    for special in (0, 1, 2 ** (bits - 1), parts[2] << parts[1], (2 * parts[2] + 1) << parts[1]):
        same_value.hypothesis.inner_test(special)


def test_the_parts_of_numpys_words_are_taken_too():
    assert bit_fields(np.uint16(0x3F80), tl.bfloat16).value == 1.0


def test_only_floats_have_parts_and_only_words_of_their_width():
    with pytest.raises(tl.DTypeError, match="int32 has no exponent"):
        bit_fields(1, tl.int32)
    for word in (-1, 65536):
        with pytest.raises(tl.ArgumentError, match="not a word of 16 bits"):
            bit_fields(word, tl.float16)
    with pytest.raises(tl.ArgumentError, match="word takes whole numbers only"):
        bit_fields(1.5, tl.float16)


@pytest.mark.parametrize("family", [np.generic, np.number, np.integer, np.floating, np.character])
def test_a_family_of_types_is_none_of_them(family):
    with pytest.raises(tl.DTypeError, match="not an element type of the course") as caught:
        as_dtype(family)
    assert caught.value.got == f"np.{family.__name__}"
