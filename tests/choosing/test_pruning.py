from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import spacy
from spacy.training import Example
from spacy.training.loop import train_while_improving

from spacy_mtl.choosing.pruning import Limits, Pruning, ranked
from spacy_mtl.choosing.refit import Fitted, Refit
from spacy_mtl.choosing.schedule import Schedule
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct
from spacy_mtl.trainers.structreg import StructReg

from ..components import bracketing
from ..components.bracketing import make_finder
from ..components.parsing import FIRST_ORDER, LABELS, make_parser
from ..pipelines import TEMPLATES, make_nlp, read_corpus, train

DUTCH = Path(__file__).parents[2] / "assets" / "nl-trees"
SCHEDULE = Schedule((2, 2), 0)


@pytest.fixture(scope="module")
def nlp():
    made = make_nlp(TEMPLATES, trainer={"p": 1.3333})
    return train(made, read_corpus(made))


@pytest.fixture
def refit(nlp):
    return Refit(nlp, "mtl_ner", read_corpus(nlp), read_corpus(nlp, "dev"), SCHEDULE)


def fitted(weights, **changes):
    rows = [{"name": name, "weight": weight, "norm": norm} for name, (weight, norm) in weights.items()]
    return replace(Fitted(b"", 0.0, 1.0, 1000.0, rows), **changes)


class Stub:
    """A refit whose trainings cost nothing: the score grows with the templates, speed falls, and weights are those of the order."""

    def __init__(self, refit, weights):
        self.pipe, self.component, self.weights, self.asked = refit.pipe, refit.component, weights, []
        self.config = refit.config

    def measure(self, pipe):
        return fitted(self.weights, score=80.0, megabytes=8.0, speed=100.0)

    def fit(self, config):
        patterns = config["model"]["templates"]["patterns"]
        self.asked.append(patterns)
        n = len(patterns)
        return fitted(self.weights, score=10.0 * n, megabytes=float(n), speed=800.0 / n)


@pytest.fixture
def stub(refit):
    names = [text.partition(":")[0] for text in TEMPLATES]
    return Stub(refit, {name: (float(8 - k), 1.0) for k, name in enumerate(names)})


def test_the_heaviest_lead_and_norms_decide_among_equals(nlp):
    templates = nlp.get_pipe("mtl_ner").templates.templates
    names = [t.name for t in templates]
    weights = {name: (0.5, float(k)) for k, name in enumerate(names)}
    weights["U0"] = (0.9, 0.0)
    order = [t.name for t in ranked(templates, fitted(weights), {False})]
    assert order == ["U0", "B1", "B", "U5", "U4", "U3", "U2", "U1"]
    weights["U0"] = (0.1, 0.0)
    order = [t.name for t in ranked(templates, fitted(weights), {False, True})]
    assert order == ["U5", "B1", "B", "U4", "U3", "U2", "U1", "U0"]


def test_a_large_exponent_is_pruned_by_norms(stub, monkeypatch):
    """For p > 2, template weights are the larger the smaller the weights of a template are."""
    stub.weights = {name: (10.0**k, 8.0 - k) for k, name in enumerate(stub.weights)}
    monkeypatch.setattr(stub.pipe, "trainer", StructReg(MTLStruct(p=3.0)))
    assert not MTLStruct(p=2.0).weighs_by_norm
    Pruning(stub, Limits(templates=3)).run()
    assert stub.asked == [TEMPLATES[:4], TEMPLATES[:3]]


def test_so_many_templates_stay(stub):
    pruning = Pruning(stub, Limits(templates=3))
    point = pruning.run()
    assert point.templates == 3
    # of eight, four at first
    assert [len(each) for each in stub.asked] == [4, 3]
    assert stub.asked[-1] == TEMPLATES[:3]


def test_each_half_is_weighed_anew(stub):
    whole = stub.weights
    stub.weights = {name: (float(k), 1.0) for k, name in enumerate(whole)}
    stub.measure = lambda pipe: fitted(whole, score=80.0)
    Pruning(stub, Limits(templates=2)).run()
    # the first half by the full model, then by the half's own weights, which run the other way
    assert stub.asked == [TEMPLATES[:4], TEMPLATES[2:4]]


@pytest.mark.parametrize(
    ("limits", "k"),
    [
        (Limits(loss=30.0), 5),
        (Limits(loss=0.0), 8),
        (Limits(loss=70.0), 1),
        (Limits(speed=200.0), 4),
        (Limits(speed=201.0), 3),
        (Limits(megabytes=8.0), 8),
        (Limits(loss=50.0, speed=150.0), 3),
        (Limits(templates=6, loss=65.0), 2),
    ],
)
def test_limits_are_met_with_the_right_number(stub, limits, k):
    assert Pruning(stub, limits).run().templates == k


