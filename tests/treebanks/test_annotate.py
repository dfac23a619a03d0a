"""Texts, .spacy files and CoNLL-U to CoNLL-U."""

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.convert import convert_conllu
from spacy_mtl.treebanks.annotate import annotate, input_of
from spacy_mtl.treebanks.inputs import Input, stream_docs, without_white_space

TEXT = "Ana va.\nVa a casa .\n\n \nLuz\tno  va, ya.\n"
GOLD = """\
# newdoc
# sent_id = a
# text = Ana va al mar.
1\tAna\tana\tPROPN\tXN\tGender=Fem\t2\tnsubj\t2:nsubj\tWho=1
2\tva\tir\tVERB\tXV\t_\t0\troot\t0:root\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\tIt=al
3\ta\ta\tADP\tXE\tB=1|A=2\t5\tcase\t5:case\t_
4\tel\tel\tDET\tXD\t_\t5\tdet\t5:det\t_
4.1\tmismo\t_\tADJ\t_\t_\t_\t_\t5:amod\t_
5\tmar\tmar\tNOUN\tXN\t_\t2\tobl\t2:obl\tSpaceAfter=No
6\t.\t.\tPUNCT\tXF\t_\t2\tpunct\t2:punct\t_

# sent_id = b
# note = no text
1\tYa\tya\tADV\tXR\t_\t0\troot\t_\t_

"""


@pytest.fixture
def run(tmp_path):
    def run(nlp, *files, n_process=1, **settings):
        paths = []
        for name, text in files:
            paths.append(tmp_path / name)
            if isinstance(text, str):
                paths[-1].write_text(text, encoding="utf8")
        counts = annotate(nlp, paths, tmp_path / "out.conllu", Input(**{"trees": True, **settings}), n_process)
        text = (tmp_path / "out.conllu").read_text(encoding="utf8")
        assert counts.sentences == text.count("\n\n")
        assert counts.words == len([row for row in rows(text) if row[0].isdecimal()])
        return text

    return run


def rows(text):
    return [line.split("\t") for line in text.splitlines() if line and line[0] != "#"]


def comments(text):
    return [line for line in text.splitlines() if line[:1] == "#"]


def column(text, number):
    return [row[number - 1] for row in rows(text) if row[0].isdecimal()]


@pytest.mark.parametrize("name", ["a\n1\tb.txt", "a\udcff 1 b.txt"])
def test_any_name_of_a_file_is_a_comment(make_toy, run, name):
    text = run(make_toy(), (name, TEXT))
    assert comments(text)[0] in ("# newdoc id = a 1 b", "# newdoc id = a? 1 b")
    assert comments(text)[1] == "# newpar"


def test_a_text_by_paragraphs(make_toy, run):
    text = run(make_toy(), ("my.txt", TEXT))
    assert text.split("\n\n")[0].splitlines() == [
        "# newdoc id = my",
        "# newpar",
        "# sent_id = 1",
        "# text = Ana va.",
        "1\tAna\tANA\tNOUN\tN\tLength=3\t0\troot\t_\t_",
        "2\tva\tVA\tNOUN\tN\tLength=2\t1\tdep\t_\tSpaceAfter=No",
        "3\t.\t.\tPUNCT\tP\tLength=1\t1\tdep\t_\t_",
    ]
    assert comments(text)[4:] == [
        "# sent_id = 2",
        "# text = Va a casa .",
        "# newpar",
        "# sent_id = 3",
        "# text = Luz no va, ya.",
    ]
    assert "\n" not in column(text, 2)
    assert column(text, 2) == ["Ana", "va", ".", "Va", "a", "casa", ".", "Luz", "no", "va", ",", "ya", "."]


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ("line", ["# newdoc id = my-1", "# newdoc id = my-2", "# newdoc id = my-3", "# newdoc id = b-1"]),
        ("file", ["# newdoc id = my", "# newdoc id = b"]),
        ("paragraph", ["# newdoc id = my", "# newpar", "# newpar", "# newdoc id = b", "# newpar"]),
    ],
)
def test_other_documents(make_toy, run, documents, expected):
    text = run(make_toy(), ("my.txt", TEXT), ("empty.txt", " \n\n"), ("b.txt", "Ya"), documents=documents)
    assert [comment for comment in comments(text) if "new" in comment] == expected
    assert [comment for comment in comments(text) if "sent_id" in comment] == [f"# sent_id = {i}" for i in range(1, 5)]


