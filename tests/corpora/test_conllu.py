import conllu
import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.util import registry

from spacy_mtl.corpora.binary import read_binary
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.conllu_read import read_conllu
from spacy_mtl.corpora.convert import convert_conllu
from spacy_mtl.roots import doc_heads
from spacy_mtl.survey.trees import survey_trees

UD = """\
# newdoc
# sent_id = s1
# text = Vámonos al mar, ya.
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\tV1\tMood=Imp|Number=Plur\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\tP\tCase=Acc\t1\tobj\t_\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tE\t_\t5\tcase\t_\t_
4\tel\tel\tDET\tD\tDefinite=Def\t5\tdet\t_\t_
5\tmar\tmar\tNOUN\tN\tGender=Masc\t1\tobl\t_\tSpaceAfter=No|Gloss=sea
6\t,\t,\tPUNCT\t_\t_\t7\tpunct\t_\t_
7\tya\tya\tADV\tR\t_\t1\t_\t_\tSpaceAfter=No
7.1\tvamos\tir\tVERB\t_\t_\t_\t_\t1:conj\t_
8\t.\t.\tPUNCT\tF\t_\t1\tpunct\t_\t_

# sent_id = s2
1\tAna\tAna\tPROPN\tNP\t_\t3\tnsubj\t_\t_
2\tno\tno\tXY\tR\t_\t3\tadvmod\t_\t_
3\tva\tir\tVERB\tV2\t_\t0\troot\t_\t_
"""
X = (
    "1\tDu\tdu\tPP\tPP2\tnumber=sing|Case=Nom\t2\tsubj\t_\t_\n"
    "2\tgår\tgå\tVA\tVADR\t_\t0\tROOT\t_\t_\n"
    "3\t;\t;\tXP\tXP\t_\t0\tlist\t_\t_\n"
    "4\tjeg\tjeg\tPP\tPP1\t_\t5\tsubj\t_\t_\n"
    "5\tbliver\tblive\tVA\tVADR\t_\t0\tROOT\t_\t_\n"
    "\n"
    "1\tJa\t_\tI\tI\t_\t_\t_\t_\t_\n"
    "2\t!\t_\tXP\tXP\t_\t_\t_\t_\t_\n"
    "\n"
    "1\tNej\t_\tI\tI\t_\t0\tROOT\t_\t_\n"
)


@pytest.fixture
def nlp():
    return spacy.blank("es")


def write(tmp_path, text, name="trees.conllu"):
    path = tmp_path / name
    path.write_text(text, encoding="utf8")
    return path


def examples(nlp, path, **settings):
    return list(ConlluCorpus(path, **settings)(nlp))


def columns(doc, *names):
    return [tuple(str(getattr(token, name)) for name in names) for token in doc]


def test_a_universal_tree(nlp, tmp_path):
    first, second = examples(nlp, write(tmp_path, UD))
    doc = first.reference
    assert doc.text == "Vamos nos a el mar, ya."
    assert columns(doc, "text", "tag_", "pos_", "lemma_", "dep_") == [
        ("Vamos", "V1", "VERB", "ir", "ROOT"),
        ("nos", "P", "PRON", "nosotros", "obj"),
        ("a", "E", "ADP", "a", "case"),
        ("el", "D", "DET", "el", "det"),
        ("mar", "N", "NOUN", "mar", "obl"),
        (",", "", "PUNCT", ",", "punct"),
        ("ya", "R", "ADV", "ya", "dep"),
        (".", "F", "PUNCT", ".", "punct"),
    ]
    assert [token.head.i for token in doc] == [0, 0, 4, 4, 0, 6, 0, 0]
    assert columns(doc, "morph")[:3] == [("Mood=Imp|Number=Plur",), ("Case=Acc",), ("",)]
    assert [token.has_morph() for token in doc] == [True] * 8
    assert columns(second.reference, "pos_") == [("PROPN",), ("",), ("VERB",)]


def test_a_range_without_a_space_after_it(nlp, tmp_path):
    """The space that is missing is that after its last word."""
    text = UD.replace("3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_", "3-4\tal\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No")
    first, _ = examples(nlp, write(tmp_path, text))
    assert first.reference.text == "Vamos nos a elmar, ya."


