import re
import string
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.corpora.columns import read_columns, to_iob2

COLUMNS = ["ORTH", "TAG", "ENT"]


def write(path, text, encoding="utf8"):
    path.write_bytes(text.encode(encoding))
    return path


def read(path, text, columns=COLUMNS, encoding="utf8", **settings):
    return list(read_columns(write(path, text, encoding), columns, encoding=encoding, **settings))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "corpus.txt"


def test_sentences_words_fields_and_lines(path):
    first, second = read(path, "Ana N B-PER\nríe V O\n\n\n \t \nSí I O\n")
    assert first.words == ["Ana", "ríe"]
    assert first.fields == {"TAG": ["N", "V"], "ENT": ["B-PER", "O"]}
    assert (first.line, second.line) == (1, 6)
    assert second.words == ["Sí"]


def test_last_sentence_needs_no_empty_line(path):
    (sentence,) = read(path, "\nAna N B-PER\nríe V O")
    assert (sentence.words, sentence.line) == (["Ana", "ríe"], 2)


def test_ignored_and_further_columns(path):
    (sentence,) = read(path, "1 Ana x N extra\n2 ríe x V\n", columns=["_", "ORTH", "_", "TAG"])
    assert (sentence.words, sentence.fields) == (["Ana", "ríe"], {"TAG": ["N", "V"]})


def test_docstart_lines_are_borders_and_count_documents_with_sentences(path):
    text = "-DOCSTART- -X- O\na N O\n\nb N O\n-DOCSTART- -X- O\n\n-DOCSTART- -X- O\n\nc N O\n\n-DOCSTART-\n"
    sentences = read(path, text)
    assert [(s.words, s.document, s.line) for s in sentences] == [(["a"], 0, 2), (["b"], 0, 4), (["c"], 1, 9)]


def test_sentences_before_the_first_docstart_are_a_document(path):
    assert [s.document for s in read(path, "a N O\n\n-DOCSTART- x y\n\nb N O\n")] == [0, 1]


def test_docstart_can_be_another_word(path):
    assert [s.words for s in read(path, "-DOCSTART- N O\n#doc\nb N O\n", docstart="#doc")] == [["-DOCSTART-"], ["b"]]


def test_blanks_part_columns_but_no_break_space_belongs_to_the_word(path):
    (sentence,) = read(path, "10\u00a0000 \t Z  O \nñ\t\tN O\n")
    assert (sentence.words, sentence.fields["ENT"]) == (["10\u00a0000", "ñ"], ["O", "O"])


@pytest.mark.parametrize("control", "\v\f\x1c\x1d\x1e\x1f")
@pytest.mark.parametrize("letter", "nñ")
def test_control_characters_belong_to_the_word(path, letter, control):
    """Otherwise the columns of such a line, if it is of ASCII, would be others than those of its neighbours."""
    (sentence,) = read(path, f"{letter}{control}o N O\na\tN\tO\n{control}\n")
    assert (sentence.words, sentence.fields["ENT"]) == ([f"{letter}{control}o", "a"], ["O", "O"])


def test_tab_keeps_spaces_in_words(path):
    (sentence,) = read(path, "New York\tN\tB-LOC\n", separator="\t")
    assert sentence.words == ["New York"]


def test_byte_order_mark_and_dos_line_ends(path):
    path.write_bytes(b"\xef\xbb\xbfAna N O\r\n\r\nLuz N O\r\n")
    assert [(s.words, s.line) for s in read_columns(path, COLUMNS)] == [(["Ana"], 1), (["Luz"], 3)]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_other_encodings(path, encoding):
    (sentence,) = read(path, "Núñez N B-PER\n", encoding=encoding)
    assert sentence.words == ["Núñez"]


def test_streams_before_a_later_error(path):
    sentences = read_columns(write(path, "a N O\n\nb N\n"), COLUMNS)
    assert next(sentences).words == ["a"]
    with pytest.raises(ValueError, match="M503"):
        next(sentences)


def test_too_few_columns_name_file_and_line(path):
    with pytest.raises(ValueError, match=r"M503.*Line 3 of '.*corpus\.txt' has 2 column\(s\), but 3 are named"):
        read(path, "a N O\n\nb N\n")


@pytest.mark.parametrize("text", ["", "\n \n\n", "-DOCSTART- -X- O\n\n"])
def test_a_file_without_sentences_is_an_error(path, text):
    with pytest.raises(ValueError, match=r"M504.*corpus\.txt"):
        read(path, text)