def test_more_templates_may_score_less_within_a_size(stub):
    """Of eight templates little but the strongest features have room in one megabyte; a tolerated loss is met by fewer templates."""
    fit = stub.fit
    scores = {8: 64.0, 4: 80.0, 3: 78.0, 2: 76.0, 1: 40.0}
    stub.fit = lambda config: replace(
        fit(config), megabytes=1.0, score=scores[len(config["model"]["templates"]["patterns"])]
    )
    assert Pruning(stub, Limits(megabytes=1.0)).run().templates == 4
    assert Pruning(stub, Limits(megabytes=1.0, loss=1.0)).run().templates == 4
    assert Pruning(stub, Limits(megabytes=1.0, loss=5.0)).run().templates == 2


def test_a_component_keeps_the_templates_that_it_needs(stub):
    """Of a model whose weights are all 0 but for one template."""
    stub.weights = dict.fromkeys(stub.weights, (0.0, 0.0))
    pruning = Pruning(stub, Limits(loss=80.0))
    assert (pruning.least, pruning.live) == (1, 1)
    assert pruning.run().templates == 1


@pytest.mark.parametrize(
    "limits",
    [
        Limits(speed=801.0),
        Limits(templates=4, loss=30.0),
        Limits(megabytes=0.5),
        Limits(speed=200.0, loss=10.0),
    ],
)
def test_limits_that_cannot_be_met_are_told(stub, limits):
    with pytest.raises(ValueError, match=r"\[M775\] 'mtl_ner' cannot be pruned to"):
        Pruning(stub, limits).run()


@pytest.mark.parametrize("k", [0, 8, 100])
def test_a_number_that_is_none_of_templates_left(stub, k):
    with pytest.raises(ValueError, match=r"\[M774\].*from 1 to 7"):
        Pruning(stub, Limits(templates=k)).run()
    assert stub.asked == []


@pytest.mark.parametrize("isotonic", [True, False])
def test_what_was_set_after_training_stays(isotonic):
    """Bias, threshold, confidence and a calibration, which training needs none of and could not have."""
    nlp = make_nlp(TEMPLATES, trainer={"p": 1.3333})
    ner = train(nlp, read_corpus(nlp)).get_pipe("mtl_ner")
    dev = read_corpus(nlp, "dev")
    ner.calibrate(dev, isotonic)
    ner.bias, ner.threshold, ner.confidence = 0.5, 0.3, True
    before = ner.calibrations["entity"]
    pruning = Pruning(Refit(nlp, "mtl_ner", read_corpus(nlp), dev, SCHEDULE), Limits(templates=7))
    assert (ner.threshold, ner.confidence) == (0.3, True)
    pruned = pruning.apply(pruning.run())
    made = pruned.get_pipe("mtl_ner")
    assert made is not ner
    assert (made.bias, made.threshold, made.confidence) == (0.5, 0.3, True)
    config = pruned.get_pipe_config("mtl_ner")
    assert (config["bias"], config["threshold"], config["confidence"]) == (0.5, 0.3, True)
    after = made.calibrations["entity"]
    assert after.temperature != before.temperature
    assert isotonic or after.maps.adjustment is None
    assert pruned(dev[0].predicted.copy())[0]._.mtl_confidence is not None


def test_scores_are_without_a_threshold_on_both_sides(nlp):
    """A threshold of 1 would leave nothing."""
    ner = nlp.get_pipe("mtl_ner")
    refit = Refit(nlp, "mtl_ner", read_corpus(nlp), read_corpus(nlp, "dev"), SCHEDULE)
    score = refit.measure(ner).score
    assert score > 10
    ner.calibrate(read_corpus(nlp, "dev"))
    ner.threshold = 1.0
    try:
        assert refit.measure(ner).score == score
        assert refit.score(ner) == 0
        assert refit.fit(refit.config()).score > 10
    finally:
        ner.threshold = 0.0
        ner.cfg.pop("calibrations")


def test_an_untrained_component_is_refused():
    nlp = make_nlp(TEMPLATES)
    with pytest.raises(ValueError, match="M475"):
        Pruning(Refit(nlp, "mtl_ner", read_corpus(nlp), read_corpus(nlp), SCHEDULE), Limits(templates=3))


def test_corpora_without_gold_are_refused(nlp):
    examples = read_corpus(nlp)
    for each in (bare := read_corpus(nlp)):
        each.reference.set_ents([], default="missing")
    with pytest.raises(ValueError, match=r"M772.*dev corpus"):
        Refit(nlp, "mtl_ner", examples, bare)
    with pytest.raises(ValueError, match=r"M772.*training corpus"):
        Refit(nlp, "mtl_ner", bare, examples)
    for each in bare:
        each.reference.set_ents([], default="outside")
    for part, corpora in (("dev", (examples, bare)), ("training", (bare, examples))):
        with pytest.raises(ValueError, match=rf"\[M958\] All words of the {part} corpus are outside of entities"):
            Refit(nlp, "mtl_ner", *corpora)


