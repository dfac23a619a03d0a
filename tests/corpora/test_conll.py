import warnings

import pytest
import spacy
from spacy.util import registry
from thinc.api import Config

from spacy_mtl.corpora.conll import ConllCorpus

TEXT = """Ana NP B-PER
vive V O
en SP O
Lima NP B-LOC
. F O

Luz NP B-PER
también R O

Fin N O
"""
DOCUMENTS = "-DOCSTART- x O\n\na N O\n\nb N B-X\n\nc N I-X\n\n-DOCSTART- x O\n\nd N O\n"


@pytest.fixture
def nlp():
    return spacy.blank("es")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "es.txt"
    path.write_text(TEXT, encoding="utf8")
    return path


@pytest.fixture
def documents(tmp_path):
    path = tmp_path / "documents.txt"
    path.write_text(DOCUMENTS, encoding="utf8")
    return path


def words(examples):
    return [[token.text for token in example.reference] for example in examples]


def test_reference_has_gold_and_predicted_what_is_given(nlp, path):
    first, second, third = ConllCorpus(path)(nlp)
    assert first.reference.text == first.predicted.text == "Ana vive en Lima."
    assert [(ent.text, ent.label_) for ent in first.reference.ents] == [("Ana", "PER"), ("Lima", "LOC")]
    assert [t.tag_ for t in first.reference] == [t.tag_ for t in first.predicted] == ["NP", "V", "SP", "NP", "F"]
    assert not first.predicted.has_annotation("ENT_IOB")
    assert first.get_aligned_ner() == ["U-PER", "O", "O", "U-LOC", "O"]
    assert (len(second), len(third)) == (2, 1)
    assert not first.reference.has_unknown_spaces
    assert not first.predicted.has_unknown_spaces


def test_nothing_given(nlp, path):
    example = next(ConllCorpus(path, given=[])(nlp))
    assert example.reference.has_annotation("TAG")
    assert not example.predicted.has_annotation("TAG")


def test_words_are_those_of_the_file(nlp, tmp_path):
    (tmp_path / "f").write_text("Lima. O\nNew-York/NY B-X\n")
    (example,) = ConllCorpus(tmp_path / "f", columns=["ORTH", "ENT"], given=[])(nlp)
    assert [t.text for t in example.predicted] == ["Lima.", "New-York/NY"]


def test_all_columns(nlp, tmp_path):
    (tmp_path / "f").write_text("1\tperros\tNC\tNOUN\tperro\n2\tladran\tV\tVERB\tladrar\n")
    columns = ["_", "ORTH", "TAG", "POS", "LEMMA"]
    (example,) = ConllCorpus(tmp_path / "f", columns=columns, given=["POS", "LEMMA"], separator="\t")(nlp)
    assert [(t.tag_, t.pos_, t.lemma_) for t in example.reference] == [
        ("NC", "NOUN", "perro"),
        ("V", "VERB", "ladrar"),
    ]
    assert [(t.tag_, t.pos_, t.lemma_) for t in example.predicted] == [("", "NOUN", "perro"), ("", "VERB", "ladrar")]


def test_missing_gold_aligns_to_none(nlp, tmp_path):
    (tmp_path / "f").write_text("a N O\nb N -\nc N B-X\nd N I-X\ne N _\n")
    (example,) = ConllCorpus(tmp_path / "f")(nlp)
    assert example.get_aligned_ner() == ["O", None, "B-X", "L-X", None]


def test_group_counts_sentences_and_stops_at_documents(nlp, documents):
    assert words(ConllCorpus(documents)(nlp)) == [["a"], ["b"], ["c"], ["d"]]
    assert words(ConllCorpus(documents, group=2)(nlp)) == [["a", "b"], ["c"], ["d"]]
    assert words(ConllCorpus(documents, group=0)(nlp)) == [["a", "b", "c"], ["d"]]


def test_group_zero_without_borders_is_one_doc(nlp, path):
    (example,) = ConllCorpus(path, group=0)(nlp)
    assert len(list(example.reference.sents)) == 3


def test_sentence_starts(nlp, path):
    (grouped,) = ConllCorpus(path, group=3)(nlp)
    starts = [i in (0, 5, 7) for i in range(8)]
    assert [t.is_sent_start for t in grouped.reference] == starts
    assert [t.is_sent_start for t in grouped.predicted] == starts
    single = next(ConllCorpus(path)(nlp))
    assert [t.is_sent_start for t in single.reference] == [True, False, False, False, False]
    assert not single.predicted.has_annotation("SENT_START")


def test_entities_do_not_cross_sentences(nlp, documents):
    (first, _) = ConllCorpus(documents, group=0)(nlp)
    assert [ent.text for ent in first.reference.ents] == ["b", "c"]


def test_several_files(nlp, path, documents):
    both = words(ConllCorpus([path, str(documents)])(nlp))
    assert both == words(ConllCorpus(path)(nlp)) + words(ConllCorpus(documents)(nlp))
    assert both == words(ConllCorpus(f"{path}, {documents}")(nlp))


def test_a_comma_in_the_name_of_a_file(nlp, path):
    odd = path.rename(path.with_name("a,b.txt"))
    assert len(list(ConllCorpus(str(odd))(nlp))) == 3


def test_limit_counts_examples_over_files(nlp, path):
    assert len(list(ConllCorpus([path, path], limit=4)(nlp))) == 4
    assert len(list(ConllCorpus([path, path])(nlp))) == 6


def test_reads_anew_with_each_call(nlp, path):
    corpus = ConllCorpus(path)
    assert words(corpus(nlp)) == words(corpus(nlp))


def test_no_entity_is_no_error(nlp, tmp_path):
    (tmp_path / "f").write_text("a N O\n")
    (example,) = ConllCorpus(tmp_path / "f")(nlp)
    assert example.get_aligned_ner() == ["O"]


