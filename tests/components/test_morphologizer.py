"""The morphologizer by itself and in a pipeline."""

from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.models import store
from spacy_mtl.models.chain.model import current_weights
from spacy_mtl.morphology import factors
from spacy_mtl.sentences import borders

TREES = Path(__file__).parents[2] / "assets" / "nl-trees"

TEMPLATES = [
    *(f"U{n}:%x[0,SUFFIX{n}]" for n in range(1, 5)),
    "U5:%x[0,LOWER]",
    "U6:%x[-1,LOWER]",
    "U7:%x[1,SUFFIX2]",
    "U8:%x[-1,USUAL_TAG]",
    "B",
]


def make(texts=TEMPLATES, **config):
    """A blank Dutch pipeline with a morphologizer."""
    nlp = spacy.blank("nl")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": texts}
    nlp.add_pipe("mtl_morphologizer", config={"model": {"templates": templates}, **config})
    return nlp


def read(nlp, split="train", limit=60):
    return list(ConlluCorpus(TREES / f"{split}.conllu", given=[], limit=limit)(nlp))


def of_words(*triples, vocab):
    """An Example of forms, parts of speech and features."""
    words, pos, morphs = zip(*triples, strict=True)
    return Example(Doc(vocab, list(words)), Doc(vocab, list(words), pos=list(pos), morphs=list(morphs)))


@pytest.fixture(scope="module")
def trained(train):
    """A trained morphologizer with small factors, and the examples it saw."""
    nlp = make(max_values=8)
    examples = read(nlp)
    return train(nlp, examples, passes=6), examples


def analyses(doc) -> list[tuple[str, str]]:
    return [(token.pos_, str(token.morph)) for token in doc]


def test_it_learns(trained):
    nlp, examples = trained
    scores = nlp.evaluate(examples)
    assert scores["pos_acc"] > 0.98
    assert scores["morph_acc"] > 0.98
    assert scores["morph_per_feat"]["Number"]["f"] > 0.98


def test_features_are_extracted_once_for_all_factors(trained):
    parts = trained[0].get_pipe("mtl_morphologizer")._learner.parts
    rows = [part.training.problem.arrays.rows for part in parts]
    assert len(parts) >= 3
    assert all(np.shares_memory(each, rows[0]) for each in rows)
    assert all(part._index_node is parts[0]._index_node for part in parts)


def test_it_generalises(trained):
    nlp, _ = trained
    scores = nlp.evaluate(read(nlp, "dev", 0))
    assert scores["pos_acc"] > 0.85
    assert scores["morph_acc"] > 0.85


def test_it_has_several_factors(trained):
    pipe = trained[0].get_pipe("mtl_morphologizer")
    assert pipe.cfg["groups"][0] == ["POS"]
    assert len(pipe.cfg["groups"]) >= 3
    assert len(pipe._learner.parts) == len(pipe.cfg["groups"])
    assert len(pipe.model_labels) < len(pipe.labels) + 20


def test_predictions_are_analyses_of_the_corpus(trained):
    """No combination of values that the corpus does not have; known words have one of theirs."""
    nlp, examples = trained
    pipe = nlp.get_pipe("mtl_morphologizer")
    seen = {(token.text, token.pos_, str(token.morph)) for example in examples for token in example.reference}
    words, pairs = {word for word, _, _ in seen}, {(pos, feats) for _, pos, feats in seen}
    met = 0
    for doc in nlp.pipe([example.predicted for example in read(nlp, "dev", 0)]):
        for token in doc:
            assert (token.pos_, str(token.morph)) in pairs
            if token.text in words:
                met += 1
                assert (token.text, token.pos_, str(token.morph)) in seen
    assert met > 100
    assert set(pipe.cfg["known"]) == words