def test_words_of_a_range_have_spaces_between_them(nlp, tmp_path):
    """Whatever their own lines say; and what follows the last is said by the line of the range."""
    text = UD.replace("3\ta\ta\tADP\tE\t_\t5\tcase\t_\t_", "3\ta\ta\tADP\tE\t_\t5\tcase\t_\tSpaceAfter=No")
    text = text.replace("DET\tD\tDefinite=Def\t5\tdet\t_\t_", "DET\tD\tDefinite=Def\t5\tdet\t_\tSpaceAfter=No")
    assert text.count("SpaceAfter=No") == UD.count("SpaceAfter=No") + 2
    first, _ = examples(nlp, write(tmp_path, text))
    assert first.reference.text == "Vamos nos a el mar, ya."


def test_features_that_come_late_are_read(nlp, tmp_path):
    """Where the first thousand lines have none, nothing is known of words before, and a sentence that has some is read as it is."""
    late = "1\tb\tbb\tNOUN\tX\tCase=Nom\t0\troot\t_\t_\n2\tc\tcc\tNOUN\tX\t_\t1\tdep\t_\t_\n\n"
    path = write(tmp_path, 600 * "1\ta\t_\tNOUN\tX\t_\t0\troot\t_\t_\n\n" + late, "late.conllu")
    docs = [example.reference for example in examples(nlp, path)]
    assert columns(docs[-1], "morph", "lemma_") == [("Case=Nom", "bb"), ("", "cc")]
    assert [token.has_morph() for token in docs[-1]] == [True, True]
    assert not docs[0][0].has_morph()
    found = survey_trees(path)
    assert found.lemmas
    assert found.features == pytest.approx(1 / 602)


def test_what_is_given_is_on_the_predicted_doc(nlp, tmp_path):
    path = write(tmp_path, UD)
    (example, _) = examples(nlp, path)
    assert not example.predicted.has_annotation("DEP")
    assert columns(example.predicted, "tag_", "pos_", "lemma_", "morph") == columns(
        example.reference, "tag_", "pos_", "lemma_", "morph"
    )
    (example, _) = examples(nlp, path, given=["POS"])
    assert columns(example.predicted, "tag_", "pos_", "lemma_", "morph")[:2] == [
        ("", "VERB", "", ""),
        ("", "PRON", "", ""),
    ]
    (example, _) = examples(nlp, path, given=[])
    assert not any(example.predicted.has_annotation(name) for name in ("TAG", "POS", "LEMMA", "MORPH", "DEP"))
    assert [token.is_sent_start for token in example.predicted] == [True] + [False] * 7


def test_groups_and_limit(nlp, tmp_path):
    path = write(tmp_path, UD)
    (example,) = examples(nlp, path, group=0)
    assert example.reference.text == "Vamos nos a el mar, ya. Ana no va"
    for doc in (example.predicted, example.reference):
        assert [sentence.start for sentence in doc.sents] == [0, 8]
    assert [token.head.i for token in example.reference][8:] == [10, 10, 10]
    assert len(examples(nlp, path, limit=1)) == 1
    assert len(examples(nlp, [path, path])) == 4
    assert len(examples(nlp, f"{path},{path}", group=3)) == 2


def test_tags_from_either_column(nlp, tmp_path):
    path = write(tmp_path, UD)
    assert columns(examples(nlp, path, tag="upos")[1].reference, "tag_") == [("PROPN",), ("XY",), ("VERB",)]
    assert columns(examples(nlp, path, tag="xpos")[1].reference, "tag_") == [("NP",), ("R",), ("V2",)]
    without = "\n".join(
        "\t".join([*row[:4], "_", *row[5:]]) if len(row := line.split("\t")) == 10 else line for line in UD.split("\n")
    )
    bare = write(tmp_path, without, "bare.conllu")
    assert columns(examples(nlp, bare)[1].reference, "tag_") == [("PROPN",), ("XY",), ("VERB",)]
    assert columns(examples(nlp, bare, tag="xpos")[1].reference, "tag_") == [("",)] * 3


# --- CoNLL-X ---


def test_several_roots_features_of_its_own_and_no_gold(nlp, tmp_path):
    first, second, third = (example.reference for example in examples(nlp, write(tmp_path, X, "x.conll")))
    assert first.text == "Du går; jeg bliver"
    assert columns(first, "dep_") == [("subj",), ("ROOT",), ("ROOT",), ("subj",), ("ROOT",)]
    assert [token.head.i for token in first] == [1, 1, 1, 4, 1]
    assert doc_heads(first).heads.tolist() == [2, 0, 0, 5, 0]
    assert not first.has_annotation("MORPH")
    assert not first.has_annotation("POS")
    assert not second.has_annotation("DEP")
    assert second.has_annotation("SENT_START")
    assert third[0].dep_ == "ROOT"


