"""What a survey finds in column files."""

import pytest
from spacy import blank
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.survey.columns import scheme_of, survey_columns
from spacy_mtl.survey.kinds import kind_of, plainly_other
from spacy_mtl.survey.look import survey
from spacy_mtl.survey.pair import check_dev
from spacy_mtl.survey.propose import check_pipeline


@pytest.mark.parametrize(
    ("tags", "scheme", "entities"),
    [
        ([["B-X", "I-X", "B-X"]], "iob2", {"X": 2}),
        ([["I-X", "I-X", "B-X"], ["I-Y"]], "iob1", {"X": 2, "Y": 1}),
        ([["I-X", "I-Y"]], "iob1", {"X": 1, "Y": 1}),
        ([["B-X", "L-X", "U-Y"]], "biluo", {"X": 1, "Y": 1}),
        ([["B-X", "E-X", "S-Y"]], "biluo", {"X": 1, "Y": 1}),
        ([["O", "I-X"], ["B-X"]], "auto", {"X": 2}),
        ([["B-X", "M-X", "M-X", "E-X", "S-Y", "B-X", "E-X"]], "biluo", {"X": 2, "Y": 1}),
    ],
)
def test_schemes(tags, scheme, entities):
    found = scheme_of(tags)
    assert (found[0], dict(found[1])) == (scheme, entities)


def write(tmp_path, text, name="a.conll"):
    path = tmp_path / name
    path.write_text(text, encoding="utf8")
    return path


def test_columns_are_known_by_their_values(tmp_path):
    words = ["Sagen", "wir", "es", "laut", "heute", "Abend", "hier", "."]
    rows = [f"{i}\t{word}\t{word.lower()}\tT{i % 3}\tO" for i, word in enumerate(words)]
    rows[0] = rows[0].removesuffix("O") + "B-X"
    found = survey_columns(write(tmp_path, "\n".join(rows) + "\n\n"))
    assert found.columns == ["_", "ORTH", "LEMMA", "TAG", "ENT"]
    assert found.warnings == []


def test_blanks_inside_columns(tmp_path):
    found = survey_columns(write(tmp_path, "New York\tB-LOC\nist\tO\n\nBonn\tB-LOC\n"))
    assert found.reader["separator"] == "\t"
    assert (found.columns, found.words) == (["ORTH", "ENT"], 3)


def test_no_break_spaces_belong_to_their_words_as_the_reader_has_it(tmp_path):
    path = write(tmp_path, "10\u00a0000 B-NUM\nmil O\n\n\u3000 O\n\n")
    found = survey_columns(path)
    assert (found.columns, found.words, found.reader) == (["ORTH", "ENT"], 3, {"scheme": "iob2"})
    assert found.phrases == {"NUM": {"10\u00a0000"}}
    assert kind_of(write(tmp_path, "10\u00a0000 B-NUM\nmil O\n\n" * 10)) == "columns"


def test_lines_of_different_lengths_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"\[M561\] Line 2 of .* has 3 column\(s\), but the lines before have 2"):
        survey_columns(write(tmp_path, "a O\nb X O\n\n"))
    with pytest.raises(ValueError, match="M504"):
        survey_columns(write(tmp_path, "\n\n"))
    found = survey_columns(write(tmp_path, "a O x y\nb X O\nc O\n\n"), columns=["ORTH", "TAG"])
    assert (found.words, found.columns) == (3, ["ORTH", "TAG"])
    with pytest.raises(ValueError, match=r"\[M561\] Line 2 of .* has 1 column\(s\), but the lines before have 2"):
        survey_columns(write(tmp_path, "a O\nb\n\n"), columns=["ORTH", "TAG"])
    with pytest.raises(ValueError, match="M568"):
        survey_columns(write(tmp_path, "a O\nb O\n\n"), columns=["ORTH", "TAG", "ENT"])