def test_saved_and_loaded_it_predicts_the_same(trained, tmp_path):
    nlp, _ = trained
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    texts = [example.text for example in read(nlp, "dev", 20)]
    wanted = [analyses(doc) for doc in nlp.pipe(texts)]
    for n_process in (1, 2):
        assert [analyses(doc) for doc in loaded.pipe(texts, n_process=n_process)] == wanted
    again = make().from_bytes(nlp.to_bytes())
    assert [analyses(doc) for doc in again.pipe(texts)] == wanted


def test_the_model_alone_can_be_serialized(trained):
    nlp, examples = trained
    model = nlp.get_pipe("mtl_morphologizer").model
    docs = [example.predicted for example in examples[:5]]
    copy = make().get_pipe("mtl_morphologizer").model.from_bytes(model.to_bytes())
    for found, wanted in zip(copy.predict(docs), model.predict(docs), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_documents_of_another_vocabulary(trained):
    nlp, examples = trained
    words = [token.text for token in examples[0].reference]
    pipe = nlp.get_pipe("mtl_morphologizer")
    assert analyses(pipe(Doc(Vocab(), words))) == analyses(pipe(Doc(nlp.vocab, words)))


def test_a_size_limit_is_kept(train):
    nlp = make()
    nlp.get_pipe("mtl_morphologizer").model.attrs["megabytes"] = 0.005
    train(nlp, read(nlp, limit=20), passes=2)
    weights = current_weights(nlp.get_pipe("mtl_morphologizer").model)
    assert 0 < weights.codes.size + 8 * weights.keys.size <= 5000
    assert analyses(nlp("De hond slaapt."))[0][0]


def test_learning_on(trained):
    """New analyses join what is known; of a feature that no factor has, too."""
    nlp = make().from_bytes(trained[0].to_bytes())
    pipe = nlp.get_pipe("mtl_morphologizer")
    before = pipe.labels
    examples = [
        of_words(
            ("blieb", "VERB", "Foreign=Yes|Number=Sing"), ("hond", "NOUN", "Gender=Com|Number=Sing"), vocab=nlp.vocab
        )
    ]
    for _ in range(6):
        pipe.update(examples)
    assert pipe.labels == (*before, "VERB|Foreign=Yes|Number=Sing")
    assert analyses(pipe(Doc(nlp.vocab, ["blieb", "hond"]))) == [
        ("VERB", "Foreign=Yes|Number=Sing"),
        ("NOUN", "Gender=Com|Number=Sing"),
    ]


# --- labels ---


@pytest.mark.parametrize(
    ("triples", "labels"),
    [
        ([("a", "X", ""), ("b", "NOUN", "")], ["NOUN|_", "X|_"]),
        ([("a", "", "A=1"), ("b", "", "A=2")], ["_|A=1", "_|A=2"]),
        ([("a", "X", "A=1"), ("b", "", "A=2")], ["X|A=1"]),
    ],
)
def test_labels_of_partial_annotation(triples, labels):
    nlp = make(["U0:%x[0,LOWER]"])
    nlp.initialize(lambda: [of_words(*triples, vocab=nlp.vocab)])
    assert sorted(nlp.get_pipe("mtl_morphologizer").labels) == labels


def test_a_corpus_without_features_gets_none(train):
    nlp = make(["U0:%x[0,LOWER]"])
    reference = Doc(nlp.vocab, ["a", "b"], pos=["X", "NOUN"])
    train(nlp, [Example(Doc(nlp.vocab, ["a", "b"]), reference)], passes=2)
    assert nlp.get_pipe("mtl_morphologizer").labels == ("NOUN", "X")
    doc = nlp(Doc(nlp.vocab, ["a", "b"]))
    assert [token.pos_ for token in doc] == ["X", "NOUN"]
    assert not doc.has_annotation("MORPH")


def test_labels_can_be_given():
    nlp = make(["U0:%x[0,LOWER]"])
    given = ["NOUN|Case=Nom", "ADP|_"]
    pipe = nlp.get_pipe("mtl_morphologizer")
    pipe.initialize(list, nlp=nlp, labels=given)
    assert pipe.label_data == given
    examples = [of_words(("a", "ADP", ""), ("b", "NOUN", "Case=Nom"), vocab=nlp.vocab)]
    for _ in range(3):
        pipe.update(examples)
    assert analyses(pipe(Doc(nlp.vocab, ["b", "a"]))) == [("NOUN", "Case=Nom"), ("ADP", "")]


def test_labels_that_initialize_was_not_told_of_are_refused():
    nlp = make(["U0:%x[0,LOWER]"])
    nlp.initialize(lambda: [of_words(("a", "ADP", ""), vocab=nlp.vocab)])
    with pytest.raises(ValueError, match=r"M456.*NOUN\|Case=Nom"):
        nlp.update([of_words(("b", "NOUN", "Case=Nom"), vocab=nlp.vocab)])


def test_gold_that_is_missing_or_does_not_align_is_masked():
    nlp = make()
    pipe = nlp.get_pipe("mtl_morphologizer")
    pipe.set_labels(["X|A=1", "NOUN|_"])
    words = ["ab", "c", "d"]
    reference = Doc(nlp.vocab, words, pos=["X", "NOUN", ""], morphs=["A=1", "", ""], spaces=[True, True, False])
    predicted = Doc(nlp.vocab, ["a", "b", "c d"], spaces=[False, True, False])
    same = Doc(nlp.vocab, words, spaces=[True, True, False])
    assert pipe.gold_labels(Example(same, reference), borders([same])).tolist() == [0, 1, -1]
    assert pipe.gold_labels(Example(predicted, reference), borders([predicted])).tolist() == [0, 0, -1]


# --- what it writes ---


def test_what_is_there_stays_unless_overwritten(trained):
    nlp, _ = trained
    pipe = nlp.get_pipe("mtl_morphologizer")
    doc = Doc(nlp.vocab, ["De", "hond"], pos=["X", ""], morphs=["A=1", "A=1"])
    pipe(doc)
    assert analyses(doc) == [("X", "A=1"), ("NOUN", "A=1")]
    pipe.overwrite = True
    try:
        pipe(doc)
    finally:
        pipe.overwrite = False
    assert analyses(doc) == analyses(pipe(Doc(nlp.vocab, ["De", "hond"])))


def test_documents_of_no_tokens(trained):
    nlp, _ = trained
    assert [len(doc) for doc in nlp.pipe(["", "De hond", ""])] == [0, 2, 0]


def test_untrained_it_leaves_documents_alone():
    assert analyses(make()("De hond")) == [("", ""), ("", "")]


# --- what is refused ---


@pytest.mark.filterwarnings("ignore:.*M459")
def test_untrained_it_can_be_saved_and_loaded(tmp_path):
    nlp = make()
    nlp.to_disk(tmp_path)
    for loaded in (spacy.load(tmp_path), make().from_bytes(nlp.to_bytes())):
        assert analyses(loaded(Doc(loaded.vocab, ["a", "b"]))) == [("", "")] * 2


def test_a_corpus_without_morphology_is_refused():
    nlp = make()
    with pytest.raises(ValueError, match=r"^\[M427\] 'mtl_morphologizer' cannot be trained: none of the 1 "):
        nlp.initialize(lambda: [Example(Doc(nlp.vocab, ["a"]), Doc(nlp.vocab, ["a"]))])


def test_a_label_that_is_no_analysis_is_refused():
    with pytest.raises(ValueError, match=r"M424.*'noun' cannot be a label"):
        make().get_pipe("mtl_morphologizer").add_label("noun")


def test_observed_label_pairs_are_refused():
    with pytest.raises(ValueError, match=r"M425.*B1:%x\[0,SHAPE\]"):
        make(["U0:%x[0,LOWER]", "B1:%x[0,SHAPE]"])


@pytest.mark.parametrize("settings", [{"known_words": -1}, {"max_values": 0}, {"max_values": "x"}])
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ValueError, match=r"M419|Config"):
        make(**settings)


