"""What a Doc has no place for: a file comes back byte for byte, and what does not fit any longer is not written."""

import random
import time
import warnings
from zlib import crc32

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.conllu_kept import copy_kept, kept_sentences, raw_text
from spacy_mtl.corpora.conllu_write import doc_to_conllu, write_conllu
from spacy_mtl.corpora.convert import convert_conllu, export_conllu
from spacy_mtl.roots import set_trees

#: Ranges with and without a space after them, empty nodes before and after words, enhanced dependencies, comments of all kinds, and cells that a Doc
#: holds in another form or not at all.
UD = """\
# newdoc id = letters
# newpar
# sent_id = s1
# text = Vámonos al mar, dámelo!
# a comment without a value
0.1\t_\t_\tPRON\t_\t_\t_\t_\t1:nsubj\t_
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\tV1\tNumber=Plur|Mood=Imp\t0\troot\t0:root\t_
2\tnos\tnosotros\tPRON\tP\tCase=Acc\t1\tobj\t1:obj|8:nsubj\tGloss=us
3-4\tal\t_\t_\t_\t_\t_\t_\t_\tGloss=to.the
3\ta\ta\tADP\tE\t_\t5\tcase\t5:case\t_
3.1\tmismo\tmismo\tADJ\t_\t_\t_\t_\t5:amod\tCopyOf=5
3.2\tmismo\tmismo\tADJ\t_\t_\t_\t_\t5:amod\t_
4\tel\tel\tDET\tD\tDefinite=Def\t5\tdet\t5:det\t_
5\tmar\tmar\tNOUN\tN\tGender=Masc\t1\tobl\t1:obl:a\tGloss=sea|SpaceAfter=No|Entity=(place)
6\t,\t,\tPUNCT\t_\t_\t7\tpunct\t_\t_
7-9\tdámelo\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No|Gloss=give.me.it
7\tda\tdar\tXY\tR\t_\t0\tparataxis\t_\t_
8\tme\tyo\tPRON\tP\t_\t7\t_\t_\t_
9\tlo\tél\tPRON\tP\t_\t7\tobj\t_\t_
10\t!\t!\tPUNCT\tF\t_\t1\tpunct\t_\tSpaceAfter=No
10.1\tvamos\tir\tVERB\t_\t_\t_\t_\t1:conj\t_

# sent_id = s2
# text = a fin de 2 000 _ _
1\ta fin de\ta  fin de\tADP\tE\t_\t2\tcase\t_\tSpacesAfter=\\s\\s
2\t2\u00a0000\t2\u00a0000\tNUM\tN\tNumType=Card\t0\troot\t_\t_
3\t_\t_\tSYM\t_\t_\t2\tflat\t_\t_
4\t_\tunderscore\tSYM\t_\t_\t2\tflat\t_\t_

# newpar
1\tAna\t_\t_\t_\t_\t_\t_\t_\t_
2\tva\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No

"""
PLAIN = """\
# sent_id = a
# text = Ana va al mar.
1\tAna\tAna\tPROPN\tN\tGender=Fem\t2\tnsubj\t2:nsubj\tWho=1
2\tva\tir\tVERB\tV\t_\t0\troot\t0:root\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tE\t_\t5\tcase\t5:case\t_
4\tel\tel\tDET\tD\t_\t5\tdet\t5:det\t_
5\tmar\tmar\tNOUN\tN\tGender=Masc\t2\tobl\t2:obl\tSpaceAfter=No
6\t.\t.\tPUNCT\tF\t_\t2\tpunct\t2:punct\t_

# newpar
# sent_id = b
# text = No va.
1\tNo\tno\tADV\tR\t_\t2\tadvmod\t2:advmod\t_
2\tva\tir\tVERB\tV\t_\t0\troot\t0:root\tSpaceAfter=No
3\t.\t.\tPUNCT\tF\t_\t2\tpunct\t2:punct\tLast=Yes

"""


@pytest.fixture
def nlp():
    return spacy.blank("es")


def save(tmp_path, text, name="in.conllu"):
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def references(nlp, path, **settings):
    return [reference for _, reference, _ in ConlluCorpus(path, keep=True, **settings).docs(nlp.vocab)]


def predicted(nlp, path, **settings):
    return [doc for doc, _, _ in ConlluCorpus(path, keep=True, **settings).docs(nlp.vocab)]


def written(docs, tmp_path, **settings):
    write_conllu(docs, tmp_path / "out.conllu", **settings)
    return (tmp_path / "out.conllu").read_bytes().decode()


def rows(text):
    return [line.split("\t") for line in text.splitlines() if line and line[0] != "#"]


