"""`show`, `explain` and `explain_reshape`: what they say of any array is held against NumPy's own answers."""

import array
import html
import operator
import re
import subprocess
import sys
import types
from math import prod

import ml_dtypes
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tensorlab as tl
from tensorlab.figures import mapping
from tensorlab.inspect import Explanation, as_tensor, explain, explain_reshape, show
from tensorlab.inspect.memory import distinct_slots, locate, over_base
from tests.strategies import keys, layouts, same_size_shapes, view_chains

as_strided = np.lib.stride_tricks.as_strided


class Interface:
    """An object of another library that only speaks `__array_interface__`."""

    def __init__(self, held):
        self.held = held
        self.__array_interface__ = held.__array_interface__


class DLPack:
    """An object of another library that only speaks `__dlpack__`."""

    def __init__(self, held):
        self.held = held

    def __dlpack__(self, **options):
        return self.held.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.held.__dlpack_device__()


class OldDLPack(DLPack):
    """The same as before the protocol had versions."""

    def __dlpack__(self, stream=None):
        return self.held.__dlpack__()


class Elsewhere(DLPack):
    """Memory that the CPU does not reach."""

    def __dlpack__(self, **options):
        raise BufferError("the memory is on device 2")


class Forgetful:
    """An object that speaks `__array_interface__` of a new copy each time."""

    @property
    def __array_interface__(self):
        self.last = np.arange(4)
        return self.last.__array_interface__


def address(x):
    return x.__array_interface__["data"][0]


def first_address(tensor):
    return address(tensor.buffer) + tensor.byte_offset


def owner_of(x):
    while x.base is not None:
        x = x.base
    return x


def facts(*things, **options):
    return dict(explain(*things, **options).facts)


def element(x, index):
    """One element as an array that is still a view."""
    return x[(..., *(np.s_[i : i + 1] for i in index))]


def byte_addresses(x):
    """Every byte of every element, by NumPy's strides alone."""
    starts = {address(x) + sum(map(operator.mul, index, x.strides)) for index in np.ndindex(x.shape)}
    return {start + byte for start in starts for byte in range(x.itemsize)}


# ---- one conversion: nothing is copied ------------------------------------------------------------------------------


@given(view_chains())
def test_a_numpy_view_becomes_a_tensor_over_the_same_memory(chain):
    x, layout = chain
    tensor = as_tensor(x)
    np.testing.assert_array_equal(tensor.numpy(), x)
    if x.size:
        assert first_address(tensor) == address(x)
        assert tensor.buffer.size == owner_of(x).size
    if x.size and x.ndim:  # NumPy copies what it picks with integers only
        assert list(tensor.layout.positions()) == list(layout.positions())


@pytest.mark.parametrize("wrap", [Interface, DLPack, OldDLPack, memoryview])
@pytest.mark.parametrize("key", [np.s_[:], np.s_[1:, ::2], np.s_[::-1], np.s_[2, 1:]])
def test_every_protocol_shares_memory_by_address(wrap, key):
    x = np.arange(12, dtype=np.int32).reshape(3, 4)[key]
    tensor = as_tensor(wrap(x))
    assert first_address(tensor) == address(x)
    assert tensor.byte_strides == x.strides
    x[...] = -x
    assert tensor.tolist() == x.tolist()


def test_python_s_own_buffers_are_understood():
    for x, values in (
        (bytearray(b"ab"), [97, 98]),
        (b"ab", [97, 98]),
        (array.array("d", [1.5, 2.5]), [1.5, 2.5]),
        (memoryview(bytearray(b"abcd"))[::-2], [100, 98]),
        (np.float32(3), 3.0),
    ):
        assert as_tensor(x).tolist() == values


def test_a_view_of_bytes_starts_in_the_middle_of_all_the_memory():
    memory = bytearray(range(10))
    tensor = as_tensor(memoryview(memory)[6:2:-1])
    assert (tensor.buffer.size, tensor.offset, tensor.strides) == (10, 6, (-1,))
    memory[6] = 99
    assert tensor.tolist() == [99, 5, 4, 3]


def test_tensors_and_matrices_are_taken_as_they_are():
    tensor = tl.arange(6)[2:]
    matrix = tl.Matrix.zeros(2, 3)
    assert as_tensor(tensor) is tensor
    assert as_tensor(matrix).shares_buffer(matrix)


def test_bfloat16_of_another_library_is_understood():
    x = np.array([1, 2, 3], dtype=ml_dtypes.bfloat16)[::2]
    tensor = as_tensor(x)
    assert (tensor.dtype, tensor.tolist(), first_address(tensor)) == (tl.bfloat16, [1.0, 3.0], address(x))


def test_the_buffer_is_all_of_the_memory_also_under_another_dtype():
    memory = np.arange(83, dtype=np.uint8)
    tensor = as_tensor(memory[4:80].view(np.float32)[3:])
    assert (tensor.offset, tensor.buffer.size) == (4, 20)
    assert address(tensor.buffer) == address(memory)
    np.testing.assert_array_equal(tensor.numpy(), memory[16:80].view(np.float32))


def test_a_field_of_aligned_records_steps_over_the_other_fields():
    records = np.zeros(5, dtype=[("id", np.int32), ("weight", np.float32)])
    records["weight"] = range(5)
    tensor = as_tensor(records["weight"])
    assert (tensor.layout, tensor.buffer.size) == (tl.Layout(5, 2, 1), 10)
    assert tensor.tolist() == [0, 1, 2, 3, 4]


