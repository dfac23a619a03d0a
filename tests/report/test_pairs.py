"""Comparisons of gold and predictions, by hand."""

from collections import Counter

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_mtl.report.counts import ALL, MOST_COLUMNS, OTHERS, confusion_matrix, label_rows, most_confused
from spacy_mtl.report.pairs import NOTHING, OTHER_BORDERS, Arcs, Compared, Morphs, Spans, Tokens

WORDS = ["Ana", "vive", "en", "San", "José", "."]


@pytest.fixture
def nlp():
    return spacy.blank("es")


def doc(nlp, **settings):
    return Doc(nlp.vocab, WORDS, **settings)


def ents(nlp, *spans):
    made = doc(nlp)
    made.set_ents([Span(made, *span) for span in spans])
    return made


def test_entities(nlp):
    example = Example(
        ents(nlp, (0, 1, "PER"), (4, 5, "LOC"), (5, 6, "MISC")), ents(nlp, (0, 1, "PER"), (3, 5, "LOC"), (1, 2, "ORG"))
    )
    found = Spans("entity").compare(example)
    assert found.counts == {"PER": (1, 0, 0), "LOC": (0, 1, 1), "MISC": (0, 1, 0), "ORG": (0, 0, 1)}
    assert found.confusions == Counter(
        {("PER", "PER"): 1, ("LOC", OTHER_BORDERS): 1, ("ORG", NOTHING): 1, (NOTHING, "MISC"): 1}
    )
    assert found.wrong == ((4, 8), (12, 20), (16, 20), (21, 22))
    assert Spans("entity").gold_at(example, 16, 20) == "LOC (San José)"
    assert Spans("entity").gold_at(example, 21, 22) == "O"


def test_another_label_in_the_same_place(nlp):
    found = Spans("entity").compare(Example(ents(nlp, (0, 1, "ORG")), ents(nlp, (0, 1, "PER"))))
    assert found.confusions == Counter({("PER", "ORG"): 1})


@pytest.mark.parametrize("gold", [[(0, 6, "S"), (1, 3, "NP")], [(1, 3, "NP"), (0, 6, "S")]])
def test_the_same_place_comes_before_overlaps(nlp, gold):
    made, predicted = doc(nlp), doc(nlp)
    made.spans["trees"] = [Span(made, *span) for span in gold]
    predicted.spans["trees"] = [Span(predicted, 1, 3, "VP")]
    found = Spans("constituent", "trees").compare(Example(predicted, made))
    assert found.confusions == Counter({("NP", "VP"): 1, ("S", NOTHING): 1})


def test_entities_where_gold_is_missing_do_not_count(nlp):
    gold = doc(nlp)
    gold.set_ents([Span(gold, 0, 1, "PER")], default="missing")
    found = Spans("entity").compare(Example(ents(nlp, (0, 1, "PER"), (3, 5, "LOC")), gold))
    assert found.counts == {"PER": (1, 0, 0)}
    assert not found.errors


def test_words_and_sentences(nlp):
    text = "uno dos"
    example = Example(Doc(nlp.vocab, ["u", "no", "dos"], spaces=[False, True, False]), nlp.make_doc(text))
    found = Spans("word").compare(example)
    assert found.counts == {"word": (1, 2, 1)}
    assert found.confusions == Counter({("word", "word"): 1, ("word", OTHER_BORDERS): 1, (NOTHING, "word"): 1})
    borders = [True, False, False, True, False, False]
    one = Example(doc(nlp, sent_starts=[True] + [False] * 5), doc(nlp, sent_starts=borders))
    assert Spans("sentence").compare(one).counts == {"sentence": (0, 1, 2)}


def test_tags_whose_gold_is_missing_do_not_count(nlp):
    example = Example(doc(nlp, tags=["N", "V", "P", "N", "N", "F"]), doc(nlp, tags=["N", "V", "P", "A", "N", ""]))
    found = Tokens("tag").compare(example)
    assert found.counts == {"N": (2, 1, 0), "V": (1, 0, 0), "P": (1, 0, 0), "A": (0, 0, 1)}
    assert found.confusions["A", "N"] == 1
    assert found.wrong == ((12, 15),)