# --- files of strangers ---


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"analyses": ["noun"]}, "not an analysis"),
        ({"analyses": []}, "analyses without factors|not for the labels"),
        ({"analyses": ["NOUN|A=1", "NOUN|A=1"]}, "same item twice"),
        ({"groups": []}, "analyses without factors|not for the labels"),
        ({"groups": [["POS"]]}, "not for the labels"),
        ({"groups": [[1]]}, "groups of cfg"),
        ({"groups": 1}, "groups of cfg"),
        ({"known": {"de": [10**6]}}, "known of cfg"),
        ({"known": []}, "known of cfg"),
        ({"more": 1}, "unknown entry 'more'"),
    ],
)
def test_a_changed_file_is_refused_and_nothing_changes(trained, change, fault):
    data = trained[0].get_pipe("mtl_morphologizer").to_bytes()
    hostile = make().from_bytes(trained[0].to_bytes()).get_pipe("mtl_morphologizer")
    hostile.cfg.update(change)
    pipe = make().get_pipe("mtl_morphologizer").from_bytes(data)
    with pytest.raises(ValueError, match=rf"\[M6\d\d\].*({fault})"):
        pipe.from_bytes(hostile.to_bytes())
    assert pipe.to_bytes() == data


@pytest.mark.parametrize("table", [[[0]], [[0, 10**6]], [[-1]], [[0, 1], [0]], [["a"]], [0], [[]], "x"])
def test_a_changed_table_of_analyses_is_refused(trained, table):
    """In the bytes of the model alone."""
    model = trained[0].get_pipe("mtl_morphologizer").model
    weights = current_weights(model)
    masks = {key: value.tolist() for key, value in vars(model.attrs["constraints"]).items()}
    data = store.to_bytes(weights, {"constraints": {**masks, "table": table}})
    with pytest.raises(ValueError, match=r"\[M6\d\d\]"):
        model.read_weights(data, "it")
    assert model.read_weights(store.to_bytes(weights, {"constraints": masks}), "it")[1].table.size


