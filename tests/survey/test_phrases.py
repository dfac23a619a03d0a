import pytest

from spacy_mtl.survey.phrases import phrases_of


@pytest.mark.parametrize(
    "tags",
    [
        "B-A I-A O I-A B-A B-B",
        "B-A L-A O U-A U-A U-B",
        "B-A E-A O S-A S-A S-B",
        "I-A I-A O B-A B-A I-B",
    ],
)
def test_entities_of_any_scheme(tags):
    assert list(phrases_of(list("abcdef"), tags.split())) == [("A", "a b"), ("A", "d"), ("A", "e"), ("B", "f")]


@pytest.mark.parametrize("tags", ["B-A I-A I-A E-A", "B-A M-A M-A E-A"])
def test_entities_have_middles(tags):
    assert list(phrases_of(list("abcdef"), [*tags.split(), "S-A", "M-B"])) == [("A", "a b c d"), ("A", "e"), ("B", "f")]


def test_labels_may_have_hyphens_and_tags_may_be_missing():
    assert list(phrases_of(list("abcd"), ["B-a-b", "I-a-b", "_", "-"])) == [("a-b", "a b")]
