"""The history of a training: the weights of templates from pass to pass, kept beside the model and believed only when it fits."""

import io
import json
import pickle

import numpy as np
import pytest
import spacy

from benchmarks.insight import small
from spacy_mtl.learning.history import MOST, MOST_BYTES, History
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.thresholds import LIVE
from spacy_mtl.trainers.base import Report

from ..pipelines import entities, make_nlp, read_corpus, train

PASSES = 8
ONE_EACH = sorted(dict(small.cases()).items())


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A pipeline trained with a norm that drops templates, saved."""
    nlp = make_nlp(trainer={"C": 0.003})
    train(nlp, read_corpus(nlp, limit=60), PASSES)
    nlp.to_disk(path := tmp_path_factory.mktemp("kept") / "model")
    return nlp, path


def history(nlp):
    return nlp.get_pipe("mtl_ner").history


@pytest.mark.parametrize(("component", "trainer"), ONE_EACH)
def test_every_component_keeps_a_share_for_each_template_and_pass(component, trainer):
    nlp = small.blank(component, trainer)
    shown = small.read(component, nlp)[:20]
    nlp.initialize(lambda: shown)
    for _ in range(2):
        nlp.update(shown)
    pipe = nlp.get_pipe(component)
    found = pipe.history
    assert {row["name"] for row in pipe.template_weights()} <= set(found.names)
    assert len(found.passes) == len(found.shares) >= 2
    assert all(share.sum() == pytest.approx(1, abs=1e-5) and (share >= 0).all() for share in found.shares)


def test_the_last_shares_are_those_of_the_model(kept):
    nlp, _ = kept
    weights = {row["name"]: row["weight"] for row in nlp.get_pipe("mtl_ner").template_weights()}
    total = sum(weights.values())
    last = dict(zip(history(nlp).names, history(nlp).shares[-1], strict=True))
    assert last == pytest.approx({name: weight / total for name, weight in weights.items()}, abs=1e-5)


def test_what_is_dropped_and_when(kept):
    nlp, _ = kept
    found = history(nlp)
    dropped = found.dropped()
    assert dropped  # C is small
    assert set(dropped) == {name for j, name in enumerate(found.names) if found.shares[-1][j] <= LIVE}
    for name, when in dropped.items():
        line = [share[found.names.index(name)] for share in found.shares]
        at = found.passes.index(when)
        assert max(line[at:]) <= LIVE
        assert at == 0 or line[at - 1] > LIVE


def test_it_survives_all_ways_of_saving(kept):
    nlp, path = kept
    expected = history(nlp).to_bytes()
    loaded = spacy.load(path)
    assert history(loaded).to_bytes() == expected
    again = make_nlp().from_bytes(nlp.to_bytes())
    assert history(again).to_bytes() == expected
    assert pickle.loads(pickle.dumps(nlp.get_pipe("mtl_ner"))).history.to_bytes() == expected


def test_prediction_does_not_need_it(trained, tmp_path):
    nlp = trained
    nlp.to_disk(tmp_path / "without")
    (tmp_path / "without" / "mtl_ner" / "history").unlink()
    bare = spacy.load(tmp_path / "without")
    assert not history(bare).passes
    bare.to_disk(tmp_path / "without")
    assert not (tmp_path / "without" / "mtl_ner" / "history").exists()
    (tmp_path / "without" / "mtl_ner" / "history").write_bytes(b"{")
    damaged = spacy.load(tmp_path / "without")
    shown = [example.predicted for example in read_corpus(damaged, limit=20)]
    found = [entities(damaged.get_pipe("mtl_ner")(doc)) for doc in shown]
    assert found == [entities(nlp(example.predicted)) for example in read_corpus(nlp, limit=20)]
    assert any(found)
    with pytest.raises(ValueError, match=r"\[M614\] .*history is not the history"):
        history(damaged)


def test_learning_on_counts_on(kept):
    _, path = kept
    nlp = spacy.load(path)
    for _ in range(2):
        nlp.update(read_corpus(nlp, limit=20))
    assert history(nlp).passes == list(range(1, PASSES + 3))


def test_learning_on_at_once_counts_on():
    nlp = make_nlp()
    corpus = read_corpus(nlp, limit=20)
    train(nlp, corpus, 1)
    nlp.get_pipe("mtl_ner").learn_on()
    nlp.update(corpus)
    assert history(nlp).passes == [1, 2]


def test_another_initialization_forgets(kept):
    _, path = kept
    nlp = spacy.load(path)
    train(nlp, read_corpus(nlp, limit=20), 1)
    assert history(nlp).passes == [1]


def test_evaluations_are_kept_by_the_logger(kept):
    from spacy_mtl.training.logger import console_logger

    _, path = kept
    nlp = spacy.load(path)
    shown = read_corpus(nlp, limit=20)
    nlp.initialize(lambda: shown)
    step, finalize = console_logger(progress_bar=False)(nlp, io.StringIO(), io.StringIO())
    info = {"epoch": 0, "step": 1, "score": 0.25, "other_scores": {}, "losses": {}, "seconds": 0, "words": 1}
    step(info)  # nothing has been learnt yet
    nlp.update(shown)
    step(info)
    nlp.update(shown)
    step({**info, "score": float("nan")})
    finalize()
    first, second = history(nlp).evaluations
    assert (first.passes, first.score) == (1, 0.25)
    assert (second.passes, second.score) == (2, None)
    assert first.dual <= second.dual <= second.primal


def test_it_stays_small():
    class Trained:
        def __init__(self):
            self.problem, self.template_weights = self, np.array([3.0, 1.0])
            self.blocks, self.names = self, ("U0", "B")

    class Learnt:
        trainings, passes = [Trained()], 0

    found = History()
    for passes in range(1, 1000):
        Learnt.passes = passes
        found.take(Learnt)
        found.take(Learnt)  # the same pass, looked at twice
        found.evaluated(Report(1.0, 0.5, 0.5, 2, 2, passes), passes / 1000)
    assert len(found.passes) <= MOST
    assert len(found.evaluations) <= MOST
    assert (found.passes[0], found.passes[-1]) == (1, 999)
    assert found.passes == sorted(set(found.passes))
    assert found.shares[5].tolist() == [0.75, 0.25]
    assert found.evaluations[-1].score == 0.999


class Trained:
    """A training with so many templates of these weights."""

    def __init__(self, weights):
        self.problem = self.blocks = self
        self.template_weights, self.names = np.asarray(weights), tuple(f"U{k}" for k in range(len(weights)))


class Learnt:
    passes = 0

    def __init__(self, weights):
        self.trainings = [Trained(weights)]


def test_what_is_kept_can_be_read():
    found, learnt = History(), Learnt(np.random.default_rng(0).random(9000))
    for learnt.passes in range(1, 200):
        found.take(learnt)
    data = found.to_bytes()
    assert len(data) <= MOST_BYTES
    assert History.from_bytes(data).passes[-1] == 199
    found.take(Learnt([1.0] * 20_000))  # more than a file may have
    assert len(found.names) == 9000


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_not_kept(bad):
    found, learnt = History(), Learnt([1.0, bad])
    learnt.passes = 1
    found.take(learnt)
    assert found.to_bytes() == History().to_bytes()


GOOD = {
    "names": ["U0", "B"], "passes": [1, 2], "shares": [[0.5, 0.5], [1.0, 0.0]],
    "evaluations": [{"passes": 1, "primal": 2.0, "dual": None, "gap": None, "score": 0.5}],
}  # fmt: skip


def test_what_is_read_is_what_was_written():
    data = json.dumps(GOOD).encode()
    assert History.from_bytes(History.from_bytes(data).to_bytes()).to_bytes() == json.dumps(GOOD).encode()


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"names": ["U0", "U0"]}, "the same item twice"),
        ({"names": ["U0"]}, "a share for each template"),
        ({"passes": [1]}, "a share for each template and pass"),
        ({"passes": [2, 2]}, "do not ascend"),
        ({"passes": [-1, 2]}, "passes"),
        ({"passes": [1, True]}, "whole number"),
        ({"shares": [[0.5, 0.5], [1.0, 1e9]]}, "shares"),
        ({"shares": [[0.5, 0.5], [1.0, "0"]]}, "number"),
        ({"shares": [[0.5, 0.5]] * 2 * MOST, "passes": list(range(2 * MOST))}, "items"),
        ({"evaluations": [{"passes": 1}]}, "evaluations"),
        ({"evaluations": [{**GOOD["evaluations"][0], "gap": 1e999}]}, "number"),
        ({"more": 1}, "more"),
    ],
)
def test_what_does_not_fit_is_refused(changes, fault):
    with pytest.raises(StoredValueError, match=fault):
        History.from_bytes(json.dumps({**GOOD, **changes}).encode())


def test_what_is_too_large_is_refused(kept, tmp_path):
    nlp, _ = kept
    nlp.to_disk(tmp_path / "large")
    (tmp_path / "large" / "mtl_ner" / "history").write_bytes(b" " * (MOST_BYTES + 10))
    with pytest.raises(ValueError, match="larger than 4 megabytes"):
        history(spacy.load(tmp_path / "large"))
    with pytest.raises(ValueError, match=r"\[M614\]"):
        history(make_nlp().from_bytes(_with_history(nlp, 5)))


def _with_history(nlp, value):
    """The bytes of a pipeline whose history is something else."""
    import srsly

    message = srsly.msgpack_loads(nlp.to_bytes())
    inner = srsly.msgpack_loads(message["mtl_ner"])
    message["mtl_ner"] = srsly.msgpack_dumps({**inner, "history": value})
    return srsly.msgpack_dumps(message)


def test_learning_on_from_a_damaged_one_begins_anew(kept, tmp_path):
    nlp, _ = kept
    nlp.to_disk(tmp_path / "damaged")
    (tmp_path / "damaged" / "mtl_ner" / "history").write_bytes(b"{")
    again = spacy.load(tmp_path / "damaged")
    again.update(read_corpus(again, limit=20))
    assert history(again).passes == [1]
