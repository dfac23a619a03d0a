"""Training inside spaCy's loop: the same result whatever the batches, the order and the objects that carry the corpus."""

import random

import numpy as np
import pytest
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry
from thinc.api import Adam

from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

BATCHERS = {
    "words": {"@batchers": "spacy.batch_by_words.v1", "size": 60, "discard_oversize": False, "tolerance": 0.2},
    "sequences": {"@batchers": "spacy.batch_by_sequence.v1", "size": 7},
    "padded": {"@batchers": "spacy.batch_by_padded.v1", "size": 90, "discard_oversize": False, "buffer": 16},
    "one": {"@batchers": "spacy.batch_by_sequence.v1", "size": 1},
    "short": {"@batchers": "spacy.batch_by_words.v1", "size": 20, "discard_oversize": True, "tolerance": 0.0},
    "whole": {"@batchers": "spacy_mtl.whole_corpus.v1"},
}


def weights_of(nlp, name="mtl_ner") -> bytes:
    return nlp.get_pipe(name).to_bytes(exclude=["vocab"])


def loop(nlp, read, batcher="whole", epochs=3, seed=None):
    """spaCy's loop in short: documents in any order, new Examples in each epoch."""
    nlp.initialize(read)
    batches = registry.resolve({"b": BATCHERS[batcher]})["b"]
    for epoch in range(epochs):
        examples = list(read())
        if seed is not None:
            random.Random(seed + epoch).shuffle(examples)
        for batch in batches(examples):
            nlp.update(batch)
    return nlp


def with_repeats(examples):
    """The corpus with some sentences twice and one three times."""
    return [*examples, *examples[5:9], examples[6]]


@pytest.fixture(scope="module", params=["dual_ascent", "cutting_plane"])
def solver(request):
    return request.param


@pytest.fixture(scope="module")
def reference(make_nlp, read_corpus, solver):
    nlp = make_nlp(trainer={"solver": solver})
    return loop(nlp, lambda: with_repeats(read_corpus(nlp)))


# --- the same result ---


@pytest.mark.parametrize(
    ("batcher", "seed"), [*((name, 1) for name in BATCHERS if name != "short"), ("words", None), ("one", 2)]
)
def test_batches_order_and_fresh_objects_change_nothing(make_nlp, read_corpus, solver, reference, batcher, seed):
    nlp = make_nlp(trainer={"solver": solver})
    loop(nlp, lambda: with_repeats(read_corpus(nlp)), batcher, seed=seed)
    assert nlp.get_pipe("mtl_ner")._learner.training.passes == 3
    assert weights_of(nlp) == weights_of(reference)


def test_training_outside_the_loop_is_the_same(reference, solver):
    training = reference.get_pipe("mtl_ner")._learner.training
    outside = fit(MTLStruct(solver=solver), training.problem, passes=3)
    for ours, theirs in zip(training.weights, outside.weights, strict=True):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(training.template_weights, outside.template_weights)
    assert outside.report() == training.report()


def test_repeated_sentences_count_as_often_as_they_come(make_nlp, read_corpus, reference, solver):
    nlp = make_nlp(trainer={"solver": solver})
    loop(nlp, lambda: read_corpus(nlp))
    assert reference.get_pipe("mtl_ner")._learner.training.problem.n == 45
    assert nlp.get_pipe("mtl_ner")._learner.training.problem.n == 40
    assert weights_of(nlp) != weights_of(reference)


def test_initializing_again_begins_anew(make_nlp, read_corpus, reference, solver):
    nlp = make_nlp(trainer={"solver": solver})
    loop(nlp, lambda: read_corpus(nlp, "dev"), "one", epochs=2)
    assert nlp.get_pipe("mtl_ner").template_weights()
    nlp.initialize(lambda: with_repeats(read_corpus(nlp)))
    assert not nlp.get_pipe("mtl_ner").template_weights()
    nlp.update(read_corpus(nlp, limit=3))  # a pass that is broken off
    loop(nlp, lambda: with_repeats(read_corpus(nlp)), "words")
    assert weights_of(nlp) == weights_of(reference)


