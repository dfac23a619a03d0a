"""The scores of the CoNLL 2018 shared task, on cases that were worked out by hand."""

import pytest

from spacy_mtl.treebanks.scores import METRICS, Score, right_words, score_files
from spacy_mtl.treebanks.words import read_words

#: Ten words in nine tokens and two sentences. Content words: Vi, ser, hem, Vi and Rom. Function words: det; är and i.
GOLD = """
1 Vi vi PRON P Case=Nom|Number=Plur 2 nsubj
2 ser se VERB V Tense=Pres|VerbForm=Fin 0 root
3-4 hemmet
3 hem hem NOUN N Number=Sing 2 obj
4 det den DET D Definite=Def 3 det
5 . . PUNCT F _ 2 punct

1 Vi vi PRON P Case=Nom 4 nsubj:pass
2 är vara AUX V Tense=Pres 4 aux:pass
3 i _ ADP R _ 4 case
4 Rom Rom PROPN M Foreign=Yes|Style=Arch 0 root
5 . . PUNCT F _ 4 punct
"""


def conllu(text):
    """Lines of id, form, lemma, upos, xpos, feats, head and relation; of a multiword token, id and form."""
    lines = []
    for line in text.strip().splitlines():
        cells = line.split()
        cells += ["_"] * (10 - len(cells)) if cells else []
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n\n"


@pytest.fixture
def score(tmp_path):
    def score(gold, system):
        for name, text in (("gold", gold), ("system", system)):
            (tmp_path / f"{name}.conllu").write_text(conllu(text), encoding="utf8")
        return score_files(tmp_path / "gold.conllu", tmp_path / "system.conllu")

    return score


def counts(scores):
    return {name: (s.correct, s.gold, s.system, s.aligned) for name, s in scores.items()}


def changed(scores, **expected):
    """The counts are those of gold scored against itself, but for these."""
    perfect = {
        "Tokens": (9, 9, 9, None),
        "Sentences": (2, 2, 2, None),
        "Words": (10, 10, 10, None),
        **dict.fromkeys(("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS"), (10, 10, 10, 10)),
        **dict.fromkeys(("CLAS", "MLAS", "BLEX"), (5, 5, 5, 5)),
    }
    assert counts(scores) == {**perfect, **expected}


def test_gold_against_itself(score):
    scores = score(GOLD, GOLD)
    assert tuple(scores) == METRICS
    changed(scores)
    assert {s.f1 for s in scores.values()} == {1.0}


def test_figures():
    found = Score(gold=4, system=5, correct=3, aligned=6)
    assert (found.precision, found.recall, found.aligned_accuracy) == (0.6, 0.75, 0.5)
    assert found.f1 == pytest.approx(2 * 0.6 * 0.75 / (0.6 + 0.75))
    assert Score(1, 1, 1).aligned_accuracy is None
    nothing = Score(0, 0, 0, 0)
    assert (nothing.precision, nothing.recall, nothing.f1, nothing.aligned_accuracy) == (0, 0, 0, 0)


def test_single_columns(score):
    """A wrong tag of the function word "är" costs the content word above it its MLAS, and its own is not counted."""
    nine = (9, 10, 10, 10)
    changed(
        score(GOLD, GOLD.replace("är vara AUX V Tense", "är vara VERB V Tense")),
        UPOS=nine,
        AllTags=nine,
        MLAS=(4, 5, 5, 5),
    )
    changed(score(GOLD, GOLD.replace("1 Vi vi PRON P Case=Nom|", "1 Vi vi PRON Q Case=Nom|")), XPOS=nine, AllTags=nine)
    changed(score(GOLD, GOLD.replace("VerbForm=Fin", "VerbForm=Inf")), UFeats=nine, AllTags=nine, MLAS=(4, 5, 5, 5))
    changed(score(GOLD, GOLD.replace("se VERB", "sen VERB")), Lemmas=nine, BLEX=(4, 5, 5, 5))
    changed(score(GOLD, GOLD.replace("den DET", "det DET")), Lemmas=nine)


