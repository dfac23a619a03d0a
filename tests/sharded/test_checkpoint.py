"""What is kept of a training, file by file."""

import numpy as np
import pytest

from spacy_mtl.sharded.checkpoint import read_arrays, write_arrays

ARRAYS = {"score": np.array(0.5), "data": np.arange(9, dtype=np.uint8)}


@pytest.fixture
def kept(tmp_path):
    write_arrays(tmp_path / "kept.npz", **ARRAYS)
    return tmp_path / "kept.npz"


def test_arrays_are_read_as_they_were_written(kept):
    found = read_arrays(kept, 1 << 16)
    assert found.keys() == ARRAYS.keys()
    assert all(np.array_equal(found[name], array) for name, array in ARRAYS.items())


def test_numpy_before_2_2_takes_every_name_for_an_array(tmp_path, monkeypatch):
    """``allow_pickle`` is a keyword of later versions only."""
    given, save = [], np.savez_compressed

    def earlier(file, **arrays):
        given.extend(arrays)
        save(file, **arrays)

    monkeypatch.setattr(np, "savez_compressed", earlier)
    write_arrays(tmp_path / "kept.npz", **ARRAYS)
    assert given == [*ARRAYS]


@pytest.mark.parametrize("offset", [8, 10], ids=["encrypted", "compressed by other means"])
def test_a_damaged_entry_is_none(kept, offset):
    data = bytearray(kept.read_bytes())
    data[data.index(b"PK\x01\x02") + offset] ^= 0x61
    kept.write_bytes(data)
    assert read_arrays(kept, 1 << 16) == {}


@pytest.mark.parametrize("size", [9, 40_000])
def test_a_file_with_a_byte_changed_is_none_or_another(kept, size):
    """Whatever the byte is: nothing but arrays, or none at all. Headers of large arrays are read before their checksum is compared."""
    write_arrays(kept, data=np.frombuffer(np.random.default_rng(0).bytes(size), np.uint8))
    data = kept.read_bytes()
    for at in range(min(len(data), 400)):
        damaged = bytearray(data)
        damaged[at] ^= 0xFF
        kept.write_bytes(damaged)
        read_arrays(kept, 1 << 16)