def test_the_pruned_component_is_that_of_a_training_with_its_templates():
    nlp = make_nlp(TEMPLATES, trainer={"p": 1.3333})
    train(nlp, read_corpus(nlp))
    refit = Refit(nlp, "mtl_ner", read_corpus(nlp), read_corpus(nlp, "dev"), Schedule.passes(4))
    pruning = Pruning(refit, Limits(templates=4))
    point = pruning.run()
    kept = pruning.config(4)["model"]["templates"]["patterns"]
    pruning.apply(point)
    small = nlp.get_pipe("mtl_ner")
    assert [row["name"] for row in small.template_weights()] == [text.partition(":")[0] for text in kept]
    assert nlp.config["components"]["mtl_ner"]["model"]["templates"]["patterns"] == kept
    assert refit.score(small) == point.fitted.score
    again = make_nlp(kept, trainer={"p": 1.3333})
    train(again, read_corpus(again), 4)
    docs = [example.predicted for example in read_corpus(nlp, "dev")]
    for a, b in zip(small.predict(docs), again.get_pipe("mtl_ner").predict(docs), strict=True):
        assert a.tolist() == b.tolist()


def test_the_best_of_the_evaluations_is_kept(refit, monkeypatch):
    scores = iter([50.0, 70.0, 60.0])
    monkeypatch.setattr(refit, "score", lambda pipe: next(scores))
    refit.schedule = Schedule((1, 1, 1), 0)
    passes = []
    found = refit.fit(refit.config(), lambda done, total: passes.append((done, total)))
    assert found.score == 70.0
    assert passes == [(1, 3), (2, 3), (3, 3)]
    monkeypatch.undo()
    restored = refit.make(refit.config())
    restored.from_bytes(found.data)
    second = refit.make(refit.config())
    refit.schedule = Schedule((2,), 0)
    assert refit.fit(refit.config()).data == found.data
    assert second.report is None


def test_the_schedule_of_a_config():
    ours = {"@batchers": "spacy_mtl.whole_corpus.v1", "passes": [5, 3]}
    assert Schedule.of({"batcher": ours, "max_epochs": 4, "patience": 2}) == Schedule((5, 3, 3, 3), 2)
    assert Schedule.of({"batcher": ours, "max_epochs": 1, "patience": 0}) == Schedule((5,), 0)
    assert Schedule.of({"batcher": ours, "max_epochs": 9, "max_steps": 2}) == Schedule((5, 3, 3), 0)
    assert Schedule.of({"batcher": ours, "max_epochs": 2, "max_steps": 9}) == Schedule((5, 3), 0)
    assert len(Schedule.of({"batcher": ours, "max_epochs": 0}).steps) == 100
    assert Schedule.of({"batcher": {"@batchers": "spacy.batch_by_words.v1"}, "max_epochs": 1}) == Schedule()


@pytest.mark.parametrize("every", [1, 2, 5])
@pytest.mark.parametrize("patience", [0, 1, 2, 4, 5, 6, 10])
@pytest.mark.parametrize("limits", [{"max_epochs": 13}, {"max_steps": 7}])
@pytest.mark.parametrize("scores", [range(100), [5, 5, 4, *range(6, 90)], [9, 8, 7, 6, 5, 4, 3, 9] * 9])
def test_evaluations_are_those_of_spacys_loop(every, patience, limits, scores):
    """spaCy's loop with a component that only counts its updates."""
    told = {"max_epochs": 0, "max_steps": 0, "patience": patience, "eval_frequency": every, **limits}
    nlp, made, evaluated = spacy.blank("es"), [], []

    def evaluate():
        evaluated.append(len(made))
        return float(scores[len(evaluated) - 1]), {}

    nlp.update = lambda *_, **__: made.append(1)
    example = Example.from_dict(nlp.make_doc("uno"), {})
    batches = ((k, [example]) for k in range(told["max_epochs"] or 10**6))
    loop = train_while_improving(
        nlp, SimpleNamespace(step_schedules=lambda: None, averages=None), batches, evaluate, dropout=0.0, eval_frequency=every,
        patience=patience, max_steps=told["max_steps"], exclude=[], annotating_components=[], before_update=None, accumulate_gradient=1,
    )  # fmt: skip
    for _ in loop:
        pass
    schedule = Schedule.of({"batcher": {"@batchers": "spacy_mtl.whole_corpus.v1"}, **told})
    own, so_far = [], []
    for passes in schedule:
        own.append(passes)
        so_far.append(float(scores[len(so_far)]))
        if schedule.is_over(so_far):
            break
    assert np.cumsum(own).tolist() == evaluated


