import random

import numpy as np
import pytest
import srsly.msgpack

from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.tables.clusters import ClusterTable
from spacy_mtl.tables.phrases import OfCorpus, PhraseList
from spacy_mtl.tables.stored import Tables, digest, from_bytes, to_bytes

FORMS = {f"form{k}": format(k % 37 + 1, "b") for k in range(500)}


@pytest.fixture(name="tables", scope="module")
def _tables():
    phrases = PhraseList(["New York", "Málaga", "a"], fold_case=True, fold_accents=True)
    own = PhraseList(["Ana"], of_corpus=OfCorpus("PER", 2, 3, True))
    return Tables(
        CLUSTER=ClusterTable.of(FORMS.items()),
        LIST_places=phrases,
        CLUSTER_empty=ClusterTable.of([]),
        LIST_own=own,
    )


def test_what_is_written_is_read(tables):
    found = from_bytes(to_bytes(tables))
    assert list(found) == sorted(tables)
    assert {form: found["CLUSTER"].path(form) for form in FORMS} == FORMS
    assert found["CLUSTER"].keys.dtype == np.uint64
    assert found["CLUSTER_empty"].path("form1") is None
    phrases = found["LIST_places"]
    assert list(phrases) == list(tables["LIST_places"])
    assert phrases.fold_case
    assert phrases.fold_accents
    assert phrases.of_corpus is None
    assert found["LIST_own"].of_corpus == OfCorpus("PER", 2, 3, True)


def test_the_same_tables_have_the_same_bytes_and_others_another_digest(tables):
    turned = Tables(reversed(tables.items()))
    assert to_bytes(turned) == to_bytes(tables)
    other = Tables({**tables, "LIST_places": PhraseList(["a"])})
    assert digest(to_bytes(other)) != digest(to_bytes(tables))


def changed(tables, table, **entries):
    stored = srsly.msgpack_loads(to_bytes(tables))
    stored[table].update(entries)
    return srsly.msgpack_dumps(stored)


@pytest.mark.parametrize(
    ("table", "entries"),
    [
        ("CLUSTER", {"kind": "others"}),
        ("CLUSTER", {"n": 499}),
        ("CLUSTER", {"n": 1 << 40}),
        ("CLUSTER", {"paths": ["0"]}),
        ("CLUSTER", {"paths": [format(k + 1, "b") for k in range(36)]}),  # one less than there are
        ("CLUSTER", {"paths": ["2"] * 37}),
        ("CLUSTER", {"keys": "text"}),
        ("CLUSTER", {"more": 1}),
        ("CLUSTER", {"fold_case": True}),
        ("LIST_places", {"size": 1 << 31}),
        ("LIST_places", {"size": 3}),
        ("LIST_places", {"fold_case": 1}),
        ("LIST_own", {"of_corpus": {"label": "PER", "least": 2, "folds": 1, "filled": True}}),
        ("LIST_own", {"of_corpus": {"label": 3, "least": 2, "folds": 2, "filled": True}}),
        ("LIST_own", {"of_corpus": {"label": "PER"}}),
        ("LIST_own", {"of_corpus": None}),
        ("LIST_places", {"phrases": b""}),
    ],
)
def test_other_values_are_refused(tables, table, entries):
    with pytest.raises(StoredValueError):
        from_bytes(changed(tables, table, **entries))


def test_keys_must_ascend_and_fit(tables):
    table = tables["CLUSTER"]
    turned = Tables(CLUSTER=ClusterTable(table.keys[::-1].copy(), table.numbers, table.paths))
    with pytest.raises(StoredValueError):
        from_bytes(to_bytes(turned))


def test_bytes_that_were_changed_are_read_or_refused(tables):
    data, rng = to_bytes(tables), random.Random(0)
    for _ in range(500):
        broken = bytearray(data)
        for _ in range(rng.randint(1, 3)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        try:
            found = from_bytes(bytes(broken))
        except StoredValueError:
            continue
        for table in found.values():
            assert isinstance(table, ClusterTable | PhraseList)


@pytest.mark.parametrize("data", [b"", b"\x00", None, b"\x81\xa1a\x01"])
def test_other_data_is_refused(data):
    with pytest.raises(StoredValueError):
        from_bytes(data)