def test_the_memory_is_kept_alive():
    tensor = as_tensor(Interface(np.arange(1000)))
    wide = as_tensor(np.zeros(80, dtype=np.uint8)[8:].view(np.int64))
    junk = [np.full(1000, 7) for _ in range(50)]
    assert (tensor.tolist(), wide.tolist()) == (list(range(1000)), [0] * 9)
    assert len(junk) == 50


def test_a_read_only_array_gives_a_read_only_tensor_and_stays_one_when_widened():
    x = np.zeros(80, dtype=np.uint8)[8:].view(np.int64)
    x.flags.writeable = False
    assert as_tensor(x).buffer.size == 10
    assert not as_tensor(x).is_writable
    assert not as_tensor(b"12345678").is_writable


# ---- torch ----------------------------------------------------------------------------------------------------------


class FakeTorchTensor:
    """As much of a torch tensor on the CPU as is looked at, over a flat NumPy array."""

    def __init__(self, flat, shape, stride, offset=0, dtype=None, device="cpu"):
        self.flat, self.shape, self._stride, self._offset = flat, shape, stride, offset
        self.dtype = dtype or f"torch.{flat.dtype}"
        self.device = types.SimpleNamespace(type=device)

    def detach(self):
        return self

    def untyped_storage(self):
        return types.SimpleNamespace(nbytes=lambda: self.flat.nbytes)

    def stride(self):
        return self._stride

    def storage_offset(self):
        return self._offset

    def as_strided(self, shape, stride, offset):
        return FakeTorchTensor(self.flat, shape, stride, offset, self.dtype, self.device.type)

    def view(self, dtype):
        return FakeTorchTensor(self.flat.view(dtype), self.shape, self._stride, self._offset)

    def numpy(self):
        if self.device.type != "cpu":
            raise TypeError("can't convert cuda:0 device type tensor to numpy.\nMore lines follow.")
        strides = [stride * self.flat.itemsize for stride in self._stride]
        return as_strided(self.flat[self._offset :], self.shape, strides)


@pytest.fixture
def fake_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(Tensor=FakeTorchTensor, int16=np.int16))


@pytest.mark.usefixtures("fake_torch")
def test_a_torch_tensor_is_seen_in_all_of_its_storage():
    flat = np.arange(12, dtype=np.float32)
    x = FakeTorchTensor(flat, (4, 2), (1, 4), 4)
    tensor = as_tensor(x)
    assert tensor.layout == tl.Layout((4, 2), (1, 4), 4)
    assert (address(tensor.buffer), tensor.buffer.size) == (address(flat), 12)
    said = facts(x)
    assert said["offset"] == "slot 4 of its base, byte 16"
    assert said["reaches"] == "8 of 12 slots are reached; the whole 48 bytes stay alive for these 32"


@pytest.mark.usefixtures("fake_torch")
def test_bfloat16_of_torch_is_seen_by_its_words():
    words = np.array([0x3F80, 0xC049], dtype=np.uint16)
    tensor = as_tensor(FakeTorchTensor(words, (2,), (1,), dtype="torch.bfloat16"))
    assert (tensor.dtype, tensor.tolist(), address(tensor.buffer)) == (tl.bfloat16, [1.0, -3.140625], address(words))


@pytest.mark.usefixtures("fake_torch")
def test_a_torch_tensor_elsewhere_is_refused_with_torch_s_own_reason():
    with pytest.raises(tl.ArgumentError) as caught:
        show(FakeTorchTensor(np.zeros(3), (3,), (1,), device="cuda"))
    assert caught.value.operation == "show"
    assert caught.value.why == "torch: can't convert cuda:0 device type tensor to numpy."
    assert caught.value.fix == "x.cpu()"


def test_real_torch_tensors_are_seen_in_their_storage():
    torch = pytest.importorskip("torch")
    x = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    for view in (x, x.t(), x[1:, ::2], x[2], x[:1].expand(3, 6), x.unfold(1, 3, 1), x[:, 3:].requires_grad_()):
        tensor = as_tensor(view)
        assert (tensor.shape, tensor.strides, tensor.offset) == (view.shape, view.stride(), view.storage_offset())
        assert first_address(tensor) == view.data_ptr()
        assert tensor.tolist() == view.tolist()
    half = x.bfloat16()[:, ::2]
    assert (first_address(as_tensor(half)), as_tensor(half).tolist()) == (half.data_ptr(), half.tolist())
    assert explain(x[0], x[:, 0]).says == "They overlap: a[0] and b[0] share memory."


# ---- what is refused ------------------------------------------------------------------------------------------------

PACKED = np.zeros(3, dtype=[("flag", np.uint8), ("weight", np.float32)])
UNREADABLE = {
    "objects": (np.array([1, "a"], dtype=object), "each slot holds the address of a Python object"),
    "time": (np.zeros(3, dtype="M8[s]"), "each slot counts units of time in a 64-bit integer"),
    "span of time": (np.zeros(3, dtype="m8[s]")[::2], "each slot counts units of time in a 64-bit integer"),
    "complex": (np.zeros(3, dtype=complex)[::-1], "each slot holds two floats, side by side"),
    "text": (np.array(["ab"]), "each slot holds a text of fixed width"),
    "bytes": (np.array([b"ab"]), "each slot holds a text of fixed width"),
    "records": (PACKED, "each slot holds a record of several fields"),
    "letters": (array.array("u", "ab"), "each slot holds a text of fixed width"),
}


