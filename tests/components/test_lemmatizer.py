"""The lemmatizer by itself and in a pipeline."""

from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.lemmas.script import parse_script, script_of
from spacy_mtl.models.chain.model import current_weights
from spacy_mtl.sentences import borders
from spacy_mtl.structures.chain.viterbi import FORBIDDEN

TREES = Path(__file__).parents[2] / "assets" / "nl-trees"
TEMPLATES = [*(f"U{n}:%x[0,SUFFIX{n}]" for n in range(1, 5)), "U5:%x[0,PREFIX2]", "U6:%x[0,CASE]"]


def make(texts=TEMPLATES, **config):
    """A blank Dutch pipeline with a lemmatizer."""
    nlp = spacy.blank("nl")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": texts}
    nlp.add_pipe("mtl_lemmatizer", config={"model": {"templates": templates}, **config})
    return nlp


def read(nlp, split="train", limit=60, given=()):
    return list(ConlluCorpus(TREES / f"{split}.conllu", given=list(given), limit=limit)(nlp))


@pytest.fixture(scope="module")
def trained(train):
    """A trained lemmatizer and the examples it saw."""
    nlp = make()
    examples = read(nlp)
    return train(nlp, examples, passes=6), examples


def lemmas(doc) -> list[str]:
    return [token.lemma_ for token in doc]


def of_words(*triples, vocab):
    """An Example of forms, parts of speech and lemmas; the predicted Doc has the parts of speech."""
    words, pos, gold = zip(*triples, strict=True)
    reference = Doc(vocab, list(words), pos=list(pos), lemmas=list(gold))
    return Example(Doc(vocab, list(words), pos=list(pos)), reference)


def test_it_learns(trained):
    nlp, examples = trained
    assert nlp.evaluate(examples)["lemma_acc"] > 0.98


def test_it_generalises(trained):
    """Unknown words alone, whose lemmas cannot be looked up."""
    nlp, examples = trained
    known = {token.text for example in examples for token in example.reference}
    dev = read(nlp, "dev", 0)
    pairs = [
        (token.lemma_, gold.lemma_)
        for example, doc in zip(dev, nlp.pipe([example.predicted.copy() for example in dev]), strict=True)
        for token, gold in zip(doc, example.reference, strict=True)
        if token.text not in known
    ]
    right = sum(found == gold for found, gold in pairs)
    assert len(pairs) > 50
    assert right > 0.55 * len(pairs)


def test_every_label_applies_to_its_word(trained):
    nlp, _ = trained
    pipe = nlp.get_pipe("mtl_lemmatizer")
    scripts = [parse_script(label) for label in pipe.labels]
    docs = [example.predicted for example in read(nlp, "dev", 0)]
    for doc, labels in zip(docs, pipe.predict(docs), strict=True):
        for token, label in zip(doc, labels, strict=True):
            if any(script.applies(token.text) for script in scripts):
                assert scripts[label].applies(token.text)


def test_training_is_held_to_the_scripts_that_apply(trained):
    nlp, _ = trained
    pipe = nlp.get_pipe("mtl_lemmatizer")
    arrays = pipe._learner.training.problem.arrays
    scripts = [parse_script(label) for label in pipe.labels]
    for row, form in zip(arrays.form_mask, pipe._forms.tolist(), strict=True):
        text = nlp.vocab.strings[form]
        np.testing.assert_array_equal(row > FORBIDDEN / 2, [script.applies(text) for script in scripts])
    assert (arrays.forms[arrays.gold >= 0] >= 0).all()


def test_scripts_are_read_once_for_all_texts(trained, monkeypatch):
    """There are hundreds, which would take far longer than the lemmas of a sentence."""
    nlp, _ = trained
    expected = lemmas(nlp("De katten sliepen."))
    monkeypatch.setattr("spacy_mtl.lemmas.applicable.parse_script", lambda label: pytest.fail("read again"))
    assert lemmas(nlp("De katten sliepen.")) == expected