def test_from_a_config(nlp, path):
    config = Config().from_str(f'[c]\n@readers = "spacy_mtl.ConllCorpus.v1"\npath = "{path}"\nseparator = " "\n')
    assert len(list(registry.resolve(config)["c"](nlp))) == 3
    filled = registry.fill(config)["c"]
    assert list(filled["columns"]) == ["ORTH", "TAG", "ENT"]
    assert filled["scheme"] == "auto"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"columns": ["ORTH", "NER"]}, r"M506.*'NER'.*ORTH, TAG, POS, LEMMA, ENT"),
        ({"columns": ["ORTH", "ENT"]}, r"M507.*'TAG'"),
        ({"given": ["ORTH"]}, r"M507.*'ORTH'"),
        ({"columns": ["TAG", "ENT"]}, "M505"),
        ({"scheme": "iob3"}, r"M509.*'iob3'"),
        ({"group": -1}, r"M514.*'group' of the corpus must be 0 or more, but it is -1"),
        ({"limit": -2}, r"M514.*'limit'"),
    ],
)
def test_bad_settings_are_refused_at_once(path, settings, message):
    with pytest.raises(ValueError, match=message):
        ConllCorpus(path, **settings)


@pytest.mark.parametrize("path", [None, "", [], " , "])
def test_no_path(path):
    with pytest.raises(ValueError, match=r"M511.*--paths\.train"):
        ConllCorpus(path)


def test_missing_files_are_refused_at_once(path):
    with pytest.raises(ValueError, match=r"M501.*nowhere"):
        ConllCorpus([path, path.with_name("nowhere")])


@pytest.mark.parametrize("name", ["gold.conllu", "gold.CoNLLX"])
def test_a_treebank_is_not_read_as_a_few_columns(tmp_path, name):
    """Its first column numbers the words, so everything would seem to be in order."""
    (tmp_path / name).write_text("1\tla\t_\tDET\t_\t_\t2\tdet\t_\t_\n\n", encoding="utf8")
    with pytest.raises(ValueError, match=r"M518.*3 columns are named \(ORTH TAG ENT\)"):
        ConllCorpus(tmp_path / name)
    assert ConllCorpus(tmp_path / name, columns=["_", "ORTH", *"____", "_", "_", "_", "TAG"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", '{"text": "a b c d", "spans": []}\n'),
        ("a.json", '\n[\n {"text": "a"}\n]\n'),
        ("a.jsonl", '{"text": "a"}\n'),
    ],
)
def test_json_is_not_read_as_columns(nlp, tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf8")
    with pytest.raises(ValueError, match=r"M955.*TasksCorpus.*--format tasks"):
        list(ConllCorpus(tmp_path / name)(nlp))


@pytest.mark.parametrize("word", ["{", "{}", '{"text":'])
def test_a_brace_is_a_word(nlp, path, word):
    path.write_text(f"{word} Fpa O\na NP B-PER\n\n", encoding="utf8")
    assert len(list(ConllCorpus(path)(nlp))) == 1
    path.write_text(f"{word}\na\n\n", encoding="utf8")
    assert len(list(ConllCorpus(path, ["ORTH"], given=[])(nlp))) == 1


def test_bad_tag_names_the_line(nlp, path):
    path.write_text(TEXT.replace("Luz NP B-PER", "Luz B-PER NP"), encoding="utf8")
    with pytest.raises(ValueError, match=r"M508.*Line 7 of '.*es\.txt': 'NP'"):
        list(ConllCorpus(path)(nlp))


def test_spaces_as_the_language_is_written(path):
    def text(lang, **settings):
        return next(ConllCorpus(path, **settings)(spacy.blank(lang))).text

    assert text("zh") == "AnaviveenLima."
    assert text("es") == text("zh", spaces=True) == "Ana vive en Lima."
    assert text("es", spaces=False) == "AnaviveenLima."


def test_single_sentences_beside_their_documents(nlp, documents):
    """Every second of four sentences once more, as a document of its own."""
    corpus = ConllCorpus(documents, group=0, singles=0.5)
    assert words(corpus(nlp)) == [["a", "b", "c"], ["d"], ["b"], ["d"]]
    alone = list(corpus(nlp))[2]
    assert [(ent.text, ent.label_) for ent in alone.reference.ents] == [("b", "X")]
    assert alone.predicted[0].tag_ == "N"
    assert len(list(ConllCorpus(documents, group=0, singles=1)(nlp))) == 6
    assert len(list(ConllCorpus(documents, group=0, singles=1, limit=3)(nlp))) == 3
    assert len(list(ConllCorpus(documents, group=1, singles=1)(nlp))) == 4


@pytest.mark.parametrize("singles", [-0.1, 1.5, "half", True, None])
def test_shares_of_single_sentences_that_cannot_be(documents, singles):
    with pytest.raises(ValueError, match=r"M514.*singles"):
        ConllCorpus(documents, singles=singles)


@pytest.mark.parametrize(("columns", "warned"), [(["ORTH", "TAG", "ENT"], 1), (["ORTH", "TAG", "_", "ENT"], 0), (["ORTH", "TAG"], 0)])  # fmt: skip
@pytest.mark.parametrize("rest", ["\nAna NNP B-NP B-PER\n", ""])
def test_entities_in_a_column_without_a_name_are_noticed(nlp, tmp_path, columns, warned, rest):
    (tmp_path / "four").write_text(f"Ana NNP B-NP B-PER\nlee VB B-VP O\n{rest}", encoding="utf8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        list(ConllCorpus(tmp_path / "four", columns=columns)(nlp))
    assert ["[M562]" in str(each.message) and "'B-PER'" in str(each.message) for each in caught] == [True] * warned