@pytest.mark.parametrize(("x", "why"), UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("ask", [show, explain, lambda x: explain_reshape(x, -1)], ids=["show", "explain", "reshape"])
def test_elements_that_are_no_numbers_are_refused_with_the_reason(ask, x, why):
    with pytest.raises(tl.DTypeError, match="not an element type of the course") as caught:
        ask(x)
    assert caught.value.why.startswith(why)
    assert caught.value.operation in ("show", "explain", "explain_reshape")


@pytest.mark.parametrize("name", ["time", "span of time", "complex", "records"])
def test_the_fix_of_such_a_refusal_is_a_view_that_can_be_shown(name):
    x, _ = UNREADABLE[name]
    with pytest.raises(tl.DTypeError) as caught:
        show(x)
    fixed = eval(caught.value.fix, {"x": x, "np": np})
    assert np.shares_memory(fixed, x)
    assert "shape (" in repr(show(fixed))


def test_a_long_float_is_refused():
    if np.dtype(np.longdouble).itemsize == 8:
        pytest.skip("long doubles are float64 here")
    with pytest.raises(tl.DTypeError) as caught:
        explain(np.zeros(3, dtype=np.longdouble))
    assert caught.value.why == "its floats are wider than 8 bytes"


def test_bytes_in_the_other_order_are_refused_in_the_name_of_the_question():
    with pytest.raises(tl.DTypeError, match=r"^show: the bytes of >f4 are in the other order"):
        show(np.zeros(3, dtype=">f4"))


def test_a_field_of_packed_records_is_refused_for_its_stride():
    with pytest.raises(tl.LayoutError) as caught:
        show(PACKED["weight"])
    assert str(caught.value).splitlines()[:3] == [
        "show: byte stride 5 of axis 0 is not a whole number of 4-byte elements",
        "  expected: multiples of 4",
        "  got:      byte strides (5,)",
    ]
    tl.tensor(PACKED["weight"])
    assert caught.value.fix == "tl.tensor(array)"


def test_a_masked_array_is_refused():
    with pytest.raises(tl.ArgumentError, match=r"^explain: a masked array says which elements do not count"):
        explain(np.ma.zeros(3))


def test_a_list_is_refused_and_the_fix_works():
    x = [[1, 2], [3, 4]]
    with pytest.raises(tl.ArgumentError) as caught:
        explain(x)
    assert str(caught.value) == (
        "explain: a list shares no memory that could be looked at\n"
        "  expected: a Tensor, Matrix or array, or an object that shares its memory within the CPU's reach\n"
        "  got:      an object of type list\n"
        "  why:      a list holds references to numbers, not the numbers side by side\n"
        "  fix:      tl.tensor(x)"
    )
    assert eval(caught.value.fix, {"x": x, "tl": tl}).tolist() == x


@pytest.mark.parametrize(
    ("x", "why"),
    [
        (Forgetful(), "__array_interface__ hands out another copy each time"),
        (Elsewhere(np.zeros(3)), "__dlpack__: the memory is on device 2"),
        (object(), None),
        ("text", None),
        (7, None),
    ],
)
def test_an_object_without_shared_memory_is_refused_with_the_reason(x, why):
    with pytest.raises(tl.ArgumentError, match="shares no memory that could be looked at") as caught:
        as_tensor(x)
    assert (caught.value.why, caught.value.fix) == (why, None)


# ---- one array ------------------------------------------------------------------------------------------------------


@given(view_chains())
def test_the_facts_of_a_view_are_numpy_s(chain):
    x, _ = chain
    said, owner = facts(x), owner_of(x)
    assert said["shape"].startswith(f"{x.shape}: {x.size} element")
    assert said["dtype"] == "int64, 8 bytes each"
    assert said["strides"] == f"{tuple(s // 8 for s in x.strides)} in elements, {x.strides} in bytes"
    if x.size:
        start = address(x) - address(owner)
        assert said["offset"] == f"slot {start // 8} of its base, byte {start}"
    assert said["contiguous"].startswith("yes") == x.flags.c_contiguous
    assert ("column-major" in said["contiguous"]) == x.flags.f_contiguous
    reached = len(byte_addresses(x))
    assert said["reaches"].startswith(f"{reached // 8} of {max(owner.size, 0)} slot")
    assert said["reaches"].endswith(
        f": all {owner.nbytes:,} bytes"
        if reached == owner.nbytes
        else f"; the whole {owner.nbytes:,} bytes stay alive for these {reached:,}"
    )
    shares = reached // 8 < x.size
    assert said["shared"].startswith("no two") != shares
    assert (said["writable"] == "yes") == (x.flags.writeable and not shares)


@given(view_chains().map(lambda chain: chain[0].T[None]))
def test_the_reason_against_row_major_names_a_step_and_the_one_that_is_needed(x):
    if x.flags.c_contiguous:
        assert facts(x)["contiguous"].startswith("yes: row-major")
        return
    pattern = r"no: axis (\d+) steps (-?\d+)( \(it repeats\))?, a row-major (.*) grid needs (\d+)(; column-major, yes)?"
    axis, step, repeats, shape, needed, _ = re.fullmatch(pattern, facts(x)["contiguous"]).groups()
    axis = int(axis)
    assert (x.strides[axis] // 8, str(x.shape)) == (int(step), shape)
    assert prod(x.shape[axis + 1 :]) == int(needed) != int(step)
    assert bool(repeats) == (step == "0")


@given(layouts())
def test_the_two_indices_named_as_sharing_do_share_and_the_slots_are_counted(layout):
    positions = list(layout.positions())
    said = facts(layout)["shared"]
    if len(set(positions)) == len(positions):
        assert said == "no two indices share a slot"
        return
    pattern = r"(\[.*\]) and (\[.*\]) share slot (-?[\d,]+): (\d+) indices on (\d+) slots?"
    first, second, slot, indices, slots = re.fullmatch(pattern, said).groups()
    first, second = eval(first), eval(second)
    assert first != second
    assert layout.position(first) == layout.position(second) == int(slot)
    assert (int(indices), int(slots)) == (len(positions), len(set(positions)))


@given(layouts())
def test_distinct_slots_are_counted_as_by_walking(layout):
    assert distinct_slots(layout) == len(set(layout.positions()))


def test_distinct_slots_of_huge_layouts_are_counted_at_once_or_left_open():
    assert distinct_slots(tl.Layout((2**40, 2**40), (2**40, 1))) == 2**80
    assert distinct_slots(tl.Layout((2**40, 3), (1, 1))) == 2**40 + 2
    assert distinct_slots(tl.Layout((2**40, 7), (0, -5))) == 7
    assert distinct_slots(tl.Layout((1000, 1000), (7, 5)), limit=100) is None
    assert distinct_slots(tl.Layout((1000, 1000), (7, 5))) is None
    assert distinct_slots(tl.Layout((100, 100), (7, 5))) == len(set(tl.Layout((100, 100), (7, 5)).positions()))


def test_an_uncounted_reach_says_at_most():
    x = as_strided(np.zeros(12_000), (1000, 1000), (56, 40))
    assert facts(x)["reaches"] == (
        "at most 11,989 of 12,000 slots are reached; the whole 96,000 bytes stay alive for them"
    )
    assert facts(x)["shared"].endswith(": 1,000,000 indices on fewer slots")


def test_ten_elements_that_keep_eighty_megabytes_alive_are_visible():
    x = np.zeros(10**7)[5_000_000:5_000_010]
    assert repr(explain(x)) == (
        "NumPy array (10,) float64: a view, row-major, writable.\n"
        "  shape       (10,): 10 elements\n"
        "  dtype       float64, 8 bytes each\n"
        "  strides     (1,) in elements, (8,) in bytes\n"
        "  memory      of a NumPy array: 10,000,000 slots, 80,000,000 bytes\n"
        "  offset      slot 5,000,000 of its base, byte 40,000,000\n"
        "  reaches     10 of 10,000,000 slots are reached; the whole 80,000,000 bytes stay alive for these 80\n"
        "  contiguous  yes: row-major and column-major alike\n"
        "  shared      no two indices share a slot\n"
        "  writable    yes"
    )


def test_a_slice_that_is_a_copy_keeps_nothing_alive():
    said = explain(np.zeros(10**6)[:10].copy())
    assert said.says == "NumPy array (10,) float64: owns its memory, row-major, writable."
    assert dict(said.facts)["memory"] == "its own: 10 slots, 80 bytes"


def test_a_broadcast_says_both_reasons_against_a_write():
    x = np.broadcast_to(np.arange(3), (2, 3))
    assert facts(x)["writable"] == (
        "no: it is marked read-only, the array under it is not; "
        "and [0, 0] and [1, 0] share slot 0, so a write to one would change the other"
    )
    assert facts(x)["contiguous"] == "no: axis 0 steps 0 (it repeats), a row-major (2, 3) grid needs 3"


def test_each_reason_against_a_write_has_its_own_words():
    frozen = np.arange(3)
    frozen.flags.writeable = False
    assert facts(frozen)["writable"] == facts(frozen[1:])["writable"] == "no: it is marked read-only"
    assert facts(b"abc")["writable"] == "no: its memory is read-only, as a bytes object hands it out"
    windows = as_strided(np.arange(5), (3, 3), (8, 8))
    assert facts(windows)["writable"] == (
        "no: [0, 1] and [1, 0] share slot 1, so a write to one would change the other"
    )
    assert facts(as_strided(np.zeros(11), (4, 3), (32, 16)), max_work=0)["writable"] == (
        "no: undecided whether two indices share a slot, which counts as shared"
    )


def test_an_undecided_overlap_says_so():
    x = as_strided(np.zeros(17), (4, 3), (32, 16))
    assert facts(x, max_work=0)["shared"] == "undecided after 0 tries whether two indices share a slot"
    assert facts(x)["shared"] == "[0, 2] and [1, 0] share slot 4: 12 indices on 9 slots"


@pytest.mark.parametrize(
    ("make", "memory", "offset"),
    [
        (lambda: tl.zeros((2, 3)), "its buffer: 6 slots, 24 bytes", "slot 0 of its base, byte 0"),
        (lambda: tl.arange(6)[2:], "its buffer: 6 slots, 48 bytes", "slot 2 of its base, byte 16"),
        (lambda: tl.Matrix.zeros(2, 3), "its buffer: 6 slots, 24 bytes", "slot 0 of its base, byte 0"),
        (lambda: tl.from_numpy(np.arange(6)[2:]), "of a NumPy array: 6 slots, 48 bytes", "slot 2 of its base, byte 16"),
        (
            lambda: tl.Tensor(np.arange(10)[4:8], tl.Layout(2, 1, 1)),
            "of a NumPy array: 80 bytes; the buffer is 4 slots of them, from byte 32 on",
            "slot 1 of its buffer, byte 40 of its base",
        ),
        (lambda: bytearray(4), "its own: 4 slots, 4 bytes", "slot 0 of its base, byte 0"),
        (
            lambda: np.frombuffer(bytearray(9), np.int16, 3, 2),
            "of a bytearray object: 4 slots, 9 bytes, the last 1 no whole slot",
            "slot 1 of its base, byte 2",
        ),
        (
            lambda: np.zeros(16, np.uint8)[8:].view(np.int64),
            "of a NumPy array of 16 uint8: 2 slots, 16 bytes",
            "slot 1 of its base, byte 8",
        ),
        (
            lambda: np.zeros(5, [("id", "i4"), ("weight", "f4")])["weight"],
            "of a NumPy array of 5 records: 10 slots, 40 bytes",
            "slot 1 of its base, byte 4",
        ),
        (
            lambda: Interface(np.arange(6)[2:][::-1]),
            "handed over by a Interface object: 4 slots, 32 bytes; what lies around them is not told",
            "slot 3 of those, byte 24",
        ),
        (
            lambda: DLPack(np.arange(6)[2:]),
            "handed over by a DLPack object: 4 slots, 32 bytes; what lies around them is not told",
            "slot 0 of those, byte 0",
        ),
        (
            lambda: np.from_dlpack(DLPack(np.arange(6)))[2:],
            "handed over by another library: 6 slots, 48 bytes; what lies around them is not told",
            "slot 2 of those, byte 16",
        ),
    ],
)
def test_whose_memory_it_is_and_where_in_it_the_array_starts(make, memory, offset):
    said = facts(make())
    assert (said["memory"].replace("a tests.", "a "), said["offset"]) == (memory, offset)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: np.zeros((2, 3)), "NumPy array (2, 3) float64: owns its memory, row-major, writable."),
        (lambda: np.zeros((2, 3)).T, "NumPy array (3, 2) float64: a view, column-major, writable."),
        (lambda: tl.zeros((2, 3)).transpose(), "Tensor (3, 2) float32: a view, column-major, writable."),
        (lambda: tl.Matrix.zeros(2, 3), "Matrix (2, 3) float32: owns its memory, row-major, writable."),
        (lambda: array.array("d", [1, 2]), "array.array (2,) float64: owns its memory, row-major, writable."),
        (lambda: tl.Layout((3, 3), (1, 1)), "Layout (3, 3): not contiguous. It has no memory of its own."),
        (lambda: np.arange(9)[::2], "NumPy array (5,) int64: a view, not contiguous, writable."),
    ],
)
def test_the_first_line_is_the_answer(make, says):
    assert explain(make()).says == says