def test_what_does_not_count(score):
    """Subtypes of relations, features of one language, the order of features, lemmas where gold has none, tags of punctuation in MLAS."""
    changed(score(GOLD, GOLD.replace("nsubj:pass", "nsubj:outer").replace("aux:pass", "aux")))
    changed(score(GOLD, GOLD.replace("|Style=Arch", "").replace("Case=Nom|Number=Plur", "Number=Plur|Case=Nom|X=Y")))
    changed(score(GOLD, GOLD.replace("3 i _ ADP", "3 i i ADP")))
    changed(score(GOLD.replace("i _ ADP", "i i ADP"), GOLD), Lemmas=(9, 10, 10, 10))
    changed(
        score(GOLD, GOLD.replace("5 . . PUNCT F _ 4", "5 . . SYM F _ 4")), UPOS=(9, 10, 10, 10), AllTags=(9, 10, 10, 10)
    )


def test_heads_and_relations(score):
    """The case marker of Rom hangs on "är": its own arc, and the function words of Rom, are wrong; MLAS sees the second, CLAS neither."""
    nine = (9, 10, 10, 10)
    changed(score(GOLD, GOLD.replace("ADP R _ 4", "ADP R _ 2")), UAS=nine, LAS=nine, MLAS=(4, 5, 5, 5))
    changed(
        score(GOLD, GOLD.replace("2 obj", "2 obl")), LAS=nine, CLAS=(4, 5, 5, 5), MLAS=(4, 5, 5, 5), BLEX=(4, 5, 5, 5)
    )
    # a content word of gold that the system takes for a function word: one fewer in the system, and its head has one function word more
    changed(
        score(GOLD, GOLD.replace("2 obj", "2 det")), LAS=nine, CLAS=(4, 5, 4, 5), MLAS=(3, 5, 4, 5), BLEX=(4, 5, 4, 5)
    )
    # a function word that the system takes for a content word
    changed(
        score(GOLD, GOLD.replace("3 det", "3 nmod")), LAS=nine, CLAS=(5, 5, 6, 5), MLAS=(4, 5, 6, 5), BLEX=(5, 5, 6, 5)
    )


def test_another_tokenization(score):
    """ "ser" in two, "hemmet" and the full stop in one: of the first five tokens, Vi alone is right."""
    system = """
1 Vi vi PRON P Case=Nom|Number=Plur 2 nsubj
2 se se VERB V Tense=Pres|VerbForm=Fin 0 root
3 r r NOUN N Number=Sing 2 obj
4 hemmet. hem NOUN N Number=Sing 2 obj
""" + GOLD[GOLD.index("\n\n") + 1 :]
    changed(
        score(GOLD, system),
        Tokens=(6, 9, 9, None),
        Words=(6, 10, 9, None),
        **dict.fromkeys(("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"), (6, 10, 9, 6)),
        UAS=(5, 10, 9, 6),  # the head of Vi is not aligned
        LAS=(5, 10, 9, 6),
        CLAS=(2, 5, 6, 3),
        MLAS=(2, 5, 6, 3),
        BLEX=(2, 5, 6, 3),
    )


def test_other_sentences(score):
    """One sentence where gold has two: no span of a sentence is right, and of the trees all but what hangs on the second root."""
    first, second = GOLD.strip().split("\n\n")
    lines = [line.split() for line in second.splitlines()]
    for cells in lines:
        cells[0], cells[6] = str(int(cells[0]) + 5), str(int(cells[6]) + 5 if cells[6] != "0" else 2)
    lines[3][7] = "parataxis"
    system = first + "\n" + "\n".join(" ".join(cells) for cells in lines)
    changed(
        score(GOLD, system),
        Sentences=(0, 2, 1, None),
        UAS=(9, 10, 10, 10),
        LAS=(9, 10, 10, 10),
        CLAS=(4, 5, 5, 5),
        MLAS=(4, 5, 5, 5),
        BLEX=(4, 5, 5, 5),
    )
    # a border that crosses: the second begins with the first full stop
    crossing = """
1 Vi vi PRON P Case=Nom|Number=Plur 2 nsubj
2 ser se VERB V Tense=Pres|VerbForm=Fin 0 root
3-4 hemmet
3 hem hem NOUN N Number=Sing 2 obj
4 det den DET D Definite=Def 3 det

1 . . PUNCT F _ 5 punct
2 Vi vi PRON P Case=Nom 5 nsubj:pass
3 är vara AUX V Tense=Pres 5 aux:pass
4 i _ ADP R _ 5 case
5 Rom Rom PROPN M Foreign=Yes|Style=Arch 0 root
6 . . PUNCT F _ 5 punct
"""
    changed(score(GOLD, crossing), Sentences=(0, 2, 2, None), UAS=(9, 10, 10, 10), LAS=(9, 10, 10, 10))


