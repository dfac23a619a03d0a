"""The helpers of the tagging benchmark, on made-up sentences."""

import math
from dataclasses import asdict

import pytest

from benchmarks.tagging.data import PARTS, SOURCES, Data, Ours, accuracy, as_settings, scores
from benchmarks.tagging.ours import learn, settings_of
from benchmarks.tagging.ours import train as train_ours
from benchmarks.tagging.runs import corpora_of, our_settings

SENTENCES = [
    [("the", "DT"), ("cell", "NN"), ("binds", "VBZ"), ("proteins", "NNS")],
    [("proteins", "NNS"), ("bind", "VBP"), ("the", "DT"), ("gene", "NN")],
    [("IL-2", "NN"), ("activates", "VBZ"), ("cells", "NNS")],
]
OURS = Ours(passes=4, inner_passes=4, average=2)


@pytest.fixture
def data(tmp_path):
    for name, source in SOURCES.items():
        (tmp_path / source.folder).mkdir()
        for file, sentences in zip(source.files, (SENTENCES * 4, SENTENCES[:2], SENTENCES[2:]), strict=True):
            pattern = "{}\t{}\n" if name == "genia" else "1\t{}\t_\t{}\tX\t_\t0\troot\t_\t_\n"
            text = "\n".join("".join(pattern.format(*token) for token in sentence) for sentence in sentences)
            (tmp_path / source.folder / file).write_text(text + "\n", encoding="utf8")
    return Data(str(tmp_path))


@pytest.mark.parametrize("name", SOURCES)
def test_sentences_are_read_and_cut_short(data, name):
    short = Data(data.corpora, name, 10)
    nlp = short.blank()
    assert [len(short.part(nlp, part).given) for part in PARTS] == [10, 2, 1]
    part = short.part(nlp, "dev")
    assert part.tags() == [[tag for _, tag in sentence] for sentence in SENTENCES[:2]]
    assert not any(doc.has_annotation("TAG") for doc in part.given)
    assert len(part) == 8
    assert "activates" in short.known_words()


def test_accuracy_of_all_and_of_unknown_words(data):
    part = data.part(data.blank(), "test")
    found = accuracy(part, ["NN", "VBZ", "NN"], {"cells"})
    assert found == {"accuracy": pytest.approx(200 / 3), "unknown": 100, "unknown_share": pytest.approx(200 / 3)}
    assert math.isnan(accuracy(part, ["NN"] * 3, {"IL-2", "activates", "cells"})["unknown"])


def test_missing_files_are_named(tmp_path):
    with pytest.raises(SystemExit, match=r"There is no .*train\.tsv: --corpora wants the folder that genia-pos/ is in"):
        list(corpora_of(tmp_path, ["genia"], quick=True))


def test_settings():
    assert our_settings(C=1.0, p=None).C == 1.0
    assert our_settings(passes=3).inner_passes == 3
    patterns = Ours(patterns=("U0:%x[0,ORTH]", "B"))
    assert settings_of(as_settings(Data("x"), patterns)["ours"]) == patterns
    assert patterns.template_config()["patterns"] == ["U0:%x[0,ORTH]", "B"]


def test_ours_learns_the_tags(data):
    nlp, tagger = OURS.pipeline(data)
    seconds = learn(nlp, tagger, OURS, data.part(nlp, "train").examples())
    assert {"cpu", "cpu_initialize", "cpu_extraction", "cpu_passes", "cpu_update", "cpu_export"} == seconds.keys()
    found = scores(nlp, data)
    assert found["accuracy_dev"] == found["accuracy_test"] == 100
    assert found["unknown_share_dev"] == 0


def test_a_row_of_ours(data):
    row = train_ours(asdict(data), asdict(OURS))
    assert row["accuracy_dev"] == 100
    assert row["model_mb"] > 0
    assert row["live_templates"] > 1


def test_crfsuite_learns_the_tags_from_the_same_observations(data, tmp_path):
    pytest.importorskip("pycrfsuite")
    from benchmarks.tagging.crfsuite import train, write_observations

    counts = write_observations(asdict(data), asdict(OURS), str(tmp_path))
    assert counts["n_templates"] == len(OURS.pipeline(data)[1].model.attrs["templates"].node)
    row = train(asdict(data), str(tmp_path), "ap", [1, 8], [{}])
    assert row["accuracy_dev"] == 100
    assert row["iterations"] in (1, 8)
    assert len(row["points"]) == 2
    searched = train(asdict(data), str(tmp_path), "lbfgs", [None], [{"c2": 1e6}, {"c2": 0.1}])
    held, free = searched["points"]
    assert (
        held["iterations"] < free["iterations"]
    )  # a constant that is given is used: a strong penalty leaves little to do
    assert searched["constants"] in ({"c2": 1e6}, {"c2": 0.1})
    assert searched["cpu_search"] > searched["cpu"]


def test_spacy_learns_with_the_settings_it_recommends(data):
    from benchmarks.tagging.spacy_rival import config_of

    config = config_of(data, 100, 50)
    assert config["nlp"]["pipeline"] == ["tagger"]
    assert config["training"]["max_steps"] == 100
    assert config["corpora"]["train"]["path"].endswith("train.tsv")
    assert config["components"]["tagger"]["model"]["tok2vec"]["@architectures"] == "spacy.HashEmbedCNN.v2"


@pytest.mark.filterwarnings("ignore")  # of thinc's, where it is initialized
def test_contestants_take_turns(data):
    pytest.importorskip("pycrfsuite")
    from benchmarks.tagging.speed import speed

    found = speed(asdict(data), asdict(OURS), 1, 1)
    assert [row["contestant"] for row in found["docs"]] == ["ours", "spaCy tagger", "crfsuite"]
    assert [row["contestant"] for row in found["text"]] == ["tokenizer alone", "ours", "spaCy tagger", "crfsuite"]
    assert all(row["new_text"] > 0 for rows in found.values() for row in rows)
