"""A tokenizer that splits tokens into words, and what is written of it."""

import base64
import json
import time

import numpy as np
import pytest
import spacy
import srsly
from confection import ConfigValidationError
from spacy.tokens import Doc

from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.conllu_kept import kept_sentences, raw_text
from spacy_mtl.corpora.conllu_write import doc_to_conllu
from spacy_mtl.treebanks.annotate import annotate
from spacy_mtl.treebanks.inputs import Input
from spacy_mtl.treebanks.multiword import token_doc
from spacy_mtl.treebanks.scores import score_files

GOLD = """\
# newdoc id = raw
# newpar
# sent_id = 1
# text = Va al mar, al.
1\tVa\t_\t_\t_\t_\t_\t_\t_\t_
2-3\tal\t_\t_\t_\t_\t_\t_\t_\t_
2\ta\t_\t_\t_\t_\t_\t_\t_\t_
3\tel\t_\t_\t_\t_\t_\t_\t_\t_
4\tmar\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
5\t,\t_\t_\t_\t_\t_\t_\t_\t_
6-7\tal\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
6\ta\t_\t_\t_\t_\t_\t_\t_\t_
7\tel\t_\t_\t_\t_\t_\t_\t_\t_
8\t.\t_\t_\t_\t_\t_\t_\t_\t_

# sent_id = 2
# text = al
1-2\tal\t_\t_\t_\t_\t_\t_\t_\t_
1\ta\t_\t_\t_\t_\t_\t_\t_\t_
2\tel\t_\t_\t_\t_\t_\t_\t_\t_

"""
CONFIG = {
    "nlp": {"tokenizer": {"@tokenizers": "spacy_mtl.Multiword.v1", "tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}}
}


PKUSEG = {"pkuseg_model": None, "pkuseg_user_dict": "default"}


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.conllu"
    path.write_text(GOLD, encoding="utf8")
    return path


@pytest.fixture
def nlp(gold):
    nlp = spacy.blank("es", config=CONFIG)
    nlp.add_pipe("sentencizer")
    nlp.initialize(lambda: ConlluCorpus(gold, keep=True)(nlp))
    return nlp


def test_from_raw_text_to_the_gold_file(nlp, gold, tmp_path):
    """White space between tokens is another, which CoNLL-U does not tell."""
    raw, out = tmp_path / "raw.txt", tmp_path / "out.conllu"
    raw.write_text("Va  al\nmar, al. al\n", encoding="utf8")
    for n_process in (1, 2):
        annotate(nlp, [raw], out, Input(), n_process)
        assert out.read_text(encoding="utf8") == GOLD
    assert {score.f1 for name, score in score_files(gold, out).items() if name in ("Tokens", "Words", "Sentences")} == {
        1
    }


def test_docs(nlp):
    doc = nlp("Va al mar, al. al")
    assert [token.text for token in doc] == ["Va", "a", "el", "mar", ",", "a", "el", ".", "a", "el"]
    assert doc.text == "Va a el mar, a el. a el"
    assert raw_text(doc) == "Va al mar, al. al"
    assert [raw_text(each) for each in nlp.pipe(["al mar", "mar"])] == ["al mar", "mar"]
    assert nlp("Va.").user_data == {}
    copy = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert list(doc_to_conllu(copy)) == list(doc_to_conllu(doc))
    both = Doc.from_docs([nlp("al"), nlp("al mar")])
    assert raw_text(both) == "al al mar"


def test_words_that_are_given_stay(nlp):
    doc = nlp(Doc(nlp.vocab, ["Va", "al", "mar"]))
    assert [token.text for token in doc] == ["Va", "al", "mar"]


def test_norms_are_those_of_the_other_tokenizer(nlp):
    nlp.tokenizer.tokenizer.add_special_case("mar.", [{65: "mar.", 67: "sea"}])
    doc = nlp.make_doc("IR al mar.")
    assert [token.norm_ for token in doc] == ["ir", "a", "el", "sea"]


def test_saved_and_loaded(nlp, tmp_path):
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    assert [token.text for token in loaded("al mar")] == ["a", "el", "mar"]
    other = spacy.blank("es", config=CONFIG)
    assert len(other("al mar")) == 2
    other.tokenizer.from_bytes(nlp.tokenizer.to_bytes())
    assert [token.text for token in other("al mar")] == ["a", "el", "mar"]


def test_a_corpus_without_ranges_and_one_that_was_not_kept(gold, tmp_path):
    nlp = spacy.blank("es", config=CONFIG)
    with pytest.raises(ValueError, match=r"\[M490\].*keep = true"):
        nlp.initialize(lambda: ConlluCorpus(gold)(nlp))
    plain = tmp_path / "plain.conllu"
    plain.write_text("1\tmar\t_\t_\t_\t_\t_\t_\t_\t_\n\n", encoding="utf8")
    nlp.initialize(lambda: ConlluCorpus(plain, keep=True)(nlp))
    assert len(nlp("al mar")) == 2


def test_another_corpus_than_that_of_the_training(gold, tmp_path):
    """The words of a treebank may be trained on without their ranges; what is in [initialize.tokenizer.corpus] has them."""
    corpus = {"@readers": "spacy_mtl.ConlluCorpus.v1", "path": str(gold), "keep": True}
    nlp = spacy.blank("es", config={**CONFIG, "initialize": {"tokenizer": {"corpus": corpus}}})
    nlp.initialize(lambda: ConlluCorpus(gold)(nlp))
    assert [token.text for token in nlp("al mar")] == ["a", "el", "mar"]
    plain = {**corpus, "keep": False}
    nlp = spacy.blank("es", config={**CONFIG, "initialize": {"tokenizer": {"corpus": plain}}})
    with pytest.raises(ValueError, match=r"\[M490\].*\[initialize\.tokenizer\.corpus\]"):
        nlp.initialize(lambda: ConlluCorpus(gold, keep=True)(nlp))


def test_a_tokenizer_that_cannot_learn_changes_nothing(nlp, gold, monkeypatch):
    class Failing:
        def learn(self, docs):
            raise ValueError("no")

    tokenizer = nlp.tokenizer
    before = tokenizer.borders, tokenizer.joins, tokenizer.splitter
    monkeypatch.setattr(tokenizer, "tokenizer", Failing())
    with pytest.raises(ValueError, match="no"):
        tokenizer.initialize(lambda: ConlluCorpus(gold, keep=True)(spacy.blank("es")))
    assert all(a is b for a, b in zip((tokenizer.borders, tokenizer.joins, tokenizer.splitter), before, strict=True))


@pytest.mark.parametrize(
    "change",
    [
        {"format": "x"},
        {"tokenizer": 1},
        {"tokenizer": "?"},
        {"tokenizer": "eHh4"},
        {"splitter": {}},
        {"joins": [1]},
        {"more": 1},
        None,
    ],
)
def test_damaged_files_are_refused(nlp, tmp_path, change):
    data = json.loads(nlp.tokenizer.to_bytes())
    path = tmp_path / "tokenizer"
    path.write_text("{" if change is None else json.dumps({**data, **change}), encoding="utf8")
    with pytest.raises(ValueError, match=rf"\[M606\] {path} "):
        nlp.tokenizer.from_disk(path)
    assert len(nlp("al")) == 2
    assert json.loads(nlp.tokenizer.to_bytes()) == data
    assert base64.b64decode(data["tokenizer"])


def test_a_tokenizer_that_cannot_be_read_changes_nothing(nlp):
    """spaCy's own tokenizer has taken half of it when the second expression fails."""
    before = nlp.tokenizer.to_bytes()
    data = json.loads(before)
    inner = srsly.msgpack_loads(base64.b64decode(data["tokenizer"]))
    broken = srsly.msgpack_dumps({**inner, "prefix_search": "mar", "infix_finditer": "((("})
    text = json.dumps({**data, "tokenizer": base64.b64encode(broken).decode()})
    with pytest.raises(ValueError, match=r"\[M606\].*spaCy cannot read"):
        nlp.tokenizer.from_bytes(text.encode())
    assert nlp.tokenizer.to_bytes() == before
    assert [token.text for token in nlp("marx al")] == ["marx", "a", "el"]


def test_a_file_that_is_not_there(nlp, tmp_path):
    with pytest.raises(ValueError, match=r"\[M605\]"):
        nlp.tokenizer.from_disk(tmp_path / "none")


def test_a_range_of_one_word_leaves_the_text(tmp_path):
    path = tmp_path / "one.conllu"
    cells = "\t_" * 8
    path.write_text(f"1-1\tyy{cells}\n1\tx{cells}\n2-3\tal{cells}\n2\ta{cells}\n3\tel{cells}\n\n", encoding="utf8")
    nlp = spacy.blank("es", config=CONFIG)
    nlp.initialize(lambda: ConlluCorpus(path, keep=True)(nlp))
    assert [token.text for token in nlp("yy al")] == ["yy", "a", "el"]
    assert raw_text(nlp("yy al")) == "yy al"


def test_settings_that_spacy_has_in_every_config_of_chinese_are_accepted(gold):
    """They are in ``[initialize.tokenizer]``, beside what a config says there itself."""
    nlp = spacy.blank("zh", config=CONFIG)
    corpus = {"@readers": "spacy_mtl.ConlluCorpus.v1", "path": str(gold), "keep": True}
    nlp.config["initialize"]["tokenizer"] = {**PKUSEG, "corpus": corpus}
    nlp.initialize()
    assert [token.text for token in nlp("al mar")] == ["a", "el", "mar"]
    nlp.config["initialize"]["tokenizer"] = {**PKUSEG, "corpse": corpus}
    with pytest.raises(ConfigValidationError, match="corpse"):
        nlp.initialize()


#: A language without spaces, of which "xy" is two words.
JOINED = ("ab", "cde", "f", "gh", "xy", "ijk")


def joined_treebank(path, n_sentences=60):
    """Sentences of these words, one after the other, and of numbers that are tokens of their own."""
    random = np.random.default_rng(0)
    texts, lines = [], []
    for _ in range(n_sentences):
        tokens = [*random.choice(JOINED, 6).tolist(), str(random.integers(100)), "."]
        texts.append("".join(tokens))
        words = 0
        for token in tokens:
            parts = ["x", "y"] if token == "xy" else [token]
            if len(parts) > 1:
                lines.append(f"{words + 1}-{words + 2}\t{token}" + 7 * "\t_" + "\tSpaceAfter=No")
            for part in parts:
                words += 1
                lines.append(f"{words}\t{part}" + 7 * "\t_" + ("\tSpaceAfter=No" if len(parts) == 1 else "\t_"))
        lines.append("")
    path.write_text("\n".join([*lines, ""]), encoding="utf8")
    return texts


def segmenting():
    inner = {"@tokenizers": "spacy_mtl.Segmenter.v1"}
    return spacy.blank(
        "xx", config={"nlp": {"tokenizer": {"@tokenizers": "spacy_mtl.Multiword.v1", "tokenizer": inner}}}
    )


def test_a_tokenizer_that_learns_finds_words_without_spaces(tmp_path):
    joined_treebank(tmp_path / "joined.conllu")
    nlp = segmenting()
    nlp.initialize(lambda: ConlluCorpus(tmp_path / "joined.conllu", keep=True)(nlp))
    text = "cdeabxyghf7.ijk cdexy"
    words = ["cde", "ab", "x", "y", "gh", "f", "7", ".", "ijk", "cde", "x", "y"]
    assert [token.text for token in nlp.make_doc(text)] == words
    assert raw_text(nlp.make_doc(text)) == text
    assert [[token.text for token in doc] for doc in nlp.pipe([text, "abf"])] == [words, ["ab", "f"]]
    loaded = segmenting().from_bytes(nlp.to_bytes())
    assert [token.text for token in loaded.make_doc(text)] == words
    assert loaded.to_bytes() == nlp.to_bytes()


def test_sentences_of_white_space_alone_teach_nothing(tmp_path):
    path = tmp_path / "space.conllu"
    joined_treebank(path, 20)
    path.write_text(path.read_text(encoding="utf8") + "1\t\u3000" + 8 * "\t_" + "\n\n", encoding="utf8")
    nlp = segmenting()
    nlp.initialize(lambda: ConlluCorpus(path, keep=True)(nlp))
    assert [token.text for token in nlp.make_doc("abcde")] == ["ab", "cde"]


def test_tokens_with_white_space_are_cut_there_for_a_tokenizer_that_learns(tmp_path):
    path = tmp_path / "spaces.conllu"
    path.write_text("1\t10 000" + 8 * "\t_" + "\n2\tmar" + 7 * "\t_" + "\tSpaceAfter=No\n3\t." + 8 * "\t_" + "\n\n")
    (example,) = ConlluCorpus(path, keep=True)(spacy.blank("xx"))
    doc = token_doc(example.reference, kept_sentences(example.reference)[0])
    assert [token.text_with_ws for token in doc] == ["10 ", "000 ", "mar", "."]


def test_words_with_spaces_inside_are_found(tmp_path):
    path, out = tmp_path / "spaces.conllu", tmp_path / "out.conllu"
    rows = ["hoc sinh", "di", "hoc", "5 000"]
    path.write_text(
        "".join(f"{k}\t{form}" + 8 * "\t_" + "\n" for k, form in enumerate(rows, 1)) + "\n", encoding="utf8"
    )
    nlp = spacy.blank("xx", config=CONFIG)
    nlp.add_pipe("sentencizer")
    nlp.initialize(lambda: ConlluCorpus(path, keep=True)(nlp))
    text = "Hoc sinh hoc di, 7 123 hoc sinh"
    words = ["Hoc sinh", "hoc", "di", ",", "7 123", "hoc sinh"]
    assert [token.text for token in nlp(text)] == words
    assert nlp(text).text == text
    loaded = spacy.blank("xx", config=CONFIG)
    loaded.tokenizer.from_bytes(nlp.tokenizer.to_bytes())
    assert [token.text for token in loaded(text)] == words
    (tmp_path / "raw.txt").write_text("hoc sinh di hoc 5 000", encoding="utf8")
    annotate(nlp, [tmp_path / "raw.txt"], out, Input())
    assert score_files(path, out)["Words"].f1 == 1


@pytest.mark.parametrize("space", ["\u00a0", "\u202f"])
def test_numbers_with_no_break_spaces_are_found(tmp_path, space):
    path, out = tmp_path / "numbers.conllu", tmp_path / "out.conllu"
    rows = [f"{k}\t{form}" + 8 * "\t_" + "\n" for k, form in enumerate(["a", f"5{space}000", "b"], 1)]
    path.write_text("".join(rows) + "\n", encoding="utf8")
    nlp = spacy.blank("xx", config=CONFIG)
    nlp.add_pipe("sentencizer")
    text = f"b 7{space}123{space}456 a{space}b 1 {space} 2"
    apart = ["b", "7", space, "123", space, "456", "a", space, "b", "1", space, "2"]
    nlp.initialize(lambda: ConlluCorpus(path, keep=True)(nlp))
    assert [token.text for token in nlp(text) if not token.is_space] == [
        "b",
        f"7{space}123{space}456",
        "a",
        "b",
        "1",
        "2",
    ]
    assert nlp(text).text == text
    (tmp_path / "raw.txt").write_text(f"a 5{space}000 b", encoding="utf8")
    annotate(nlp, [tmp_path / "raw.txt"], out, Input())
    assert score_files(path, out)["Words"].f1 == 1
    other = tmp_path / "words.conllu"
    other.write_text(path.read_text(encoding="utf8").replace(space, ""), encoding="utf8")
    nlp.initialize(lambda: ConlluCorpus(other, keep=True)(nlp))
    assert [token.text.strip(" ") for token in nlp(text)] == apart  # as the other tokenizer has them


def test_long_documents_take_no_longer_than_short_ones(tmp_path):
    """Time would grow with the square of the words of a document."""
    path = tmp_path / "long.conllu"
    path.write_text("".join(GOLD.partition("\n\n")[0] + "\n\n" for _ in range(1200)), encoding="utf8")
    nlp = spacy.blank("es", config=CONFIG)

    def seconds(group):
        examples = list(ConlluCorpus(path, keep=True, group=group)(nlp))
        begin = time.process_time()
        nlp.tokenizer.initialize(lambda: examples)
        return time.process_time() - begin

    assert seconds(group=0) < 2 * seconds(group=1) + 0.2


def test_files_of_before_there_were_such_words(nlp):
    data = json.loads(nlp.tokenizer.to_bytes())
    del data["joins"]
    other = spacy.blank("es", config=CONFIG)
    other.tokenizer.from_bytes(json.dumps(data).encode())
    assert [token.text for token in other("al mar")] == ["a", "el", "mar"]
