"""The senter by itself and in a pipeline."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_mtl.corpora.conllu import ConlluCorpus

TREES = Path(__file__).parents[2] / "assets" / "nl-trees"
TEMPLATES = ["U0:%x[-1,LOWER]", "U1:%x[0,SHAPE]", "U2:%x[-1,LOWER]/%x[0,SHAPE]", "U3:%x[1,LOWER]", "B"]


def make(texts=TEMPLATES, **config):
    """A blank Dutch pipeline with a senter."""
    nlp = spacy.blank("nl")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": texts}
    nlp.add_pipe("mtl_senter", config={"model": {"templates": templates}, **config})
    return nlp


def read(nlp, split="train", limit=12, **settings):
    settings = {"given": [], "group": 5, "borders": False, **settings}
    return list(ConlluCorpus(TREES / f"{split}.conllu", limit=limit, **settings)(nlp))


def starts(doc) -> list[bool | None]:
    return [token.is_sent_start for token in doc]


@pytest.fixture(scope="module")
def trained(train):
    """A trained senter and the examples it saw."""
    nlp = make()
    examples = read(nlp)
    return train(nlp, examples, passes=6), examples


def test_it_learns(trained):
    nlp, examples = trained
    assert nlp.evaluate(examples)["sents_f"] > 0.98


def test_it_generalises(trained):
    nlp, _ = trained
    assert nlp.evaluate(read(nlp, "dev", 0))["sents_f"] > 0.9


def test_it_learns_the_same_from_documents_with_borders(train, trained):
    """The chain covers the document, so borders that the reader gives say nothing."""
    nlp = make()
    train(nlp, read(nlp, borders=True), passes=6)
    assert nlp.get_pipe("mtl_senter").to_bytes(exclude=["vocab"]) == trained[0].get_pipe("mtl_senter").to_bytes(
        exclude=["vocab"]
    )


def test_saved_and_loaded_it_predicts_the_same(trained, tmp_path):
    nlp, _ = trained
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    texts = [example.text for example in read(nlp, "dev", 0)]
    wanted = [starts(doc) for doc in nlp.pipe(texts)]
    for n_process in (1, 2):
        assert [starts(doc) for doc in loaded.pipe(texts, n_process=n_process)] == wanted
    again = make().from_bytes(nlp.to_bytes())
    assert [starts(doc) for doc in again.pipe(texts)] == wanted


def test_documents_of_another_vocabulary(trained):
    nlp, examples = trained
    words = [token.text for token in examples[0].reference]
    pipe = nlp.get_pipe("mtl_senter")
    assert starts(pipe(Doc(spacy.blank("nl").vocab, words))) == starts(pipe(Doc(nlp.vocab, words)))


def test_several_documents_at_once_are_as_one_by_one(trained):
    nlp, examples = trained
    pipe = nlp.get_pipe("mtl_senter")
    docs = [example.predicted for example in examples]
    together = pipe.predict(docs)
    for doc, labels in zip(docs, together, strict=True):
        np.testing.assert_array_equal(pipe.predict([doc])[0], labels)
        assert labels[0] == 1


# --- gold ---


def gold(example) -> list[int]:
    return make().get_pipe("mtl_senter").gold_labels(example, np.array([0, len(example.predicted)])).tolist()


def test_missing_borders_are_masked():
    vocab = Vocab()
    reference = Doc(vocab, ["a", "b", "c", "d"], sent_starts=[True, None, True, False])
    assert gold(Example(Doc(vocab, ["a", "b", "c", "d"]), reference)) == [1, -1, 1, 0]
    bare = Doc(vocab, ["a", "b"])
    assert gold(Example(Doc(vocab, ["a", "b"]), bare)) == [-1, -1]


def test_borders_of_other_tokens_are_aligned():
    vocab = Vocab()
    reference = Doc(
        vocab, ["Ja", ".", "Nee", "."], spaces=[False, True, False, False], sent_starts=[True, False, True, False]
    )
    predicted = Doc(vocab, ["Ja.", "Ne", "e."], spaces=[True, False, False])
    assert gold(Example(predicted, reference)) == [1, 1, 0]
    assert gold(Example(predicted, Doc(vocab, ["Ja", ".", "Nee", "."]))) == [-1, -1, -1]


def test_a_sentence_whose_first_token_is_not_in_the_input_begins_with_the_next():
    vocab = Vocab()
    reference = Doc(vocab, [" ", "Ja", ".", " ", "Nee", ".", " "], sent_starts=[1, -1, -1, 1, -1, -1, 1])
    assert gold(Example(Doc(vocab, ["Ja", ".", "Nee", "."]), reference)) == [1, 0, 1, 0]


# --- what it writes ---


def test_borders_already_there_stay_unless_overwritten(trained):
    nlp, examples = trained
    pipe = nlp.get_pipe("mtl_senter")
    words = [token.text for token in examples[0].reference]
    wanted = starts(pipe(Doc(nlp.vocab, words)))
    assert wanted.count(True) > 2
    some = [True, True, *[None] * (len(words) - 2)]
    assert starts(pipe(Doc(nlp.vocab, words, sent_starts=some))) == [True, True, *wanted[2:]]
    pipe.overwrite = True
    try:
        assert starts(pipe(Doc(nlp.vocab, words, sent_starts=some))) == wanted
        parsed = Doc(nlp.vocab, words, heads=[0] * len(words), deps=["dep"] * len(words))
        assert starts(pipe(parsed)).count(True) == 1
    finally:
        pipe.overwrite = False


def test_documents_of_no_tokens(trained):
    nlp, _ = trained
    assert [len(doc) for doc in nlp.pipe(["", "De hond", ""])] == [0, 2, 0]


def test_untrained_it_leaves_documents_alone():
    assert not make()("De hond slaapt.").has_annotation("SENT_START")


def test_learning_on(trained):
    nlp = make().from_bytes(trained[0].to_bytes())
    pipe = nlp.get_pipe("mtl_senter")
    words = ["ja", ";", "nee", ";", "ja", ";"]
    reference = Doc(nlp.vocab, words, sent_starts=[k % 2 == 0 for k in range(6)])
    for _ in range(10):
        pipe.update([Example(Doc(nlp.vocab, words), reference)])
    assert starts(pipe(Doc(nlp.vocab, words))) == [True, False] * 3
    assert nlp.evaluate(trained[1])["sents_f"] > 0.9


def test_rehearsal_keeps_what_it_found(trained):
    """Even for documents that have borders."""
    nlp = make().from_bytes(trained[0].to_bytes())
    pipe = nlp.get_pipe("mtl_senter")
    words = [token.text for token in trained[1][0].reference]
    wanted = starts(pipe(Doc(nlp.vocab, words)))
    given = Doc(nlp.vocab, words, sent_starts=[True] * len(words))
    for _ in range(3):
        pipe.rehearse([Example(given, given)])
    assert starts(pipe(Doc(nlp.vocab, words))) == wanted


def test_rehearsal_does_not_take_a_parse_for_borders(trained):
    """The component itself leaves documents with a parse as they are."""
    pipe = make().from_bytes(trained[0].to_bytes()).get_pipe("mtl_senter")
    words = [token.text for token in trained[1][0].reference]
    wanted = starts(pipe(Doc(pipe.vocab, words)))
    parsed = Doc(pipe.vocab, words, heads=[0] * len(words), deps=["ROOT", *["dep"] * (len(words) - 1)])
    (copy,) = pipe.annotated_before([parsed])
    assert starts(copy) == wanted
    assert pipe.annotated_before([Doc(pipe.vocab, [])])[0].text == ""


# --- what is refused and warned of ---


def test_documents_of_one_sentence_are_refused():
    nlp = make()
    examples = read(nlp, group=1)
    with pytest.raises(ValueError, match=r"^\[M428\] 'mtl_senter' cannot be trained: none of the 12 .*group = 10"):
        nlp.initialize(lambda: examples)
    with pytest.raises(ValueError, match="M402"):
        nlp.initialize(list)


def test_a_setting_of_another_type_is_refused():
    with pytest.raises(ValueError, match=r"M419|Config"):
        make(overwrite="maybe")


@pytest.mark.parametrize(
    ("settings", "overwrite", "warned"), [({}, False, 1), ({}, True, 0), ({"borders": False}, False, 0)]
)
def test_a_dev_corpus_that_gives_borders_is_warned_of(settings, overwrite, warned):
    nlp = make(overwrite=overwrite)
    config = nlp.config.copy()
    config["corpora"]["dev"] = {
        "@readers": "spacy_mtl.ConlluCorpus.v1",
        "path": str(TREES / "dev.conllu"),
        "given": [],
        **settings,
    }
    nlp.config = config
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nlp.initialize(lambda: read(nlp))
    assert len([each for each in caught if "[M435] 'mtl_senter' predicts" in str(each.message)]) == warned