@pytest.mark.parametrize(
    ("spans", "chosen"),
    [
        ((("B-PER", "B-LOCpart"), ("B-LOC", "O"), ("O", "O")), 1),  # nested ones are fewer
        ((("B-NP", "B-PER"), ("I-NP", "I-PER"), ("B-VP", "O")), 2),  # phrases are no entities
        ((("B-NP", "O"), ("B-VP", "O"), ("I-VP", "O")), 1),
        ((("B-PER", "B-PER"), ("O", "O"), ("B-LOC", "B-LOC")), 2),
    ],
)
def test_of_several_columns_of_spans_one_has_the_entities(tmp_path, spans, chosen):
    found = survey_columns(write(tmp_path, "".join(f"w{i} {a} {b}\n" for i, (a, b) in enumerate(spans)) + "\n"))
    assert found.columns.index("ENT") == chosen


@pytest.mark.parametrize("line", ["token tag", "Word POS NER", "TOKEN x NE-COARSE-LIT"])
def test_a_header_is_no_token(tmp_path, line):
    token = " ".join(["Ana", *["B-PER"] * line.count(" ")])
    path = write(tmp_path, f"{line}\n# a comment\n{token}\n\n")
    with pytest.raises(ValueError, match=rf"\[M577\] The first line of .* \({line}\)"):
        survey_columns(path)
    survey_columns(write(tmp_path, f"{token}\n{line}\n\n"), entities=False)  # elsewhere these are words


DOUBTS = {
    "es:Ana B-PER\nes:Lima B-LOC\nes:, O\n\n": "all words begin with 'es:'",
    "图0 B-LOC\n书1 I-LOC\n在0 O\n\n": "the words are a character and a digit",
    "Ana B-PER\nvive -\nen -\n\n": "column 2: 2 of 3 tokens have '-', which says that they are not annotated",
    "es:Ana B-PER\nvive O\nen -\n\n": "",
}


@pytest.mark.parametrize("text", DOUBTS)
def test_what_seems_to_be_meant_otherwise(tmp_path, text):
    warnings = survey_columns(write(tmp_path, text)).warnings
    assert len(warnings) == bool(DOUBTS[text])
    assert all(line.startswith(DOUBTS[text]) for line in warnings)


def test_entities_of_begin_middle_end_and_single_words_are_read(tmp_path):
    path = write(tmp_path, "a B-ORG\nb M-ORG\nc E-ORG\nd S-PER\ne O\n\n")
    found = survey_columns(path)
    assert found.reader["scheme"] == "biluo"
    (example,) = ConllCorpus(path, found.columns, given=(), **found.reader)(blank("xx"))
    assert [(ent.text, ent.label_) for ent in example.reference.ents] == [("a b c", "ORG"), ("d", "PER")]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ana B-PER\nlee O\n\n", "columns"),
        ("# text = a\n1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n\n", "trees"),
        ("我们 学习\n他们\n", "segmented"),
        ("a b\nc d\n", "segmented"),
        ("(ab) c\nd (e)\n", "segmented"),
        ("(NN a)\n(NN\nb)\n", "bracketed"),
        ("(S(NN a))\n", "bracketed"),
    ],
)
def test_kinds(tmp_path, text, kind):
    assert kind_of(write(tmp_path, text)) == kind


TREE = "1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n\n"


@pytest.mark.parametrize(
    ("text", "kind", "other"),
    [
        ("Ana B-PER\nlee O\n\n", "trees", "columns"),
        ("Ana B-PER\nlee O\n\n", "tasks", "columns"),
        ("Ana B-PER\nlee O\n\n", "segmented", "columns"),
        ("Ana lee hoy\nAna\n", "tasks", None),
        ("# a\n# b\n", "trees", None),
        (TREE, "trees", None),
        (TREE + "1\ta\n", "trees", None),
        (TREE, "tasks", "trees"),
        ("((S (NP (PRP It)) (VP (VBZ rains))))\n", "trees", "bracketed"),
        ("(S (NP (PRP It)) (VP\n\n(S (NP\n", "bracketed", None),
        ('{"text": "a b"}\n', "trees", "tasks"),
        ('{"text": "a b"\n', "tasks", None),
    ],
)
def test_what_is_plainly_of_another_kind(tmp_path, text, kind, other):
    assert plainly_other(write(tmp_path, text), kind) == other