def test_a_layout_is_explained_without_memory():
    assert facts(tl.Layout((3, 3), (1, 1), -2)) == {
        "shape": "(3, 3): 9 elements",
        "strides": "(1, 1)",
        "offset": "slot -2",
        "reaches": "slots in [-2, 3): 5 of 5",
        "contiguous": "no: axis 0 steps 1, a row-major (3, 3) grid needs 3",
        "shared": "[0, 1] and [1, 0] share slot -1: 9 indices on 5 slots",
    }
    assert facts(tl.Layout((2, 0), (1, 1)))["reaches"] == "no slot"


def test_strides_that_leave_the_memory_are_told_and_the_memory_outside_is_not_handed_out():
    past = as_strided(np.arange(12, dtype=np.int16), (3, 5), (8, 2))
    before = as_strided(np.arange(12, dtype=np.int16), (3, 4), (-8, 2))
    assert facts(past)["reaches"] == "13 slots are reached; it leaves its 24 bytes, up to 2 bytes behind it"
    assert facts(before)["reaches"] == "12 slots are reached; it leaves its 24 bytes, up to 16 bytes before it"
    assert facts(past)["memory"] == "of a NumPy array: 24 bytes"
    with pytest.raises(tl.BoundsError) as caught:
        as_tensor(before)
    assert str(caught.value) == (
        "as_tensor: the array reaches 16 bytes before its memory and 0 behind it\n"
        "  expected: 24 bytes at most\n"
        "  got:      shape (3, 4), strides (-4, 1)\n"
        "  why:      strides set by hand are not checked by NumPy"
    )