def column(text, number):
    return [row[number - 1] for row in rows(text) if row[0].isdecimal()]


def set_borders(doc, starts):
    """Give a Doc other sentences, with trees whose root is the second word or else the first; "No va." has its own if it is a sentence."""
    heads, labels = [], []
    for begin, end in zip(starts, [*starts[1:], len(doc)], strict=True):
        root = min(2, end - begin)
        heads += [0 if i == root else root for i in range(1, end - begin + 1)]
        labels += ["advmod", "root", "punct"][: end - begin] if begin == 6 else ["x"] * (end - begin)
    names = np.array([doc.vocab.strings.add(label) for label in labels], np.uint64)
    set_trees(doc, np.array(heads, np.int32), names, np.array(starts))


@pytest.mark.parametrize("tag", ["auto", "xpos", "upos"])
@pytest.mark.parametrize("group", [1, 2, 0])
def test_a_file_comes_back(nlp, tmp_path, group, tag):
    path = save(tmp_path, UD)
    assert written(references(nlp, path, group=group, tag=tag), tmp_path) == UD


@pytest.mark.parametrize("group", [1, 0])
def test_through_bytes_and_files(nlp, tmp_path, group):
    path = save(tmp_path, UD)
    docs = references(nlp, path, group=group)
    copies = [Doc(nlp.vocab).from_bytes(doc.to_bytes()) for doc in docs]
    assert written(copies, tmp_path) == UD
    packed = DocBin(docs=docs, store_user_data=True).to_bytes()
    assert written(DocBin().from_bytes(packed).get_docs(spacy.blank("es").vocab), tmp_path) == UD
    convert_conllu(path, tmp_path / "a.spacy", "es", group=group, keep=True)
    export_conllu(tmp_path / "a.spacy", tmp_path / "b.conllu", "es")
    assert (tmp_path / "b.conllu").read_bytes() == UD.encode()


def test_through_processes(nlp, tmp_path):
    docs = nlp.pipe(references(nlp, save(tmp_path, UD)), n_process=2)
    assert written(docs, tmp_path) == UD


def test_docs_put_together_and_taken_apart(nlp, tmp_path):
    docs = references(nlp, save(tmp_path, PLAIN))
    together = Doc.from_docs(docs)
    assert written([together], tmp_path) == PLAIN
    parts = [sentence.as_doc(copy_user_data=True) for sentence in together.sents]
    assert len(parts) == 2
    assert written(parts, tmp_path) == PLAIN


def test_spaces_are_those_of_the_doc(nlp, tmp_path):
    """But for what follows its last word, which a Doc does not tell."""
    text = PLAIN.replace("punct\t2:punct\t_\n", "punct\t2:punct\tX=1|SpaceAfter=No\n")
    first, second = references(nlp, save(tmp_path, text))
    assert (
        column(written([Doc.from_docs([second, first], ensure_whitespace=False)], tmp_path), 10)[2]
        == "Last=Yes|SpaceAfter=No"
    )
    (both,) = references(nlp, save(tmp_path, text), group=0)
    assert both.text == "Ana va a el mar.No va."
    parts = [sentence.as_doc(copy_user_data=True) for sentence in both.sents]
    assert written(parts, tmp_path) == text
    assert column(written([Doc.from_docs(parts)], tmp_path), 10)[5] == "X=1"


def test_nothing_is_kept_unasked(nlp, tmp_path):
    (_, doc, _), *_ = ConlluCorpus(save(tmp_path, PLAIN)).docs(nlp.vocab)
    assert doc.user_data == {}


def test_files_without_trees_or_with_broken_ones(nlp, tmp_path):
    cycle = PLAIN.replace("2\tva\tir\tVERB\tV\t_\t0", "2\tva\tir\tVERB\tV\t_\t1", 1)
    path = save(tmp_path, cycle)
    with pytest.warns(UserWarning, match=r"\[M567\] 1 sentence\(s\).*M55[34].*sentence a"):
        docs = references(nlp, path, broken="treeless")
    assert [doc.has_annotation("DEP") for doc in docs] == [False, True]
    assert written(docs, tmp_path) == cycle


def test_other_line_ends_and_missing_ones(nlp, tmp_path):
    """Line ends, empty lines and byte-order marks are not kept; comments within a sentence come before it."""
    changed = "\ufeff\n" + PLAIN.replace("\n\n", "\n\n\n").replace("\n", "\r\n").rstrip()
    assert written(references(nlp, save(tmp_path, changed)), tmp_path) == PLAIN
    lines = PLAIN.splitlines(keepends=True)
    moved = "".join([*lines[:1], lines[2], lines[1], *lines[3:]])
    assert written(references(nlp, save(tmp_path, moved)), tmp_path) == PLAIN