def test_a_sentence_without_gold_has_a_doc_without_others(nlp, tmp_path):
    path = write(tmp_path, X, "trees.conllx")
    docs = [example.reference for example in examples(nlp, path, group=0)]
    assert [(len(doc), doc.has_annotation("DEP")) for doc in docs] == [(5, True), (2, False), (1, True)]


def test_tags_of_empty_nodes_are_none_of_words(tmp_path):
    """Whether a treebank has XPOS is told by its words."""
    row = "{}\t{}\t_\t{}\t{}\t_\t{}\t{}\t_\t_\n"
    rows = [
        ("1", "in", "ADP", "_", "0", "root"),
        ("1.1", "x", "VERB", "VB", "_", "_"),
        ("2", "Rome", "PROPN", "_", "1", "obl"),
    ]
    path = write(tmp_path, "".join(row.format(*each) for each in rows) + "\n", "e.conllu")
    (example,) = ConlluCorpus(path)(spacy.blank("en"))
    assert [token.tag_ for token in example.reference] == ["ADP", "PROPN"]


def layout(path, **settings):
    return next(read_conllu(path, **settings)).layout.format


def test_the_format_is_found_out(tmp_path):
    plain = "\n".join(line for line in UD.splitlines() if not line.startswith("#") and "SpaceAfter" not in line)[:-1]
    row = "1\ta\ta\t{}\t_\t{}\t0\troot\t_\t{}\n"
    assert layout(write(tmp_path, X, "x.conll")) == "conllx"
    assert layout(write(tmp_path, "# a comment\n" + X, "x.conll")) == "conllu"
    assert layout(write(tmp_path, UD, "x.conll")) == "conllu"
    assert layout(write(tmp_path, plain[plain.index("1\tAna") :], "x.txt")) == "conllx"  # two thirds are universal
    assert layout(write(tmp_path, row.format("NOUN", "_", "_"), "x.txt")) == "conllu"
    assert layout(write(tmp_path, row.format("NN", "_", "_"), "x.txt")) == "conllx"
    assert layout(write(tmp_path, row.format("NN", "_", "SpaceAfter=No"), "x.txt")) == "conllu"
    assert layout(write(tmp_path, row.format("NN", "_", "_"), "x.conllu")) == "conllu"
    assert layout(write(tmp_path, row.format("NOUN", "_", "_"), "x.CoNLLX")) == "conllx"
    assert layout(write(tmp_path, UD), format="conllx") == "conllx"


def test_line_ends_byte_order_mark_and_no_last_line(nlp, tmp_path):
    path = tmp_path / "windows.conllu"
    path.write_bytes(b"\xef\xbb\xbf" + UD.rstrip("\n").replace("\n", "\r\n").encode("utf8"))
    assert [example.reference.text for example in examples(nlp, path)] == ["Vamos nos a el mar, ya.", "Ana no va"]


def test_the_library_reads_the_same(tmp_path):
    path = write(tmp_path, UD)
    for found, expected in zip(read_conllu(path), conllu.parse(UD), strict=True):
        words = [token for token in expected if isinstance(token["id"], int)]
        assert found.id == expected.metadata["sent_id"]
        assert found.text == expected.metadata.get("text")
        for name, field in (("form", "words"), ("lemma", "lemma"), ("upos", "upos")):
            assert [token[name] for token in words] == list(getattr(found, field))
        assert found.heads.tolist() == [token["head"] for token in words]


# --- bad input ---


def rows(*heads, labels=None, ids=None):
    ids = ids or range(1, len(heads) + 1)
    labels = labels or ["x"] * len(heads)
    cells = zip(ids, heads, labels, strict=True)
    return "# sent_id = bad\n" + "".join(f"{i}\tw{i}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n" for i, head, label in cells)