def test_a_multiword_token_that_was_not_split(score):
    """The word "hemmet" is none of gold's: nine words against ten, eight of them aligned."""
    system = GOLD.replace("3-4 hemmet\n3 hem hem", "3 hemmet hem").replace(
        "4 det den DET D Definite=Def 3 det\n5 . .", "4 . ."
    )
    changed(
        score(GOLD, system),
        Words=(8, 10, 9, None),
        **dict.fromkeys(("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS"), (8, 10, 9, 8)),
        **dict.fromkeys(("CLAS", "MLAS", "BLEX"), (4, 5, 5, 4)),
    )


def test_a_multiword_token_that_was_split_into_other_words(score):
    """Hem, a, det: the longest common subsequence is hem and det, whatever their case; "a" is one too many, and the head of "det"."""
    system = GOLD.replace(
        "3 hem hem NOUN N Number=Sing 2 obj\n4 det den DET D Definite=Def 3 det\n5 .",
        "3 HEM hem NOUN N Number=Sing 2 obj\n4 a a DET D _ 3 case\n5 Det den DET D Definite=Def 4 det\n6 .",
    ).replace("3-4 hemmet", "3-5 hemmet")
    changed(
        score(GOLD, system),
        Words=(10, 10, 11, None),
        **dict.fromkeys(("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"), (10, 10, 11, 10)),
        UAS=(9, 10, 11, 10),
        LAS=(9, 10, 11, 10),
        MLAS=(4, 5, 5, 5),  # the function words of hem are others
    )


def test_multiword_tokens_that_overlap(score):
    """Gold: ab = a + b, cd = c + d. System: abc = a + b + c as one token, then d. The stretch is all of it, and all four words are aligned."""
    gold = "1-2 ab\n1 a a X _ _ 0 root\n2 b b X _ _ 1 obj\n3-4 cd\n3 c c X _ _ 1 obl\n4 d d X _ _ 1 punct"
    system = "1-3 abc\n1 a a X _ _ 0 root\n2 b b X _ _ 1 obj\n3 c c X _ _ 1 obl\n4 d d X _ _ 1 punct"
    found = counts(score(gold, system))
    assert found["Tokens"] == (0, 2, 2, None)
    assert found["Words"] == (4, 4, 4, None)
    assert found["LAS"] == (4, 4, 4, 4)
    # the other way round, d is a word within gold's second token
    assert counts(score(system, gold))["Words"] == (4, 4, 4, None)


def test_thousands_of_words_of_multiword_tokens_that_overlap(tmp_path, monkeypatch):
    """Each of gold covers the end of one of the system's and the beginning of the next."""
    monkeypatch.setattr("spacy_mtl.treebanks.align.MOST_CELLS", 50)
    cells = "\t_" * 8

    def tokens(shift, n):
        lines = [f"1\ta{cells}"] if shift else []
        for k in range(n):
            first = 2 * k + 1 + shift
            lines += [f"{first}-{first + 1}\taa{cells}", f"{first}\ta{cells}", f"{first + 1}\ta{cells}"]
        return "\n".join(lines)

    ours, theirs = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    ours.write_text(tokens(0, 4) + "\n\n", encoding="utf8")
    theirs.write_text(tokens(1, 3) + f"\n8\ta{cells}\n\n", encoding="utf8")
    with pytest.raises(ValueError, match=r"\[M581\] Sentence 1, line 2 .* 8 and 8 words"):
        score_files(ours, theirs)
    monkeypatch.setattr("spacy_mtl.treebanks.align.MOST_CELLS", 64)
    assert score_files(ours, theirs)["Words"].correct == 8


