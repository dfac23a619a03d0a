"""mtl_constituents: what it learns, writes and keeps."""

import copy
import pickle

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Corpus, Example

from spacy_mtl.components.constituents import MTLConstituents
from spacy_mtl.constituents.tree import TOPS, Constituent, Tree, tree_from
from spacy_mtl.models.grammar.architecture import template_grammar
from spacy_mtl.templates.grammar import TemplateSet
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from .bracketing import SPANS, TREES, constituents, found, make_finder, read, train


@pytest.fixture(scope="module")
def nlp():
    made = make_finder()
    return train(made, read(made))


@pytest.fixture(scope="module")
def shown(nlp):
    return read(nlp, "test")


def gold_of(shown):
    return [constituents(example.reference) for example in shown]


def test_it_learns_and_generalizes(nlp, shown):
    assert nlp.evaluate(read(nlp))["constituents_f"] > 0.97
    assert nlp.evaluate(shown)["constituents_f"] > 0.85


def test_constituents_are_nested_and_labelled(nlp, shown):
    labels = set(nlp.get_pipe("mtl_constituents").labels)
    for example, spans in zip(shown, found(nlp, shown), strict=True):
        words = [Tree(token.tag_, (), token.text) for token in example.predicted]
        tree_from(words, [Constituent(label, start, end) for start, end, label in spans])  # or it raises
        assert {label for _, _, label in spans} <= labels
        assert not labels & TOPS
        assert spans == sorted(spans, key=lambda span: (span[0], -span[1]))


def test_sentences_of_a_document_are_found_as_by_themselves(nlp, shown):
    together = read(nlp, "test", group=0)
    assert len(together) == 1
    (doc,) = nlp.pipe([together[0].predicted])
    starts = [sentence.start for sentence in doc.sents]
    alone = [
        (begin + start, begin + end, label)
        for begin, spans in zip(starts, found(nlp, shown), strict=True)
        for start, end, label in spans
    ]
    assert constituents(doc) == alone
    assert starts == [sentence.start for sentence in together[0].reference.sents]


def test_copies_predict_the_same(nlp, shown, tmp_path):
    wanted = found(nlp, shown)
    assert any(wanted)
    nlp.to_disk(tmp_path)
    copies = [
        spacy.load(tmp_path),
        spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes()),
        copy.deepcopy(nlp),
        pickle.loads(pickle.dumps(nlp)),
    ]
    for other in copies:
        pairs = [Example(Doc(other.vocab).from_bytes(each.predicted.to_bytes()), each.reference) for each in shown]
        assert found(other, pairs) == wanted
    docs = nlp.pipe([example.predicted.copy() for example in shown], n_process=2, batch_size=3)
    assert [constituents(doc) for doc in docs] == wanted
    kept = DocBin(docs=list(nlp.pipe([example.predicted.copy() for example in shown]))).to_bytes()
    assert [constituents(doc) for doc in DocBin().from_bytes(kept).get_docs(nlp.vocab)] == wanted
    model = nlp.get_pipe("mtl_constituents").model
    again = template_grammar(TemplateSet.from_texts(SPANS)).from_bytes(model.to_bytes())
    docs = [example.predicted.copy() for example in shown]
    assert [table.tolist() for table in again.predict(docs)] == [table.tolist() for table in model.predict(docs)]


def test_documents_of_another_vocabulary(nlp, shown):
    other = spacy.blank("en")
    docs = [Doc(other.vocab).from_bytes(example.predicted.to_bytes()) for example in shown[:3]]
    mixed = [docs[0], shown[1].predicted.copy(), docs[2]]
    assert [constituents(doc) for doc in nlp.pipe(mixed)] == found(nlp, shown[:3])


def test_another_key(shown):
    nlp = make_finder(spans_key="trees")
    examples = read(nlp, limit=20, spans_key="trees")
    train(nlp, examples)
    doc = nlp(examples[0].predicted.copy())
    assert [*doc.spans] == ["trees"]
    assert constituents(doc, "trees") == constituents(examples[0].reference, "trees")
    assert nlp.config["components"]["mtl_constituents"]["spans_key"] == "trees"