def test_entities_that_the_pipeline_finds_are_written(run, tmp_path):
    nlp = spacy.blank("es")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ana"}, {"label": "LOC", "pattern": "va a"}])
    assert column(run(nlp, ("my.txt", "Ana va a casa.")), 10) == [
        "NER=B-PER", "NER=B-LOC", "NER=I-LOC", "SpaceAfter=No", "_"
    ]  # fmt: skip
    docs = [Doc(nlp.vocab, words=["Ana", "Luz"], ents=["O", "B-PER"])]
    DocBin(docs=docs).to_disk(tmp_path / "in.spacy")
    assert column(run(nlp, ("in.spacy", None)), 10) == ["NER=B-PER", "_"]
    assert column(run(spacy.blank("es"), ("in.spacy", None)), 10) == ["_", "NER=B-PER"]  # those of the file


def test_what_begins_amid_a_sentence_is_one_sentence(run):
    """Without borders, a document is a sentence."""
    nlp = spacy.blank("es")
    assert run(nlp, ("my.txt", TEXT)).count("# text") == 2
    assert run(nlp, ("my.txt", TEXT), documents="file").count("# text") == 1


def test_white_space_is_no_word():
    doc = spacy.blank("es")("\n Ana \n\n va.\t")
    words = without_white_space(doc)
    assert [token.text for token in words] == ["Ana", "va", "."]
    assert words.text == "Ana va."
    assert len(without_white_space(spacy.blank("es")(" \n"))) == 0
    doc = spacy.blank("es")("Ana\nva")
    doc[0].norm_ = "anna"
    assert [token.norm_ for token in without_white_space(doc)] == ["anna", "va"]
    whole = spacy.blank("es")("Ana va")
    assert without_white_space(whole) is whole


def test_predicted_columns_are_replaced_and_others_kept(make_toy, run):
    text = run(make_toy(), ("a.conllu", GOLD))
    assert comments(text) == comments(GOLD)
    assert [row[0] for row in rows(text)] == ["1", "2", "3-4", "3", "4", "5", "6", "1"]
    assert column(text, 3) == ["ANA", "VA", "A", "EL", "MAR", ".", "YA"]
    assert column(text, 4) == ["NOUN"] * 5 + ["PUNCT", "NOUN"]
    assert column(text, 5) == ["N"] * 5 + ["P", "N"]
    assert column(text, 7) == ["0", "1", "1", "1", "1", "1", "0"]
    assert set(column(text, 9)) == {"_"}
    assert column(text, 10) == column(GOLD, 10)
    assert rows(text)[2] == rows(GOLD)[2]


def test_a_pipeline_that_predicts_less(make_toy, run):
    assert run(make_toy("", borders=False), ("a.conllu", GOLD)) == GOLD
    text = run(make_toy("lemma"), ("a.conllu", GOLD))
    assert column(text, 3) == ["ANA", "VA", "A", "EL", "MAR", ".", "YA"]
    assert [row[:2] + row[3:] for row in rows(text)] == [row[:2] + row[3:] for row in rows(GOLD)]
    text = run(make_toy("dep"), ("a.conllu", GOLD))
    assert [row[:6] for row in rows(text)] == [row[:6] for row in rows(GOLD) if row[0] != "4.1"]
    assert column(text, 8)[0] == "root"


def test_gold_trees_that_are_none(make_toy, run):
    circle = GOLD.replace("\t0\troot\t0:root", "\t1\tx\t_")
    with pytest.warns(UserWarning, match=r"\[M567\]"):
        assert run(make_toy("", borders=False), ("a.conllu", circle)) == circle


