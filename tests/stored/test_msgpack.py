import time
import tracemalloc

import numpy as np
import pytest
import srsly
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.stored import msgpack as stored_msgpack
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.msgpack import DEEPEST, MOST_CONTAINERS, MOST_VALUES, read_msgpack

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=300)
    | st.binary(max_size=300),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=3), inner, max_size=20),
    max_leaves=40,
)
MEGABYTE = 1 << 20


@given(VALUES)
def test_what_is_packed_is_read_unless_it_is_cut_or_goes_on(value):
    def depth(item):
        inside = item.values() if isinstance(item, dict) else item if isinstance(item, list) else None
        return 0 if inside is None else 1 + max(map(depth, inside), default=0)

    data = srsly.msgpack_dumps(value)
    if depth(value) > DEEPEST:
        with pytest.raises(StoredValueError, match="nested more than 8 levels deep"):
            read_msgpack(data, "it")
        return
    for form in (data, bytearray(data), memoryview(data)):
        assert read_msgpack(form, "it") == value
    for wrong in (data[:-1], data + b"\xc0"):
        with pytest.raises(StoredValueError, match=r"^it cannot be unpacked$"):
            read_msgpack(wrong, "it")


@pytest.mark.parametrize("n", [1, 200, 300, 70_000])
def test_every_width_of_a_length_is_read(n):
    for value in ("x" * n, b"x" * n, [1] * n, dict.fromkeys(range(n), 1)):
        assert read_msgpack(srsly.msgpack_dumps([value, 7]), "it") == [value, 7]


@pytest.mark.parametrize(
    "data", [b"\xc1garbage", b"", 7, None, "text", b"\x92\xc0", b"\xa2a", b"\xa1\xff", b"\x81\x90\xc0"]
)
def test_what_is_none_is_refused(data):
    with pytest.raises(StoredValueError, match=r"^it cannot be unpacked$"):
        read_msgpack(data, "it")


def test_there_are_no_other_types():
    """No extensions, and no arrays as the decoders of other packages make them."""
    for data in (b"\xd4\x01a", b"\xc7\x01\x01a", b"\xd6\xff\x00\x00\x00\x00"):
        with pytest.raises(StoredValueError, match=r"^it cannot be unpacked$"):
            read_msgpack(data, "it")
    assert type(read_msgpack(srsly.msgpack_dumps(np.arange(3)), "it")) is dict


def array(n, inside=b""):
    return b"\xdd" + n.to_bytes(4, "big") + inside


def test_depth_values_containers_and_text_are_limited(monkeypatch):
    read_msgpack(b"\x91" * (DEEPEST - 1) + b"\x80", "it")
    with pytest.raises(StoredValueError, match=r"^it is nested more than 8 levels deep$"):
        read_msgpack(b"\x91" * DEEPEST + b"\x80", "it")
    monkeypatch.setattr(stored_msgpack, "MOST_VALUES", 6)
    monkeypatch.setattr(stored_msgpack, "MOST_CONTAINERS", 3)
    monkeypatch.setattr(stored_msgpack, "MOST_TEXT", 4)
    for value in ([1, 2, 3, 4, 5], {"a": 1, "b": 2}, [[], []], ["abcd", b"abcde"]):
        assert read_msgpack(srsly.msgpack_dumps(value), "it") == value
    for value in ([1, 2, 3, 4, 5, 6], {"a": 1, "b": 2, "c": 3}, [[], [], []], [[], {}, {}], ["abc", "de"]):
        with pytest.raises(StoredValueError, match=r"^it has too many values, or too much text$"):
            read_msgpack(srsly.msgpack_dumps(value), "it")


HOSTILE = {
    "arrays that each declare the whole file": array(8 * MEGABYTE) * 510 + b"\xc0" * 8 * MEGABYTE,
    "empty maps": array(8 * MEGABYTE, b"\x80" * 8 * MEGABYTE),
    "empty maps, few enough for values": array(MOST_VALUES - 1, b"\x80" * (MOST_VALUES - 1)),
    "a length of which there is nothing": array((1 << 32) - 1),
    "deep": b"\x91" * 8 * MEGABYTE,
    "numbers": array(8 * MEGABYTE, b"\x01" * 8 * MEGABYTE),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bytes_cost_neither_time_nor_memory(data):
    begin = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(StoredValueError):
            read_msgpack(data, "it")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MEGABYTE
    assert time.process_time() - begin < 1


def test_as_much_as_there_may_be_takes_less_than_200_megabytes():
    share = 64  # of it, whose memory is measured
    n = MOST_VALUES // share // 2
    data = srsly.msgpack_dumps([{f"{i:05x}": f"{i:05x}"[::-1] for i in range(n)}] + [{}] * (MOST_CONTAINERS // share))
    tracemalloc.start()
    try:
        assert len(read_msgpack(data, "it")[0]) == n
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert share * peak < 200e6