def test_what_was_there_is_replaced(nlp, shown):
    doc = shown[0].predicted.copy()
    doc.spans["constituents"] = [Span(doc, 0, 1, "OLD")]
    doc.spans["others"] = [Span(doc, 0, 1, "KEPT")]
    assert constituents(nlp(doc)) == found(nlp, shown[:1])[0]
    assert constituents(doc, "others") == [(0, 1, "KEPT")]


@pytest.mark.parametrize(
    "settings",
    [
        {"horizontal": 1},
        {"horizontal": 2, "side": "right"},
        {"vertical": 2},
        {"support": "all"},
        {"rest_cost": 0.0, "learn_margin": 0.0, "margin": 30.0},
    ],
    ids=str,
)
def test_settings_of_learning(settings):
    nlp = make_finder(**settings)
    examples = read(nlp, limit=20)
    train(nlp, examples)
    assert nlp.evaluate(examples)["constituents_f"] > 0.9


def test_templates_by_default_and_their_report():
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("mtl_constituents")
    examples = read(nlp, limit=20)
    train(nlp, examples, passes=3)
    rows = pipe.template_weights()
    assert len(rows) == 41
    assert all(np.isfinite(row["weight"]) for row in rows)
    assert sum(row["rows"] for row in rows) == len(pipe.model.attrs["weights"].keys) + len(
        pipe.model.attrs["weights"].pair_keys
    )
    assert nlp.analyze_pipes()["problems"] == {"mtl_constituents": ["token.tag"]}


def test_a_small_model_keeps_the_strongest_rows(nlp, shown):
    small = make_finder(megabytes=0.002)
    train(small, read(small))
    rows = [sum(row["rows"] for row in each.get_pipe("mtl_constituents").template_weights()) for each in (small, nlp)]
    assert 0 < rows[0] < 0.5 * rows[1]
    assert small.evaluate(read(small))["constituents_f"] > 0.5


# --- learning ---


def test_batches_of_any_size_and_order():
    told = set()
    for size in (46, 7):
        nlp = make_finder()
        examples = read(nlp)
        nlp.initialize(lambda examples=examples: examples)
        for _ in range(3):
            for begin in range(0, len(examples), size):
                nlp.update(examples[::-1][begin : begin + size] if size == 7 else examples[begin : begin + size])
        told.add(nlp.get_pipe("mtl_constituents").to_bytes(exclude=["vocab"]))
    assert len(told) == 1


def test_new_documents_join_what_has_been_learnt():
    nlp = make_finder()
    examples = read(nlp)
    labels = sorted({label for spans in gold_of(examples) for _, _, label in spans})
    known, new = examples[:20], examples[20:]
    pipe = nlp.get_pipe("mtl_constituents")
    pipe.initialize(lambda: known, nlp=nlp, labels=labels)
    for _ in range(4):
        nlp.update(known)
    before, symbols = nlp.evaluate(known)["constituents_f"], len(pipe.model_labels)
    training = pipe._learner.training
    nlp.update(new[:10])
    nlp.update(known)
    assert pipe._learner.training is training
    assert len(pipe.model_labels) > symbols
    assert nlp.evaluate(known)["constituents_f"] > before - 0.1
    for _ in range(6):
        nlp.update(examples)
    assert nlp.evaluate(examples)["constituents_f"] > 0.95


def test_sentences_that_changed_nothing_keep_their_outputs():
    """Forests with other numbers of symbols and rules, but the same parts."""
    from spacy_mtl.learning.constituents import Columns, common_forests

    nlp = make_finder()
    examples = read(nlp)
    pipe = nlp.get_pipe("mtl_constituents")
    pipe.initialize(lambda: examples, nlp=nlp)
    nlp.update(examples)
    learner = pipe._learner
    old, places = learner._corpus, learner._places
    learner.rebind(learner.documents)
    new = learner._corpus
    kept = common_forests(old, new, Columns.of(old.grammar, new.grammar), places, learner._places)
    assert kept.sentences.tolist() == list(range(46))
    assert np.array_equal(kept.slots, np.arange(new.problem.arrays.gold.size))
    swapped = Columns.of(old.grammar, new.grammar)
    swapped.symbols[:] = swapped.symbols[::-1].copy()
    assert (common_forests(old, new, swapped, places, learner._places).sentences == -1).all()