@pytest.mark.parametrize("seed", [None, 1])
def test_documents_that_a_batcher_drops_are_left_out(make_nlp, read_corpus, seed):
    nlp, short = make_nlp(), make_nlp()
    loop(nlp, lambda: read_corpus(nlp), "short", epochs=4, seed=seed)
    labels = nlp.get_pipe("mtl_ner").labels
    kept = [example for example in read_corpus(short) if len(example) <= 20]
    assert 5 < len(kept) < 35
    short.get_pipe("mtl_ner").set_labels(labels)
    loop(short, lambda: kept, epochs=3)  # a pass ends when the next one begins: the fourth is still open
    assert weights_of(nlp) == weights_of(short)


# --- the loop's other demands ---


def test_each_update_sets_the_loss(make_nlp, read_corpus):
    nlp = make_nlp()
    examples = read_corpus(nlp, limit=30)
    nlp.initialize(lambda: examples)
    training = None
    per_batch = []
    for _ in range(3):
        for start in range(0, 30, 10):
            losses = nlp.update(examples[start : start + 10], drop=0.5)
            assert set(losses) == {"mtl_ner"}
            per_batch.append(losses["mtl_ner"])
        training = nlp.get_pipe("mtl_ner")._learner.training
        assert per_batch[-1] == pytest.approx(training.loss / 3)
    assert per_batch[:2] == [sum(map(len, examples[:10])), sum(map(len, examples[10:20]))]  # nothing is learnt yet
    assert per_batch[1] > per_batch[2] == per_batch[3] == per_batch[4] > per_batch[5] > per_batch[8] > 0
    assert nlp.get_pipe("mtl_ner").update([]) == {"mtl_ner": 0.0}
    assert nlp.update([]) == {}


def test_training_stops_by_itself_once_it_has_converged(make_nlp, read_corpus):
    nlp = make_nlp(trainer={"tol": 0.5})
    examples = read_corpus(nlp)
    nlp.initialize(lambda: examples)
    passes = []
    for _ in range(30):
        nlp.update(examples)
        passes.append(nlp.get_pipe("mtl_ner").report.passes)
        if nlp.get_pipe("mtl_ner")._learner.training.converged:
            break
    before = weights_of(nlp)
    for _ in range(3):
        nlp.update(examples)
    assert passes == list(range(1, passes[-1] + 1))
    assert passes[-1] < 30
    assert nlp.get_pipe("mtl_ner").report.passes == passes[-1]
    assert nlp.get_pipe("mtl_ner").report.gap <= 0.5
    assert weights_of(nlp) == before


def test_averages_of_another_component_leave_it_alone(make_nlp, read_corpus):
    nlp = make_nlp(["U0:%x[0,ORTH]", "U1:%x[0,SHAPE]/%x[-1,LOWER]", "B"])
    nlp.add_pipe("tagger")
    examples = read_corpus(nlp, limit=15)
    optimizer = nlp.initialize(lambda: examples, sgd=Adam(0.01, use_averages=True))
    for _ in range(3):
        losses = nlp.update(examples, sgd=optimizer)
    assert set(losses) == {"mtl_ner", "tagger"}
    assert optimizer.averages
    texts = [example.text for example in examples]
    found = [[ent.text for ent in doc.ents] for doc in nlp.pipe(texts)]
    with nlp.use_params(optimizer.averages):
        assert [[ent.text for ent in doc.ents] for doc in nlp.pipe(texts)] == found
        inside = weights_of(nlp)
    assert weights_of(nlp) == inside
    assert any(found)


# --- labels ---


def test_labels_of_the_corpus_are_sorted(reference):
    assert reference.get_pipe("mtl_ner").labels == ("LOC", "MISC", "ORG", "PER")