def test_words_of_the_corpus_are_looked_up(trained):
    """By form and part of speech, then by form, whatever the script."""
    nlp, _ = trained
    pipe = nlp.get_pipe("mtl_lemmatizer")
    before = pipe.cfg["lemmas"]
    pipe.cfg["lemmas"] = {"VERB\tzag": "zien", "\tzag": "zaag"}
    try:
        doc = pipe(Doc(nlp.vocab, ["zag", "zag", "zag"], pos=["VERB", "NOUN", ""]))
    finally:
        pipe.cfg["lemmas"] = before
    assert lemmas(doc) == ["zien", "zaag", "zaag"]


def test_a_word_without_an_applicable_script_is_its_own_lemma(train):
    nlp = make(["U0:%x[0,SUFFIX2]"])
    examples = [of_words(("aab", "X", "a"), ("cab", "X", "c"), vocab=nlp.vocab)]
    train(nlp, examples, passes=2)
    assert nlp.get_pipe("mtl_lemmatizer").labels == ('["lower", "", "", "ab", ""]',)
    assert lemmas(nlp(Doc(nlp.vocab, ["Xyz", "zab", "x" * 200]))) == ["Xyz", "z", "x" * 200]


def test_saved_and_loaded_it_predicts_the_same(trained, tmp_path):
    nlp, _ = trained
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    texts = [example.text for example in read(nlp, "dev", 20)]
    wanted = [lemmas(doc) for doc in nlp.pipe(texts)]
    for n_process in (1, 2):
        assert [lemmas(doc) for doc in loaded.pipe(texts, n_process=n_process)] == wanted
    again = make().from_bytes(nlp.to_bytes())
    assert [lemmas(doc) for doc in again.pipe(texts)] == wanted