BAD = {
    "few columns": ("1\ta\tb\n", "M550", 1),
    "many columns": (rows(0).rstrip("\n") + "\t_\n", "M550", 2),
    "spaces for tabs": (rows(0).replace("\t", " "), "M550", 2),
    "begins at 2": (rows(0, ids=[2]), "M551", 2),
    "repeats": (rows(0, 1, ids=[1, 1]), "M551", 3),
    "no number": (rows(0, ids=["a"]), "M551", 2),
    "leading zero": (rows(0, ids=["01"]), "M551", 2),
    "empty node too late": (rows(0, "_", ids=[1, "2.1"]), "M551", 3),
    "range too late": (rows(0, "_", ids=[1, "1-2"]), "M551", 3),
    "range of nothing": (rows("_", 0, ids=["1-0", "1"]), "M551", 2),
    "ranges overlap": (rows("_", 0, "_", 1, ids=["1-2", 1, "2-3", 2]), "M564", 4),
    "range without words": (rows("_", 0, ids=["1-2", 1]), "M551", 3),
    "only an empty node": (rows("_", ids=["0.1"]), "M551", 2),
    "head beyond": (rows(0, 3), "M552", 3),
    "head below": (rows(0, -1), "M552", 3),
    "head no number": (rows(0, "1_0"), "M552", 3),
    "circle": (rows(0, 3, 2), "M553", 3),
    "circle from the first word on": (rows(2, 1, 0), "M553", 2),
    "own head": (rows(0, 2), "M553", 3),
    "no root": (rows(2, 1), "M554", 2),
    "one without head": (rows(0, "_", 1), "M555", 3),
    "root label": (rows(0, 1, labels=["root", "ROOT"]), "M557", 3),
    "empty range": (rows("_", 0, 1, ids=["1-2", 1, 2]).replace("\tw1-2\t", "\t\t"), "M559", 2),
    "empty word": (rows(0).replace("w1", ""), "M559", 2),
}


@pytest.mark.parametrize(("text", "code", "line"), BAD.values(), ids=BAD)
def test_bad_input_is_named_with_file_line_and_sentence(nlp, tmp_path, text, code, line):
    path = write(tmp_path, text)
    with pytest.raises(ValueError, match=rf"\[{code}\]") as caught:
        examples(nlp, path)
    sentence = "bad" if "sent_id" in text else "1"
    assert f"Line {line} of '{path}'" in str(caught.value)
    assert f"(sentence {sentence})" in str(caught.value)


def test_a_sentence_is_named_by_its_number(nlp, tmp_path):
    path = write(tmp_path, UD.replace("# sent_id = s2\n", "") + "\n" + BAD["circle"][0].split("\n", 1)[1])
    with pytest.raises(ValueError, match=r"\[M553\] Line 21 .* \(sentence 3\)"):
        examples(nlp, path)


def test_malformed_features_are_warned_of(nlp, tmp_path):
    """Once for a file; the words are read without features, and so is nothing in CoNLL-X, which has features of its own."""
    values = ["Case=Nom|Case=Acc", "nominative", "Case", "Case=", "Case=Nom||Number=Sing", "|Case=Nom"]
    text = UD
    for good, bad in zip(["Case=Acc", "Mood=Imp|Number=Plur", "Definite=Def", "Gender=Masc"], values, strict=False):
        text = text.replace(good, bad)
    text = text.replace("Ana\tAna\tPROPN\tNP\t_", f"Ana\tAna\tPROPN\tNP\t{values[4]}")
    text = text.replace("no\tno\tXY\tR\t_", f"no\tno\tXY\tR\t{values[5]}")
    path = write(tmp_path, text)
    with pytest.warns(UserWarning, match=r"\[M563\] 6 word.*line 5, sentence s1, 'nominative'") as caught:
        first, second = examples(nlp, path)
    assert len(caught) == 1
    assert not any(token.has_morph() for token in [*first.reference][:2] + [*second.reference][:2])
    assert first.reference[2].has_morph()
    good = "Case=Nom|Number[psor]=Sing,Plur|Person[1]=3|2=x"
    (first, _) = examples(nlp, write(tmp_path, UD.replace("Case=Acc", good)))
    assert first.reference[1].morph.get("Number[psor]") == ["Plur", "Sing"]


def test_a_text_that_is_not_that_of_the_tokens_is_warned_of(nlp, tmp_path):
    wrong = {
        "another word": UD.replace("Vámonos al", "Vámosnos al"),
        "words of a range": UD.replace("# text = Vámonos al", "# text = Vamos nos a el"),
        "one letter less": UD.replace("ya.\n", "ya\n"),
    }
    for text in wrong.values():
        with pytest.warns(UserWarning, match=r"\[M566\] 1 sentence.*trees.conllu.*line 5, sentence s1, 'V"):
            examples(nlp, write(tmp_path, text))
    for text in (UD.replace("al mar, ya", "al  mar ,\u00a0ya"), UD.replace("# text = Vámonos al mar, ya.\n", "")):
        assert len(examples(nlp, write(tmp_path, text))) == 2


