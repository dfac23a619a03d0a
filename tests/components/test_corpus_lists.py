"""Lists of the corpus's own entities, which each part of it knows from the other parts only."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.learning.counted.corpus_lists import CorpusLists
from spacy_mtl.tables.corpus_phrases import corpus_phrases
from spacy_mtl.tables.phrase_files import read_phrases
from spacy_mtl.tables.phrases import OfCorpus, PhraseList

#: Sentences of two folds: Ana is in both, Eva twice in the first one, Santa Fe in the second, Lugo as a person and as a place.
TEXTS = [
    (["Ana", "y", "Eva"], ["B-PER", "O", "B-PER"]),
    (["Eva", "y", "Lugo"], ["B-PER", "O", "B-PER"]),
    (["vive", "Ana"], ["O", "B-PER"]),
    (["Santa", "Fe", "y", "Lugo"], ["B-LOC", "I-LOC", "O", "B-LOC"]),
]


def corpus(texts=TEXTS):
    nlp = spacy.blank("es")
    return nlp, [Example(Doc(nlp.vocab, words), Doc(nlp.vocab, words, ents=ents)) for words, ents in texts]


def counted(phrases, texts=TEXTS):
    references = [example.reference for example in corpus(texts)[1]]
    return CorpusLists(references, [str(words).encode() for words, _ in texts], {"LIST_x": phrases})


def known(lists):
    return {phrase: row.tolist() for phrase, row in lists.folds["LIST_x"].known.items()}


def test_a_fold_knows_the_entities_of_the_others():
    phrases = corpus_phrases("PER", folds=2)
    assert known(counted(phrases)) == {"Ana": [True, True], "Eva": [False, True], "Lugo": [False, True]}
    assert list(phrases) == ["Ana", "Eva", "Lugo"]


def test_all_labels_count_if_none_is_named():
    phrases = corpus_phrases(folds=2)
    assert known(counted(phrases))["Lugo"] == [True, True]
    assert known(counted(phrases))["Santa Fe"] == [True, False]


def test_rare_entities_are_left_out():
    phrases = corpus_phrases("PER", min_count=2, folds=2)
    found = known(counted(phrases))
    assert list(phrases) == ["Ana", "Eva"]
    assert found["Eva"] == [False, True]
    assert found["Ana"] == [False, False]  # once in each fold


def test_spellings_count_together_where_case_is_folded():
    phrases = corpus_phrases("PER", min_count=2, folds=2, fold_case=True)
    texts = [(["ANA"], ["B-PER"]), (["Ana"], ["B-PER"])]
    assert known(counted(phrases, texts)) == {"ana": [False, False]}
    assert list(phrases) == ["ANA", "Ana"]


def test_identical_texts_are_in_one_fold():
    texts = [TEXTS[0], TEXTS[2], TEXTS[3], TEXTS[0]]
    assert known(counted(corpus_phrases("PER", folds=2), texts))["Eva"] == [False, True]


def test_a_list_of_a_file_is_folded_but_not_filled(tmp_path):
    path = tmp_path / "people.txt"
    path.write_text("Eva\nJuan\n", encoding="utf8")
    phrases = read_phrases(path, folds=2, label="PER")
    assert phrases.of_corpus == OfCorpus("PER", 1, 2, False)
    assert known(counted(phrases))["Eva"] == [False, True]
    assert list(phrases) == ["Eva", "Juan"]


ONE_PART = pytest.mark.filterwarnings("ignore:.*M963")  # the copies of TEXTS are all in one


def trained(table, texts=TEXTS * 5):
    nlp, examples = corpus(texts)
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,LIST_x]", "U1:%x[-1,LOWER]", "B"]}
    ner = nlp.add_pipe("mtl_ner", config={"model": {"templates": templates}, "scheme": "iob2"})
    ner.initialize(lambda: examples, nlp=nlp, tables={"LIST_x": table})
    return nlp, ner, examples


def column(ner, pieces):
    """What the list says of the words of a training."""
    reader = ner._reader
    given = np.concatenate([piece.given for piece in pieces], axis=1)
    starts = np.cumsum([0, *(piece.gold.size for piece in pieces)])
    words = [ner.vocab.strings[orth] for orth in given[0].tolist()]
    return list(zip(words, reader.expand(given, starts, starts)[reader.columns["LIST_x"]].tolist(), strict=True))


def test_training_reads_folded_lists_and_prediction_whole_ones():
    nlp, ner, examples = trained(corpus_phrases("PER", folds=2), TEXTS)
    nlp.update(examples)
    found = column(ner, ner._learner.documents)
    assert sorted(value for word, value in found if word == "Eva") == [0, 0]
    assert sorted(value for word, value in found if word == "Ana") == [4, 4]
    assert sorted(value for word, value in found if word == "Lugo") == [0, 4]  # of a person in the first fold
    read = ner.predictor(nlp.vocab).reader.read([Doc(nlp.vocab, ["Eva"])], np.array([0, 1]))
    assert read[-1].tolist() == [4]


@ONE_PART
def test_what_is_learnt_is_saved_with_the_list(tmp_path):
    nlp, _, examples = trained(corpus_phrases("PER", folds=2))
    for _ in range(3):
        nlp.update(examples)
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path).get_pipe("mtl_ner")
    table = again.tables["LIST_x"]
    assert list(table) == ["Ana", "Eva", "Lugo"]
    assert table.of_corpus == OfCorpus("PER", 1, 2, True)
    table.add("Juan")
    nlp, examples = corpus(TEXTS * 5)  # trained again, the list is still one of the corpus
    other = nlp.add_pipe("mtl_ner", source=spacy.load(tmp_path))
    other.initialize(lambda: examples, nlp=nlp, tables={"LIST_x": table})
    nlp.update(examples)
    assert "Juan" in other.tables["LIST_x"]
    assert other._reader.lists.folds["LIST_x"].known["Eva"].tolist() == [False, True]  # copies are all in one fold


@ONE_PART
def test_a_list_changed_in_training_is_read_as_it_is():
    nlp, ner, examples = trained(corpus_phrases("PER", folds=2))
    nlp.update(examples)
    ner.tables["LIST_x"].add("y")
    assert {value for word, value in column(ner, ner._learner.documents) if word == "y"} == {4}


def test_a_corpus_without_such_entities_is_refused():
    with pytest.raises(ValueError, match=r"M818.*LIST_x.*ORG"):
        trained(corpus_phrases("ORG"))


@pytest.mark.parametrize("texts", [TEXTS[:1], TEXTS[:1] * 3])  # copies are all in one part
def test_a_corpus_of_one_part_finds_nothing_of_its_list_which_is_told(texts):
    with pytest.warns(UserWarning, match=r"\[M963\] 'mtl_ner': LIST_x .* a single document"):
        nlp, ner, examples = trained(corpus_phrases("PER"), texts)
    nlp.update(examples)
    assert {value for _, value in column(ner, ner._learner.documents)} == {0}


@pytest.mark.parametrize(
    "settings",
    [{"label": ""}, {"label": 3}, {"min_count": 0}, {"folds": 1}, {"folds": 101}, {"folds": 2.5}, {"fold_case": 1}],
)
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ValueError, match="M960"):
        corpus_phrases(**settings)


def test_a_list_from_elsewhere_is_whole_in_training():
    nlp, ner, examples = trained(PhraseList(["Eva"]), TEXTS)
    nlp.update(examples)
    assert ner._reader.lists.folds == {}
    assert {value for word, value in column(ner, ner._learner.documents) if word == "Eva"} == {4}
