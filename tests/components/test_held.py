"""Annotation that documents already have holds the decoder, so that the rest adapts: against enumeration of all label sequences."""

from itertools import pairwise, product

import numpy as np
import pytest
import spacy
from spacy.attrs import SENT_START
from spacy.tokens import Doc, Span

from spacy_mtl.components.entity_tags import hold_tags, tag_labels
from spacy_mtl.models.chain.decode import one_label_each
from spacy_mtl.sentences import borders

from ..pipelines import make_nlp, read_corpus, train
from .test_morphologizer import make as make_morphologizer
from .test_morphologizer import read as read_trees
from .test_senter import make as make_senter
from .test_senter import read as read_grouped
from .test_tagger import make_tagger
from .test_tagger import read as read_tagged


def best_allowed(pipe, doc, allowed):
    """The best label sequence of a document among those in which each token has one of its labels, by trying all. allowed: for each token, a set."""
    pipe.predict([Doc(pipe.vocab, words=["x"])])  # makes the predictor
    predictor = pipe.model.attrs["predictor"]
    starts = np.array([0, len(doc)], np.int64)
    scores = predictor.scores(predictor.reader.read_given([doc]), starts, starts)
    nodes, pairs = (part.astype(float) for part in scores)
    for t, labels in enumerate(allowed):
        if len(labels) == 1:
            nodes[t] = 0  # whatever forbids the label
    start, end, mask = pipe.model.attrs["constraints"].penalties()
    step = predictor._chain.step + mask

    def score(labels):
        total = start[labels[0]] + end[labels[-1]] + sum(nodes[t, y] for t, y in enumerate(labels))
        total += sum(step[x, y] for x, y in pairwise(labels))
        return total + (sum(pairs[t, labels[t - 1], labels[t]] for t in range(1, len(labels))) if len(pairs) else 0)

    return list(max(product(*allowed), key=score))


@pytest.fixture(scope="module", params=["iob2", "biluo"])
def entities(request):
    nlp = make_nlp(
        ["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]/%x[0,SHAPE]", "U2:%x[1,ORTH]", "B", "B1:%x[0,SHAPE]"], scheme=request.param
    )
    return train(nlp, read_corpus(nlp, limit=60))


WORDS = ["La", "Universidad", "de", "Chile"]


def test_entities_are_held_and_the_others_are_the_best_beside_them(entities):
    ner = entities.get_pipe("mtl_ner")
    labels = ner.chain_labels
    number = {label: k for k, label in enumerate(labels)}
    for a, b in ((0, 1), (1, 3), (0, 4), (3, 4)):
        for kind in (*ner.labels, "OWN"):
            doc = Doc(entities.vocab, words=WORDS)
            doc.set_ents([Span(doc, a, b, kind)], default="missing")
            allowed = [set(range(len(labels))) for _ in WORDS]
            for t in range(a, b):
                prefix = "B" if t == a else "I"
                if ner.cfg["scheme"] == "biluo" and t == b - 1:
                    prefix = "U" if t == a else "L"
                allowed[t] = {number[f"{prefix}-{kind}"] if kind in ner.labels else 0}
            if b < len(WORDS):
                allowed[b].discard(number.get(f"I-{kind}", -1))
            predicted = ner.predict([doc])[0].tolist()
            assert predicted == best_allowed(ner, doc, allowed)
            written = ner(doc)
            assert (a, b, kind) in [(ent.start, ent.end, ent.label_) for ent in written.ents]


def test_blocked_and_outside_tokens_are_held(entities):
    ner = entities.get_pipe("mtl_ner")
    every = set(range(len(ner.chain_labels)))
    for setting in ("blocked", "outside"):
        doc = Doc(entities.vocab, words=WORDS)
        doc.set_ents([], **{setting: [doc[1:3]]}, default="missing")
        assert ner.predict([doc])[0].tolist() == best_allowed(ner, doc, [every, {0}, {0}, every])
        assert not any(token.ent_type for token in ner(doc)[1:3])