def test_conllx(nlp, tmp_path):
    text = (
        "1\tDu\tdu\tPP\tPP2\tnumber=sing|case=nom\t2\tsubj\t_\t_\n"
        "2\tgår\tgå\tVA\tVADR\t_\t0\tROOT\t_\t_\n"
        "3\t.\t.\tXP\tXP\t_\t0\tlist\t_\t_\n\n"
    )
    assert written(references(nlp, save(tmp_path, text, "in.conllx")), tmp_path) == text


def test_what_was_annotated_anew_is_written(nlp, tmp_path):
    doc, _ = references(nlp, save(tmp_path, PLAIN))
    doc[0].lemma_, doc[0].tag_, doc[4].pos_ = "ana", "N2", "PROPN"
    doc[4].set_morph("Gender=Fem")
    text = written([doc], tmp_path)
    assert column(text, 3)[0] == "ana"
    assert column(text, 4)[4] == "PROPN"
    assert column(text, 5)[0] == "N2"
    assert column(text, 6)[4] == "Gender=Fem"
    changed = [line for line in text.splitlines() if line not in PLAIN.splitlines()]
    assert len(changed) == 2
    assert column(text, 10) == ["Who=1", "_", "_", "_", "SpaceAfter=No", "_"]


def test_a_cell_comes_back_only_where_the_doc_says_the_same(nlp, tmp_path):
    """The Doc has features in alphabetical order, and no POS of the tag XY."""
    (doc,) = references(nlp, save(tmp_path, UD), limit=1)
    doc[0].set_morph("Mood=Imp|Number=Sing")
    doc[6].pos_ = "VERB"
    text = written([doc], tmp_path)
    assert column(text, 6)[0] == "Mood=Imp|Number=Sing"
    assert column(text, 4)[6] == "VERB"
    doc[0].set_morph("Mood=Imp|Number=Plur")
    assert column(written([doc], tmp_path), 6)[0] == "Number=Plur|Mood=Imp"


def test_another_tree_has_no_enhanced_dependencies_and_empty_nodes(nlp, tmp_path):
    doc, _, _ = references(nlp, save(tmp_path, UD))
    heads = np.array([0, 1, 5, 5, 1, 1, 1, 7, 7, 1], np.int32)  # the comma hangs on the first word
    set_trees(doc, heads, np.array([nlp.vocab.strings.add("x")] * 10, np.uint64), np.array([0]))
    text = written([doc], tmp_path)
    assert [row[0] for row in rows(text)] == ["1-2", "1", "2", "3-4", "3", "4", "5", "6", "7-9", "7", "8", "9", "10"]
    assert set(column(text, 9)) == {"_"}
    assert column(text, 7) == ["0", "1", "5", "5", "1", "1", "1", "7", "7", "1"]
    assert [row[9] for row in rows(text)] == [row[9] for row in rows(UD) if "." not in row[0]][:13]
    assert text.splitlines()[:5] == UD.splitlines()[:5]


def test_predicted_docs_have_no_cells_of_what_is_to_be_predicted(nlp, tmp_path):
    path = save(tmp_path, UD)
    text = written(predicted(nlp, path, given=[]), tmp_path)
    for number in range(3, 10):
        assert set(column(text, number)) == {"_"}
    assert "0.1" not in [row[0] for row in rows(text)]
    text = written(predicted(nlp, path, given=["LEMMA", "MORPH"]), tmp_path)
    assert column(text, 3) == column(UD, 3)
    assert column(text, 6) == column(UD, 6)
    assert column(text, 10) == column(UD, 10)
    assert set(column(text, 4) + column(text, 5)) == {"_"}
    assert [line for line in text.splitlines() if line[:1] == "#"] == [
        line for line in UD.splitlines() if line[:1] == "#"
    ]


def test_tags_that_were_read_from_column_4_are_written_there(nlp, tmp_path):
    path = save(tmp_path, "1\tAna\t_\tPROPN\t_\t_\t0\troot\t_\t_\n2\tva\t_\tVERB\t_\t_\t1\tdep\t_\t_\n\n")
    (doc,) = predicted(nlp, path, given=[])
    doc[0].tag_, doc[1].tag_ = "NOUN", "VERB"
    text = written([doc], tmp_path)
    assert (column(text, 4), column(text, 5)) == (["NOUN", "VERB"], ["_", "_"])
    bare = Doc(nlp.vocab, ["Ana", "va"], tags=["NOUN", "VERB"])
    assert column(written([bare], tmp_path), 5) == ["NOUN", "VERB"]
    text = written([bare], tmp_path, tag="upos")
    assert (column(text, 4), column(text, 5)) == (["NOUN", "VERB"], ["_", "_"])