def test_the_model_alone_can_be_serialized(trained):
    nlp, examples = trained
    model = nlp.get_pipe("mtl_lemmatizer").model
    docs = [example.predicted for example in examples[:5]]
    copy = make().get_pipe("mtl_lemmatizer").model.from_bytes(model.to_bytes())
    assert copy.attrs["constraints"].edits
    for found, wanted in zip(copy.predict(docs), model.predict(docs), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_documents_of_another_vocabulary(trained):
    nlp, examples = trained
    words = [token.text for token in examples[0].reference]
    other = nlp.get_pipe("mtl_lemmatizer")(Doc(Vocab(), words))
    assert lemmas(other) == lemmas(nlp.get_pipe("mtl_lemmatizer")(Doc(nlp.vocab, words)))


def test_lemmas_of_documents_of_another_vocabulary_are_no_strings_of_its_own(trained):
    """That vocabulary may forget them, as in a memory zone; its own would keep them as long as there are documents."""
    nlp, _ = trained
    pipe, other = nlp.get_pipe("mtl_lemmatizer"), Vocab()
    known = len(nlp.vocab.strings)
    doc = pipe(Doc(other, [f"Zzunheard{k}en" for k in range(20)]))
    assert all(lemma in other.strings for lemma in lemmas(doc))
    assert len({*lemmas(doc)}) == 20
    assert len(nlp.vocab.strings) == known


def test_a_lexicon_of_few_words_predicts_the_same(trained, monkeypatch):
    """The table of words is emptied when it is full."""
    nlp, examples = trained
    pipe = nlp.get_pipe("mtl_lemmatizer")
    docs = [example.predicted for example in examples]
    wanted = pipe.predict(docs)
    monkeypatch.setattr("spacy_mtl.models.chain.scripts.MOST_WORD_BYTES", 500)
    pipe.model.attrs["predictor"] = None
    found = [pipe.predict([doc])[0] for doc in docs]
    lexicon = pipe.model.attrs["predictor"].reader.lexicon
    assert lexicon.limit <= 50
    assert lexicon.generation > 3
    pipe.model.attrs["predictor"] = None
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


# --- labels ---


def test_rare_scripts_are_no_labels():
    nlp = make(min_forms=2)
    words = [
        ("walking", "VERB", "walk"),
        ("talking", "VERB", "talk"),
        ("walking", "VERB", "walk"),
        ("was", "AUX", "be"),
    ]
    nlp.initialize(lambda: [of_words(*words, vocab=nlp.vocab)])
    pipe = nlp.get_pipe("mtl_lemmatizer")
    assert pipe.labels == ('["lower", "", "", "ing", ""]',)
    assert pipe.cfg["lemmas"]["\twas"] == "be"


def test_the_scripts_of_most_forms_are_labels():
    nlp = make(min_forms=1, max_scripts=1)
    words = [("a", "X", "b"), ("walking", "VERB", "walk"), ("talking", "VERB", "talk")]
    nlp.initialize(lambda: [of_words(*words, vocab=nlp.vocab)])
    assert nlp.get_pipe("mtl_lemmatizer").labels == ('["lower", "", "", "ing", ""]',)


def test_all_scripts_are_labels_where_none_is_frequent():
    nlp = make(min_forms=5)
    nlp.initialize(lambda: [of_words(("was", "X", "be"), ("x", "X", "y"), vocab=nlp.vocab)])
    assert len(nlp.get_pipe("mtl_lemmatizer").labels) == 2


def test_labels_can_be_given_and_saved():
    label = '["lower", "", "", "ing", ""]'
    nlp = make()
    nlp.get_pipe("mtl_lemmatizer").initialize(list, nlp=nlp, labels=[label])
    assert nlp.get_pipe("mtl_lemmatizer").label_data == [label]
    assert nlp.get_pipe("mtl_lemmatizer").add_label(label) == 0


@pytest.mark.parametrize("label", ["walk", '["lower"]'])
def test_a_label_that_is_no_script_is_refused(label):
    with pytest.raises(ValueError, match=r"M423.*edit scripts"):
        make().get_pipe("mtl_lemmatizer").add_label(label)


def test_new_documents_bring_scripts_and_lemmas(train):
    """Learning on: what is new joins what is known."""
    nlp = make()
    words = [("walking", "VERB", "walk"), ("talking", "VERB", "talk"), ("cars", "NOUN", "car"), ("bars", "NOUN", "bar")]
    train(nlp, [of_words(*words, vocab=nlp.vocab)], passes=3)
    pipe = nlp.from_bytes(nlp.to_bytes()).get_pipe("mtl_lemmatizer")
    more = [("jumped", "VERB", "jump"), ("bumped", "VERB", "bump"), ("were", "AUX", "be")]
    examples = [of_words(*more, vocab=nlp.vocab)]
    for _ in range(3):
        pipe.update(examples)
    doc = Doc(nlp.vocab, ["were", "cars", "dumped"], pos=["AUX", "NOUN", "VERB"])
    assert lemmas(pipe(doc)) == ["be", "car", "dump"]


def test_what_is_rehearsed_is_what_the_earlier_model_says(train):
    """Lemmas that have been learnt since are not among it."""
    nlp = make()
    words = [("walking", "VERB", "walk"), ("talking", "VERB", "talk"), ("cars", "NOUN", "car"), ("bars", "NOUN", "bar")]
    train(nlp, [of_words(*words, vocab=nlp.vocab)], passes=3)
    pipe = nlp.get_pipe("mtl_lemmatizer")
    pipe.learn_on()
    pipe.update([of_words(("walking", "VERB", "wrong"), vocab=nlp.vocab)])
    assert pipe.cfg["lemmas"]["VERB\twalking"] == "wrong"
    with pipe._as_before():
        (doc,) = pipe.annotated_before([Doc(nlp.vocab, ["walking"], pos=["VERB"])])
    assert lemmas(doc) == ["walk"]
    assert pipe.cfg["lemmas"]["VERB\twalking"] == "wrong"


def test_earlier_beginnings_are_those_of_the_earlier_model(train):
    nlp = make()
    train(nlp, [of_words(("cars", "NOUN", "car"), ("bars", "NOUN", "bar"), vocab=nlp.vocab)], passes=3)
    pipe = nlp.get_pipe("mtl_lemmatizer")
    assert lemmas(pipe(Doc(nlp.vocab, ["barkod"], pos=["NOUN"]))) == ["barkod"]
    pipe.learn_on()
    pipe.cfg["beginnings"] = {"NOUN\tbar": "bar"}
    assert lemmas(pipe(Doc(nlp.vocab, ["barkod"], pos=["NOUN"]))) == ["bar"]
    with pipe._as_before():
        (doc,) = pipe.annotated_before([Doc(nlp.vocab, ["barkod"], pos=["NOUN"])])
    assert lemmas(doc) == ["barkod"]


SAW = ("saw", "VERB", "see")


def learnt_on(train, batches):
    """A lemmatizer that knows "saw" as a verb, and has learnt on from these batches."""
    nlp = make()
    words = [("walks", "VERB", "walk"), ("talks", "VERB", "talk"), ("cars", "NOUN", "car")]
    train(nlp, [of_words(SAW, *words, vocab=nlp.vocab)], passes=3)
    pipe = nlp.from_bytes(nlp.to_bytes()).get_pipe("mtl_lemmatizer")
    pipe.learn_on()
    for batch in batches:
        pipe.update([of_words(*words, vocab=nlp.vocab) for words in batch])

    def say(form, pos):
        return lemmas(pipe(Doc(nlp.vocab, [form], pos=[pos])))[0]

    return pipe, say


def test_another_part_of_speech_changes_no_known_lemma(train):
    _, say = learnt_on(train, [[[("saw", "NOUN", "saw")]]])
    assert (say("saw", "VERB"), say("saw", "NOUN"), say("saw", "ADJ")) == ("see", "saw", "see")


def test_lemmas_and_scripts_do_not_depend_on_batches(train):
    """The most frequent lemma of all new documents counts, and a script needs enough forms in all of them."""
    documents = [
        [SAW, ("sings", "VERB", "sing")],
        [SAW],
        [("saw", "VERB", "saw"), ("jumped", "VERB", "jump")],
        [("bumped", "VERB", "bump"), ("ate", "VERB", "eat")],
    ]
    whole, say = learnt_on(train, [documents])
    by_one, say_by_one = learnt_on(train, [[document] for document in [*documents, *documents]])
    assert whole.cfg == by_one.cfg
    assert say("saw", "VERB") == say_by_one("saw", "VERB") == "see"
    assert whole.labels[-1] == script_of("jumped", "jump").text
    assert script_of("ate", "eat").text not in whole.labels
    assert say("ate", "VERB") == "eat"


def test_words_of_earlier_batches_are_learnt_once_their_script_is_a_label(train):
    early, late = [("walks", "VERB", "walk"), ("jumped", "VERB", "jump")], [("bumped", "VERB", "bump")]
    pipe, _ = learnt_on(train, [[early], [late]])
    assert [(piece.gold >= 0).all() for piece in pipe._gathered.pieces] == [False, True]
    pipe.update([of_words(*early, vocab=pipe.vocab), of_words(*late, vocab=pipe.vocab)])
    assert [(piece.gold >= 0).all() for piece in pipe._gathered.pieces] == [True, True]


def test_a_document_counts_once_however_often_it_is_shown(train):
    """One says saw, three times, and two others say see, once each."""
    once = [("saw", "NOUN", "saw")]
    pipe, say = learnt_on(train, [[once], [once], [once], [[("saw", "NOUN", "see"), ("a", "DET", "a")]]])
    pipe.update([of_words(("saw", "NOUN", "see"), ("the", "DET", "the"), vocab=pipe.vocab)])
    assert say("saw", "NOUN") == "see"


def test_a_lemma_is_known_before_the_pass_is_over(train):
    """A document is shown alone after a pass over several."""
    pipe, say = learnt_on(train, [[[("cars", "NOUN", "car")], [("walks", "VERB", "walk")], [SAW]]])
    pipe.update([of_words(("mice", "NOUN", "mouse"), vocab=pipe.vocab)])
    assert say("mice", "NOUN") == "mouse"


def test_scripts_are_added_as_long_as_there_is_room(train):
    nlp = make(max_scripts=4)
    words = [("walks", "VERB", "walk"), ("talks", "VERB", "talk"), ("saw", "VERB", "saw"), ("raw", "ADJ", "raw")]
    train(nlp, [of_words(*words, vocab=nlp.vocab)], passes=3)
    pipe = nlp.get_pipe("mtl_lemmatizer")
    n_before = len(pipe.labels)
    new = [(stem + ending, "VERB", stem) for ending in ("en", "ed", "ing") for stem in ("jump", "bump", "dump")]
    pipe.learn_on()
    pipe.update([of_words(*new, *new, vocab=nlp.vocab)])
    assert n_before < len(pipe.labels) == 4


# --- gold ---


def gold(nlp, example) -> list[str | None]:
    pipe = nlp.get_pipe("mtl_lemmatizer")
    labels = [*pipe.labels, None]
    return [labels[y] for y in pipe.gold_labels(example, borders([example.predicted]))]


@pytest.fixture
def fresh():
    nlp = make()
    nlp.get_pipe("mtl_lemmatizer").set_labels(['["lower", "", "", "ing", ""]', '["lower", "", "", "", ""]'])
    return nlp


def test_missing_lemmas_and_rare_scripts_are_masked(fresh):
    words = ["walking", "walks", "a", "b", "_"]
    reference = Doc(fresh.vocab, words, lemmas=["walk", "walk", "", "_", "_"])
    ing, same = fresh.get_pipe("mtl_lemmatizer").labels
    assert gold(fresh, Example(Doc(fresh.vocab, words), reference)) == [ing, None, None, None, same]


def test_only_words_that_align_one_to_one_are_learnt_from(fresh):
    reference = Doc(fresh.vocab, ["can", "not", "walking"], spaces=[False, True, False], lemmas=["can", "not", "walk"])
    ing, same = fresh.get_pipe("mtl_lemmatizer").labels
    glued = Doc(fresh.vocab, ["cannot", "walking"], spaces=[True, False])
    assert gold(fresh, Example(glued, reference)) == [None, ing]
    reference = Doc(fresh.vocab, ["cannot", "walking"], spaces=[True, False], lemmas=["cannot", "walk"])
    cut = Doc(fresh.vocab, ["can", "not", "walking"], spaces=[False, True, False])
    assert gold(fresh, Example(cut, reference)) == [None, None, ing]
    assert same not in gold(fresh, Example(cut, reference))


# --- what it writes ---


def test_lemmas_already_there_stay_unless_overwritten(trained):
    nlp, _ = trained
    pipe = nlp.get_pipe("mtl_lemmatizer")
    doc = Doc(nlp.vocab, ["De", "hond"], lemmas=["X", ""])
    pipe(doc)
    assert doc[0].lemma_ == "X"
    assert doc[1].lemma_ == "hond"
    pipe.overwrite = True
    try:
        pipe(doc)
    finally:
        pipe.overwrite = False
    assert doc[0].lemma_ == "de"


def test_documents_of_no_tokens(trained):
    nlp, _ = trained
    assert len(nlp("")) == 0
    assert [len(doc) for doc in nlp.pipe(["", "De hond", ""])] == [0, 2, 0]


def test_untrained_it_leaves_documents_alone():
    assert lemmas(make()("De hond")) == ["", ""]


def test_attributes_that_the_corpus_lacks_are_left_out(train):
    nlp = spacy.blank("nl")
    nlp.add_pipe("mtl_lemmatizer")
    train(nlp, read(nlp, limit=20, given=()), passes=1)
    kept = [row.text for row in current_weights(nlp.get_pipe("mtl_lemmatizer").model).templates]
    assert not [text for text in kept if any(f",{tag}]" in text for tag in ("POS", "TAG", "MORPH"))]


# --- what is refused ---


def test_a_corpus_without_lemmas_is_refused():
    nlp = make()
    reference = Doc(nlp.vocab, ["De", "hond"], lemmas=["_", "_"])
    with pytest.raises(ValueError, match=r"^\[M422\] 'mtl_lemmatizer' cannot be trained: none of the 1 "):
        nlp.initialize(lambda: [Example(Doc(nlp.vocab, ["De", "hond"]), reference)])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"min_forms": -1}, "min_forms must be 0 or more, but is -1"),
        ({"max_scripts": 0}, "max_scripts must be at least 1, but is 0"),
        ({"max_scripts": -3}, "max_scripts must be 0 or more, but is -3"),
    ],
)
def test_settings_out_of_range_are_refused(settings, said):
    with pytest.raises(ValueError, match=f"M419.*{said}"):
        make(**settings)