# ---- two arrays -----------------------------------------------------------------------------------------------------


@st.composite
def two_views(draw):
    shape = draw(st.sampled_from([(24,), (4, 6), (2, 3, 4)]))
    memory = np.arange(24, dtype=np.int32).reshape(shape)
    pair = []
    for _ in range(2):
        x = np.asarray(memory[draw(keys(shape))])
        # a reinterpretation needs a packed last axis
        if x.ndim and x.strides[-1] == x.itemsize and x.shape[-1]:
            x = x.view(draw(st.sampled_from([np.int32, np.int16, np.uint8])))
        pair.append(x)
    return pair


@given(two_views())
def test_two_views_overlap_exactly_when_numpy_says_so(pair):
    a, b = pair
    said, shares = facts(a, b), np.shares_memory(a, b)
    assert said["exact"].startswith("no element") != shares
    assert said["envelope"].endswith("they meet") == np.may_share_memory(a, b)
    assert said["writing"].startswith("to one never") != shares
    if not shares:
        return
    here, there = byte_addresses(a), byte_addresses(b)
    counted = []
    for x, others in ((a, there), (b, here)):
        elements = (element(x, index) for index in np.ndindex(x.shape))
        counted.append(sum(bool(byte_addresses(each) & others) for each in elements))
    assert said["how many"] == f"{counted[0]} of {a.size} elements of a, {counted[1]} of {b.size} elements of b"
    first, second, byte = re.fullmatch(
        r"a(\[.*\]) and b(\[.*\]) share (?:slot \d+, )?byte (\d+)(?: of a's base)?", said["exact"]
    ).groups()
    absolute = address(owner_of(a)) + int(byte)
    for x, index in ((a, eval(first)), (b, eval(second))):
        assert absolute in byte_addresses(element(x, index))