def test_labels_can_be_given_to_initialize(make_nlp, read_corpus, tmp_path, reference, solver):
    path = tmp_path / "mtl_ner.json"
    srsly.write_json(path, reference.get_pipe("mtl_ner").label_data)
    nlp = make_nlp(trainer={"solver": solver})
    labels = {"@readers": "spacy.read_labels.v1", "path": str(path)}
    nlp.config["initialize"]["components"]["mtl_ner"] = {"labels": labels}
    loop(nlp, lambda: with_repeats(read_corpus(nlp)))
    assert weights_of(nlp) == weights_of(reference)


def test_labels_given_come_first_and_those_of_the_corpus_follow(make_nlp, read_corpus):
    nlp = make_nlp()
    nlp.get_pipe("mtl_ner").initialize(lambda: read_corpus(nlp), labels=["PER", "EXTRA"])
    assert nlp.get_pipe("mtl_ner").labels == ("PER", "EXTRA", "LOC", "MISC", "ORG")
    other = make_nlp()
    other.get_pipe("mtl_ner").add_label("ZZZ")
    loop(other, lambda: read_corpus(other), epochs=1)
    assert other.get_pipe("mtl_ner").labels == ("ZZZ", "LOC", "MISC", "ORG", "PER")


def test_corpus_without_entities_can_be_learnt_if_labels_are_given(make_nlp):
    nlp = make_nlp(["U0:%x[0,ORTH]"])
    examples = [Example.from_dict(nlp.make_doc("Hola a todos"), {"entities": []})]
    nlp.get_pipe("mtl_ner").add_label("PER")
    loop(nlp, lambda: examples, epochs=2)
    assert nlp("Hola a todos").ents == ()


# --- gold that is missing or does not align ---


def half_annotated(nlp, examples):
    """Every other sentence without entity annotation, and every third with its first half unknown."""
    for i, example in enumerate(examples):
        reference = example.reference.copy()
        if i % 2:
            reference = Doc(
                nlp.vocab, words=[t.text for t in reference], spaces=[bool(t.whitespace_) for t in reference]
            )
        elif i % 3 == 0:
            ents = [ent for ent in reference.ents if ent.start >= 5]
            reference.set_ents(ents, missing=[reference[:5]] if all(e.start >= 5 or e.end <= 5 for e in ents) else [])
        yield Example(example.predicted, reference)


def test_missing_annotation_is_left_out(make_nlp, read_corpus):
    nlp, only = make_nlp(), make_nlp()
    examples = read_corpus(nlp)
    loop(nlp, lambda: list(half_annotated(nlp, examples)), "sequences")
    problem = nlp.get_pipe("mtl_ner")._learner.training.problem
    assert problem.n == 20
    assert (problem.arrays.gold < 0).sum() == sum(map(len, examples[1::2])) + 5 * len(examples[::6])
    loop(only, lambda: list(half_annotated(only, read_corpus(only)))[::2])
    found = only.get_pipe("mtl_ner")._learner.training.problem
    assert sorted(found.arrays.last - found.arrays.first) == sorted(problem.arrays.last - problem.arrays.first)


def test_other_tokens_than_those_of_the_gold_are_aligned(make_nlp, train):
    nlp = make_nlp(["U0:%x[0,ORTH]", "U1:%x[-1,ORTH]"])
    gold = Doc(nlp.vocab, words=["Ana", "Gil", "vive", "en", "Lugo"], spaces=[True] * 4 + [False])
    gold.ents = [spacy.tokens.Span(gold, 0, 2, "PER"), spacy.tokens.Span(gold, 4, 5, "LOC")]
    words = ["An", "a", "Gil", "vive en", "Lugo"]
    predicted = Doc(nlp.vocab, words=words, spaces=[False, True, True, True, False])
    examples = [Example(predicted, gold)]
    train(nlp, examples, passes=10)
    assert nlp.get_pipe("mtl_ner")._learner.training.problem.arrays.gold.tolist() == [5, 6, 7, 0, 4]
    doc = nlp.get_pipe("mtl_ner")(predicted.copy())
    assert [(ent.text, ent.label_) for ent in doc.ents] == [("Ana Gil", "PER"), ("Lugo", "LOC")]