def test_which_common_subsequence(score):
    """a b against b a: either could be aligned. It is gold's second and the system's first, since gold's words are passed over first."""
    gold = "1-2 x\n1 a a NOUN _ _ 0 root\n2 b b VERB _ _ 1 obj"
    system = "1-2 x\n1 b b VERB _ _ 0 root\n2 a a ADJ _ _ 1 obj"
    found = counts(score(gold, system))
    assert found["Words"] == (1, 2, 2, None)
    assert found["UPOS"] == (1, 2, 2, 1)


@pytest.mark.parametrize(("first", "aligned", "exchanged"), [("a", 0, 0), ("b", 1, 0), ("c", 1, 1)])
def test_words_left_over_before_a_multiword_token(score, first, aligned, exchanged):
    """abc, and de = first + e, against a, b, c, de. Where "abc" is no word of the other file, one of the words that are left over from it is passed
    over, and the others join in what follows; if they are gold's, the first is done with by then.
    """
    gold = f"1 abc _ X _ _ 0 root\n2-3 de\n2 {first} _ X _ _ 1 obj\n3 e _ X _ _ 1 obj"
    system = "1 a _ X _ _ 0 root\n2 b _ X _ _ 1 obj\n3 c _ X _ _ 1 obj\n4 de _ X _ _ 1 obj"
    assert counts(score(gold, system))["Words"] == (aligned, 3, 4, None)
    assert counts(score(system, gold))["Words"] == (exchanged, 4, 3, None)


def test_white_space_counts_in_words_of_multiword_tokens_alone(tmp_path):
    """As in the script of the shared task, which takes it out of tokens."""
    rows = "1-2\tabab{blanks}\n1\t{form}\tx\tX\t_\t_\t0\troot\t_\t_\n2\tc\tx\tX\t_\t_\t1\tdet\t_\t_\n3\t{form}\tx\tX\t_\t_\t1\tdet\t_\t_\n\n"
    for name, form in (("gold", "a b"), ("system", "ab")):
        (tmp_path / f"{name}.conllu").write_text(rows.format(form=form, blanks=8 * "\t_"), encoding="utf8")
    found = score_files(tmp_path / "gold.conllu", tmp_path / "system.conllu")
    assert counts(found)["Words"] == (2, 3, 3, None)


def test_white_space_empty_nodes_and_trees_that_are_missing(score, tmp_path):
    for name, text in (
        (
            "gold",
            "1\ta b\t_\tX\t_\t_\t0\troot\t_\t_\n1.1\tzz\t_\tX\t_\t_\t_\t_\t_\t_\n2\tc\u00a0d\t_\tX\t_\t_\t1\tobj\t_\t_\n\n",
        ),
        ("system", "1\tab\t_\tX\t_\t_\t_\t_\t_\t_\n2\tcd\t_\tX\t_\t_\t_\t_\t_\t_\n\n"),
    ):
        (tmp_path / f"{name}.conllu").write_text(text, encoding="utf8")
    found = counts(score_files(tmp_path / "gold.conllu", tmp_path / "system.conllu"))
    assert found["UPOS"] == (2, 2, 2, 2)
    assert found["UAS"] == found["LAS"] == (0, 2, 2, 2)
    found = counts(score_files(tmp_path / "system.conllu", tmp_path / "system.conllu"))
    assert found["UAS"] == (0, 2, 2, 2)  # where gold has no tree, none is right
    (tmp_path / "gold.conllu").write_text("1\t\u00a0\t_\tX\t_\t_\t0\troot\t_\t_\n\n", encoding="utf8")
    with pytest.raises(ValueError, match=r"\[M559\] Line 1 .*gold.conllu.*sentence 1"):
        score_files(tmp_path / "gold.conllu", tmp_path / "system.conllu")


