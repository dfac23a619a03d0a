import json
import sys
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.stored import json as stored_json
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.json import DEEPEST, read_json
from spacy_mtl.stored.values import number

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text('a"\\[]{}\n…'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('"\\[{', max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.booleans())
def test_what_json_writes_is_read(value, ascii_only):
    """Brackets, quotes and backslashes inside strings are no nesting."""
    assert read_json(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@pytest.mark.parametrize("pair", ["[]", "{}"])
@pytest.mark.parametrize("around", ["", '"]]]]", ', '"\\\\", "\\"]]", '])
def test_depth_is_limited(pair, around):
    def nested(depth):
        inside = pair[0] + ('"k": ' if pair == "{}" else "")
        return f"[{around}{inside * (depth - 2)}{pair}{pair[1] * (depth - 2)}]".encode()

    read_json(nested(DEEPEST))
    with pytest.raises(StoredValueError, match="nested more than 16 levels"):
        read_json(nested(DEEPEST + 1))


@pytest.mark.parametrize("text", ["[" * 200_000, "[" * 200_000 + "]" * 200_000, '{"a":' * 10**6, '"' + "\\" * 10**7])
def test_hostile_nesting_is_refused_at_once_whatever_the_recursion_limit(text, monkeypatch):
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    begin = time.process_time()
    try:
        with pytest.raises(StoredValueError):
            read_json(text.encode())
    finally:
        sys.setrecursionlimit(limit)
    assert time.process_time() - begin < 2


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"x": -Infinity}'])
def test_numbers_that_are_not_finite_are_refused(text):
    with pytest.raises(StoredValueError, match="not finite"):
        read_json(text.encode())


@pytest.mark.parametrize("text", ["1e999", "-1e999", "9" * 400 + ".0"])
def test_numbers_that_are_too_large_pass_no_check_of_numbers(text):
    largest = sys.float_info.max
    with pytest.raises(StoredValueError):
        number(-largest, largest)(read_json(text.encode()), "it")


def test_a_name_may_not_come_twice():
    with pytest.raises(StoredValueError, match="the header has an object with the same name twice"):
        read_json(b'{"a": 1, "b": {"c": 1, "c": 2}}')


@pytest.mark.parametrize(
    "data", [b"", b"{", b'{"a"}', b"\xff\xfe", b'"\xed\xa0\x80"', b"[1] 2", b"9" * 5000, b"[]]", b"{]"]
)
def test_what_is_no_json_is_refused(data):
    with pytest.raises(StoredValueError, match="not valid JSON"):
        read_json(data)


def test_text_that_cannot_be_stored_again_is_refused():
    assert read_json(b'["\\\\ud800", "\\ud83d\\ude00"]') == ["\\ud800", "\U0001f600"]
    for bad in (b'["\\ud800"]', b'{"\\udfff": 1}', b'{"x": [{"y": "\\uD800"}]}'):
        with pytest.raises(StoredValueError, match="not valid Unicode"):
            read_json(bad)


def test_size_and_number_of_containers_are_limited(monkeypatch):
    monkeypatch.setattr(stored_json, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(stored_json, "MOST_CONTAINERS", 4)
    assert read_json(b'[[], {"[{": "{"}]') == [[], {"[{": "{"}]
    for text in (b"[[], {}, []]", b"{}{}[]"):
        with pytest.raises(StoredValueError, match="more than 4 lists, or objects, which count twice"):
            read_json(text)
    with pytest.raises(StoredValueError, match="larger than 1 megabytes"):
        read_json(b" " * (1 << 20) + b"1")


@pytest.mark.parametrize("item", ['{"":0}', "[0]", '{"":[0]}'])
def test_as_many_containers_as_there_may_be_take_less_than_200_megabytes(item):
    share = 64  # of them, whose memory is measured
    n = stored_json.MOST_CONTAINERS // (item.count("[") + 2 * item.count("{")) // share
    data = b"[" + b",".join([item.encode()] * n) + b"]"
    tracemalloc.start()
    try:
        read_json(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert share * (peak - 2 * len(data)) < 200e6


def test_too_many_containers_are_refused_before_they_are_made():
    begin = time.process_time()
    with pytest.raises(StoredValueError, match="lists, or objects"):
        read_json(b"[" + b",".join([b'{"":0}'] * (stored_json.MOST_CONTAINERS // 2)) + b"]")
    assert time.process_time() - begin < 1
