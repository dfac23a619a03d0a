"""The tagger by itself and in a pipeline."""

import copy
import warnings

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.sentences import borders
from spacy_mtl.structures.chain.viterbi import FORBIDDEN

TEMPLATES = ["U0:%x[0,LOWER]", "U1:%x[0,SUFFIX3]", "U2:%x[-1,LOWER]/%x[0,SHAPE]", "B"]


def make_tagger(texts=TEMPLATES, **config):
    """A blank Spanish pipeline with a tagger."""
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": texts}
    nlp.add_pipe("mtl_tagger", config={"model": {"templates": templates}, **config})
    return nlp


def read(nlp, corpus_path, split="train", limit=60):
    reader = ConllCorpus(corpus_path / f"{split}.conll", columns=["ORTH", "TAG", "_"], given=[], limit=limit)
    return list(reader(nlp))


@pytest.fixture(scope="module")
def tagged(train, corpus_path):
    """A trained tagger with constraints and parts of speech, and the examples it saw."""
    pos_map = {"NOUN": "NOUN", "VERB": "VERB", "PUNCT": "PUNCT"}
    nlp = make_tagger(known_words=3, pos_map=pos_map)
    examples = read(nlp, corpus_path)
    return train(nlp, examples, passes=6), examples


def tags(doc) -> list[str]:
    return [token.tag_ for token in doc]


def test_a_map_of_tags_that_a_loaded_model_does_not_have_is_told(tagged, tmp_path):
    nlp, _ = tagged
    nlp.to_disk(tmp_path)
    with pytest.warns(UserWarning, match=r"^\[M758\] The config gives 'mtl_tagger' pos_map = .*'NOUN': 'X'"):
        spacy.load(tmp_path, config={"components": {"mtl_tagger": {"pos_map": {"NOUN": "X"}}}})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spacy.load(tmp_path)


def test_a_map_of_tags_of_the_config_counts_more_than_that_of_the_prior(tagged, corpus_path, tmp_path):
    nlp, _ = tagged
    nlp.to_disk(tmp_path)
    for given, wanted in (({}, nlp.get_pipe("mtl_tagger").cfg["pos_map"]), ({"NOUN": "X"}, {"NOUN": "X"})):
        new = make_tagger(known_words=3, pos_map=given)
        examples = read(new, corpus_path)
        new.get_pipe("mtl_tagger").initialize(lambda shown=examples: shown, nlp=new, prior=tmp_path)
        assert new.get_pipe("mtl_tagger").cfg["pos_map"] == wanted


def test_it_learns(tagged):
    nlp, examples = tagged
    assert nlp.evaluate(examples)["tag_acc"] > 0.97


def test_it_generalises(tagged, corpus_path):
    nlp, _ = tagged
    assert nlp.evaluate(read(nlp, corpus_path, "dev"))["tag_acc"] > 0.75


def test_saved_and_loaded_it_predicts_the_same(tagged, tmp_path):
    nlp, examples = tagged
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    texts = [example.text for example in examples]
    wanted = [(tags(doc), [token.pos_ for token in doc]) for doc in nlp.pipe(texts)]
    for n_process in (1, 2):
        found = [(tags(doc), [token.pos_ for token in doc]) for doc in loaded.pipe(texts, n_process=n_process)]
        assert found == wanted
    again = make_tagger().from_bytes(nlp.to_bytes())
    assert [tags(doc) for doc in again.pipe(texts)] == [tag for tag, _ in wanted]


