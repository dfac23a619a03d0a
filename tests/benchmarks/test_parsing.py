"""The helpers of the parsing benchmark, on made-up sentences."""

import math
from dataclasses import asdict

import pytest

from benchmarks.parsing.data import FURTHER_ROOT, PARTS, Data, Sentence, Tree, all_roots, is_tree, n_words, one_root
from benchmarks.parsing.ours import Ours, examples_of, scores_of
from benchmarks.parsing.ours import learn as learn_ours
from benchmarks.parsing.ours import tree_of as tree_of_ours
from benchmarks.parsing.runs import corpora_of
from benchmarks.parsing.scores import is_punctuation, scores

#: form, coarse tag, fine tag, head, label; Danish has ROOT in place of root
SENTENCES = [
    [("the", "DET", "DT", 2, "det"), ("dog", "NOUN", "NN", 3, "nsubj"), ("barks", "VERB", "VB", 0, "root")],
    [("she", "PRON", "PP", 2, "nsubj"), ("sees", "VERB", "VB", 0, "root"), ("the", "DET", "DT", 4, "det"),
     ("cat", "NOUN", "NN", 2, "obj"), (".", "PUNCT", "FE", 2, "punct")],
    [("a", "DET", "DT", 2, "det"), ("cat", "NOUN", "NN", 3, "nsubj"), ("sees", "VERB", "VB", 0, "root"),
     ("dogs", "NOUN", "NN", 3, "obj")],
]  # fmt: skip
#: Two roots, and an arc between words that crosses another: 1 -> 3 and 2 -> 4.
SEVERAL = [("see", "VERB", "VB", 0, "root"), ("dog", "NOUN", "NN", 0, "root"), ("cat", "NOUN", "NN", 1, "obj"),
           ("the", "DET", "DT", 2, "det")]  # fmt: skip
OURS = Ours(passes=4, average=2)


def write(path, sentences, root="root", feats="_"):
    rows = [
        "\n".join(
            f"{i}\t{form}\t_\t{coarse}\t{fine}\t{feats}\t{head}\t{label if head else root}\t_\t_"
            for i, (form, coarse, fine, head, label) in enumerate(sentence, 1)
        )
        for sentence in sentences
    ]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n\n".join(rows) + "\n\n", encoding="utf8")


@pytest.fixture
def data(tmp_path):
    for name in ("swedish", "dutch", "danish"):
        treebank = Data(str(tmp_path), name).treebank
        train = [*SENTENCES * 4, SEVERAL, SEVERAL] if name == "danish" else SENTENCES * 4
        for file, sentences in ((treebank.train, train), (treebank.dev, SENTENCES[:2]), (treebank.test, SENTENCES[1:])):
            if file:
                write(
                    tmp_path / treebank.folder / file, sentences, treebank.root, "_" if name == "danish" else "Case=Nom"
                )
    return Data(str(tmp_path))


def test_sentences_are_read_and_cut_short(data):
    assert [len(data.sentences(part)) for part in PARTS] == [12, 2, 2, 12]
    assert [len(Data(data.corpora, "swedish", 10).sentences(part)) for part in PARTS] == [10, 2, 2, 10]
    first = data.sentences("train")[0]
    assert first == Sentence(
        ["the", "dog", "barks"], ["DET", "NOUN", "VERB"], ["DT", "NN", "VB"], ["Case=Nom"] * 3,
        Tree([2, 3, 0], ["det", "nsubj", "root"]),
    )  # fmt: skip
    assert n_words([first]) == 3
    assert data.labels() == ["det", "nsubj", "obj", "punct"]


def test_a_tenth_is_held_out_where_there_is_no_dev_part(data):
    danish = Data(data.corpora, "danish")
    assert [len(danish.sentences(part)) for part in PARTS] == [13, 1, 2, 14]
    assert [*danish.sentences("train"), *danish.sentences("dev")] == danish.sentences("all")