def test_lemmas_have_one_row(nlp):
    lemmas = ["Ana", "vivir", "en", "san", "José", "."]
    example = Example(doc(nlp, lemmas=WORDS), doc(nlp, lemmas=lemmas))
    found = Tokens("lemma", matrix=False).compare(example)
    assert found.counts == {"lemma": (4, 2, 2)}
    assert found.confusions["vivir", "vive"] == 1


def test_features_must_be_right_too(nlp):
    pos = ["PROPN", "VERB", "ADP", "PROPN", "PROPN", "PUNCT"]
    morphs = ["Number=Sing", "Number=Sing", "_", "_", "_", "_"]
    gold = ["Number=Sing", "Number=Plur", "_", "", "_", "_"]
    found = Morphs().compare(Example(doc(nlp, pos=pos, morphs=morphs), doc(nlp, pos=pos, morphs=gold)))
    assert found.counts == {"PROPN": (3, 0, 0), "VERB": (0, 1, 1), "ADP": (1, 0, 0), "PUNCT": (1, 0, 0)}
    assert Morphs().gold_at(Example(doc(nlp, pos=pos), doc(nlp, pos=pos, morphs=gold)), 4, 8) == "VERB Number=Plur"


def test_arcs(nlp):
    heads, deps = [1, 1, 3, 1, 3, 1], ["nsubj", "ROOT", "case", "obl", "flat", "punct"]
    other = Example(
        doc(nlp, heads=[1, 1, 1, 1, 3, 1], deps=["obj", "ROOT", "case", "obl", "flat", "punct"]),
        doc(nlp, heads=heads, deps=deps),
    )
    found = Arcs().compare(other)
    assert found.counts["nsubj"] == (0, 0, 1)
    assert found.counts["obj"] == (0, 1, 0)
    assert found.counts["case"] == (0, 1, 1)  # the label is right, the head is not
    assert ("case", "case") not in found.confusions
    assert found.confusions["nsubj", "obj"] == 1
    assert Arcs().gold_at(other, 9, 11) == "case of San"
    assert Arcs().gold_at(other, 4, 8) == "ROOT, the root"


def compared(counts, confusions=()):
    return Compared(counts, Counter(dict(confusions)), ())


def test_rows_and_their_intervals():
    rng = np.random.default_rng(1)
    documents = [compared({"A": (n, 10 - n, 10 - n), "B": (1, 0, 0)}) for n in rng.binomial(10, 0.7, size=200).tolist()]
    every, first, second = label_rows(documents)
    assert (first.label, second.label) == ("A", "B")
    assert every.label is ALL
    assert first.gold == first.predicted == 2000
    assert (
        first.precision
        == first.recall
        == first.f1
        == pytest.approx(100 * sum(d.counts["A"][0] for d in documents) / 2000)
    )
    # a share of 0.7 over 2,000 independent decisions: a normal interval is 1.96 sqrt(0.21 / 2000) wide on either side
    assert first.high - first.low == pytest.approx(2 * 196 * (0.21 / 2000) ** 0.5, rel=0.1)
    assert first.low < first.f1 < first.high
    assert second.low == second.f1 == second.high == 100
    assert label_rows(documents) == label_rows(documents)


def test_a_single_label_is_all():
    assert [row.label for row in label_rows([compared({"word": (3, 1, 0)})])] == ["word"]


def test_large_matrices_keep_what_is_confused_most():
    pairs = {(f"L{k}", f"L{k + 1}"): k + 1 for k in range(2 * MOST_COLUMNS)}
    pairs[NOTHING, "L3"] = 1000
    matrix = confusion_matrix([compared({}, pairs)])
    assert len(matrix.rows) <= MOST_COLUMNS + 1
    assert OTHERS in matrix.rows
    assert matrix.counts.sum() == sum(pairs.values())
    assert matrix.counts[matrix.rows.index(NOTHING), matrix.columns.index("L3")] == 1000
    assert most_confused([compared({}, pairs), compared({}, {("A", "A"): 5000})])[0] == (NOTHING, "L3", 1000)