def test_with_overwrite_nothing_is_held(entities):
    ner, doc = entities.get_pipe("mtl_ner"), Doc(entities.vocab, words=WORDS)
    free = ner.predict([doc])[0].tolist()
    doc.set_ents([Span(doc, 0, 3, ner.labels[0])], default="missing")
    assert ner.predict([doc])[0].tolist() != free
    ner.overwrite = True
    try:
        assert ner.predict([doc])[0].tolist() == free
    finally:
        ner.overwrite = False


def test_only_the_docs_with_entities_are_held(entities):
    ner = entities.get_pipe("mtl_ner")
    docs = [Doc(entities.vocab, words=WORDS), Doc(entities.vocab), Doc(entities.vocab, words=[*WORDS, "hoy"])]
    free = [found.tolist() for found in ner.predict(docs)]
    docs[2].set_ents([Span(docs[2], 0, 2, "OWN")], default="missing")
    found = [found.tolist() for found in ner.predict(docs)]
    assert found[:2] == free[:2]
    assert found[2] == ner.predict([docs[2]])[0].tolist() != free[2]
    assert found[2][:2] == [0, 0]


def test_a_ruler_before_makes_room():
    """A predicted entity that would overlap one of the ruler's gives way to the best one that does not."""
    nlp = train(made := make_nlp(["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]", "U2:%x[1,LOWER]", "B"]), read_corpus(made))
    text = "Fuentes de la Universidad Complutense de Madrid"
    ruler = nlp.add_pipe("entity_ruler", before="mtl_ner")
    ruler.add_patterns([{"label": "OWN", "pattern": "Complutense de"}])
    doc = nlp(text)
    assert ("Complutense de", "OWN") in [(ent.text, ent.label_) for ent in doc.ents]
    labels = nlp.get_pipe("mtl_ner").predict([ruler(nlp.make_doc(text))])[0]
    assert labels[4:6].tolist() == [0, 0]


def test_tags_of_iob2_do_not_continue_what_is_held():
    labels = tag_labels(["X", "Y"], "iob2")
    held = hold_tags(np.array([-1, 1, 2, -1, 3, -1, 0, -1]), labels)
    assert held.at.tolist() == [1, 2, 3, 4, 5, 6]
    assert [[labels[k] for k in np.flatnonzero(row)] for row in held.labels] == [
        ["B-X"], ["I-X"], ["O", "B-X", "B-Y", "I-Y"], ["B-Y"], ["O", "B-X", "I-X", "B-Y"], ["O"],
    ]  # fmt: skip


def test_nothing_is_held_where_nothing_is_known():
    assert one_label_each(np.array([-1, -1]), 3) is None
    assert one_label_each(np.array([-1, 2]), 3).labels.tolist() == [[False, False, True]]


# --- columns ---


@pytest.fixture(scope="module")
def tags(corpus_path):
    """Known words get no other tags, unless a document has them."""
    nlp = make_tagger(known_words=1)
    return train(nlp, read_tagged(nlp, corpus_path))


def test_tags_are_held_and_their_neighbours_adapt(tags):
    tagger, words = tags.get_pipe("mtl_tagger"), ["Una", "casa", "blanca"]
    every, adapted = set(range(len(tagger.labels))), 0
    free = tagger.predict([Doc(tags.vocab, words=words)])[0].tolist()
    for place in range(3):
        for number, tag in enumerate(tagger.labels):
            given = [tag if t == place else "" for t in range(3)]
            doc = Doc(tags.vocab, words=words, tags=given)
            found = tagger.predict([doc])[0].tolist()
            assert found == best_allowed(tagger, doc, [{number} if t == place else every for t in range(3)])
            adapted += any(found[t] != free[t] for t in range(3) if t != place)
            assert tagger(doc)[place].tag_ == tag
    assert adapted