def test_tags_are_written_to_their_column(make_toy, run):
    """A tagger of universal tags writes column 4, and column 5 stays."""
    text = run(make_toy("tag", universal=True), ("a.conllu", GOLD))
    assert column(text, 4) == ["NOUN"] * 5 + ["PUNCT", "NOUN"]
    assert column(text, 5) == column(GOLD, 5)
    text = run(make_toy("tag"), ("a.conllu", GOLD))
    assert column(text, 4) == column(GOLD, 4)
    assert column(text, 5) == ["N"] * 5 + ["P", "N"]
    text = run(make_toy("tag", universal=True), ("a.txt", "Ana ."))
    assert (column(text, 4), column(text, 5)) == (["NOUN", "PUNCT"], ["_", "_"])
    text = run(make_toy("tag"), ("a.txt", "Ana ."))
    assert (column(text, 4), column(text, 5)) == (["_", "_"], ["N", "P"])


def test_borders_of_the_file_or_of_the_pipeline(make_toy, run):
    one = GOLD.replace("6\t.\t.", "6\t!\t!").replace("# text = Ana va al mar.\n", "")
    assert run(make_toy(), ("a.conllu", one)).count("\n\n") == 2
    text = run(make_toy(), ("a.conllu", one), borders=False)
    assert comments(text) == ["# newdoc", "# sent_id = 1", "# text = Ana va al mar! Ya"]
    assert [row[0] for row in rows(text)] == ["1", "2", "3-4", *"34567"]
    # a document ends where the next begins
    text = run(make_toy(), ("a.conllu", one + one), borders=False)
    assert comments(text)[3:] == ["# newdoc", "# sent_id = 2", "# text = Ana va al mar! Ya"]
    # as in the file
    text = run(make_toy("lemma"), ("a.conllu", GOLD), borders=False)
    assert text.splitlines()[:3] == GOLD.splitlines()[:3]
    assert rows(text)[0] == ["1", "Ana", "ANA", "PROPN", "XN", "Gender=Fem", "_", "_", "_", "Who=1"]


def test_many_sentences_without_borders(make_toy, tmp_path):
    (tmp_path / "a.conllu").write_text(GOLD.replace("# newdoc\n", "") * 120, encoding="utf8")
    docs = [doc for doc, _ in stream_docs(make_toy(), [tmp_path / "a.conllu"], Input(borders=False))]
    assert [len(doc) for doc in docs] == [350, 350, 140]
    assert not any(doc.has_annotation("SENT_START") for doc in docs)


@pytest.mark.parametrize("keep", [True, False])
def test_spacy_files(make_toy, run, tmp_path, keep):
    (tmp_path / "a.conllu").write_text(GOLD, encoding="utf8")
    for group in (1, 2):
        convert_conllu(tmp_path / "a.conllu", tmp_path / "a.spacy", "es", group=group, keep=keep)
        text = run(make_toy("lemma"), ("a.spacy", None))
        expected = run(make_toy("lemma"), ("a.conllu", GOLD))
        if keep:
            assert text == expected
        for number in (2, 3, 4, 5, 7):
            assert column(text, number) == column(expected, number)
        assert run(make_toy(), ("a.spacy", None)).count("\n\n") == 2
    text = run(make_toy(), ("a.spacy", None), borders=False)  # one Doc, in which the toy sees a full stop
    assert text.count("\n\n") == 2
    assert column(text, 3) == ["ANA", "VA", "A", "EL", "MAR", ".", "YA"]
    assert ("Who=1" in text) == keep


def test_no_gold_cell_stays_in_predicted_columns(make_toy, run, tmp_path):
    """Roots have another label in the file, which a Doc does not keep but the file's cells do."""
    gold = GOLD.replace("\t0\troot\t", "\t0\ttop\t")
    text = run(make_toy("dep"), ("a.conllu", gold))
    assert "top" not in column(text, 8)
    convert_conllu(tmp_path / "a.conllu", tmp_path / "a.spacy", "es", keep=True)
    assert run(make_toy("dep"), ("a.spacy", None)) == text
    assert run(make_toy("", borders=False), ("a.spacy", None)) == gold