def test_sentences_to_learn_from_that_are_no_trees_are_left_out(data):
    circle = [("a", "X", "X", 2, "dep"), ("b", "X", "X", 1, "dep"), ("c", "X", "X", 0, "root")]
    assert not is_tree([2, 1, 0])
    write(data.path("train"), [SENTENCES[0], circle])
    assert len(data.sentences("train")) == 1
    write(data.path("test"), [circle])
    with pytest.raises(ValueError, match=r"1 sentences of .* are no trees"):
        data.sentences("test")


def test_short_lines_are_named(data):
    data.path("test").write_text("1\ta\t_\n\n", encoding="utf8")
    with pytest.raises(ValueError, match=r"Line 1 of .* has 3 columns"):
        data.sentences("test")


def test_several_roots_and_back():
    tree = Tree([3, 0, 0, 3], ["a", "ROOT", "ROOT", "b"])
    single = one_root(tree)
    assert single == Tree([3, 0, 2, 3], ["a", "root", FURTHER_ROOT, "b"])
    assert all_roots(single, "ROOT") == tree


def gold_sentence(forms, heads, labels):
    none = ["_"] * len(forms)
    return Sentence(forms, none, none, none, Tree(heads, labels))


def test_scores_under_three_rules():
    gold = [gold_sentence(["a", "b", "...", "c"], [2, 0, 2, 2], ["x", "root", "punct", "y"])]
    found = scores(gold, [Tree([2, 0, 1, 2], ["x", "root", "punct", "z"])])
    assert (found["uas"], found["las"]) == (75, 50)
    assert (found["uas_x"], found["las_x"]) == (100, pytest.approx(200 / 3))
    assert (found["uas_spacy"], found["las_spacy"]) == (100, pytest.approx(200 / 3))
    assert (found["complete"], found["complete_labelled"]) == (0, 0)
    same = scores(gold * 2, [gold[0].tree, Tree([2, 0, 2, 2], ["x", "root", "punct", "z"])])
    assert (same["complete"], same["complete_labelled"]) == (100, 50)


def test_a_label_of_punctuation_given_or_missed_counts_against_precision_or_recall():
    gold = [gold_sentence(["a", "b", "c"], [2, 0, 2], ["x", "root", "punct"])]
    found = scores(gold, [Tree([2, 0, 2], ["punct", "root", "y"])])
    assert found["uas_spacy"] == found["las_spacy"] == 50  # of gold x and root, of found root and y
    assert found["uas_x"] == 100


def test_crossing_arcs():
    gold = [gold_sentence(list("abcd"), [0, 1, 1, 2], ["root", "x", "x", "x"])]
    found = scores(gold, [Tree([0, 1, 1, 1], ["root", "x", "x", "x"])])
    assert (found["crossing_gold"], found["crossing_found"], found["crossing_recall"]) == (2, 0, 50)
    assert math.isnan(found["crossing_precision"])
    right = scores(gold, [gold[0].tree])
    assert (right["crossing_found"], right["crossing_precision"], right["crossing_recall"]) == (2, 100, 100)


def test_punctuation_is_unicode_punctuation_alone():
    assert [is_punctuation(form) for form in (".", "«", "--", "$", "a.", "+")] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]


def test_missing_files_are_named(tmp_path):
    with pytest.raises(SystemExit, match=r"There is no .*train\.conll: --corpora wants the folder that ddt/ is in"):
        list(corpora_of(tmp_path, ["danish"], quick=True))


def test_ours_reads_the_same_sentences_and_learns_the_trees(data):
    nlp, parser = OURS.pipeline(data)
    seconds = learn_ours(nlp, parser, OURS, examples_of(nlp, data, "train"))
    assert {"cpu", "cpu_initialize", "cpu_extraction", "cpu_update", "cpu_export"} == seconds.keys()
    found = scores_of(nlp, data, "test")
    assert found["las_test"] == found["complete_labelled_test"] == 100


def test_ours_keeps_several_roots(data):
    danish = Data(data.corpora, "danish")
    nlp, _ = OURS.pipeline(danish)
    examples = examples_of(nlp, danish, "dev")
    assert [tree_of_ours(example.reference, "ROOT") for example in examples] == [
        s.tree for s in danish.sentences("dev")
    ]
    assert OURS.name == "ours: MTLStruct, order 1, projective"


