"""The component by itself: labels, costs, gold, and what it writes on documents."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_mtl.components.entity_tags import tag_labels
from spacy_mtl.sentences import borders


@pytest.fixture
def ner(make_nlp):
    ner = make_nlp(["U0:%x[0,ORTH]", "B"]).get_pipe("mtl_ner")
    ner.set_labels(["PER", "LOC"])
    return ner


def make_doc(ner, words, ents=(), **attributes) -> Doc:
    doc = Doc(ner.vocab, words=words, **attributes)
    doc.set_ents([Span(doc, start, end, label) for start, end, label in ents])
    return doc


# --- labels ---


def test_labels_can_be_added_before_training(make_nlp):
    ner = make_nlp().get_pipe("mtl_ner")
    assert ner.labels == ()
    assert [ner.add_label(label) for label in ("PER", "ÑU", "PER")] == [1, 1, 0]
    assert ner.labels == ("PER", "ÑU")
    assert ner.label_data == ["PER", "ÑU"]
    assert "ÑU" in ner.vocab.strings


def test_no_label_can_be_added_during_training(trained):
    ner = trained.get_pipe("mtl_ner")
    assert ner.add_label(ner.labels[0]) == 0
    with pytest.raises(
        ValueError, match=r"^\[M408\] 'mtl_ner' is being trained for the labels LOC, MISC, ORG, PER; 'NEW' "
    ):
        ner.add_label("NEW")


@pytest.mark.parametrize("scheme", ["biluo", "iob2"])
@pytest.mark.parametrize("valid_only", [True, False])
def test_chain_has_the_tags_of_its_scheme(make_nlp, scheme, valid_only):
    ner = make_nlp(scheme=scheme, valid_only=valid_only).get_pipe("mtl_ner")
    ner.set_labels(["X", "Y"])
    assert ner.chain_labels == tag_labels(["X", "Y"], scheme)
    allowed = ner.chain_constraints()
    assert allowed.step.all() == allowed.start.all() == (not valid_only)


# --- costs ---


def cost(make_nlp, costs) -> np.ndarray:
    ner = make_nlp(scheme="iob2", costs=costs).get_pipe("mtl_ner")
    ner.set_labels(["X", "Y"])  # O, B-X, I-X, B-Y, I-Y
    return ner.cost_matrix()


def test_cost_is_hamming_by_default(make_nlp):
    assert np.array_equal(cost(make_nlp, {}), 1 - np.eye(5))


def test_costs_change_the_pairs_they_name_in_order(make_nlp):
    matrix = cost(make_nlp, {"*>O": 3.0, "X>*": 2.0, "Y>X": 0.5})
    expected = [
        [0, 1, 1, 1, 1],
        [2, 0, 2, 2, 2],
        [2, 2, 0, 2, 2],
        [3, 0.5, 0.5, 0, 1],
        [3, 0.5, 0.5, 1, 0],
    ]
    assert matrix.tolist() == expected
    assert matrix.dtype == np.float32


def test_cost_of_missing_entities_finds_more_of_them(make_nlp, read_corpus, train):
    counts = {}
    for value in (0.05, 1.0, 20.0):
        nlp = make_nlp(costs={"*>O": value}, trainer={"C": 0.05})
        examples = read_corpus(nlp, limit=60)
        train(nlp, examples, passes=8)
        counts[value] = sum(len(doc.ents) for doc in nlp.pipe([e.predicted.copy() for e in examples]))
    assert counts[0.05] < counts[1.0] < counts[20.0]


# --- gold ---


def gold_tags(ner, example) -> list[str]:
    labels = [*ner.chain_labels, "-"]
    return [labels[y] for y in ner.gold_labels(example, borders([example.predicted]))]


def test_gold_of_the_same_tokens(ner):
    words = ["Ana", "Ruiz", "vive", "en", "Lugo"]
    reference = make_doc(ner, words, [(0, 2, "PER"), (4, 5, "LOC")])
    example = Example(Doc(ner.vocab, words=words), reference)
    assert gold_tags(ner, example) == ["B-PER", "L-PER", "O", "O", "U-LOC"]


def test_gold_is_cut_at_sentences_of_the_predicted_document(ner):
    words = ["Ana", "Ruiz", "Gil"]
    predicted = Doc(ner.vocab, words=words, sent_starts=[True, False, True])
    example = Example(predicted, make_doc(ner, words, [(0, 3, "PER")]))
    assert gold_tags(ner, example) == ["B-PER", "L-PER", "U-PER"]


def test_missing_gold_is_masked(ner):
    words = ["Ana", "y", "Lugo"]
    bare = Example(Doc(ner.vocab, words=words), Doc(ner.vocab, words=words))
    assert gold_tags(ner, bare) == ["-", "-", "-"]
    partly = Example.from_dict(Doc(ner.vocab, words=words), {"entities": ["U-PER", "-", "O"]})
    assert gold_tags(ner, partly) == ["U-PER", "-", "O"]


def test_types_the_component_does_not_know_are_masked(ner):
    words = ["Ana", "y", "Lugo"]
    example = Example(Doc(ner.vocab, words=words), make_doc(ner, words, [(0, 1, "OTHER")]))
    assert gold_tags(ner, example) == ["-", "O", "O"]


@pytest.mark.parametrize(
    ("predicted", "tags"),
    [
        (["Ana", "Ruiz", "vive"], ["B-PER", "L-PER", "O"]),
        (["An", "a", "Ruiz", "vi", "ve"], ["B-PER", "I-PER", "L-PER", "O", "O"]),
        (["Ana Ruiz", "vive"], ["U-PER", "O"]),
        (["Ana", "Ruiz vive"], ["-", "-"]),
    ],
)
def test_gold_of_other_tokens_is_aligned_or_masked(ner, predicted, tags):
    reference = make_doc(ner, ["Ana", "Ruiz", "vive"], [(0, 2, "PER")], spaces=[True, True, False])
    doc = Doc(ner.vocab, words=predicted, spaces=spaces_of(predicted, "Ana Ruiz vive"))
    assert doc.text == reference.text
    assert gold_tags(ner, Example(doc, reference)) == tags


def spaces_of(words, text) -> list[bool]:
    spaces, at = [], 0
    for word in words:
        at += len(word)
        spaces.append(text[at : at + 1] == " ")
        at += spaces[-1]
    return spaces


def test_missing_gold_of_other_tokens_is_masked(ner):
    reference = Doc(ner.vocab, words=["Ana", "Ruiz"])
    assert gold_tags(ner, Example(Doc(ner.vocab, words=["Ana R", "uiz"], spaces=[False, False]), reference)) == [
        "-",
        "-",
    ]


# --- writing ---


def annotate(ner, doc, tags) -> list[tuple]:
    labels = list(ner.chain_labels)
    ner.set_annotations([doc], [np.array([labels.index(tag) for tag in tags], np.int32)])
    return [(ent.start, ent.end, ent.label_) for ent in doc.ents]


TAGS = ["B-PER", "L-PER", "O", "U-LOC"]


def test_entities_are_written(ner):
    doc = Doc(ner.vocab, words=["a"] * 4)
    assert annotate(ner, doc, TAGS) == [(0, 2, "PER"), (3, 4, "LOC")]
    assert doc.has_annotation("ENT_IOB", require_complete=True)


@pytest.mark.parametrize("present", [(0, 1), (1, 2), (1, 3), (0, 4)])
def test_entities_already_there_stay(ner, present):
    doc = make_doc(ner, ["a"] * 4, [(*present, "OTHER")])
    kept = [ent for ent in [(0, 2, "PER"), (3, 4, "LOC")] if ent[1] <= present[0] or ent[0] >= present[1]]
    assert annotate(ner, doc, TAGS) == sorted([*kept, (*present, "OTHER")])
    assert doc.has_annotation("ENT_IOB", require_complete=True)


def test_entities_that_stay_keep_their_links(ner):
    doc = Doc(ner.vocab, words=["a"] * 4)
    doc.set_ents([Span(doc, 2, 3, "OTHER", kb_id="Q1", span_id="rule")])
    assert annotate(ner, doc, TAGS) == [(0, 2, "PER"), (2, 3, "OTHER"), (3, 4, "LOC")]
    assert [(ent.kb_id_, ent.id_) for ent in doc.ents] == [("", ""), ("Q1", "rule"), ("", "")]


def test_blocked_tokens_get_no_entity(ner):
    doc = Doc(ner.vocab, words=["a"] * 4)
    doc.set_ents([], blocked=[doc[1:2]], default="missing")
    assert annotate(ner, doc, TAGS) == [(3, 4, "LOC")]
    assert (doc[1].ent_iob_, doc[1].ent_type_) == ("B", "")


def test_tokens_set_to_be_outside_stay_so(ner):
    doc = Doc(ner.vocab, words=["a"] * 4)
    doc.set_ents([], outside=[doc[1:2]], default="missing")
    assert annotate(ner, doc, TAGS) == [(3, 4, "LOC")]
    assert [token.ent_iob_ for token in doc] == ["O", "O", "O", "B"]


def test_tokens_that_are_outside_because_others_are_entities_are_free(ner):
    doc = Doc(ner.vocab, words=["a"] * 4)
    doc.ents = [Span(doc, 3, 4, "OTHER")]
    assert annotate(ner, doc, TAGS) == [(0, 2, "PER"), (3, 4, "OTHER")]


def test_overwriting_replaces_entities_and_their_links(make_nlp):
    ner = make_nlp(["U0:%x[0,ORTH]", "B"], overwrite=True).get_pipe("mtl_ner")
    ner.set_labels(["PER", "LOC"])
    doc = Doc(ner.vocab, words=["a"] * 4)
    doc.set_ents([Span(doc, 1, 4, "OTHER", kb_id="Q1", span_id="rule")])
    assert annotate(ner, doc, TAGS) == [(0, 2, "PER"), (3, 4, "LOC")]
    assert all(ent.kb_id_ == ent.id_ == "" for ent in doc.ents)


def test_several_and_empty_documents_are_written(ner):
    docs = [Doc(ner.vocab, words=["a"] * n) for n in (2, 0, 1)]
    ner.set_annotations(docs, [np.array([1, 3], np.int32), np.empty(0, np.int32), np.array([8], np.int32)])
    assert [[(e.start, e.end, e.label_) for e in doc.ents] for doc in docs] == [[(0, 2, "PER")], [], [(0, 1, "LOC")]]
    ner.set_annotations([], [])


def test_untrained_component_says_that_nothing_is_an_entity(ner):
    doc = ner(make_doc(ner, ["Ana", "vive"]))
    assert doc.ents == ()
    assert not ner.report
    assert ner.template_weights() == []


def test_invalid_sequences_of_an_unconstrained_chain_are_read_as_conlleval_does(make_nlp):
    ner = make_nlp(scheme="iob2", valid_only=False).get_pipe("mtl_ner")
    ner.set_labels(["X", "Y"])
    doc = Doc(ner.vocab, words=["a"] * 4)
    assert annotate(ner, doc, ["I-X", "I-Y", "O", "I-Y"]) == [(0, 1, "X"), (1, 2, "Y"), (3, 4, "Y")]


def test_template_weights_have_a_line_per_template(trained, templates):
    lines = trained.get_pipe("mtl_ner").template_weights()
    assert sorted(line["name"] for line in lines) == ["B", "B1", "U0", "U1", "U2", "U3", "U4", "U5"]
    assert all(set(line) == {"name", "pattern", "weight", "norm", "rows"} for line in lines)
    assert sum(line["weight"] for line in lines) == pytest.approx(1)
    assert {f"{line['name']}:{line['pattern']}".removesuffix(":") for line in lines} == set(templates)


def test_analysis_of_the_pipeline_knows_what_is_assigned():
    nlp = spacy.blank("es")
    nlp.add_pipe("mtl_ner")
    analysis = nlp.analyze_pipes()
    assert set(analysis["summary"]["mtl_ner"]["assigns"]) == {"doc.ents", "token.ent_iob", "token.ent_type"}
    assert analysis["summary"]["mtl_ner"]["scores"] == ["ents_f", "ents_p", "ents_r", "ents_per_type"]