def test_predicted_tags_are_read_in_training():
    nlp = spacy.blank("en")
    nlp.add_pipe(
        "mtl_tagger",
        config={
            "model": {"templates": {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,LOWER]", "B"]}}
        },
    )
    make_finder(nlp=nlp)
    examples = read(nlp, given=[])
    assert not examples[0].predicted.has_annotation("TAG")
    nlp.initialize(lambda: examples)
    for _ in range(6):
        nlp.update(examples, annotates=["mtl_tagger"])
    assert nlp.evaluate(examples)["constituents_f"] > 0.9
    text = nlp("The old captain drinks black coffee.")
    assert constituents(text)[0] == (0, 7, "S")


def test_whole_and_untrained():
    nlp = make_finder()
    doc = nlp(read(nlp, limit=1)[0].predicted)
    assert constituents(doc) == []
    nlp.initialize(lambda: read(nlp))
    assert constituents(nlp(read(nlp, limit=1)[0].predicted)) == []
    assert constituents(nlp("")) == []


def test_labels_alone_are_enough_to_begin():
    nlp = make_finder()
    pipe = nlp.get_pipe("mtl_constituents")
    for label in sorted({label for spans in gold_of(read(nlp)) for _, _, label in spans}):
        assert pipe.add_label(label) == 1
    assert pipe.add_label("NP") == 0
    for label in (5, None, ["NP"]):
        with pytest.raises(ValueError, match=r"M419.*a label must be a string"):
            pipe.add_label(label)
    nlp.initialize()
    examples = read(nlp)
    for _ in range(8):
        nlp.update(examples)
    assert nlp.evaluate(examples)["constituents_f"] > 0.95


# --- gold that is not one tree a sentence over these words ---


def pair(nlp, words, gold_words, spans, starts=None, tags=None):
    """An example whose gold has these spans (start, end, label) over words of its own."""
    predicted = Doc(nlp.vocab, words, spaces=[False] * len(words), tags=tags or ["T"] * len(words), sent_starts=starts)
    reference = Doc(nlp.vocab, gold_words, spaces=[False] * len(gold_words))
    reference.spans["constituents"] = [Span(reference, *span) for span in spans]
    return Example(predicted, reference)


def gold(example, starts, labels=("S", "NP")):
    pipe = make_finder().get_pipe("mtl_constituents")
    pipe.set_labels(labels)
    piece = pipe.piece_of(b"", example, np.empty((0, len(example.predicted))), np.array(starts))
    return piece.gold.tolist(), piece.spans.tolist()


WORDS = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("words", "gold_words", "spans", "starts", "wanted"),
    [
        (WORDS, WORDS, [(0, 2, "NP"), (0, 4, "S")], [0, 4], ([0] * 4, [[0, 4, 0], [0, 2, 1]])),
        (WORDS, WORDS, [(0, 2, "S"), (2, 4, "NP")], [0, 2, 4], ([0] * 4, [[0, 2, 0], [2, 4, 1]])),
        (WORDS, WORDS, [(0, 2, "S")], [0, 2, 4], ([0, 0, -1, -1], [[0, 2, 0]])),
        (WORDS, WORDS, [(0, 4, "S"), (0, 2, "NP")], [0, 2, 4], ([-1] * 4, [])),
        (WORDS, WORDS, [], [0, 4], ([-1] * 4, [])),
        (WORDS, WORDS, [(0, 2, "NP"), (0, 2, "S")], [0, 4], ([0] * 4, [[0, 2, 1], [0, 2, 0]])),
        (WORDS, ["a", "bc", "d"], [(0, 3, "S"), (1, 2, "NP")], [0, 4], ([0] * 4, [[0, 4, 0], [1, 3, 1]])),
        (["a", "bc", "d"], WORDS, [(0, 4, "S"), (0, 2, "NP")], [0, 3], ([-1] * 3, [])),
        (["a", "bc", "d"], WORDS, [(0, 4, "S"), (1, 3, "NP")], [0, 3], ([0] * 3, [[0, 3, 0], [1, 2, 1]])),
    ],
)  # fmt: skip
def test_gold(words, gold_words, spans, starts, wanted):
    marks = [k in starts for k in range(len(words))] if len(starts) > 2 else None
    assert gold(pair(spacy.blank("en"), words, gold_words, spans, marks), starts) == wanted


