"""Parts of tags and of morphology."""

import numpy as np
import pytest
import spacy
from spacy.strings import hash_string
from spacy.tokens import Doc

from spacy_mtl.templates.attributes.derived import base_of, derived
from spacy_mtl.templates.attributes.reader import AttributeReader, check_attributes, doc_attributes

NLP = spacy.blank("xx")
FEATS = ["Case=Acc|Number=Sing|Number[psor]=Plur", "_", "Number=Plur", "Subcase=Nom"]


@pytest.fixture
def doc():
    """The last word is not annotated."""
    doc = Doc(NLP.vocab, words=["a", "b", "c", "d", "e"], tags=["NCN", "N", "VA", "XP", ""], morphs=[*FEATS, ""])
    doc.from_array(["MORPH"], np.array([*doc.to_array(["MORPH"])[:4], 0], np.uint64))
    return doc


@pytest.mark.parametrize(
    ("attr", "expected"),
    [
        ("TAG_PREFIX1", ["N", "N", "V", "X", None]),
        ("TAG_PREFIX12", ["NCN", "N", "VA", "XP", None]),
        ("MORPH_Case", ["Acc", "", "", "", None]),
        ("MORPH_Number", ["Sing", "", "Plur", "", None]),
        ("MORPH_Number_psor", ["Plur", "", "", "", None]),
        ("MORPH_Tense", ["", "", "", "", None]),
    ],
)
def test_parts(doc, attr, expected):
    """Twice, since values are kept."""
    for _ in range(2):
        reader = AttributeReader([attr], NLP.vocab)
        found = reader.read([doc], np.array([0, 5]))[reader.columns[attr]]
        assert found.tolist() == [0 if value is None else hash_string(value) for value in expected]


def test_what_they_are_parts_of():
    assert doc_attributes(["MORPH_Case", "TAG_PREFIX2", "LOWER"]) == ["MORPH", "TAG"]
    assert [base_of(attr) for attr in ("MORPH_Case", "TAG_PREFIX2", "LOWER")] == ["MORPH", "TAG", "LOWER"]


@pytest.mark.parametrize("attr", ["TAG_PREFIX0", "TAG_PREFIX", "MORPH_", "MORPH_Ca-se", "MORPH_A_B_C", "XMORPH_Case"])
def test_other_names(attr):
    assert derived(attr) is None
    with pytest.raises(ValueError, match="M110"):
        check_attributes([attr], lambda name: "U00")