def test_patience_counts_from_the_best_score():
    schedule = Schedule((1,) * 9, 2)
    assert not schedule.is_over([])
    assert not schedule.is_over([1.0, 3.0, 2.0])
    assert schedule.is_over([1.0, 3.0, 2.0, 2.5])
    assert schedule.is_over([3.0, 3.0, 2.0])
    assert not replace(schedule, patience=0).is_over([3.0, 2.0, 1.0, 1.0])


def test_a_search_takes_few_trainings(stub):
    assert Pruning(stub, Limits(speed=101.0)).run().templates == 7
    assert sorted(map(len, stub.asked)) == [1, 2, 4, 6, 7, 8]


def test_a_size_leaves_room_for_more_than_weights(stub):
    """A saved component is larger than its weights; the limit is of all of it, and the config says what its weights may have."""
    room = []

    def fit(config):
        room.append(config["model"]["megabytes"])
        return fitted(stub.weights, score=50.0, megabytes=room[-1] + 0.5)

    stub.fit = fit
    pruning = Pruning(stub, Limits(megabytes=2.0))
    point = pruning.run()
    assert room == [2.0, pytest.approx(2.0 * 0.98 * 2.0 / 2.5), pytest.approx(0.98**2 * 1.6 * 2.0 / 2.068)] * 4
    assert point.fitted.megabytes <= 2.0
    assert pruning.config(point.templates)["model"]["megabytes"] == room[-1]


def test_of_what_is_too_large_none_is_best(stub):
    """Fewer templates with a worse score are better than many that do not fit."""
    pruning = Pruning(stub, Limits(megabytes=2.5))
    assert pruning.run().templates == 2
    assert pruning.points[8].score > pruning.points[2].score
    with pytest.raises(ValueError, match=r"M775.* with 1 template it has 1 MB"):
        Pruning(stub, Limits(megabytes=0.9)).run()


@pytest.fixture(scope="module", params=["mtl_parser", "mtl_constituents"])
def trees(request):
    """A component of trees, trained a little, with the examples that it learnt from and is scored on."""
    if request.param == "mtl_parser":
        nlp = make_parser([*FIRST_ORDER, *LABELS], name="trees")
        corpus = [list(ConlluCorpus(DUTCH / f"{part}.conllu", limit=40)(nlp)) for part in ("train", "dev")]
    else:
        nlp = make_finder(name="trees")
        corpus = [bracketing.read(nlp, part) for part in ("train", "dev")]
    return train(nlp, corpus[0], 4), *corpus


@pytest.fixture
def briefly(monkeypatch):
    """Measure speeds on few words."""
    monkeypatch.setattr("spacy_mtl.choosing.refit.LEAST_WORDS", 100)
    monkeypatch.setattr("spacy_mtl.choosing.refit.MOST_WORDS", 100)


@pytest.mark.usefixtures("briefly")
@pytest.mark.parametrize("what", ["templates", "megabytes", "speed", "loss"])
def test_trees_are_pruned_to_each_kind_of_limit(trees, what):
    nlp, train_on, dev = trees
    refit = Refit(nlp, "trees", train_on, dev, Schedule.passes(4))
    full = refit.measure(refit.pipe)
    limits = {"templates": 3, "megabytes": 0.8 * full.megabytes, "speed": 0.3 * full.speed, "loss": 100.0}
    pruning = Pruning(refit, Limits(**{what: limits[what]}))
    point = pruning.run()
    assert 2 <= point.templates <= len(pruning.templates.templates)
    if what == "templates":
        assert point.templates == 3
    if what == "megabytes":
        assert point.fitted.megabytes <= limits[what]
    if what == "speed":
        assert point.fitted.speed >= limits[what]
    if what == "loss":
        assert point.templates == 2  # one of arcs or spans, and one of their labels or rules
    kept = pruning.config(point.templates)["model"]["templates"]["patterns"]
    alone = refit.make(pruning.config(point.templates))
    alone.from_bytes(point.fitted.data, exclude=["vocab"])
    assert [row["name"] for row in alone.template_weights()] == [text.partition(":")[0] for text in kept]
    assert refit.score(alone) == point.fitted.score


@pytest.mark.filterwarnings("ignore:.*M433")
@pytest.mark.usefixtures("briefly")
@pytest.mark.parametrize("limits", [Limits(megabytes=1e-5), Limits(speed=1e12), Limits(templates=2, loss=-1.0)])
def test_what_trees_cannot_be_pruned_to_is_told(trees, limits):
    nlp, train_on, dev = trees
    refit = Refit(nlp, "trees", train_on, dev, Schedule.passes(2))
    before = refit.pipe.to_bytes()
    with pytest.raises(ValueError, match=r"\[M775\] 'trees' cannot be pruned to") as error:
        Pruning(refit, limits).run()
    assert "\n" not in str(error.value)
    assert refit.pipe.to_bytes() == before