def error_of(function, *args, **kwargs) -> str:
    with pytest.raises(ValueError, match=r"^\[M\d+\] ") as info:
        function(*args, **kwargs)
    message = str(info.value)
    assert "\n" not in message
    assert "{" not in message
    return message


def test_crossing_constituents_are_refused():
    nlp = make_finder()
    example = pair(nlp, WORDS, WORDS, [(0, 4, "S"), (0, 2, "NP"), (1, 3, "NP")])
    nlp.initialize(lambda: [example])
    message = error_of(nlp.update, [example])
    assert message.startswith(
        "[M463] 'mtl_constituents': the constituents of the document that begins with 'abcd' are not"
    )
    assert "'bc' (NP)" in message


def test_corpora_that_cannot_be_learnt_from():
    nlp = make_finder()
    empty = pair(nlp, WORDS, WORDS, [])
    assert error_of(nlp.initialize, lambda: [empty]).startswith(
        "[M460] 'mtl_constituents' cannot be trained: none of the 1 "
    )
    for label in ("", "ROOT", "NP+VP", "NP^S", "@NP", "/NN"):
        bad = pair(nlp, WORDS, WORDS, [(0, 4, label)])
        assert error_of(nlp.initialize, lambda bad=bad: [bad]).startswith(
            f"[M461] 'mtl_constituents': '{label}' cannot be"
        )
    across = pair(nlp, WORDS, WORDS, [(0, 4, "S")], [True, False, True, False])
    nlp.initialize(lambda: [across])
    assert error_of(nlp.update, [across]).startswith("[M462] None of the 2 sentences that 'mtl_constituents' was given")
    long = make_finder(max_words=3)
    examples = [pair(long, WORDS, WORDS, [(0, 4, "S")])]
    long.initialize(lambda: examples)
    assert "at most 3 words" in error_of(long.update, examples)


def test_max_words_can_be_changed_to_what_it_may_be():
    pipe = make_finder(max_words=3).get_pipe("mtl_constituents")
    for value in (0, "3", 2.5, True):
        with pytest.raises(
            ValueError, match=r"M419.*'mtl_constituents': max_words must be a whole number of at least 1"
        ):
            pipe.max_words = value
    assert pipe.max_words == 3
    pipe.max_words = None
    assert pipe.max_words is None


def test_sentence_borders_and_tags_are_needed(nlp):
    words = ["word"] * 101
    tagged = Doc(nlp.vocab, words, tags=["NN"] * 101)
    assert error_of(nlp, tagged).startswith("[M440] 'mtl_constituents' parses inside given sentences")
    assert error_of(nlp, Doc(nlp.vocab, WORDS)).startswith(
        "[M444] The templates read 'TAG', but no word of the document"
    )


def test_long_sentences_get_no_constituents_and_a_warning(shown):
    nlp = make_finder(max_words=8)
    train(nlp, read(nlp))
    lengths = [len(example.predicted) for example in shown]
    assert min(lengths) <= 8 < max(lengths)
    docs = [Doc(nlp.vocab).from_bytes(example.predicted.to_bytes()) for example in shown]
    with pytest.warns(UserWarning, match=rf"^\[M453\] A sentence of {max(lengths)} words is longer than the 8 "):
        docs = list(nlp.pipe(docs))
    with_tree = [n for n, doc in zip(lengths, docs, strict=True) if doc.spans["constituents"]]
    assert with_tree
    assert max(with_tree) == 8


def test_sentences_without_any_tree_get_no_constituents(nlp):
    doc = Doc(nlp.vocab, ["to", "to", "to"], tags=["TO", "TO", "TO"])
    assert constituents(nlp(doc)) == []
    unknown = Doc(nlp.vocab, ["The", "cook", "xyzzy", "."], tags=["DT", "NN", "UNHEARD", "."])
    assert constituents(nlp(unknown))  # a tag that was not seen may be any word


