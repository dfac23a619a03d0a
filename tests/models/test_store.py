import json
from dataclasses import asdict, replace
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.models import store
from spacy_mtl.models.chain.weights import KEY_BITS, ChainWeights, TemplateRow, quantize
from spacy_mtl.models.tree.weights import TreeWeights
from spacy_mtl.templates.grammar import MOST_OBSERVATIONS

from .rewriting import Parts

SETTINGS = {"component": "X", "cfg": {"entity_types": ["PER", "ñ"]}}


def make_weights(seed: int, n_labels: int, n_rows: int, n_pairs: int) -> ChainWeights:
    rng = np.random.default_rng(seed)
    node = quantize(rng.normal(size=(n_rows, n_labels)).astype(np.float32))
    pair = quantize(rng.normal(size=(n_pairs, n_labels**2)).astype(np.float32) * np.float32(1e-9))
    keys = [np.unique(rng.integers(1 << KEY_BITS, size=n, dtype=np.uint64)) for n in (n_rows, n_pairs)]
    return ChainWeights(
        labels=tuple(f"ñ-{y}" for y in range(n_labels)),
        templates=(TemplateRow("U0:%x[0,ORTH]", 0.1, 1 / 3, n_rows), TemplateRow("B", 0.9, 2.0, 1)),
        keys=keys[0], codes=node[0], scales=node[1],
        pair_keys=keys[1], pair_codes=pair[0], pair_scales=pair[1],
        step=rng.normal(size=(n_labels, n_labels)).astype(np.float32),
    )  # fmt: skip


def same(first: ChainWeights, second: ChainWeights) -> bool:
    return all(
        np.array_equal(value, vars(second)[name]) and np.asarray(value).dtype == np.asarray(vars(second)[name]).dtype
        for name, value in vars(first).items()
    )


@pytest.fixture(scope="module")
def data() -> bytes:
    return store.to_bytes(make_weights(0, 3, 5, 2), SETTINGS)


def error_of(data: bytes) -> str:
    with pytest.raises(ValueError, match=r"^\[M6\d\d\] ") as info:
        store.from_bytes(data, "dir/model")
    assert "dir/model" in str(info.value)
    assert "\n" not in str(info.value)
    return str(info.value)[1:5]


@given(st.integers(0, 99), st.integers(1, 4), st.integers(0, 9), st.integers(0, 3))
def test_what_is_written_is_read(seed, n_labels, n_rows, n_pairs):
    weights = make_weights(seed, n_labels, n_rows, n_pairs)
    read, settings = store.from_bytes(store.to_bytes(weights, SETTINGS), "x")
    assert same(weights, read)
    assert settings == SETTINGS


def test_untrained_weights_are_read():
    read, _ = store.from_bytes(store.to_bytes(ChainWeights(), {}), "x")
    assert same(read, ChainWeights())


def test_arrays_can_be_written_to(data):
    weights, _ = store.from_bytes(data, "x")
    assert all(array.flags.writeable for array in vars(weights).values() if isinstance(array, np.ndarray))


def test_same_weights_make_the_same_bytes(data):
    assert store.to_bytes(make_weights(0, 3, 5, 2), SETTINGS) == data


def test_every_flipped_bit_is_noticed(data):
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 1 << (place % 8)
        assert error_of(bytes(damaged)) in ("M601", "M602", "M603")


def test_every_truncation_is_noticed(data):
    for length in range(len(data)):
        assert error_of(data[:length]) in ("M601", "M603")


@pytest.mark.parametrize("extra", [b"\0", b"more"])
def test_trailing_bytes_are_noticed(data, extra):
    assert error_of(data + extra) == "M603"


@pytest.mark.parametrize("foreign", [b"", b"PK\3\4 a zip", b"\x80\x04\x95 a pickle", b"SPMT", b'{"json": 1}' * 99])
def test_file_of_something_else_is_refused(foreign):
    assert error_of(foreign) == "M601"


def test_other_format_number_is_named(data):
    other = data[:5] + bytes([9]) + data[6:]
    with pytest.raises(ValueError, match=r"^\[M602\] dir/model was written in format 9, but .* reads format 3\."):
        store.from_bytes(other, "dir/model")


