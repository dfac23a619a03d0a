import tracemalloc
import zlib

import numpy as np
import pytest

from spacy_mtl.stored.arrays import FREE, RATIO, Declared, Form, declared, inflate, most_bytes, read_array
from spacy_mtl.stored.fault import StoredValueError

FORMS = {"keys": Form("<u8", (None,)), "codes": Form("|i1", (None, 3)), "step": Form("<f4", (3, 3))}
ARRAYS = {
    "keys": np.arange(5, dtype=np.uint64),
    "codes": np.ones((5, 3), np.int8),
    "step": np.eye(3, dtype=np.float32),
}


def written(arrays=ARRAYS, begin=7):
    """The list of arrays and the data of a file that begins with ``begin`` other bytes."""
    chunks = {name: zlib.compress(array.tobytes()) for name, array in arrays.items()}
    entries = [
        {"name": name, "dtype": array.dtype.str, "shape": list(array.shape), "bytes": len(chunks[name])}
        for name, array in arrays.items()
    ]
    return entries, b"\0" * begin + b"".join(chunks.values())


def test_what_is_declared_is_read():
    entries, data = written()
    found = declared(entries, FORMS, 7, len(data))
    for array in found:
        np.testing.assert_array_equal(read_array(data, array), ARRAYS[array.name], strict=True)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"name": "other"}, "array 'other', unknown"),
        ({"name": 1}, "name of an array is 1, not text"),
        ({"dtype": "<f8"}, "has the type '<f8', not '<u8'"),
        ({"dtype": ">u8"}, "has the type '>u8'"),
        ({"dtype": "|O"}, "has the type"),
        ({"shape": [5, 1]}, "has 2 dimensions, not 1"),
        ({"shape": 5}, "not a list"),
        ({"shape": [5.0]}, "not a whole number"),
        ({"shape": [True]}, "not a whole number"),
        ({"shape": [-1]}, "not a whole number"),
        ({"shape": [10**30]}, "not a whole number"),
        ({"shape": [1 << 40]}, "the array 'keys' is too large for its"),
        ({"bytes": -1}, "not a whole number"),
        ({"bytes": 1.0}, "not a whole number"),
        ({"bytes": 3}, "do not fill the file"),
        ({"bytes": 1 << 40}, "do not fill the file"),
        ({"more": 1}, "unknown entry 'more'"),
    ],
)
def test_declaration_is_checked_before_anything_is_read(change, fault):
    entries, data = written()
    with pytest.raises(StoredValueError, match=fault):
        declared([entries[0] | change, *entries[1:]], FORMS, 7, len(data))


@pytest.mark.parametrize("entries", [None, {}, "keys", 3, [None], ["keys"], [[]]])
def test_list_of_something_else_is_refused(entries):
    with pytest.raises(StoredValueError):
        declared(entries, FORMS, 0, 0)


def test_every_array_is_there_once():
    entries, data = written()
    with pytest.raises(StoredValueError, match="the array 'step' is missing"):
        declared(entries[:2], FORMS, 7, len(data))
    with pytest.raises(StoredValueError, match="has 4 items"):
        declared([*entries, entries[0]], FORMS, 7, len(data))
    with pytest.raises(StoredValueError, match="'keys', unknown or for the second time"):
        declared([entries[0], *entries[:2]], FORMS, 7, len(data))
    with pytest.raises(StoredValueError, match="fill the file"):
        declared(entries, FORMS, 7, len(data) + 1)


def test_axis_of_known_length():
    entries, data = written(ARRAYS | {"codes": np.ones((5, 2), np.int8)})
    with pytest.raises(StoredValueError, match="'codes' has 2 entries on an axis of 3"):
        declared(entries, FORMS, 7, len(data))


@pytest.mark.parametrize(
    "data", [zlib.compress(b"abc") + b"\0", zlib.compress(b"abc")[:-1], zlib.compress(b"ab"), zlib.compress(b"abcd"), b"", b"abc"]
)  # fmt: skip
def test_only_the_exact_bytes_are_accepted(data):
    assert inflate(zlib.compress(b"abc"), 3, "x") == b"abc"
    assert inflate(zlib.compress(b""), 0, "x") == b""
    with pytest.raises(StoredValueError, match="the array 'x'"):
        inflate(data, 3, "x")


@pytest.mark.parametrize("size", [0, 5, 10_000])
def test_a_bomb_costs_no_more_than_was_declared(size):
    bomb = zlib.compress(bytes(1 << 26))
    tracemalloc.start()
    try:
        with pytest.raises(StoredValueError):
            inflate(bomb, size, "x")
        assert tracemalloc.get_traced_memory()[1] < 300_000
    finally:
        tracemalloc.stop()


def test_a_small_file_cannot_declare_much():
    within, above = (
        [{"name": "keys", "dtype": "|u1", "shape": [n], "bytes": 10}]
        for n in (FREE + 10 * RATIO, FREE + 10 * RATIO + 1)
    )
    forms = {"keys": Form("|u1", (None,))}
    assert declared(within, forms, 0, 10)[0].size == most_bytes(10)
    with pytest.raises(StoredValueError, match="too large for its 10 bytes"):
        declared(above, forms, 0, 10)


def test_what_lies_before_an_array_allows_it_nothing():
    """The second array is as large as its own ten bytes allow, and then one byte larger."""
    forms = {name: Form("|u1", (None,), ratio=2, free=0) for name in ("first", "second")}
    for size in (20, 21):
        entries = [
            {"name": name, "dtype": "|u1", "shape": [n], "bytes": 10} for name, n in (("first", 1), ("second", size))
        ]
        if size == 20:
            assert [array.size for array in declared(entries, forms, 1000, 1020)] == [1, 20]
        else:
            with pytest.raises(StoredValueError, match="'second' is too large for its 10 bytes"):
                declared(entries, forms, 1000, 1020)


def test_sizes_are_exact_however_large():
    assert Declared("x", "<f4", (1 << 40, 1 << 40), 0, 0).size == 1 << 82