def test_labels_may_be_called_as_the_report_calls_its_own_rows(nlp):
    """Each has a row for itself, and what the report means by the name has another."""
    own = ["all", "nothing", "other borders", "–"]
    gold = ents(nlp, *((k, k + 1, label) for k, label in enumerate(own)), (4, 6, "PER"))
    found = Spans("entity").compare(Example(ents(nlp, (4, 5, "PER")), gold))
    assert found.counts == {"PER": (0, 1, 1)} | dict.fromkeys(own, (0, 0, 1))
    assert found.confusions == Counter({("PER", OTHER_BORDERS): 1} | {(label, NOTHING): 1 for label in own})
    matrix = confusion_matrix([found])
    assert matrix.counts.sum() == 5
    assert [label is own for label in matrix.columns for own in (NOTHING, OTHER_BORDERS)].count(True) == 2
    rows = label_rows([found])
    assert sorted(row.label for row in rows[1:]) == sorted([*own, "PER"])
    assert rows[0].label is ALL
    assert rows[0].gold == 5
    tags = Tokens("tag").compare(
        Example(doc(nlp, tags=["–", "nothing", *"NNNN"]), doc(nlp, tags=["nothing", "–", *"NNNN"]))
    )
    assert tags.counts == {"–": (0, 1, 1), "nothing": (0, 1, 1), "N": (4, 0, 0)}
    pairs = {("others", f"L{k}"): 1 for k in range(2 * MOST_COLUMNS)}
    matrix = confusion_matrix([compared({}, pairs)])
    assert sum(label == "others" for label in matrix.rows) == 1
    assert OTHERS in matrix.columns


def test_tokens_without_one_of_their_own_on_the_other_side(nlp):
    gold = Doc(nlp.vocab, ["ab", "c", "d"], tags=["A", "B", "C"], spaces=[True, True, False])
    example = Example(
        Doc(nlp.vocab, ["a", "b", "c", "d"], tags=["A", "A", "B", "X"], spaces=[False, True, True, False]), gold
    )
    found = Tokens("tag").compare(example)
    assert found.counts == {"A": (0, 2, 1), "B": (1, 0, 0), "C": (0, 0, 1), "X": (0, 1, 0)}
    assert found.confusions[NOTHING, "A"] == 2
    assert found.confusions["A", NOTHING] == 1
    assert found.wrong == ((0, 1), (0, 2), (1, 2), (5, 6))


@pytest.mark.parametrize(("task", "what"), [(Tokens("tag"), "tags"), (Tokens("lemma"), "lemmas"), (Morphs(), "pos")])
def test_parts_of_a_token_without_gold_do_not_count(nlp, task, what):
    gold = Doc(nlp.vocab, ["ab", "c"], spaces=[True, False], **{what: ["", "NOUN"]})
    predicted = Doc(nlp.vocab, ["a", "b", "c"], spaces=[False, True, False], **{what: ["VERB", "ADV", "NOUN"]})
    found = task.compare(Example(predicted, gold))
    assert sum(found.counts.values(), ()) == (1, 0, 0)
    assert found.wrong == ()


def test_features_of_a_token_that_is_cut_are_missed(nlp):
    gold = Doc(nlp.vocab, ["ab", "c"], spaces=[True, False], morphs=["Case=Nom", ""])
    predicted = Doc(nlp.vocab, ["a", "b", "c"], spaces=[False, True, False], pos=["VERB", "ADV", "NOUN"])
    found = Morphs().compare(Example(predicted, gold))
    assert found.counts == {"_": (1, 0, 1), "VERB": (0, 1, 0), "ADV": (0, 1, 0)}


def test_other_white_space_changes_nothing(nlp):
    gold = Doc(nlp.vocab, ["in", "New", "York", "."], spaces=[True, True, False, False])
    gold.set_ents([Span(gold, 1, 3, "LOC")], missing=[Span(gold, 3, 4)], default="outside")
    predicted = Doc(nlp.vocab, ["in", "  ", "New", "York", "."], spaces=[True, False, True, False, False])
    predicted.set_ents([Span(predicted, 2, 4, "LOC"), Span(predicted, 4, 5, "ORG")])
    example = Example(predicted, gold)
    assert gold.text != predicted.text
    found = Spans("entity").compare(example)
    assert found.counts == {"LOC": (1, 0, 0)}
    assert Spans("entity").gold_at(example, predicted[2].idx, predicted[3].idx + 4) == "LOC"