def test_sentences_with_other_borders(nlp, tmp_path):
    """Words keep their ranges and MISC; comments are made anew, but for those that begin a paragraph."""
    (doc,) = references(nlp, save(tmp_path, PLAIN), group=0)
    set_borders(doc, [0, 2, 6])
    first, second, third = written([doc], tmp_path).strip().split("\n\n")
    assert first.splitlines()[:2] == ["# sent_id = 1", "# text = Ana va"]
    assert second.splitlines()[:3] == ["# sent_id = 2", "# text = al mar.", "1-2\tal\t_\t_\t_\t_\t_\t_\t_\t_"]
    assert column(first, 10) == ["Who=1", "_"]
    assert set(column(first + second, 9)) == {"_"}
    assert third == PLAIN.strip().split("\n\n")[1]
    set_borders(doc, [0, 3])  # between the words of a range, and not where the paragraph begins
    first, second = written([doc], tmp_path).strip().split("\n\n")
    assert first.splitlines()[1] == "# text = Ana va a"
    assert second.splitlines()[:2] == ["# sent_id = 2", "# text = el mar. No va."]
    assert [row[0] for row in rows(first) + rows(second)] == [*"123", *"123456"]
    set_borders(doc, [0, 6, 8])
    _, second, _ = written([doc], tmp_path).strip().split("\n\n")
    assert second.splitlines()[:3] == ["# newpar", "# sent_id = 2", "# text = No va"]


def test_changed_words_are_noticed(nlp, tmp_path):
    (doc,) = references(nlp, save(tmp_path, PLAIN), group=0)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[2:4])
    with pytest.warns(UserWarning, match=r"\[M565\] What 1 sentence"):
        first, second = written([doc], tmp_path).strip().split("\n\n")
    assert first.splitlines()[:2] == ["# sent_id = 1", "# text = Ana va a el mar."]
    assert column(first, 10) == ["_", "_", "_", "SpaceAfter=No", "_"]
    assert second == PLAIN.strip().split("\n\n")[1]
    other = Doc(
        nlp.vocab,
        ["Eva", "va", "a", "el", "mar", "."],
        spaces=[True, True, True, True, False, False],
        user_data=dict(references(nlp, tmp_path / "in.conllu")[0].user_data),
    )
    with pytest.warns(UserWarning, match=r"\[M565\]"):  # as many words, of the same lengths
        assert "al" not in written([other], tmp_path).split()


def test_entries_of_strangers(nlp, tmp_path):
    """Whatever an entry holds, it is either written as lines of CoNLL-U, or not at all and warned of."""
    (good,) = references(nlp, save(tmp_path, PLAIN), limit=1)
    ((key, entry),) = good.user_data.items()
    values = [
        None,
        "x",
        3,
        -1,
        2**70,
        1.5,
        [],
        ["# a\n1\tx"],
        ["a"],
        [[0, 9, "x"]],
        [[0, 1, "x\ty"]],
        [[0, 1]],
        {"misc": [[0, "_", "a\tb"]]},
    ]
    values += [
        {"misc": [[7, "_", "a"]]},
        {"misc": [[0, "_"]]},
        {"other": []},
        {"misc": 1},
        [[-1, 1, "\t" * 8]],
        [[5, 3, "\t" * 8]],
    ]
    for name in entry:
        for value in values:
            good.user_data[key] = {**entry, name: value}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                text = written([good], tmp_path)
            assert all(len(row) == 10 for row in rows(text))
            assert column(text, 2) == column(PLAIN, 2)[:6]
    cells, node = "\t_" * 8, "\t" * 8
    unfit = [
        ("lines", [[2, 2, f"x{cells}"], [0, 2, f"y{cells}"]]),
        ("lines", [[0, 3, f"x{cells}"], [1, 2, f"y{cells}"]]),
        ("lines", [[2, -1, node], [0, -1, node]]),
        ("lines", [[0, 2, cells]]),
        ("whole", False),
        ("lines", [[0, -(10**9), node]]),
        ("cells", {"form": [[0, "Ana", "Eva"]]}),
        ("cells", {"form": [[0, "Ana", ""]]}),
        ("comments", ["# \ud800"]),
        *((name, np.zeros(2)) for name in entry),
        ("tag", [1]),
        ("tag", "lemma"),
        ("words", float(entry["words"])),
    ]
    for name, value in unfit:
        good.user_data[key] = {**entry, name: value}
        with pytest.warns(UserWarning, match=r"\[M565\]"):
            assert "Who=1" not in written([good], tmp_path)
        copy_kept(good, good.copy(), ["POS"])
    good.user_data[key] = {**entry, "lines": [[0, 2, f"x{cells}"], [1, -1, node], [2, 2, f"y{cells}"]]}
    found = [row[0] for row in rows(written([good], tmp_path))]
    assert found == ["1-2", "1", "1.1", "2", "3-4", *"3456"]
    for broken in (None, [], {}, {name: value for name, value in entry.items() if name != "cells"}):
        good.user_data[key] = broken
        with pytest.warns(UserWarning, match=r"\[M565\]"):
            assert "Who=1" not in written([good], tmp_path)
    good.user_data[key] = entry
    good.user_data["._.", "conllu", 0, 3] = {**entry, "words": 1, "check": crc32(b"Ana"), "lines": [], "cells": {}}
    assert "Who=1" not in written([good], tmp_path)  # two for the same word: the first
    good.user_data.clear()
    good.user_data["._.", "conllu", None, "x"] = good.user_data["conllu"] = entry  # not a key of ours
    assert "Who=1" not in written([good], tmp_path)


