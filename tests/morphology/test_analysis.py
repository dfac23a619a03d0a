"""Analyses as labels."""

import pytest

from spacy_mtl.morphology.analysis import Analysis, parse_analysis
from spacy_mtl.stored.fault import StoredValueError


@pytest.mark.parametrize(
    ("text", "found", "values"),
    [
        ("NOUN", ("NOUN", ""), {"POS": "NOUN"}),
        ("ADP|_", ("ADP", "_"), {"POS": "ADP"}),
        (
            "NOUN|Case=Nom|Number=Sing",
            ("NOUN", "Case=Nom|Number=Sing"),
            {"POS": "NOUN", "Case": "Nom", "Number": "Sing"},
        ),
        ("_|Number[psor]=Sing", ("", "Number[psor]=Sing"), {"Number[psor]": "Sing"}),
        ("_|_", ("", "_"), {}),
        ("X|A=b,c", ("X", "A=b,c"), {"POS": "X", "A": "b,c"}),
        ("NOUN|A=b\tN|x=y", ("NOUN", "A=b", "N|x=y"), {"POS": "NOUN", "A": "b", "TAG": "N|x=y"}),
        ("NOUN|A=to go", ("NOUN", "A=to go"), {"POS": "NOUN", "A": "to go"}),
        ("NOUN|TAG=NN", ("NOUN", "TAG=NN"), {"POS": "NOUN", "TAG": "NN"}),
        ("NOUN\tNN", ("NOUN", "", "NN"), {"POS": "NOUN", "TAG": "NN"}),
    ],
)
def test_labels_are_read_and_written(text, found, values):
    analysis = parse_analysis(text)
    assert analysis == Analysis(*found)
    assert analysis.text == text
    assert analysis.values == values


@pytest.mark.parametrize(
    "text",
    ["", "_", "noun", "NOUNS|_", "NOUN|", "|Case=Nom", "NOUN|Case", "NOUN|=Nom", "NOUN|Case=", "NOUN|Case=Nom|", "NOUN|_|_",
     "NOUN|POS=VERB", "NOUN|TAG=NN\tNN", "NOUN\t", "\tNN",
     "NOUN|A=1|A=2", "NOUN|A=" + "b" * 1000, "NOUN|A=b=c", "X|" + "|".join(f"F{k}=1" for k in range(101))],
)  # fmt: skip
def test_other_labels_are_refused(text):
    with pytest.raises(StoredValueError):
        parse_analysis(text)