def test_even_and_odd_columns_meet_in_the_envelope_and_nowhere_else():
    a = np.arange(12, dtype=np.int32).reshape(3, 4)
    assert repr(explain(a[:, ::2], a[:, 1::2])) == (
        "They share no byte, although they live in the same memory.\n"
        "  a         NumPy array (3, 2) int32, strides (4, 2), offset 0\n"
        "  b         NumPy array (3, 2) int32, strides (4, 2), offset 1\n"
        "  memory    the same, of a NumPy array\n"
        "  envelope  a spans bytes [0, 44) of its base, b [4, 48): they meet\n"
        "  exact     no element of one lies on a byte of the other\n"
        "  writing   to one never changes the other"
    )


def test_different_dtypes_are_compared_in_bytes():
    a = np.arange(4, dtype=np.int32)
    b = a.view(np.int16)[3:]
    answer = explain(a, b)
    assert answer.says == "They overlap: a[2] and b[1] share memory."
    assert dict(answer.facts) == {
        "a": "NumPy array (4,) int32, strides (1,), offset 0",
        "b": "NumPy array (5,) int16, strides (1,), offset 3",
        "dtypes": "int32 (4 bytes) and int16 (2 bytes): they are compared in bytes",
        "memory": "the same, of a NumPy array",
        "envelope": "a spans bytes [0, 16) of its base, b [6, 16): they meet",
        "exact": "a[2] and b[1] share byte 8 of a's base",
        "how many": "3 of 4 elements of a, 5 of 5 elements of b",
        "writing": "to a[2] changes b[1]",
    }


def test_arrays_without_a_common_base_object_are_compared_by_address():
    a = np.arange(6)
    stranger = Interface(a[4:])
    answer = explain(stranger, a[::2])
    assert answer.says == "They overlap: a[0] and b[2] share memory."
    said = dict(answer.facts)
    assert said["memory"].startswith("the same addresses, held by a")
    assert said["memory"].endswith("Interface object and a NumPy array")
    assert said["envelope"] == "a spans bytes [0, 16) of its base, b [-32, 8): they meet"
    assert explain(DLPack(a[::2]), DLPack(a[1::2])).says == (
        "They share no byte, although their owners hold the same memory."
    )


def test_separate_arrays_share_nothing():
    answer = explain(np.zeros(3), tl.zeros(3))
    assert answer.says == "They share no memory."
    said = dict(answer.facts)
    assert said["memory"] == "not the same: each has its own"
    assert said["envelope"] == "a spans 24 bytes, b 12 bytes elsewhere: they do not meet"


def test_the_same_elements_are_recognised():
    a = np.arange(6).reshape(2, 3)
    answer = explain(a, tl.from_numpy(a.T).transpose())
    assert answer.says == "They are the same elements: every index lands on the same bytes in both."
    assert dict(answer.facts)["writing"] == "to an element of one changes the same element of the other"
    assert explain(a, a.T).says == "They overlap: a[0, 0] and b[0, 0] share memory."
    assert explain(a, a.view(np.uint64)).says == "They overlap: a[0, 0] and b[0, 0] share memory."


def test_an_empty_array_shares_nothing_with_its_own_memory():
    a = np.arange(6)
    assert explain(a[3:3], a).says == "They share no byte, although they live in the same memory."
    assert facts(a[3:3], a)["exact"] == "no element of one lies on a byte of the other"


def test_an_undecided_pair_is_told_to_be_reckoned_with():
    memory = np.zeros(60)
    a, b = as_strided(memory, (3, 3), (80, 48)), as_strided(memory[1:], (3, 3), (56, 120))
    answer = explain(a, b, max_work=0)
    assert answer.says == "Undecided after 0 tries: reckon with an overlap."
    assert dict(answer.facts)["exact"] == "undecided after 0 tries; a larger max_work may settle it"
    assert dict(answer.facts)["writing"] == "to one may change the other"
    assert ("overlap" in explain(a, b).says) == np.shares_memory(a, b)


def test_overlaps_of_large_arrays_are_told_without_counting():
    a = np.zeros((1000, 1000))
    said = facts(a[:600], a[500:])
    assert said["exact"] == "a[500, 0] and b[0, 0] share slot 500,000, byte 4,000,000"
    assert "how many" not in said