def test_broken_trees_can_be_left_out(nlp, tmp_path):
    path = write(tmp_path, f"{rows(0, 2)}\n{UD}\n{rows(0, 9)}")
    with pytest.warns(UserWarning, match=r"\[M560\] 2 sentence\(s\) .*\[M553\] Line 3"):
        found = examples(nlp, path, broken="skip")
    assert [len(example.reference) for example in found] == [8, 3]
    with pytest.raises(ValueError, match=r"\[M550\]"):
        examples(nlp, write(tmp_path, "1\ta\n"), broken="skip")


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"format": "conll"}, "M558"),
        ({"broken": "drop"}, "M558"),
        ({"keep": 1}, "M514"),
        ({"given": ["DEP"]}, "M558"),
        ({"tag": "TAG"}, "M558"),
        ({"group": -1}, "M514"),
        ({"limit": -1}, "M514"),
        ({"path": "missing.conllu"}, "M501"),
        ({"path": None}, "M511"),
    ],
)
def test_bad_settings(tmp_path, settings, code):
    with pytest.raises(ValueError, match=rf"\[{code}\]"):
        ConlluCorpus(**{"path": write(tmp_path, UD), **settings})


@pytest.mark.parametrize(
    ("text", "encoding", "code"), [("", "utf8", "M504"), ("# x\n\n", "utf8", "M504"), (UD, "ascii", "M502")]
)
def test_bad_files(nlp, tmp_path, text, encoding, code):
    with pytest.raises(ValueError, match=rf"\[{code}\]"):
        examples(nlp, write(tmp_path, text), encoding=encoding)


@pytest.mark.parametrize(
    ("ids", "head", "code"),
    [(["1"], "{}", "M552"), (["{}"], "0", "M551"), (["1-{}", "1"], "0", "M551"), (["1", "1.{}"], "0", "M551")],
)
@pytest.mark.parametrize("digits", [10, 5000])
def test_numbers_too_long_to_be_one(nlp, tmp_path, ids, head, code, digits):
    """Python reads no more than 4,300 digits, and a .spacy file holds no more than twenty."""
    number = "9" * digits
    lines = ["\t".join([row.format(number), "a", *"____", head.format(number), "root", "_", "_"]) for row in ids]
    with pytest.raises(ValueError, match=rf"\[{code}\]") as error:
        examples(nlp, write(tmp_path, "\n".join(lines) + "\n\n"), keep=True)
    assert len(str(error.value)) < 1000


def test_only_space_after_no_is_no_space(nlp, tmp_path):
    cells = "\t_" * 7
    lines = [f"1\ta{cells}\tXSpaceAfter=No", f"2\tb{cells}\tX=1|SpaceAfter=No", f"3\tc{cells}\t_"]
    (example,) = examples(nlp, write(tmp_path, "\n".join(lines) + "\n\n"), format="conllu")
    assert example.reference.text == "a bc"


def test_registered():
    assert registry.readers.get("spacy_mtl.ConlluCorpus.v1") is ConlluCorpus


# --- .spacy files ---


def test_converted_trees_come_back(nlp, tmp_path):
    out = tmp_path / "trees.spacy"
    counts = convert_conllu(
        [write(tmp_path, UD), write(tmp_path, X, "x.conll")], out, "es", group=0, given=["TAG", "MORPH"]
    )
    assert (counts.documents, counts.sentences, counts.tokens, counts.entities) == (4, 5, 19, 0)
    docs = list(DocBin().from_disk(out).get_docs(nlp.vocab))
    expected = [
        pair[1]
        for path in ("trees.conllu", "x.conll")
        for pair in ConlluCorpus(tmp_path / path, group=0).docs(nlp.vocab)
    ]
    for doc, other in zip(docs, expected, strict=True):
        a, b = doc_heads(doc), doc_heads(other)
        assert [a.heads.tolist(), a.labels.tolist(), a.starts.tolist()] == [
            b.heads.tolist(),
            b.labels.tolist(),
            b.starts.tolist(),
        ]
        assert columns(doc, "text", "tag_", "pos_", "lemma_", "morph", "dep_") == columns(
            other, "text", "tag_", "pos_", "lemma_", "morph", "dep_"
        )
    example = next(read_binary(out, nlp.vocab))
    assert columns(example.predicted, "tag_", "morph", "pos_") == [(t.tag_, str(t.morph), "") for t in docs[0]]
    assert not example.predicted.has_annotation("DEP")


def test_references_survive_bytes(nlp, tmp_path):
    (example,) = list(
        ConlluCorpus(write(tmp_path, UD + "\n" + X.split("\n\n")[0].replace("number=", "Number=") + "\n"), group=0)(nlp)
    )
    copy = Doc(nlp.vocab).from_bytes(example.reference.to_bytes())
    assert [sentence.start for sentence in copy.sents] == [0, 8, 11]
    np.testing.assert_array_equal(doc_heads(copy).heads, doc_heads(example.reference).heads)
