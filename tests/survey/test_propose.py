"""Settings that suit a corpus of entities."""

from collections import Counter

import pytest

from spacy_mtl.survey.found import Survey
from spacy_mtl.survey.propose import propose


def costs(words, n, different):
    """What is proposed for so many entities, of two labels."""
    found = Survey("a.conll", "columns", words=words, entities=Counter(X=n - 1, Y=1), columns=["ORTH", "ENT"])
    found.phrases.update(X={str(k) for k in range(different - 1)}, Y={"a"})
    return [choice.value for choice in propose(["ner"], found) if choice.key == "costs"]


@pytest.mark.parametrize(
    ("words", "n", "different", "dear"),
    [
        (1000, 49, 25, True),
        (1000, 50, 50, False),  # one word in 20 begins an entity
        (1000, 49, 24, False),  # half of them are repetitions
    ],
)
def test_a_miss_costs_more_where_entities_are_sparse_and_differ(words, n, different, dear):
    assert costs(words, n, different) == ([{"*>O": 2.0}] if dear else [])