def test_two_layouts_are_compared_as_if_over_one_buffer():
    answer = explain(tl.Layout(4, 2), tl.Layout(4, 3, 1))
    assert answer.says == "They overlap: a[2] and b[1] share a slot."
    assert dict(answer.facts)["exact"] == "a[2] and b[1] are both slot 4"
    assert explain(tl.Layout(4, 2), tl.Layout(4, 2, 1)).says == "They share no slot."
    assert explain(tl.Layout((3, 3), (10, 6)), tl.Layout((3, 3), (7, 15), 1), max_work=0).says == (
        "Undecided after 0 tries: reckon with an overlap."
    )


@pytest.mark.parametrize("order", [1, -1])
def test_a_layout_and_an_array_cannot_be_compared(order):
    with pytest.raises(tl.ArgumentError, match=r"^explain: a layout has no memory to compare with an array's"):
        explain(*(tl.Layout(3, 1), np.zeros(3))[::order])


# ---- a reshape ------------------------------------------------------------------------------------------------------


@given(view_chains(), st.data())
def test_a_reshape_is_a_view_exactly_where_numpy_makes_one(chain, data):
    x, _ = chain
    shape = data.draw(same_size_shapes(x.size))
    reshaped = x.reshape(shape)
    answer = explain_reshape(x, shape)
    if x.size == 0 or np.shares_memory(x, reshaped):
        assert answer.says == f"{x.shape} -> {shape} is a view: no element moves."
        strides = dict(answer.facts)["strides"].partition(" -> ")[2]
        elements, in_bytes = (eval(part) for part in re.fullmatch(r"(.*) in elements, (.*) in bytes", strides).groups())
        assert in_bytes == tuple(8 * stride for stride in elements)
        if x.size:
            longer = [axis for axis, length in enumerate(shape) if length > 1]
            assert [in_bytes[axis] for axis in longer] == [reshaped.strides[axis] for axis in longer]
    else:
        assert answer.says.startswith(f"{x.shape} -> {shape} is a copy: ")
        said = dict(answer.facts)
        assert said["cost"] == f"{x.nbytes:,} bytes read, as many written to new memory"
        assert said["copy"].endswith(f"{reshaped.strides} in bytes")


def test_a_copy_names_the_two_jumps_that_no_stride_can_make():
    x = np.array([[1, 2, 3], [4, 5, 6]]).T
    answer = explain_reshape(x, -1)
    assert answer.says == "(3, 2) -> (6,) is a copy: one stride per axis cannot walk the elements in their order."
    assert dict(answer.facts)["why"].endswith("axis 0 would jump +3, then -2")
    jumps = np.diff([address(element(x, index)) for index in np.ndindex(3, 2)]) // 8
    assert jumps[:2].tolist() == [3, -2]


def test_the_numpy_call_that_copies_without_a_word_does_so():
    x = np.zeros((2, 3)).T
    said = dict(explain_reshape(x, (2, -1)).facts)["NumPy"]
    assert said == "x.reshape((2, 3)) copies without a word"
    assert not np.shares_memory(eval(said.partition(" copies")[0], {"x": x}), x)


def test_the_fix_for_a_tensor_is_the_visible_copy():
    x = tl.arange(6).reshape((2, 3)).transpose()
    fix = dict(explain_reshape(x, 6).facts)["fix"]
    assert fix == "x.contiguous().reshape(6)"
    assert eval(fix, {"x": x}).tolist() == [0, 3, 1, 4, 2, 5]


def test_a_layout_is_reshaped_without_bytes():
    layout = tl.Layout((3, 4), (1, 3))
    said = dict(explain_reshape(layout, 12).facts)
    assert (said["copy"], said["cost"]) == ("strides (1,)", "12 elements read, as many written to a new buffer")
    assert dict(explain_reshape(layout, (3, 2, -1)).facts)["strides"] == "(1, 3) -> (1, 6, 3)"


@pytest.mark.parametrize("x", [np.zeros((3, 4)), tl.zeros((3, 4)), tl.Layout.row_major((3, 4)), Interface(np.eye(3))])
@pytest.mark.parametrize("shape", [5, (5, -1), (-1, -1), (2, -3)])
def test_a_shape_of_another_count_is_the_same_error_as_for_a_layout(x, shape):
    layout = x if isinstance(x, tl.Layout) else as_tensor(x).layout
    with pytest.raises(tl.ShapeError) as wanted:
        tl.views.reshape(layout, shape)
    with pytest.raises(tl.ShapeError) as caught:
        explain_reshape(x, shape)
    assert str(caught.value) == str(wanted.value)


# ---- the figure -----------------------------------------------------------------------------------------------------


@given(view_chains(max_steps=3))
@settings(max_examples=50)
def test_every_cell_of_a_figure_stands_on_the_slot_that_numpy_s_addresses_give(chain):
    x, _ = chain
    assume(x.size)
    data = show(x).data
    view, start = data["views"][0], address(owner_of(x))
    for number, item in enumerate(view["cells"]):
        assert data["slots"][item][0] == (address(element(x, mapping.index_of(view, number))) - start) // 8
    assert data["length"] == owner_of(x).size


def test_a_slice_in_the_middle_of_a_large_base_is_drawn_where_it_stands():
    data = show(np.arange(10**7, dtype=np.int32)[5_000_000:5_000_010]).data
    assert [slot[0] for slot in data["slots"]] == list(range(4_999_999, 5_000_011))
    assert data["gaps"] == {"0": 4_999_999, "12": 4_999_989}
    assert data["views"][0]["meta"] == ["shape (10,)", "strides (1,)", "offset 5000000"]
    assert data["note"] == "10 of 10,000,000 slots are reached; the whole 40,000,000 bytes stay alive for these 40."