@pytest.mark.parametrize(("empty", "line"), [("1-2", 3), ("3", 6), ("1", None)])
def test_an_empty_token_is_named_by_its_line(tmp_path, empty, line):
    forms = {name: "\u00a0" if name == empty else "x" for name in ("1-2", "1", "2", "3")}
    rows = [f"{name}\t{form}\t_\tX\t_\t_\t_\t_\t_\t_" for name, form in forms.items()]
    (tmp_path / "a.conllu").write_text("# sent_id = s\n# a comment\n" + "\n".join(rows) + "\n\n", encoding="utf8")
    if line is None:  # a word of a multiword token has no text of its own
        assert len(read_words(tmp_path / "a.conllu")) == 3
        return
    with pytest.raises(ValueError, match=rf"\[M559\] Line {line} .*a.conllu.*sentence s"):
        read_words(tmp_path / "a.conllu")


@pytest.mark.parametrize("between", ["# a comment", "0.1\tzz" + 8 * "\t_"])
def test_an_empty_multiword_token_is_named_by_its_own_line(tmp_path, between):
    """Whatever stands between it and its words, and before it."""
    rows = ["1-2\t\u00a0" + 8 * "\t_", between, *[f"{i}\tx" + 8 * "\t_" for i in (1, 2)]]
    (tmp_path / "a.conllu").write_text("# sent_id = s\n" + "\n".join(rows) + "\n\n", encoding="utf8")
    with pytest.raises(ValueError, match=r"\[M559\] Line 2 .*sentence s"):
        read_words(tmp_path / "a.conllu")


@pytest.mark.parametrize(
    ("old", "new", "gold", "system"),
    [
        ("Rom", "Roma", r"'\.' \(sentence 2, line 8\)", r"'a\.' \(sentence 2, line 8\)"),
        (
            "2 ser se",
            "2 Ser se",
            r"'serhemmet\.ViäriRom\.' \(sentence 1, line 1\)",
            r"'Serhemmet\.ViäriRom\.' \(sentence 1, line 1\)",
        ),
        ("\n5 . . PUNCT F _ 4 punct\n", "\n", r"'\.' \(sentence 2, line 8\)", r"'' \(after its last sentence\)"),
    ],
)
def test_another_text_is_refused(score, old, new, gold, system):
    with pytest.raises(ValueError, match=rf"\[M580\].*the first has {gold} where the second has {system}"):
        score(GOLD, GOLD.replace(old, new))


@pytest.mark.parametrize(
    ("other", "told"),
    [("a\u0308r", r"'a\u0308riRom.'"), ("\u200där", r"'\u200d\xe4riRom.'"), ("är\u200f", r"'\u200fiRom.'")],
)
def test_texts_that_look_the_same_are_told_apart(score, other, told):
    with pytest.raises(ValueError, match=r"\[M580\]") as caught:
        score(GOLD, GOLD.replace("2 är vara", f"2 {other} vara"))
    assert f"the second has {told}" in str(caught.value)


def test_the_words_that_are_right_are_named(tmp_path):
    system = GOLD.replace("2 ser se VERB", "2 ser sera VERB").replace(
        "4 Rom Rom PROPN M Foreign=Yes|Style=Arch 0 root", "4 Rom Rom NOUN M _ 3 obl"
    )
    for name, text in (("gold", GOLD), ("system", system.replace("3 i _ ADP R _ 4 case", "3 i _ ADP R _ 0 root"))):
        (tmp_path / f"{name}.conllu").write_text(conllu(text), encoding="utf8")
    right = right_words(read_words(tmp_path / "gold.conllu"), read_words(tmp_path / "system.conllu"))
    every = set(range(10))
    assert right["Lemmas"] == every - {1}
    assert right["UPOS"] == every - {8}
    assert right["UFeats"] == every - {8}
    assert right["UAS"] == right["LAS"] == every - {7, 8}