def signed(header: dict) -> bytes:
    """A file with a valid checksum around any header."""
    text = json.dumps(header).encode()
    body = store.MAGIC + bytes([store.FORMAT]) + len(text).to_bytes(8, "little") + text
    return body + blake2b(body, digest_size=16).digest()


ENTRY = {"name": "keys", "dtype": "|u1", "shape": [6, 0], "bytes": 8}


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"settings": {}, "labels": [], "templates": [], "arrays": [ENTRY]},
        {"settings": {}, "labels": [], "templates": [], "arrays": [ENTRY | {"dtype": "object"}]},
        {"settings": {}, "labels": ["O"], "templates": [], "arrays": []},
        {"settings": 1, "labels": [], "templates": [], "arrays": []},
        {"settings": {}, "labels": [], "templates": [{"text": "B"}], "arrays": []},
    ],
)
def test_header_that_does_not_fit_is_refused_though_the_checksum_does(header):
    assert error_of(signed(header)) == "M610"


@pytest.mark.parametrize(
    "change",
    [
        {"labels": ("O",)},
        {"scales": np.zeros(1, np.float32)},
        {"codes": np.zeros((5, 2), np.int8)},
        {"pair_codes": np.zeros((2, 3), np.int8)},
        {"pair_scales": np.zeros(0, np.float32)},
        {"step": np.zeros((2, 2), np.float32)},
        {"keys": np.array([1, 2, 3, 4, 1 << KEY_BITS], np.uint64)},
        {"keys": np.array([1, 2, 2, 3, 4], np.uint64)},
    ],
)
def test_arrays_that_do_not_fit_each_other_are_refused(change):
    assert error_of(store.to_bytes(replace(make_weights(0, 3, 5, 2), **change), {})) == "M610"


@pytest.mark.parametrize(
    "row",
    [
        TemplateRow("U:" + "/".join(["%x[0,ORTH]"] * (MOST_OBSERVATIONS + 1)), 1.0, 1.0, 1),
        *(TemplateRow("B", *numbers, 1) for numbers in [(1.0, 1e200), (1.0, -1e200), (1e101, 1.0), (-1e101, 1.0)]),
    ],
)
def test_templates_that_prediction_or_learning_on_could_not_bear_are_refused(row):
    """Observations without end take memory at every position, and squares of norms overflow."""
    weights = make_weights(0, 3, 5, 2)
    parts = Parts(store.to_bytes(weights, SETTINGS))
    parts.header["templates"][1] = asdict(row)
    assert error_of(parts.to_bytes()) == "M610"


@pytest.mark.parametrize("keys", [[1, 15], [1, 1], [1 << 47, 5 << 46]])
def test_keys_that_are_none_of_arcs_are_refused(keys):
    weights = TreeWeights(keys=np.array(keys, np.uint64), values=np.zeros(2, np.float16))
    assert error_of(store.to_bytes(weights, {})) == "M610"


def test_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"^\[M605\] .*nothing cannot be read: No such file or directory\. Check"):
        store.read(tmp_path / "nothing")
    with pytest.raises(ValueError, match=r"^\[M605\] "):
        store.read(tmp_path)


def test_nothing_in_the_package_unpickles():
    names = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
    assert not names & set(vars(store))


@pytest.mark.parametrize(
    "change",
    [
        {"labels": ("a", "a", "b")},
        {"templates": (TemplateRow("B", float("nan"), 1.0, 1),)},
        {"templates": tuple(TemplateRow(f"U{k}:%x[0,ORTH]", 0.0, 0.0, 0) for k in range(store.MOST_TEMPLATES + 1))},
    ],
)
def test_what_could_not_be_read_is_not_written(change):
    with pytest.raises(ValueError, match=r"^\[M612\]"):
        store.to_bytes(replace(make_weights(0, 3, 5, 2), **change), SETTINGS)


@pytest.mark.parametrize(
    "settings", [{"margin": float("nan")}, {"word": "\ud800"}, {"words": "x" * (1 << 28)}, {"words": [[]] * (1 << 20)}]
)
def test_settings_that_could_not_be_read_are_not_written(settings):
    with pytest.raises(ValueError, match=r"^\[M612\]"):
        store.to_bytes(make_weights(0, 3, 5, 2), settings)