def test_spacy_gets_tags_and_a_tree_of_one_root(data):
    import spacy

    from benchmarks.parsing.spacy_rival import as_doc, config_of, read_trees, tree_of

    danish = Data(data.corpora, "danish")
    nlp = spacy.blank("da")
    sentence = danish.sentences("dev")[0]
    doc = as_doc(nlp.vocab, sentence, danish, True)
    assert len(list(doc.sents)) == 1
    assert doc[1].dep_ == FURTHER_ROOT
    assert (doc[0].tag_, doc[0].pos_, str(doc[0].morph)) == ("VB", "", "Coarse=VERB")
    assert tree_of(doc, "ROOT") == sentence.tree
    given = as_doc(nlp.vocab, data.sentences("test")[0], data, False)
    assert (given[0].pos_, str(given[0].morph), given.has_annotation("DEP")) == ("PRON", "Case=Nom", False)
    config = config_of(data, "train", 100, 50)
    assert config["nlp"]["pipeline"] == ["parser"]
    assert config["components"]["parser"]["model"]["tok2vec"]["embed"]["attrs"][-1] == "MORPH"
    reader = config["corpora"]["train"]
    assert len(list(read_trees(reader["data"], reader["part"])(nlp))) == 12


def test_udpipe_learns_the_trees_of_given_tags(data, capfd):
    pytest.importorskip("ufal.udpipe")
    from benchmarks.parsing.udpipe_rival import settings_of, train

    row = train(asdict(data), settings_of("swedish", 3, 0))
    assert row["las_test"] == 100
    assert row["model_mb"] > 0
    assert row["uas_dev"] == 100


def test_udpipe_is_given_one_root_and_gives_several_back(data):
    pytest.importorskip("ufal.udpipe")
    from benchmarks.parsing.udpipe_rival import as_udpipe, tree_of

    sentence = Data(data.corpora, "danish").sentences("dev")[0]
    made = as_udpipe(sentence, True)
    assert [(word.head, word.deprel) for word in list(made.words)[1:3]] == [(0, "root"), (1, FURTHER_ROOT)]
    assert tree_of(made, "ROOT") == sentence.tree
    given = as_udpipe(sentence, False)  # kept: words point into it
    assert [(word.head, word.deprel) for word in list(given.words)[1:3]] == [(-1, ""), (-1, "")]


@pytest.mark.filterwarnings("ignore")  # of thinc's, where it is initialized
def test_contestants_take_turns(data, capfd):
    pytest.importorskip("ufal.udpipe")
    from benchmarks.parsing.speed import speed

    rows = speed(asdict(data), [asdict(OURS)], 0, 2)
    assert [row["contestant"] for row in rows] == [OURS.name, "spaCy parser", "UDPipe 1"]
    assert all(row["words_a_second"] > 0 and row["words"] == 17 and row["runs"] == 2 for row in rows)


def test_labels_may_be_found_with_the_tree(data):
    joint = Ours(passes=4, average=2, labelling="joint")
    nlp, parser = joint.pipeline(data)
    learn_ours(nlp, parser, joint, examples_of(nlp, data, "train"))
    assert scores_of(nlp, data, "test")["las_test"] == 100
    assert joint.name == "ours: MTLStruct, order 1, projective, labels: joint"


def test_live_templates_are_trained_alone(data, tmp_path):
    from benchmarks.parsing.plot import plot_shares
    from benchmarks.parsing.templates import SHARE, study

    rows, shares = study(asdict(data), [0.3], 6)
    assert [row["templates"] for row in rows] == ["all", "live ones", "all", "live ones"]
    assert rows[0]["trained"] == len(shares) > rows[0]["live"] == rows[1]["trained"] == rows[3]["trained"]
    assert sum(share > SHARE for share in shares.values()) == rows[0]["live"] >= rows[0]["above"]
    assert sum(shares.values()) == pytest.approx(1)
    plot_shares(tmp_path / "shares.png", shares)
    assert (tmp_path / "shares.png").stat().st_size > 5000
