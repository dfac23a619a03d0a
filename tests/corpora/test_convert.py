import pytest
import spacy
from spacy.tokens import DocBin
from spacy.training import Corpus

from spacy_mtl.corpora.convert import convert_columns, convert_segmented, convert_tasks

TEXT = "-DOCSTART- x O\n\nAna NP B-PER\nríe V O\n\nLima NP I-LOC\n\n-DOCSTART- x O\n\nFin N -\n"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text(TEXT, encoding="utf8")
    return path


def load(path):
    return list(DocBin().from_disk(path).get_docs(spacy.blank("es").vocab))


def test_docs_come_back_as_they_were(source, tmp_path):
    counts = convert_columns(source, tmp_path / "new" / "out.spacy", "es", group=0)
    assert (counts.documents, counts.sentences, counts.tokens, counts.entities) == (2, 3, 4, 2)
    first, second = load(tmp_path / "new" / "out.spacy")
    assert first.text == "Ana ríe Lima"
    assert [t.tag_ for t in first] == ["NP", "V", "NP"]
    assert [(ent.text, ent.label_) for ent in first.ents] == [("Ana", "PER"), ("Lima", "LOC")]
    assert [sentence.text for sentence in first.sents] == ["Ana ríe", "Lima"]
    assert first.user_data == {"spacy_mtl.given": ("TAG",)}
    assert [t.ent_iob for t in second] == [0]
    assert not first.has_unknown_spaces


def test_spacys_own_reader_reads_it(source, tmp_path):
    convert_columns(source, tmp_path / "out.spacy", "es")
    examples = list(Corpus(tmp_path / "out.spacy", gold_preproc=True)(spacy.blank("es")))
    assert [example.get_aligned_ner() for example in examples] == [["U-PER", "O"], ["U-LOC"], [None]]


def test_same_input_same_bytes(source, tmp_path):
    convert_columns(source, tmp_path / "a.spacy", "es")
    convert_columns(source, tmp_path / "b.spacy", "es")
    assert (tmp_path / "a.spacy").read_bytes() == (tmp_path / "b.spacy").read_bytes()


@pytest.mark.parametrize(
    ("text", "lang", "name", "message"),
    [
        ("\n\n", "es", "out.spacy", "M504"),
        (TEXT.replace("ríe V O", "ríe V"), "es", "out.spacy", r"M503.*Line 4"),
        (TEXT, "qq", "out.spacy", r"M515.*'qq'"),
        (TEXT, "es", "out.bin", r"M516.*out\.bin.*'\.spacy'.*'\.conllu'"),
    ],
)
def test_bad_input_writes_nothing(source, tmp_path, text, lang, name, message):
    source.write_text(text, encoding="utf8")
    (tmp_path / "out.spacy").write_bytes(b"before")
    with pytest.raises(ValueError, match=message):
        convert_columns(source, tmp_path / name, lang)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt", "out.spacy"]
    assert (tmp_path / "out.spacy").read_bytes() == b"before"


# --- segmented texts ---


def test_a_tokenizer_that_does_not_say_what_it_lacks_is_refused(tmp_path, monkeypatch):
    def blank(*_, **__):
        raise ImportError

    monkeypatch.setattr("spacy_mtl.languages.spacy.blank", blank)
    (tmp_path / "in.jsonl").write_text('{"text": "uno"}\n')
    with pytest.raises(ValueError, match=r"M767.*ImportError"):
        convert_tasks(tmp_path / "in.jsonl", tmp_path / "out.spacy", "es")


def test_segmented_text_comes_back_as_it_was(tmp_path):
    source = tmp_path / "zh.txt"
    source.write_bytes("今天  下雨  。\n\n再见\n".encode("gb18030"))
    counts = convert_segmented(source, tmp_path / "zh.spacy", "zh", encoding="gb18030")
    assert (counts.documents, counts.sentences, counts.tokens, counts.entities) == (2, 2, 4, 0)
    nlp = spacy.blank("zh")
    first, second = DocBin().from_disk(tmp_path / "zh.spacy").get_docs(nlp.vocab)
    assert [token.text for token in first] == ["今天", "下雨", "。"]
    assert (first.text, second.text) == ("今天下雨。", "再见")
    assert first.user_data == {"spacy_mtl.given": ()}


def test_spacys_own_reader_hides_the_words(tmp_path):
    source = tmp_path / "zh.txt"
    source.write_text("今天  下雨  。\n", encoding="utf8")
    convert_segmented(source, tmp_path / "zh.spacy", "zh")
    (example,) = Corpus(tmp_path / "zh.spacy")(spacy.blank("zh"))
    assert [token.text for token in example.predicted] == list("今天下雨。")
    assert [token.text for token in example.reference] == ["今天", "下雨", "。"]


@pytest.mark.parametrize(
    ("text", "lang", "name", "message"),
    [
        ("\n\n", "zh", "out.spacy", "M520"),
        ("好", "qq", "out.spacy", r"M515.*'qq'"),
        ("好", "zh", "out.bin", r"M516.*out\.bin"),
    ],
)
def test_bad_segmented_input_writes_nothing(source, tmp_path, text, lang, name, message):
    source.write_text(text, encoding="utf8")
    with pytest.raises(ValueError, match=message):
        convert_segmented(source, tmp_path / name, lang)
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]
