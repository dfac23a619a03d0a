"""Factors of analyses: how features are grouped, and what each analysis is in each group."""

import pytest

from spacy_mtl.morphology.factors import Factors, factor_of, group_features
from spacy_mtl.stored.fault import StoredValueError

COUNTS = {
    "NOUN|Case=Nom|Number=Sing": 9,
    "NOUN|Case=Acc|Number=Sing": 8,
    "NOUN|Case=Nom|Number=Plur": 7,
    "NOUN|Case=Acc|Number=Plur": 6,
    "VERB|Number=Sing|Tense=Past": 5,
    "VERB|Number=Plur|Tense=Pres": 4,
    "ADP|_": 3,
}


def test_part_of_speech_is_a_group_of_its_own():
    assert group_features(COUNTS, 40)[0] == ["POS"]


def test_features_join_the_group_that_grows_least():
    """Case and tense never meet, so that together they have five values; number and tense have six."""
    assert group_features({**COUNTS, "VERB|Number=Sing|Tense=Pres": 2}, 5) == [["POS"], ["Number"], ["Case", "Tense"]]


def test_a_group_has_no_more_values_than_it_may():
    groups = group_features(COUNTS, 40)
    assert groups == [["POS"], ["Number", "Case", "Tense"]]
    assert group_features(COUNTS, 1) == [["POS"], ["Number"], ["Case"], ["Tense"]]


def test_features_without_part_of_speech():
    assert group_features({"_|A=1": 1, "_|A=2": 1, "_|_": 1}, 40) == [["A"]]
    assert group_features({"_|_": 1}, 40) == [[]]


def test_the_table_gives_each_analysis_its_values():
    analyses = list(COUNTS)
    factors = Factors(analyses, [["POS"], ["Number"], ["Case", "Tense"]])
    assert factors.borders.tolist() == [0, 3, 6, 11]
    found = [[factors.labels[k] for k in row] for row in factors.table]
    assert found[1] == ["0:POS=NOUN", "1:Number=Sing", "2:Case=Acc"]
    assert found[5] == ["0:POS=VERB", "1:Number=Plur", "2:Tense=Pres"]
    assert found[6] == ["0:POS=ADP", "1:", "2:"]
    assert [factor_of(label) for label in factors.labels] == ["0"] * 3 + ["1"] * 3 + ["2"] * 5


def test_features_in_no_group_belong_to_the_last():
    factors = Factors(["NOUN|A=1|B=2"], [["POS"], ["A"]])
    assert factors.labels == ("0:POS=NOUN", "1:A=1|B=2")


def test_no_analysis_is_refused():
    with pytest.raises(StoredValueError):
        Factors(["walk"], [["POS"]])