def test_empty_documents_do_no_harm(make_nlp, read_corpus):
    nlp, other = make_nlp(), make_nlp()
    empty = Example(Doc(nlp.vocab), Doc(nlp.vocab))
    loop(nlp, lambda: [empty, *read_corpus(nlp, limit=10), empty], "one", seed=3)
    loop(other, lambda: read_corpus(other, limit=10))
    assert nlp.get_pipe("mtl_ner")._learner.training.problem.n == 10
    assert nlp.evaluate(read_corpus(nlp, limit=10))["ents_f"] > 0.8


# --- components that annotate ---


@Language.component("test_lookup_tagger", assigns=["token.tag"])
def lookup_tagger(doc):
    return tag_words(doc, str.isupper)


@Language.component("test_idle_lemmatizer", assigns=["token.lemma"])
def idle_lemmatizer(doc):
    return doc


def tag_words(doc, is_noun) -> Doc:
    for token in doc:
        token.tag_ = "N" if is_noun(token.text[0]) else "X"
    return doc


def annotated(make_nlp, texts=("U0:%x[0,TAG]", "U1:%x[0,TAG]/%x[-1,LOWER]", "B")):
    nlp = make_nlp(texts)
    nlp.add_pipe("test_lookup_tagger", first=True)
    nlp.config["training"]["annotating_components"] = ["test_lookup_tagger"]
    return nlp


def test_predictions_between_passes_change_nothing_that_is_saved(make_nlp, read_corpus):
    saved = []
    for predicts in (False, True):
        nlp = make_nlp(["U0:%x[0,ORTH]", "U1:%x[-1,LOWER]/%x[0,SHAPE]", "B"], trainer={"p": 1.5})
        examples = read_corpus(nlp)
        nlp.initialize(lambda examples=examples: examples)
        for _ in range(4):
            nlp.update(examples)
            if predicts:
                assert list(nlp.pipe([example.reference.text for example in examples]))
        saved.append(nlp.get_pipe("mtl_ner").to_bytes(exclude=["vocab"]))
    assert saved[0] == saved[1]


def test_attributes_may_be_set_while_training(make_nlp, read_corpus):
    nlp, given = annotated(make_nlp), make_nlp(["U0:%x[0,TAG]", "U1:%x[0,TAG]/%x[-1,LOWER]", "B"])
    examples = read_corpus(nlp, limit=30, given=())
    nlp.initialize(lambda: examples)
    for _ in range(3):
        for start in range(0, 30, 7):
            nlp.update(examples[start : start + 7], annotates=["test_lookup_tagger"])
    tagged = read_corpus(given, limit=30)
    for example in tagged:
        lookup_tagger(example.predicted)
    loop(given, lambda: tagged)
    assert weights_of(nlp) == weights_of(given)
    assert nlp.evaluate(examples)["ents_f"] > 0.5


def test_attributes_that_change_while_training_are_followed(make_nlp, read_corpus):
    nlp, fresh = (make_nlp(["U0:%x[0,TAG]/%x[-1,LOWER]", "U1:%x[0,TAG]", "B"]) for _ in range(2))
    nlp.config["training"]["annotating_components"] = ["a tagger that learns too"]

    def tagged(pipeline, is_noun) -> list[Example]:
        examples = read_corpus(pipeline, limit=20, given=())
        for example in examples:
            tag_words(example.predicted, is_noun)
        return examples

    nlp.initialize(lambda: read_corpus(nlp, limit=20, given=()))
    for _ in range(3):
        nlp.update(tagged(nlp, str.islower))
    for _ in range(80):
        nlp.update(tagged(nlp, str.isupper))
    loop(fresh, lambda: tagged(fresh, str.isupper), epochs=80)
    reports = [pipeline.get_pipe("mtl_ner").report for pipeline in (nlp, fresh)]
    assert max(report.gap for report in reports) < 0.05
    assert reports[0].primal == pytest.approx(reports[1].primal, rel=0.05)
    assert nlp.evaluate(tagged(nlp, str.isupper))["ents_f"] > 0.5