def test_a_binary_file_without_annotation(make_toy, run, tmp_path):
    nlp = spacy.blank("es")
    DocBin(docs=[nlp("Ana va. Ya"), nlp("")]).to_disk(tmp_path / "b.spacy")
    text = run(make_toy(), ("b.spacy", None))
    assert comments(text) == ["# newdoc", "# sent_id = 1", "# text = Ana va.", "# sent_id = 2", "# text = Ya"]


def test_several_processes_write_the_same(make_toy, run):
    files = [("a.conllu", GOLD), ("b.txt", TEXT * 10)]
    assert run(make_toy(), *files, n_process=2) == run(make_toy(), *files)


def test_only_a_few_documents_are_in_memory(make_toy, tmp_path, monkeypatch):
    """Reading and writing alternate: when the first sentence is written, most of the file has not been read."""
    from spacy_mtl.treebanks import annotate as module

    seen = []
    stream = module.stream_docs
    monkeypatch.setattr(module, "stream_docs", lambda *args: (seen.append("read") or told for told in stream(*args)))
    written = module.doc_to_conllu
    monkeypatch.setattr(module, "doc_to_conllu", lambda *args: seen.append("write") or written(*args))
    (tmp_path / "a.txt").write_text("Ana va.\n\n" * 5000, encoding="utf8")
    annotate(make_toy(), [tmp_path / "a.txt"], tmp_path / "out.conllu", Input())
    assert seen.count("read") == seen.count("write") == 5000
    assert seen.index("write") <= 2000


def test_a_failure_leaves_the_old_file_and_no_other(make_toy, run, tmp_path):
    old = run(make_toy(), ("a.conllu", GOLD))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ValueError, match=r"\[M550\] Line 17"):
        run(make_toy(), ("a.conllu", GOLD + "1\tx\n"))
    assert (tmp_path / "out.conllu").read_text(encoding="utf8") == old
    assert sorted(tmp_path.iterdir()) == before
    with pytest.raises(ValueError, match=r"\[M501\]"):
        run(make_toy(), ("a.conllu", GOLD), ("none.txt", None))
    nlp = make_toy()
    nlp.max_length = 10
    with pytest.raises(ValueError, match=r"\[M740\] '.*a.txt'.* 11 characters .* max_length, 10\..*a paragraph"):
        run(nlp, ("a.txt", "Ana va Ana."))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.conllu", "a.txt", "out.conllu"]


def test_what_is_given(make_toy):
    nlp = make_toy("tag morph")
    found = input_of(nlp, Input(trees=True))
    assert (list(found.given), found.trees, found.tag) == (["POS", "LEMMA"], True, "xpos")
    found = input_of(make_toy("tag dep", universal=True), Input(trees=True, tag="xpos"))
    assert (list(found.given), found.trees, found.tag) == (["MORPH", "LEMMA"], False, "upos")
    assert input_of(spacy.blank("es"), Input(tag="upos")).tag == "upos"
    tagger = spacy.blank("es")
    tagger.add_pipe("mtl_tagger")
    assert "POS" in input_of(tagger, Input()).given


def test_given_is_what_the_reader_gives(make_toy, tmp_path):
    """Other columns are on the Docs before the pipeline, as in training."""
    (tmp_path / "a.conllu").write_text(GOLD, encoding="utf8")
    nlp = make_toy("dep")
    docs = [doc for doc, _ in stream_docs(nlp, [tmp_path / "a.conllu"], input_of(nlp, Input()))]
    expected = [example.predicted for example in ConlluCorpus(tmp_path / "a.conllu")(nlp)]
    names = ["ORTH", "TAG", "POS", "MORPH", "LEMMA", "SENT_START", "SPACY"]
    assert [doc.to_array(names).tolist() for doc in docs] == [doc.to_array(names).tolist() for doc in expected]