# --- files of strangers ---


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"scripts": ["walk"]}, "labels of its settings|edit script"),
        ({"scripts": [1]}, "scripts of cfg"),
        ({"lemmas": {"\tform": ""}}, "lemma that is no text"),
        ({"lemmas": {"form": "form"}}, "not of a form"),
        ({"lemmas": []}, "lemmas of cfg is .*, not an object"),
        ({"more": 1}, "unknown entry 'more'"),
    ],
)
def test_a_changed_file_is_refused_and_nothing_changes(trained, change, fault):
    data = trained[0].get_pipe("mtl_lemmatizer").to_bytes()
    hostile = make().from_bytes(trained[0].to_bytes()).get_pipe("mtl_lemmatizer")
    hostile.cfg.update(change)
    pipe = make().get_pipe("mtl_lemmatizer").from_bytes(data)
    with pytest.raises(ValueError, match=rf"\[M6\d\d\].*({fault})"):
        pipe.from_bytes(hostile.to_bytes())
    assert pipe.to_bytes() == data


@pytest.mark.filterwarnings("ignore:.*M459")
def test_an_untrained_file_with_a_label_that_is_no_script_is_refused():
    hostile = make().get_pipe("mtl_lemmatizer")
    hostile.cfg["scripts"] = ["walk"]
    with pytest.raises(ValueError, match=r"\[M6\d\d\].*not an edit script"):
        make().get_pipe("mtl_lemmatizer").from_bytes(hostile.to_bytes())