def test_tags_that_the_model_does_not_know_hold_nothing_but_stay(tags):
    tagger = tags.get_pipe("mtl_tagger")
    doc = Doc(tags.vocab, words=["Una", "casa"], tags=["", "OWN"])
    assert tagger.predict([doc])[0].tolist() == tagger.predict([Doc(tags.vocab, words=["Una", "casa"])])[0].tolist()
    assert tagger(doc)[1].tag_ == "OWN"
    tagger.overwrite = True
    try:
        assert tagger(Doc(tags.vocab, words=["Una"], tags=["ADV"]))[0].tag_ != "ADV"
    finally:
        tagger.overwrite = False


def test_a_known_word_has_the_tag_that_it_was_given(tags):
    """Even one that it was never seen with."""
    tagger = tags.get_pipe("mtl_tagger")
    word, numbers = next((word, n) for word, n in tagger.cfg["known"].items() if len(n) == 1)
    other = (numbers[0] + 1) % len(tagger.labels)
    doc = Doc(tags.vocab, words=["x", word, "x"], tags=["", tagger.labels[other], ""])
    assert tagger.predict([doc])[0][1] == other


def test_sentence_borders_are_held():
    nlp = make_senter()
    train(nlp, examples := read_grouped(nlp))
    senter, doc = nlp.get_pipe("mtl_senter"), examples[0].reference
    free = senter.predict([Doc(nlp.vocab, words=[token.text for token in doc])])[0]
    ends = np.flatnonzero(free)[1:]
    assert ends.size
    held = Doc(nlp.vocab, words=[token.text for token in doc])
    marks = np.zeros(len(doc), np.uint64)
    marks[ends[0]], marks[ends[0] - 1] = 2**64 - 1, 1
    held.from_array([SENT_START], marks)
    found = senter.predict([held])[0]
    assert (found[0], found[ends[0]], found[ends[0] - 1]) == (1, 0, 1)
    senter.overwrite = True
    assert np.array_equal(senter.predict([held])[0], free)


def test_parts_of_speech_and_features_are_held():
    nlp = make_morphologizer(max_values=8, known_words=0)
    train(nlp, examples := read_trees(nlp))
    pipe, reference = nlp.get_pipe("mtl_morphologizer"), examples[0].reference
    words, analyses = [token.text for token in reference], [label.partition("|") for label in pipe.labels]
    pairs = [(pos, "" if feats == "_" else feats) for pos, _, feats in analyses]
    free = nlp(Doc(nlp.vocab, words=words))
    adapted = 0
    for place in range(len(words)):
        for pos in sorted({pos for pos, _ in pairs}):
            given = Doc(nlp.vocab, words=words)
            given[place].pos_ = pos
            adapted += any(a.pos_ != b.pos_ for a, b in zip(pipe(given), free, strict=True) if a.i != place)
        pos, feats = next(pair for pair in pairs if pair[0] != free[place].pos_ and pair[1])
        given = Doc(nlp.vocab, words=words)
        given[place].pos_ = pos
        found = pipe(given)
        assert found[place].pos_ == pos
        assert (pos, str(found[place].morph)) in pairs
        given = Doc(nlp.vocab, words=words)
        given[place].set_morph(feats)
        found = pipe(given)
        assert (found[place].pos_, str(found[place].morph)) in pairs
        assert str(found[place].morph) == feats
    assert adapted
    unknown = Doc(nlp.vocab, words=words)
    unknown[0].set_morph("Own=Yes")
    assert [token.pos_ for token in pipe(unknown)] == [token.pos_ for token in free]
    assert borders([unknown]).tolist() == [0, len(words)]


def test_ruler_and_component_from_disk(entities, tmp_path):
    entities.to_disk(tmp_path)
    loaded, words = spacy.load(tmp_path), Doc(entities.vocab, words=WORDS)
    ner = loaded.get_pipe("mtl_ner")
    doc = Doc(loaded.vocab, words=WORDS)
    for one in (doc, words):
        one.set_ents([Span(one, 0, 2, "OWN")], default="missing")
    assert ner.predict([doc])[0].tolist() == entities.get_pipe("mtl_ner").predict([words])[0].tolist()