def test_the_text_of_a_doc_and_that_of_its_tokens(nlp, tmp_path):
    first, second, _ = references(nlp, save(tmp_path, UD))
    assert first.text == "Vamos nos a el mar, da me lo!"
    assert raw_text(first) == "Vámonos al mar, dámelo!"
    assert raw_text(first, 2, 6) == "al mar,"
    assert raw_text(first, 3, 6) == "el mar,"
    assert raw_text(first, 0, 3) == "Vámonos a"
    assert raw_text(second) == second.text
    (both,) = references(nlp, save(tmp_path, PLAIN), group=0)
    assert raw_text(both) == "Ana va al mar. No va."
    assert next(doc_to_conllu(both)).splitlines()[1] == "# text = Ana va al mar."


def test_files_by_chance(nlp, tmp_path):
    """Random sentences with ranges, empty nodes and cells of all sorts."""
    draw = random.Random(1)
    cells = ["_", "a", "b c", "X=Y", "NOUN", "A=1|B=2", "B=2|A=1", "x|SpaceAfter=No"]
    sentences = []
    for k in range(40):
        n = draw.randint(1, 7)
        lines = [f"# c{k}"] * draw.randint(0, 2)
        root = draw.randint(1, n)
        end = 0
        for i in range(1, n + 1):
            if i > end and draw.random() < 0.4:
                end = draw.randint(i, n)
                lines.append("\t".join([f"{i}-{end}", draw.choice("aäß"), *draw.choices(cells, k=8)]))
            head = 0 if i == root else root
            label = draw.choice(["nsubj", "_", "root"]) if head else "root"
            lemma, upos, xpos, misc = draw.choices(cells, k=4)
            feats = draw.choice(["_", "A=1|B=2", "B=2|A=1"])
            deps = draw.choice(["_", f"{head}:x"])
            lines.append(
                "\t".join(
                    [str(i), draw.choice(["a", "_", "x y"]), lemma, upos, xpos, feats, str(head), label, deps, misc]
                )
            )
            lines += ["\t".join([f"{i}.{m}", *draw.choices(cells, k=9)]) for m in range(1, draw.randint(1, 3))]
        sentences.append("\n".join(lines) + "\n\n")
    text = "".join(sentences)
    for group in (1, 3, 0):
        assert written(references(nlp, save(tmp_path, text), group=group), tmp_path) == text


def test_entries_for_no_words_at_all(nlp):
    """Its end before its beginning."""
    doc = Doc(nlp.vocab, words=["ab", "cd"])
    entry = {"whole": True, "words": 0, "check": 0, "comments": ["# newdoc"], "lines": [], "cells": {}, "tag": None}
    doc.user_data["._.", "conllu", 3, 2] = {**entry, "tree": None}
    assert kept_sentences(doc) == ([], 1)


def test_many_entries_that_overlap_take_no_longer_than_others(nlp):
    """Time would grow with the square of their number."""

    def seconds(nested):
        n = 20_000
        doc = Doc(nlp.vocab, words=["ab"] * n)
        for i in range(n // 2):
            stop = 3 * n - 1 - 3 * i if nested else 3 * i + 2
            doc.user_data["._.", "conllu", 3 * i, stop] = {"words": 1, "check": 5}
        begin = time.process_time()
        assert kept_sentences(doc)[0] == []
        return time.process_time() - begin

    assert seconds(nested=True) < 10 * seconds(nested=False) + 0.2
