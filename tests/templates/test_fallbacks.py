"""What templates read where a corpus lacks an attribute."""

import numpy as np
import pytest

from spacy_mtl.templates.fallbacks import absent_attributes, adapted
from spacy_mtl.templates.grammar import TemplateSet, parse_templates

TEXTS = [
    "U0:%h[0,TAG]/%m[0,POS]", "U1:%h[0,POS]/%m[0,TAG]", "U2:%m[0,POS]/%m[0,TAG]", "U3:%m[0,MORPH]", "U4:%m[0,LOWER]/%h[0,MORPH]",
    "U5:%m[0,TAG]/%h[0,TAG]", "B0:%m[0,POS]/%h[0,POS]",
]  # fmt: skip


def templates(*fallbacks):
    return TemplateSet(tuple(parse_templates(TEXTS)), 2, fallbacks)


def test_another_attribute_or_none():
    found = adapted(templates(("POS", "TAG"), ("MORPH", None)), ["POS", "MORPH"])
    assert found.texts() == ["U0:%h[0,TAG]/%m[0,TAG]", "U2:%m[0,TAG]", "B0:%m[0,TAG]/%h[0,TAG]"]
    assert found.min_count == 2


def test_a_fallback_has_a_fallback():
    found = adapted(templates(("MORPH", "POS"), ("POS", "TAG")), ["POS", "MORPH"])
    assert found.attributes == ("TAG", "LOWER")
    assert "U4:%m[0,LOWER]/%h[0,TAG]" in found.texts()


def test_what_is_there_or_has_no_fallback_stays():
    some = templates(("POS", "TAG"))
    assert adapted(some, []) is some
    assert adapted(some, ["MORPH", "TAG"]) is some
    assert adapted(templates(), ["POS"]).texts() == TEXTS


def test_nothing_is_left():
    some = TemplateSet(tuple(parse_templates(["U0:%m[0,MORPH]"])), fallbacks=(("MORPH", None),))
    with pytest.raises(ValueError, match="M121"):
        adapted(some, ["MORPH"])


@pytest.mark.parametrize(
    ("pos", "expected"),
    [
        ([0, 0, 0, 0], True),
        ([5, 5, 5, 5], True),
        ([8, 8, 9, 7], True),  # as the tags
        ([8, 8, 8, 7], False),  # coarser
        ([8, 9, 8, 7], False),  # finer, and coarser
    ],
)
def test_what_says_nothing(pos, expected):
    columns = np.array([[1, 1, 2, 3], pos], np.uint64)
    found = absent_attributes(templates(("POS", "TAG"), ("MORPH", None)), columns, {"TAG": 0, "POS": 1})
    assert found == (["POS"] if expected else [])


def test_without_another_attribute_only_one_value_says_nothing():
    some = templates(("POS", None))
    for values, expected in (([1, 1], ["POS"]), ([1, 2], [])):
        assert absent_attributes(some, np.array([values], np.uint64), {"POS": 0}) == expected
