"""What an explanation prints."""

import math

from spacy_mtl.explaining.decision import Change, Contribution, Decision
from spacy_mtl.explaining.explanation import MOST, Explanation

PARTS = tuple(Contribution(f"U{k}", f"x[0,LOWER]=w{k}", "1 a: B, not O", (-1.0) ** k * k) for k in range(1, 9))
SURE = Decision("tag", 0, 1, "a", "X", None, math.inf)
OPEN = Decision("tag", 1, 2, "b", "X", "Y", 1.5, PARTS, (Change("c", "X", "Z"),))


def test_a_decision():
    assert str(SURE) == "a: X; every other analysis is forbidden"
    assert str(OPEN) == "b: X, not Y, by 1.5000; then c: Z, not X"
    loose = Decision("arc", 0, 1, "a", "b", "c", 2.0, changes=(Change("d", "e", "f"),) * 5, exact=False)
    assert (
        str(loose)
        == "a: b, not c, by 2.0000 at most (the best other tree cannot be computed)"
        + "; then d: f, not e" * 3
        + " and 2 more"
    )


def test_an_explanation_has_the_strongest_features():
    lines = str(Explanation("ner", "a b", (SURE, OPEN))).splitlines()
    assert lines[:3] == ["ner: 2 decisions", str(SURE), str(OPEN)]
    assert lines[3] == "  +8.0000  U8  x[0,LOWER]=w8  1 a: B, not O"
    assert [line.split()[0] for line in lines[3:]] == ["+8.0000", "-7.0000", "+6.0000", "-5.0000", "+4.0000"]
    assert len(lines) == 3 + MOST


def test_one_decision():
    assert str(Explanation("ner", "a", (SURE,))).splitlines()[0] == "ner: 1 decision"
