"""Hashes of parts of words against spaCy's, text by text."""

import numpy as np
import pytest
from spacy.strings import hash_string

from spacy_mtl.templates.affixes import Part, hash_parts, part_of

NAMES = [
    *(f"{kind}{n}" for kind in ("PREFIX", "SUFFIX", "STEM") for n in (1, 2, 3, 8, 20, 300, 10**30)),
    "INNER4_2",
    "INNER9_1",
    "INNER2_5",
]
#: of every number of bytes up to 40, of characters of one to four bytes, and one that grows in lower case
TEXTS = [
    *("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP"[:n] for n in range(41)),
    "", "é", "Straße", "İstanbul", "中国人", "😀x😀", "ﬁn", "\u00a0", "e\u0301e\u0301", "\x00a", "x" * 500,
]  # fmt: skip


@pytest.mark.parametrize("texts", [TEXTS, TEXTS[:41], [""], []], ids=["all", "ASCII", "empty", "none"])
def test_hashes_are_those_of_spacy(texts):
    parts = [part_of(name) for name in NAMES]
    found = hash_parts(texts, parts)
    assert found.shape == (len(texts), len(parts))
    assert found.dtype == np.uint64
    for text, row in zip(texts, found.tolist(), strict=True):
        assert row == [hash_string(part(text)) for part in parts], text


def test_without_parts_there_are_no_columns():
    assert hash_parts(TEXTS, []).shape == (len(TEXTS), 0)


def test_names_of_parts():
    assert part_of("SUFFIX3")("abcdE") == "cdE"
    assert part_of("PREFIX2")("Abcde") == "Ab"
    assert part_of("STEM3")("ABcde") == "abc"
    assert part_of("INNER4_2")("abcDEf") == "cd"
    assert part_of("SUFFIX12") == Part(False, -12, None)
    for other in ("SUFFIX", "SUFFIX0", "PREFIX03", "STEM", "INNER4", "XSUFFIX3", "SUFFIX3\n", "LOWER"):
        assert part_of(other) is None