def test_a_large_grid_is_a_window_that_says_what_it_leaves_out():
    figure = show(np.zeros((1000, 1000), dtype=np.int8))
    assert "This window shows 6 of 1,000 columns and 4 of 1,000 rows." in repr(figure)
    assert len(figure.html) < 40_000


def test_rank_four_is_drawn_plane_by_plane():
    x = np.arange(2 * 2 * 3 * 4, dtype=np.int16).reshape(2, 2, 3, 4)[::-1, :, ::2]
    figure = show(x)
    assert figure.data["views"][0]["lead"] == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert [figure.data["slots"][k][0] for k in figure.data["views"][0]["cells"]] == x.ravel().tolist()


def test_shared_and_skipped_slots_are_marked():
    assert "'=': more than one index lands here." in repr(show(np.broadcast_to(np.arange(3), (2, 3))))
    assert "'.': no index reaches it." in repr(show(np.arange(9)[::2]))


def test_a_cell_outside_the_memory_is_crossed_and_its_slot_is_not_read():
    x = as_strided(np.arange(12, dtype=np.int16), (3, 5), (8, 2))
    figure = show(x)
    outside = [slot for slot in figure.data["slots"] if slot[2]]
    assert outside == [[12, "", 1]]
    assert "[2, 4] leaves the buffer: it would be slot 12, but the buffer ends at slot 11." in repr(figure)


def test_the_memory_of_an_array_that_leaves_it_is_drawn_up_to_its_last_whole_slot():
    x = as_strided(np.zeros(21, dtype=np.uint8)[4:20].view(np.int32), (5,), (4,))
    layout, words = over_base(locate(x, operation="show"))
    assert (layout, words.size) == (tl.Layout(5, 1, 1), 5)
    assert [slot[0] for slot in show(x).data["slots"] if slot[2]] == [5]


def test_memory_that_begins_between_two_slots_is_counted_in_bytes():
    memory = bytearray(25)
    del memory[:1]
    x = np.frombuffer(memory, dtype=np.int32, count=4, offset=3)
    if not x.flags.aligned:
        pytest.skip("this Python moved the bytes")
    said = facts(x[1:])
    assert said["memory"] == "of a bytearray object: 24 bytes; the buffer is 4 slots of them, from byte 3 on"
    assert said["offset"] == "slot 1 of its buffer, byte 7 of its base"
    assert said["reaches"] == "3 of 4 slots are reached; the whole 24 bytes stay alive for these 12"
    with pytest.raises(tl.BoundsError, match=r"^show: the array reaches 0 bytes before its memory and 3 behind it"):
        show(as_strided(x, (6,), (4,)))


def test_a_layout_and_options_are_handed_on():
    figure = show(tl.Layout((2, 3), (1, 2)), title="Columns", select=(1, 1), note="A note.", show_bytes=False)
    assert repr(figure).splitlines()[0] == "Columns"
    assert "position(1, 1) = 0 + 1×1 + 1×2 = 3" in repr(figure)
    assert repr(figure).splitlines()[-1] == "A note."
    plain = show(np.arange(4), note="", values=False)
    assert (plain.data["note"], plain.data["values"]) == ("", 0)


@pytest.mark.parametrize("x", [tl.arange(6)[::2], tl.Matrix.zeros(2, 2), Interface(np.arange(4)), bytearray(4)])
def test_whatever_shares_memory_can_be_shown(x):
    assert "buffer" in repr(show(x))


# ---- how an answer looks --------------------------------------------------------------------------------------------


def test_an_answer_is_a_calm_table_with_inline_styles_only():
    answer = explain(np.arange(12).reshape(3, 4)[:, ::2])
    markup = answer._repr_html_()
    assert set(re.findall(r"<(\w+)", markup)) == {"div", "table", "tr", "th", "td"}
    assert set(re.findall(r" (\w+)=", markup)) == {"style", "scope"}
    styles = ";".join(re.findall(r'style="([^"]*)"', markup))
    assert set(re.findall(r"(?<![-\w])color:([^;]*)", styles)) == {"inherit"}
    assert set(re.findall(r"background:([^;]*)", styles)) == {"none"}
    text = [html.unescape(part) for part in re.findall(r">([^<]+)<", markup)]
    assert text == [answer.says, *(part for fact in answer.facts for part in fact)]


def test_a_text_in_an_answer_is_escaped():
    assert "&lt;b&gt; &amp;" in Explanation("<b> &", (("a<b", "c"),))._repr_html_()


def test_an_answer_holds_no_address():
    a = np.arange(6)
    for answer in (explain(a[1:]), explain(a, Interface(a)), explain(a, np.zeros(3))):
        assert str(address(a)) not in repr(answer)
        assert "0x" not in repr(answer)


# ---- as part of the package -----------------------------------------------------------------------------------------


def test_the_questions_are_asked_of_the_package_and_loaded_when_asked():
    code = (
        "import sys, tensorlab as tl\n"
        "before = 'tensorlab.inspect' in sys.modules or 'tensorlab.figures' in sys.modules\n"
        "print(before, tl.show.__module__, tl.explain.__name__, tl.explain_reshape.__name__)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "tensorlab.inspect.showing", "explain", "explain_reshape"]