@pytest.mark.filterwarnings("ignore:.*M459")
def test_an_untrained_file_with_a_label_that_is_no_analysis_changes_nothing():
    hostile, pipe = make().get_pipe("mtl_morphologizer"), make().get_pipe("mtl_morphologizer")
    pipe.set_labels(["NOUN|_"])
    before = pipe.to_bytes()
    hostile.cfg |= {"analyses": ["NOUN|A=b=c"], "groups": [["POS"]]}
    with pytest.raises(ValueError, match=r"\[M610\].*not an analysis"):
        pipe.from_bytes(hostile.to_bytes())
    assert pipe.to_bytes() == before


# --- tags ---


def tagged(words, vocab, given=()):
    """An Example of forms, parts of speech, numbers and tags; of tags, the predicted Doc has those that are given."""
    forms, pos, numbers, tags = zip(*words, strict=True)
    morphs = [f"Number={number}" if number else "" for number in numbers]
    reference = Doc(vocab, list(forms), pos=list(pos), morphs=morphs, tags=list(tags))
    return Example(Doc(vocab, list(forms), tags=list(given) or None), reference)


SENTENCE = [
    ("de", "DET", "", "LID|bep"),
    ("man", "NOUN", "Sing", "N|ev"),
    ("loopt", "VERB", "Sing", "WW|pv"),
    ("mannen", "NOUN", "Plur", "N|mv"),
    ("vrouwen", "NOUN", "Plur", "N|mv|fem"),
    (".", "PUNCT", "", "LET"),
]


@pytest.fixture(scope="module")
def tagger(train):
    """A morphologizer that learns tags, too."""
    nlp = make(tags=True, scorer={"@scorers": "spacy_mtl.morphologizer_scorer.v1"})
    return train(nlp, [tagged(SENTENCE, nlp.vocab) for _ in range(4)], passes=6)


def columns(doc):
    return [(token.text, token.pos_, "".join(token.morph.get("Number")), token.tag_) for token in doc]