def test_undecodable_bytes_name_line_and_encoding(path):
    path.write_bytes(b"a N O\n" * 3000 + "Núñez N O\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"M502.*Line 3001 of '.*corpus\.txt' cannot be decoded as utf-8: .*0xfa"):
        list(read_columns(path, COLUMNS))


def test_undecodable_file_as_a_whole(path):
    path.write_bytes(b"a N O\n")
    with pytest.raises(ValueError, match=r"M502.*utf-16"):
        list(read_columns(path, COLUMNS, encoding="utf-16"))


def test_unknown_encoding(path):
    write(path, "a N O\n")
    with pytest.raises(ValueError, match=r"M513.*'utf9'"):
        list(read_columns(path, COLUMNS, encoding="utf9"))


@pytest.mark.parametrize("encoding", ["base64", "zip", "rot13", "utf8\0"])
def test_encodings_that_are_not_of_text(path, encoding):
    write(path, "a N O\n")
    with pytest.raises(ValueError, match=rf"M513.*'{re.escape(encoding)}'"):
        list(read_columns(path, COLUMNS, encoding=encoding))


@pytest.mark.parametrize(("encoding", "half"), [("utf-7", b"+2AA-"), ("unicode_escape", b"\\ud800")])
def test_half_characters_name_their_line(path, encoding, half):
    """Python decodes them, but nothing can be done with such a string."""
    path.write_bytes(b"a N O\n" + half + b" N O\n")
    with pytest.raises(ValueError, match=r"M502.*Line 2 .*half a character, U\+D800"):
        list(read_columns(path, COLUMNS, encoding=encoding))


def test_encodings_that_do_not_say_what_is_wrong(path):
    write(path, "a N O\n")
    with pytest.raises(ValueError, match=r"M502.*undefined"):
        list(read_columns(path, COLUMNS, encoding="undefined"))


def test_whole_characters_of_any_encoding(path):
    assert read(path, "\U0001f600 N O\n", encoding="utf-7")[0].words == ["\U0001f600"]


def test_missing_file_is_refused_before_reading(tmp_path):
    with pytest.raises(ValueError, match=r"M501.*nowhere\.txt"):
        read_columns(tmp_path / "nowhere.txt", COLUMNS)
    with pytest.raises(ValueError, match="M501"):
        read_columns(tmp_path, COLUMNS)


@pytest.mark.parametrize("columns", [[], ["TAG"], ["ORTH", "ORTH"], ["ORTH", "TAG", "TAG"]])
def test_columns_that_cannot_be_read(path, columns):
    write(path, "a N O\n")
    with pytest.raises(ValueError, match="M505"):
        read_columns(path, columns)


def test_empty_word_and_empty_separator(path):
    with pytest.raises(ValueError, match=r"M512.*Line 2"):
        read(path, "a\tN\tO\n\tN\tO\n", separator="\t")
    with pytest.raises(ValueError, match=r"M514.*separator"):
        read(path, "a\tN\tO\n", separator="")


def test_sentence_is_frozen(path):
    (sentence,) = read(path, "a N O\n")
    with pytest.raises(AttributeError):
        sentence.line = 7


words = st.text(string.ascii_letters + "áñ«.\u00a0-", min_size=1, max_size=4).filter(lambda w: w != "-DOCSTART-")
tables = st.lists(st.lists(st.tuples(words, words), min_size=1, max_size=4), min_size=1, max_size=5)


@given(tables)
def test_what_is_written_is_read(table):
    with tempfile.TemporaryDirectory() as directory:
        text = "\n\n".join("\n".join(f"{word}\t{tag}" for word, tag in sentence) for sentence in table)
        sentences = read(Path(directory, "f"), text, columns=["ORTH", "TAG"], separator="\t")
        blanks = read(Path(directory, "f"), text.replace("\t", " "), columns=["ORTH", "TAG"])
    assert sentences == blanks
    assert [list(zip(s.words, s.fields["TAG"], strict=True)) for s in sentences] == table


# --- tags ---

TYPES = ["X", "Y-Z"]
WHERE = ("f", 10)
segments = st.lists(st.tuples(st.sampled_from(["", *TYPES]), st.integers(1, 3)), max_size=6)


def encode(segmentation, scheme):
    """Tags of entities (type, length) one after another; type "" is outside."""
    tags, before = [], ""
    for label, length in segmentation:
        for i in range(length):
            last = i == length - 1
            if not label:
                tags.append("O")
            elif scheme == "iob1":
                tags.append(("B-" if i == 0 and before == label else "I-") + label)
            elif scheme == "iob2":
                tags.append(("B-" if i == 0 else "I-") + label)
            else:
                tags.append(("U-" if last else "B-") + label if i == 0 else ("L-" if last else "I-") + label)
        before = label
    return tags


@given(segments, st.sampled_from(["iob1", "iob2", "biluo"]))
def test_every_scheme_becomes_iob2(segmentation, scheme):
    tags = encode(segmentation, scheme)
    assert to_iob2(tags, WHERE, scheme) == encode(segmentation, "iob2")
    assert to_iob2(tags, WHERE, "auto") == encode(segmentation, "iob2")


@given(st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y-Z", "I-Y-Z"])))
def test_any_sequence_is_read_as_conlleval_does(tags):
    def starts(i):  # conlleval: B always, I after O, at the start or after another type
        before = tags[i - 1] if i else "O"
        return tags[i] != "O" and (tags[i][0] == "B" or before == "O" or before[2:] != tags[i][2:])

    expected = ["O" if tag == "O" else ("B" if starts(i) else "I") + tag[1:] for i, tag in enumerate(tags)]
    result = to_iob2(tags, WHERE, "iob2")
    assert result == expected
    assert to_iob2(result, WHERE, "iob2") == result


def test_last_and_unit_end_an_entity():
    assert to_iob2(["U-X", "I-X", "L-X", "I-X"], WHERE, "biluo") == ["B-X", "B-X", "I-X", "B-X"]
    assert to_iob2(["S-X", "B-X", "E-X", "O"], WHERE) == ["B-X", "B-X", "I-X", "O"]


def test_missing_gold_is_empty_and_ends_an_entity():
    assert to_iob2(["B-X", "-", "I-X", "_", "", "O"], WHERE) == ["B-X", "", "B-X", "", "", "O"]


@pytest.mark.parametrize("tag", ["X", "B", "B-", "b-X", "N-X", "B_X", "OO"])
def test_other_tags_are_refused_with_their_line(tag):
    with pytest.raises(ValueError, match=rf"M508.*Line 12 of 'f': '{tag}'"):
        to_iob2(["O", "B-X", tag], WHERE)


def test_iob_schemes_refuse_biluo_tags_and_schemes_are_known():
    with pytest.raises(ValueError, match=r"M508.*'U-X' is not an entity tag of the scheme 'iob2'"):
        to_iob2(["U-X"], WHERE, "iob2")
    with pytest.raises(ValueError, match=r"M509.*iob2, iob1, biluo, auto"):
        to_iob2(["O"], WHERE, "bilou")