def test_attribute_that_the_annotating_component_does_not_set_is_refused(make_nlp, read_corpus):
    nlp = annotated(make_nlp, ["U0:%x[0,TAG]", "U1:%x[0,LEMMA]"])
    nlp.add_pipe("test_idle_lemmatizer", first=True)
    nlp.config["training"]["annotating_components"] += ["test_idle_lemmatizer"]
    examples = read_corpus(nlp, limit=5, given=())
    nlp.initialize(lambda: examples)
    with pytest.raises(
        ValueError, match=r"^\[M111\] Template 'U1:%x\[0,LEMMA\]' reads the attribute 'LEMMA', which no"
    ):
        nlp.update(examples, annotates=["test_lookup_tagger"])


def test_sentences_that_change_while_training_are_followed(make_nlp, read_corpus):
    nlp = make_nlp(["U0:%x[0,ORTH]", "B"])
    examples = read_corpus(nlp, limit=10)
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    for example in examples:
        for token in example.predicted:
            token.is_sent_start = token.i % 4 == 0
    nlp.update(examples)
    training = nlp.get_pipe("mtl_ner")._learner.training
    assert training.problem.n == sum((len(example) + 3) // 4 for example in examples)
    nlp.update(examples)
    assert nlp.get_pipe("mtl_ner")._learner.training is training
    assert training.passes == 3


def test_documents_that_come_late_join_what_has_been_learnt(make_nlp, read_corpus):
    late, straight = make_nlp(), make_nlp()
    examples = read_corpus(late)
    late.initialize(lambda: examples)
    for _ in range(8):  # a pass is nearly as many documents as there are, if one comes again
        late.update(examples[:5])
    learner = late.get_pipe("mtl_ner")._learner
    training = learner.training
    before = training.problem.n
    late.update(examples)
    assert late.get_pipe("mtl_ner")._learner.training is training
    assert (before, training.problem.n, training.passes) == (5, 40, 3)
    for _ in range(39):
        late.update(examples)
    loop(straight, lambda: read_corpus(straight), epochs=42)
    reports = [nlp.get_pipe("mtl_ner").report for nlp in (late, straight)]
    assert max(report.gap for report in reports) < 0.05
    assert reports[0].primal == pytest.approx(reports[1].primal, rel=0.05)


def test_documents_of_another_vocabulary_are_refused(make_nlp, read_corpus):
    nlp = make_nlp()
    with pytest.raises(ValueError, match="M410"):
        nlp.initialize(lambda: read_corpus(make_nlp()))


def test_entity_types_with_tag_prefixes_inside_survive_misalignment(make_nlp):
    nlp = make_nlp(texts=["U0:%x[0,ORTH]", "B"])
    predicted = Doc(nlp.vocab, words=["Banco", "Central", "hoy", "!"])
    reference = Doc(nlp.vocab, words=["Banco", "Central", "hoy!"], ents=["B-EU-ORG", "I-EU-ORG", "O"])
    example = Example(predicted, reference)
    nlp.initialize(lambda: [example])
    gold = nlp.get_pipe("mtl_ner").gold_labels(example, np.array([0, 4]))
    labels = nlp.get_pipe("mtl_ner").chain_labels
    assert [labels[tag] for tag in gold[:2]] == ["B-EU-ORG", "L-EU-ORG"]