def test_it_cannot_learn_on(nlp, tmp_path, shown):
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    before = loaded.get_pipe("mtl_constituents").to_bytes()
    examples = read(loaded, limit=3)
    assert error_of(loaded.update, examples).startswith(
        "[M464] 'mtl_constituents' cannot learn on from a trained model"
    )
    assert error_of(loaded.rehearse, examples).startswith("[M464] ")
    pipe = loaded.get_pipe("mtl_constituents")
    assert error_of(pipe.initialize, lambda: examples, nlp=loaded, prior=tmp_path).startswith("[M464] ")
    assert pipe.to_bytes() == before
    loaded.initialize(lambda: examples)
    loaded.update(examples)


def test_constituents_of_other_documents_are_refused(nlp, shown):
    pipe = nlp.get_pipe("mtl_constituents")
    docs = [example.predicted.copy() for example in shown[:2]]
    scores = pipe.predict(docs)
    assert error_of(pipe.set_annotations, docs[:1], scores).startswith("[M465] 'mtl_constituents' cannot write")
    assert error_of(pipe.set_annotations, [Doc(nlp.vocab, ["a"]), docs[1]], scores).startswith("[M465] ")


# --- settings ---


def make_component(texts=SPANS, **settings) -> MTLConstituents:
    """Without a config, where settings may be anything."""
    settings = {"trainer": MTLStruct(), **settings}
    return MTLConstituents(spacy.blank("en").vocab, template_grammar(TemplateSet.from_texts(texts)), "x", **settings)


@pytest.mark.parametrize(
    ("settings", "start"),
    [
        ({"spans_key": ""}, "[M419] 'x': spans_key must be a key of doc.spans, but is ''."),
        ({"horizontal": -1}, "[M419] 'x': horizontal must be a whole number from 0 to 10, but is -1."),
        ({"horizontal": True}, "[M419] 'x': horizontal"),
        ({"vertical": 3}, "[M419] 'x': vertical must be 1 or 2, but is 3."),
        ({"side": "middle"}, "[M419] 'x': side must be left or right, but is 'middle'."),
        ({"support": None}, "[M419] 'x': support must be gold or all, but is None."),
        ({"margin": float("nan")}, "[M419] 'x': margin must be a number from 0 to 100, but is nan."),
        ({"learn_margin": 101}, "[M419] 'x': learn_margin must be a number from 0 to 100, but is 101."),
        ({"rest_cost": -1}, "[M419] 'x': rest_cost"),
        ({"max_words": 0}, "[M419] 'x': max_words must be a whole number of at least 1, or null, but is 0."),
        ({"max_unsplit": 1.5}, "[M419] 'x': max_unsplit"),
        ({"scorer": 3}, "[M419] 'x': scorer"),
        ({"trainer": "MTLStruct"}, "[M449] "),
        ({"texts": ["U0:%x[0,TAG]"]}, "[M129] Template 'U0:%x[0,TAG]' looks at %x, but 'x' scores spans: use %i, %j, %k and %d."),
        ({"texts": ["U0:%k[0,TAG]"]}, "[M130] Template 'U0:%k[0,TAG]' looks at the split of a span"),
        ({"texts": ["U0:%i[0,TAG]", "U1:%i[0,TAG]"]}, "[M126] "),
        ({"texts": ["U0:%i[0,TAGS]"]}, "[M110] Unknown attribute 'TAGS'"),
    ],
)  # fmt: skip
def test_setting_is_refused_when_the_component_is_made(settings, start):
    assert error_of(make_component, **settings).startswith(start)


def test_a_trainer_that_cuts_is_refused():
    nlp = spacy.blank("en")
    inner = {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}
    nlp.add_pipe("mtl_constituents", config={"trainer": {"@mtl_trainers": "spacy_mtl.StructReg.v1", "trainer": inner}})
    assert error_of(nlp.initialize, lambda: read(nlp)).startswith("[M301] ")


def test_spacy_corpora_are_evaluated_by_text_alone(tmp_path):
    """As ``spacy evaluate`` does: a tagger and a sentencizer give what the component reads."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("mtl_tagger")
    make_finder(nlp=nlp)
    examples = read(nlp, group=3, given=[])
    train(nlp, examples, passes=6)
    docs = [example.reference for example in examples]
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "train.spacy")
    loaded = list(Corpus(tmp_path / "train.spacy")(nlp))
    assert not loaded[0].predicted.spans
    assert nlp.evaluate(loaded)["constituents_f"] > 0.7
    assert TREES.is_dir()