def test_more_names_than_columns_are_refused(tmp_path):
    path = write(tmp_path, "Ana B-PER\nlee O\n\n")
    with pytest.raises(
        ValueError, match=r"^\[M568\] .*a.conll' has 2 column\(s\), but --columns names 3 \(ORTH TAG ENT\)"
    ):
        survey_columns(path, columns=["ORTH", "TAG", "ENT"])
    assert survey_columns(path, columns=["ORTH", "ENT"]).columns == ["ORTH", "ENT"]
    assert survey_columns(path, columns=["ORTH"]).columns == ["ORTH", "_"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.iob",
            "Ana|NNP|B-PER lee|VBZ|O\n",
            "which has lines of words. .* spacy convert FILE FOLDER --converter iob",
        ),
        ("a.txt", "Ana|B-PER lee|O\n", "--converter iob"),
        ("a.jsonl", '{"text": "Ana lee", "entities": []}\n', "mtl convert FILE FILE.spacy --lang LANG --format tasks"),
        ("a.txt", '{"text": "Ana lee", "entities": []}\n', "--format tasks"),
        ("a.txt", "|" * 300_000 + " b .\n", "It is trained on a column file"),  # and says so at once
        ("a.txt", "Ana lee .\n", "It is trained on a column file, or a .spacy file, with entities"),
        (
            "a.csv",
            "Ana,B-PER\nlee,O\n,,O\n\n",
            "It looks like columns with ',' between them: write tabs in place of these",
        ),
        ("a.csv", "Ana;NP;B-PER\nlee;VB;O\n", "It looks like columns with ';' between them"),
        ("a.txt", "Ana\tB-PER\nlee\tO\n", "an empty line behind each sentence: put them in"),
        ("a.txt", "O lee\nB-PER Ana\n", "an empty line behind each sentence"),
        ("a.txt", "O gato\nO rio\n", "It is trained on a column file"),
        ("a.conll", "Ana O\nlee O\n\n", "which has no tags of entities in column 2. Name its columns"),
    ],
)
def test_what_to_do_about_other_formats(tmp_path, name, text, message):
    columns = ["ORTH", "ENT"] if name == "a.conll" else None
    with pytest.raises(ValueError, match=r"^\[M728\] 'ner' cannot be trained on .*" + message):
        check_pipeline(["ner"], survey(write(tmp_path, text, name), columns=columns))


@pytest.mark.parametrize(("name", "text"), [("a.conll", ""), ("a.mrg", "\n \n"), ("a.txt", ""), ("a.conllu", "")])
def test_an_empty_file_is_of_no_format(tmp_path, name, text):
    with pytest.raises(ValueError, match=rf"^\[M957\] '.*{name}' is empty\. Give a corpus file"):
        survey(write(tmp_path, text, name))


SLIP = "Ana B-PER\nlee O\n\nEva B-PER\nva O\na O\nLeón B_LOC\n\n"


@pytest.mark.parametrize("columns", [None, ["ORTH", "ENT"]])
def test_a_slip_in_a_tag_of_an_entity_is_refused_with_its_line(tmp_path, columns):
    with pytest.raises(ValueError, match=r"^\[M508\] Line 7 of .*'B_LOC' is not an entity tag"):
        survey_columns(write(tmp_path, SLIP), columns=columns)


def test_tags_of_words_in_chinese_are_tags_of_a_tagger_and_no_entities(tmp_path):
    """They may be both: begin, middle and end of a word, or of an entity."""
    path = write(tmp_path, "a B-NN\nb M-NN\nc E-NN\n\nd S-VV\na B-NN\nb E-NN\n\n")
    found = survey_columns(path, entities=False)
    assert (found.columns, found.tags["M-NN"]) == (["ORTH", "TAG"], 1)
    found = survey_columns(path)
    assert (found.columns, dict(found.entities)) == (["ORTH", "ENT"], {"NN": 2, "VV": 1})