def test_the_model_alone_can_be_serialized(tagged):
    nlp, examples = tagged
    model = nlp.get_pipe("mtl_tagger").model
    docs = [nlp.make_doc(example.text) for example in examples[:5]]
    copy = make_tagger().get_pipe("mtl_tagger").model.from_bytes(model.to_bytes())
    for found, wanted in zip(copy.predict(docs), model.predict(docs), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_parts_of_speech_follow_the_map(tagged):
    nlp, _ = tagged
    doc = nlp("La alcaldesa abrió la plaza.")
    assert all(token.pos_ == (token.tag_ if token.tag_ in ("NOUN", "VERB", "PUNCT") else "") for token in doc)
    assert any(token.pos_ for token in doc)


def test_frequent_words_keep_to_their_tags(tagged, corpus_path):
    nlp, examples = tagged
    known = nlp.get_pipe("mtl_tagger").cfg["known"]
    labels = nlp.get_pipe("mtl_tagger").labels
    counts = {}
    for example in examples:
        for token in example.reference:
            counts.setdefault(token.text, []).append(token.tag_)
    frequent = {word: sorted({labels.index(tag) for tag in seen}) for word, seen in counts.items() if len(seen) >= 3}
    assert known == frequent
    met = 0
    for doc in nlp.pipe([example.text for example in read(nlp, corpus_path, "dev")]):
        for token in doc:
            if token.text in known:
                met += 1
                assert labels.index(token.tag_) in known[token.text]
    assert met


def test_training_knows_the_frequent_words_too(tagged):
    nlp, _ = tagged
    arrays = nlp.get_pipe("mtl_tagger")._learner.training.problem.arrays
    assert (arrays.forms >= 0).any()
    assert (arrays.form_mask[arrays.forms[arrays.forms >= 0], arrays.gold[arrays.forms >= 0]] > FORBIDDEN / 2).all()


def test_without_the_option_no_word_is_held_to_its_tags(train, corpus_path):
    nlp = make_tagger()
    train(nlp, read(nlp, corpus_path, limit=10), passes=1)
    assert nlp.get_pipe("mtl_tagger").cfg["known"] == {}


# --- gold ---


def gold(nlp, example) -> list[str]:
    tagger = nlp.get_pipe("mtl_tagger")
    labels = [*tagger.labels, "-"]
    return [labels[y] for y in tagger.gold_labels(example, borders([example.predicted]))]


@pytest.fixture
def fresh():
    nlp = make_tagger()
    nlp.get_pipe("mtl_tagger").set_labels(["NOUN", "VERB"])
    return nlp


def test_missing_and_unknown_tags_are_masked(fresh):
    words = ["Ana", "vive", "ya", "!"]
    reference = Doc(fresh.vocab, words=words, tags=["NOUN", "VERB", "ADV", ""])
    assert gold(fresh, Example(Doc(fresh.vocab, words=words), reference)) == ["NOUN", "VERB", "-", "-"]


def test_gold_of_other_tokens_is_aligned(fresh):
    reference = Doc(fresh.vocab, words=["Ana", "vive"], spaces=[True, False], tags=["NOUN", "VERB"])
    predicted = Doc(fresh.vocab, words=["A", "na", "vive"], spaces=[False, True, False])
    assert gold(fresh, Example(predicted, reference)) == ["NOUN", "NOUN", "VERB"]
    glued = Doc(fresh.vocab, words=["Ana vive"], spaces=[False])
    assert gold(fresh, Example(glued, reference)) == ["-"]


# --- what it writes ---


def test_tags_already_there_stay_unless_overwritten(tagged):
    nlp, _ = tagged
    tagger = nlp.get_pipe("mtl_tagger")
    doc = Doc(nlp.vocab, words=["La", "plaza"], tags=["X", ""])
    tagger(doc)
    assert doc[0].tag_ == "X"
    assert doc[1].tag_ in tagger.labels
    tagger.overwrite = True
    try:
        tagger(doc)
    finally:
        tagger.overwrite = False
    assert doc[0].tag_ in tagger.labels


def test_documents_of_another_vocabulary(tagged):
    nlp, examples = tagged
    words = [[token.text for token in example.reference] for example in examples[:4]]
    pipe, other = nlp.get_pipe("mtl_tagger"), spacy.blank("es").vocab
    found = pipe.pipe([Doc(vocab, text) for vocab, text in zip([other, nlp.vocab, other, other], words, strict=True)])
    wanted = [tags(pipe(Doc(nlp.vocab, text))) for text in words]
    assert [tags(doc) for doc in found] == wanted
    pipe = copy.deepcopy(pipe)
    pipe.cfg["tags"] = [f"{tag}-odd" for tag in pipe.labels]  # which no vocabulary has from the beginning
    assert [tags(pipe(Doc(other, text))) for text in words] == [[f"{tag}-odd" for tag in text] for text in wanted]


def test_documents_of_no_tokens(tagged):
    nlp, _ = tagged
    assert len(nlp("")) == 0
    assert [len(doc) for doc in nlp.pipe(["", "La plaza", ""])] == [0, 2, 0]


def test_untrained_it_leaves_documents_alone():
    assert tags(make_tagger()("La plaza")) == ["", ""]


def test_labels_can_be_given(train, corpus_path):
    nlp = make_tagger()
    examples = read(nlp, corpus_path, limit=10)
    nlp.initialize(lambda: examples)
    found = nlp.get_pipe("mtl_tagger").labels
    given = make_tagger()
    given.get_pipe("mtl_tagger").initialize(
        lambda: read(given, corpus_path, limit=10), nlp=given, labels=["ZZ", *found]
    )
    assert given.get_pipe("mtl_tagger").labels == ("ZZ", *found)
    assert given.get_pipe("mtl_tagger").label_data == ["ZZ", *found]


# --- what is refused ---


def test_a_corpus_without_tags_is_refused(corpus_path):
    nlp = make_tagger()
    examples = list(ConllCorpus(corpus_path / "train.conll", columns=["ORTH", "_", "ENT"], given=[], limit=3)(nlp))
    with pytest.raises(ValueError, match=r"^\[M420\] 'mtl_tagger' cannot be trained: none of the 3 "):
        nlp.initialize(lambda: examples)


def test_a_negative_count_is_refused():
    with pytest.raises(ValueError, match=r"M419.*known_words must be 0 or more, but is -1"):
        make_tagger(known_words=-1)


def test_an_unknown_part_of_speech_is_refused():
    with pytest.raises(ValueError, match=r"M421.*'NN' to 'THING', which is not a universal part-of-speech tag.*NOUN"):
        make_tagger(pos_map={"NN": "THING"})


@pytest.mark.parametrize(("given", "overwrite", "warned"), [(["TAG"], False, 1), (["TAG"], True, 0), ([], False, 0)])
def test_a_dev_corpus_that_gives_the_tags_is_warned_of(corpus_path, given, overwrite, warned):
    """Otherwise the scores in training would be those of gold tags."""
    nlp = make_tagger(overwrite=overwrite)
    config = nlp.config.copy()
    path = str(corpus_path / "dev.conll")
    config["corpora"]["dev"] = {"@readers": "spacy_mtl.ConllCorpus.v1", "path": path, "given": given}
    nlp.config = config
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nlp.initialize(lambda: read(nlp, corpus_path, limit=5))
    assert len([each for each in caught if "[M434] 'mtl_tagger' predicts TAG" in str(each.message)]) == warned


def test_a_large_exponent_keeps_all_templates_that_have_weights():
    """At p = 100 the template weight is the largest where the weights are smallest: of the feature that every word has, which pulls hardly at all."""
    nlp = make_tagger(
        ["U0:%x[0,LOWER]", "U1:%x[0,CHAR_TYPE]", "U2:%x[-1,LOWER]", "B"],
        trainer={"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 100.0},
    )
    forms, order = {"la": "D", "casa": "N", "cae": "V", "un": "D", "gato": "N"}, np.random.default_rng(0)
    words = [order.choice(list(forms), 5).tolist() for _ in range(30)]
    examples = [Example(Doc(nlp.vocab, row), Doc(nlp.vocab, row, tags=[forms[form] for form in row])) for row in words]
    nlp.initialize(lambda: examples)
    for _ in range(20):
        nlp.update(examples)
    rows = nlp.get_pipe("mtl_tagger").template_weights()
    weights = [row["weight"] for row in rows]
    assert max(weights) / min(weights) > 1000
    assert all(row["rows"] > 0 for row in rows if row["norm"] > 0)