def agglutinating(nlp):
    """Words of which no two have an ending in common; nouns are compounds."""
    endings = iter(f"{a}{b}" for a in "xywq" for b in "bdfg")
    verbs = [(f"{stem}{next(endings)}", "VERB", stem) for stem in ("kal", "gel", "oku", "git") for _ in range(3)]
    nouns = [
        ("ev", "NOUN", "evx"),
        ("evkapi", "NOUN", "evkapi"),
        ("kapi", "NOUN", "kapi"),
        ("kapiev", "NOUN", "kapiev"),
    ]
    return [of_words(*verbs, *nouns, vocab=nlp.vocab)]


def test_new_words_are_cut_behind_a_known_lemma_where_the_corpus_is_like_that(train):
    nlp = make(["U0:%x[0,SUFFIX1]"])
    train(nlp, agglutinating(nlp), passes=2)

    def lemma(nlp, form, pos):
        return nlp.get_pipe("mtl_lemmatizer")(Doc(nlp.vocab, [form], pos=[pos]))[0].lemma_

    again = make(["U0:%x[0,SUFFIX1]"]).from_bytes(nlp.to_bytes())
    for each in (nlp, again):
        assert lemma(each, "kalabilir", "VERB") == "kal"
        assert lemma(each, "Okunan", "VERB") == "oku"
        assert lemma(each, "kalabilir", "NOUN") != "kal"
        assert lemma(each, "kapilar", "NOUN") != "kapi"


def test_stems_are_known_from_the_other_words(train):
    nlp = make(["U0:%x[0,STEM_TAG]/%x[0,AFTER_STEM]"])
    words = [(stem + end, "VERB", stem) for stem in ("kal", "gel", "oku") for end in ("dim", "mek", "ir")]
    train(nlp, [of_words(*words, vocab=nlp.vocab)], passes=3)
    doc = nlp.get_pipe("mtl_lemmatizer")(Doc(nlp.vocab, ["okular", "geldim", "kalir"], pos=["VERB"] * 3))
    assert lemmas(doc)[1:] == ["gel", "kal"]
    assert nlp.get_pipe("mtl_lemmatizer").model.attrs["learned"]["STEM_TAG"]["oku"] == "VERB"