def test_tags_of_which_few_look_like_entities_are_tags(tmp_path):
    found = survey_columns(write(tmp_path, "Ana NP\nlee V\na P\nAna NP\n\nla B-X\nEva NP\na P\nlee V\n\n"))
    assert found.columns == ["ORTH", "TAG"]


@pytest.mark.parametrize(
    ("columns", "name", "message"),
    [
        (["ORTH", "XX"], "a.conll", r"\[M506\] Unknown column 'XX'"),
        (["TAG", "ENT"], "a.conll", r"\[M505\] "),
        (["ORTH", "ENT"], "a.conllu", r"\[M518\] "),
        (["ORTH", "POS"], "a.conll", r"\[M510\] Line 1 of .*'B-PER'"),
    ],
)
def test_names_of_columns_that_the_reader_refuses(tmp_path, columns, name, message):
    with pytest.raises(ValueError, match="^" + message):
        survey(write(tmp_path, "Ana B-PER\nlee O\n\n", name), columns=columns)


@pytest.mark.parametrize(("loose", "says"), [(1, "column 2: 1 entity begins"), (2, "column 2: 2 entities begin")])
def test_what_begins_with_inside_is_told(tmp_path, loose, says):
    found = survey_columns(write(tmp_path, "a O\nb I-X\n\n" * loose + "a B-X\n\n"))
    assert found.warnings == [f"{says} with I-, others with B-; both are read as entities"]


def test_labels_that_are_new_in_dev_are_told(tmp_path):
    train = survey_columns(write(tmp_path, "a B-X\nb O\n\n", "train.conll"))
    for labels, says in (("Y", "label Y does not occur in"), ("Y Z", "2 labels (Y, Z) do not occur in")):
        dev = survey_columns(write(tmp_path, "".join(f"a B-{label}\nb O\n\n" for label in labels.split()), "dev.conll"))
        check_dev(train, dev)
        assert dev.warnings == [f"{says} '{tmp_path / 'train.conll'}'"]


def test_empty_documents_have_no_annotation(tmp_path):
    """Nor have those of one word sentence borders, of which spaCy says so."""
    vocab = Vocab()
    DocBin(docs=[Doc(vocab), Doc(vocab, words=["a"]), Doc(vocab, words=["a", "b"], ents=["B-X", "O"])]).to_disk(
        tmp_path / "a.spacy"
    )
    assert survey(tmp_path / "a.spacy").lines[0] == "documents with annotation: ENT_IOB 1"


CHARACTERS = "我 B\n们 E\n学 B\n习 E\n。 S\n\n他 S\n来 S\n\n"


def test_characters_with_their_places_in_words_are_no_words(tmp_path):
    (warning,) = survey_columns(write(tmp_path, CHARACTERS)).warnings
    assert "single characters, and column 2 (B, E, S) seems to say where in a word each of them is" in warning
    assert survey_columns(write(tmp_path, CHARACTERS), columns=["ORTH", "TAG"]).warnings == [warning]
    for other in (CHARACTERS.replace(" E", " N"), CHARACTERS.replace("我", "我们").replace("学", "学习")):
        assert not any("single" in warning for warning in survey_columns(write(tmp_path, other)).warnings)


def test_words_of_texts_that_have_tags(tmp_path):
    tagged = survey(write(tmp_path, "我们/r 学习/v 。/w\n他/r 来/v 了/u 。/w\n", "a.txt"))
    assert (tagged.kind, tagged.words) == ("segmented", 7)
    assert "words with tags, such as 我们/r" in tagged.warnings[0]
    assert survey(write(tmp_path, "我们 学习/v 。\n他 来 了 。\n", "a.txt")).warnings == []