def test_tags_are_learnt_with_the_analyses(tagger):
    doc = tagger(Doc(tagger.vocab, [word for word, *_ in SENTENCE]))
    assert columns(doc) == SENTENCE
    pipe = tagger.get_pipe("mtl_morphologizer")
    assert pipe.cfg["groups"][:2] == [["POS"], ["TAG"]]
    assert tagger.get_pipe_meta("mtl_morphologizer").assigns == ["token.pos", "token.morph", "token.tag"]
    loaded = make(tags=True).from_bytes(tagger.to_bytes())
    assert columns(loaded(Doc(loaded.vocab, [word for word, *_ in SENTENCE]))) == SENTENCE
    stranger = Doc(Vocab(), [word for word, *_ in SENTENCE])
    pipe.set_annotations([stranger], pipe.predict([doc]))
    assert columns(stranger) == SENTENCE


def test_tags_are_scored(tagger):
    scores = tagger.evaluate([tagged(SENTENCE, tagger.vocab)])
    assert (scores["tag_acc"], scores["pos_acc"], scores["morph_acc"]) == (1, 1, 1)


def test_a_given_tag_stays_and_decides_what_is_possible(tagger):
    words = ["de", "vrouwtjes"]
    assert tagger(Doc(tagger.vocab, words))[1].tag_ != "WW|pv"
    doc = tagger(Doc(tagger.vocab, words, tags=["", "WW|pv"]))
    assert (doc[1].tag_, doc[1].pos_) == ("WW|pv", "VERB")


def test_of_many_tags_the_most_frequent_of_an_analysis_is_chosen(train, monkeypatch):
    monkeypatch.setattr(factors, "MOST_TAGS", 3)
    nlp = make(tags=True)
    train(nlp, [tagged(SENTENCE, nlp.vocab), *(tagged(SENTENCE[:4], nlp.vocab) for _ in range(3))], passes=6)
    pipe = nlp.get_pipe("mtl_morphologizer")
    assert all("TAG" not in group for group in pipe.cfg["groups"])
    doc = nlp(Doc(nlp.vocab, ["de", "vrouwen", "hannen"]))
    assert [(token.pos_, token.tag_) for token in doc[1:]] == [("NOUN", "N|mv|fem"), ("NOUN", "N|mv")]


def test_a_model_keeps_its_tags_whatever_the_config_says(tagger):
    other = make()
    with pytest.warns(UserWarning, match=r"\[M758\].*tags = True") as caught:
        make(tags=True).from_bytes(train_plain().to_bytes())
    assert len(caught) == 1
    loaded = other.from_bytes(tagger.to_bytes())
    assert columns(loaded(Doc(loaded.vocab, [word for word, *_ in SENTENCE]))) == SENTENCE
    loaded.from_bytes(train_plain().to_bytes())  # what a model said is no setting
    assert {tag for *_, tag in columns(loaded(Doc(loaded.vocab, [word for word, *_ in SENTENCE])))} == {""}


def train_plain():
    nlp = make()
    examples = [tagged(SENTENCE, nlp.vocab)]
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    return nlp


def test_features_with_spaces_and_a_feature_named_tag_are_no_tags():
    nlp = make()
    examples = [of_words(("aa", "NOUN", "Gloss=to go"), ("bb", "VERB", "TAG=x"), vocab=nlp.vocab)]
    nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples)
    loaded = make().from_bytes(nlp.to_bytes())
    doc = loaded(Doc(loaded.vocab, ["aa", "bb"]))
    assert [(str(token.morph), token.tag_) for token in doc] == [("Gloss=to go", ""), ("TAG=x", "")]


def test_a_morphologizer_begins_with_a_prior(tagger, tmp_path):
    tagger.to_disk(tmp_path / "model")
    nlp = make(tags=True)
    examples = [tagged(SENTENCE, nlp.vocab)]
    nlp.config["initialize"]["components"] = {"mtl_morphologizer": {"prior": str(tmp_path / "model")}}
    nlp.initialize(lambda: examples)
    assert columns(nlp(Doc(nlp.vocab, [word for word, *_ in SENTENCE]))) == SENTENCE
