"""``spacy train`` with the batcher ``spacy_mtl.whole_corpus.v1``: what components are shown, and what they make of it."""

import json

import pytest
import spacy
from spacy.cli.train import train
from spacy.language import Language

from spacy_mtl.components.ner import MTLEntityRecognizer
from spacy_mtl.corpora.conll import ConllCorpus

from ..configs import paths_of, recognizer

N_TRAIN = 60
TAGGER = {"factory": "mtl_tagger"}
TEXTCAT = {"factory": "senter", "model": {"@architectures": "spacy.Tagger.v2", "tok2vec": {
    "@architectures": "spacy.HashEmbedCNN.v2", "width": 4, "depth": 1, "embed_size": 50, "window_size": 1, "maxout_pieces": 2,
    "subword_features": False, "pretrained_vectors": None,
}}}  # fmt: skip


@pytest.fixture
def sizes(monkeypatch):
    """Numbers of Examples that spaCy copies, an item for each update."""
    found = []
    plain = Language.update

    def update(nlp, examples, *args, **kwargs):
        found.append(len(examples))
        return plain(nlp, examples, *args, **kwargs)

    monkeypatch.setattr(Language, "update", update)
    return found


@pytest.fixture
def run(tmp_path, corpus_path):
    """Train with a changed config; returns the rows of the log."""

    def training(change=lambda config: None, name="out"):
        config = recognizer({"training.batcher.passes": [3, 2, 1]})
        change(config)
        config.to_disk(tmp_path / "changed.cfg")
        log = tmp_path / f"{name}.jsonl"
        train(tmp_path / "changed.cfg", tmp_path / name, overrides=paths_of(corpus_path, log))
        return [json.loads(line) for line in log.read_text(encoding="utf8").splitlines()]

    return training


def passes(rows, name="ner"):
    return [row["reports"][name]["passes"] for row in rows]


def test_a_step_is_as_many_passes_as_the_schedule_says_and_copies_one_example(run, sizes):
    rows = run()
    assert sizes == [1, 1, 1]
    assert passes(rows) == [3, 5, 6]
    assert [row["losses"]["ner"] > 0 for row in rows] == [True] * 3
    words = rows[0]["words"] / 3
    assert [row["words"] for row in rows] == [3 * words, 5 * words, 6 * words]
    assert words > N_TRAIN


def test_the_logger_is_told_of_each_pass(run, monkeypatch):
    told = []
    monkeypatch.setattr("spacy_mtl.training.logger._Log._show_pass", lambda log, *what: told.append(what))
    run(lambda config: config["training"]["logger"].update(progress_bar=True))
    assert told == [("ner", k, n) for n in (3, 2, 1) for k in range(1, n + 1)]


def test_the_model_is_that_of_ordinary_batches(run, tmp_path, sizes):
    def ordinary(config):
        config["training"] |= {"max_epochs": 6, "eval_frequency": 1000}
        config["training"]["batcher"] = {"@batchers": "spacy.batch_by_sequence.v1", "size": 7}

    run(name="whole")
    whole = len(sizes)
    run(ordinary, name="ordinary")
    assert len(sizes) > 6 * whole
    models = [(tmp_path / name / "model-last/ner/model").read_bytes() for name in ("whole", "ordinary")]
    assert models[0] == models[1]


def with_component(name, settings, first=False, **training):
    def change(config):
        config["components"][name] = settings
        config["nlp"]["pipeline"] = [name, "ner"] if first else ["ner", name]
        config["training"] |= training

    return change


def test_beside_a_component_that_needs_its_documents_each_pass_is_a_step_with_all_of_them(run, sizes):
    rows = run(with_component("senter", TEXTCAT))
    assert sizes == [N_TRAIN] * 6
    assert passes(rows) == [1, 2, 3, 4, 5, 6]
    assert rows[-1]["losses"]["senter"] > 0


def without_given_tags(config):
    for corpus in config["corpora"].values():
        corpus["given"] = []


def test_annotated_documents_are_copied_for_every_pass(run, sizes):
    annotating = with_component("tagger", TAGGER, first=True, annotating_components=["tagger"])
    rows = run(lambda config: (annotating(config), without_given_tags(config)))
    assert sizes == [N_TRAIN] * 6
    assert passes(rows)[-1] == 6


def test_two_components_of_ours_share_the_corpus(run, sizes):
    adding = with_component("tagger", TAGGER, first=True)
    rows = run(lambda config: (adding(config), config["corpora"]["dev"].update(given=[])))
    assert sizes == [1, 1, 1]
    assert passes(rows) == passes(rows, "tagger") == [3, 5, 6]


def test_what_is_frozen_needs_no_documents(run, sizes, tmp_path):
    run(lambda config: config["training"].update(max_epochs=1), name="first")
    source = {"source": str(tmp_path / "first/model-last"), "component": "ner"}
    rows = run(with_component("old", source, frozen_components=["old"]))
    assert sizes == [1] * 4
    assert passes(rows) == [3, 5, 6]


def test_online_trainers_learn_from_a_corpus_at_hand(run, sizes):
    rows = run(lambda config: config["components"]["ner"].update(trainer={"@mtl_trainers": "spacy_mtl.Perceptron.v1"}))
    assert sizes == [1, 1, 1]
    assert passes(rows) == [3, 5, 6]
    losses = [row["losses"]["ner"] for row in rows]
    assert losses == sorted(losses, reverse=True)


def test_documents_that_are_no_full_pass_are_shown_again(run, sizes, monkeypatch):
    """The loop reads less than initialize did: the first pass ends when a document comes again, later ones with the last document."""
    run(lambda config: config["corpora"]["train"].update({"limit": 40}), name="warm")
    plain = ConllCorpus.read

    def shorter(reader, nlp):
        examples = list(plain(reader, nlp))
        in_loop = reader.limit == N_TRAIN and shorter.calls
        shorter.calls += 1
        return iter(examples[:-5] if in_loop else examples)

    shorter.calls = 0
    monkeypatch.setattr(ConllCorpus, "read", shorter)
    monkeypatch.setattr("spacy_mtl.corpora.conll.kept_examples", lambda reader, nlp: reader.read(nlp))
    rows = run()
    assert passes(rows) == [3, 5, 6]


def test_an_interrupt_amid_a_step_loses_no_pass(run, tmp_path, monkeypatch):
    """The second step of three passes is interrupted in its third pass: what is saved has made five."""
    plain = MTLEntityRecognizer._end_pass
    ended = []

    def end_pass(pipe):
        if len(ended) == 5:
            raise KeyboardInterrupt
        ended.append(plain(pipe))
        return ended[-1]

    def steps_of(*numbers):
        return lambda config: (
            config["training"]["batcher"].update(passes=list(numbers)),
            config["training"].update(max_epochs=2),
        )

    run(steps_of(3, 2), name="five")
    monkeypatch.setattr(MTLEntityRecognizer, "_end_pass", end_pass)
    with pytest.raises(KeyboardInterrupt):
        run(steps_of(3, 3), name="cut")
    models = [(tmp_path / name / "model-last/ner/model").read_bytes() for name in ("five", "cut")]
    assert models[0] == models[1]
    assert spacy.load(tmp_path / "cut/model-best").pipe_names == ["ner"]
