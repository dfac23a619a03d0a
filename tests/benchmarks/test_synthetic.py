"""The benchmark on made-up chains: data as stated, constants chosen on sequences nobody is tested on, weights counted."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.common.rows import read_rows
from benchmarks.synthetic import program as synthetic_sparsity
from benchmarks.synthetic import runs as synthetic_runs
from benchmarks.synthetic.data import LENGTH, N_FEATURES, N_FOLDS, N_RELEVANT, NOISE, draw_features, gibbs, make_data
from benchmarks.synthetic.pairs import compare
from benchmarks.synthetic.runs import (
    EM,
    Model,
    Outcome,
    by_size,
    choose,
    counts,
    error,
    generating_error,
    mark_best,
    summary,
)

DATA = make_data(0, 60, 20)
SMALL = Model("l1-M3N", "L1M3N", {"algorithm": "em", "rounds": 3}, ({"C": 0.003}, {"C": 0.1}))


def test_relevant_features_are_copies_with_noise():
    X = draw_features(np.random.default_rng(0), 400).reshape(-1, N_FEATURES)
    alike = np.corrcoef(X.T)
    assert alike[0, 1] == pytest.approx(1 / (1 + NOISE**2), abs=1e-3)
    assert abs(alike[2, 3]) < 0.1
    off = alike[N_RELEVANT:, N_RELEVANT:][~np.eye(N_FEATURES - N_RELEVANT, dtype=bool)]
    assert np.abs(off).max() < 0.1
    np.testing.assert_allclose(X.std(axis=0), 1, atol=0.06)


def test_gibbs_draws_from_the_chain():
    """Against all 8 outputs of a chain of three."""
    random = np.random.default_rng(0)
    scores, step = random.normal(size=(3, 2)), random.normal(size=(2, 2))
    outputs = list(itertools.product((0, 1), repeat=3))
    totals = [sum(scores[t, y[t]] for t in range(3)) + step[y[0], y[1]] + step[y[1], y[2]] for y in outputs]
    wanted = np.exp(totals) / np.exp(totals).sum()
    found = gibbs(random, np.tile(scores, (20000, 1, 1)), step, 20)
    shares = np.bincount(found @ [4, 2, 1], minlength=8) / 20000
    np.testing.assert_allclose(shares, wanted, atol=0.015)


def test_weights_of_the_generating_model_are_where_they_belong():
    assert DATA.node.shape == (N_FEATURES, 2)
    assert counts(DATA.node) == {"total": 2 * N_RELEVANT, "irrelevant": 0}
    assert generating_error(DATA) < 30
    problem = DATA.sequences.problem()
    weights = problem.zeros()
    weights.pair[0, 1] = 100.0  # 0 before 1
    found = problem.model(weights).predict({"x": DATA.sequences.rows()}, DATA.sequences.lengths())
    assert [0, 1] in found.reshape(-1, LENGTH)[:, :2].tolist()
    assert weights.pair.reshape(-1).size == DATA.step.size


@pytest.mark.parametrize(("size", "n"), N_FOLDS.items())
def test_nothing_is_tested_that_was_trained_on(size, n):
    data = make_data(1, 40, 4)
    folds = data.folds(n)
    assert sorted(np.concatenate(folds)) == list(range(40))
    others = data.others(folds[1])
    assert len(others.y) == 40 - folds[1].size
    trained = data.sequences.part(folds[1])
    assert not any((x == y).all() for x in trained.X for y in others.X)


def test_the_least_error_on_validation_is_chosen(monkeypatch):
    """Whatever the test says; of equals, the first."""
    for choice, wanted in (({0.003: 30.0, 0.1: 20.0}, 0.1), ({0.003: 20.0, 0.1: 20.0}, 0.003)):

        def run(model, constants, data, fold, choice=choice):
            C = constants["C"]
            return Outcome(100.0 - choice[C], choice[C], np.zeros((N_FEATURES, 2)), 1.0)

        monkeypatch.setattr(synthetic_runs, "run", run)
        constants, _ = choose(SMALL, DATA, DATA.folds(3))
        assert constants == {"C": wanted}


def test_counts_over_folds_and_of_the_average():
    first, second = np.zeros((N_FEATURES, 2)), np.zeros((N_FEATURES, 2))
    first[0], second[0], second[N_RELEVANT:] = 1.0, 1.0, 0.5
    row = summary([Outcome(10.0, 20.0, first, 1.0), Outcome(20.0, 30.0, second, 3.0)])
    assert (row["total"], row["irrelevant"]) == (72, 70)
    assert (row["average_total"], row["average_irrelevant"]) == (142, 140)
    assert (row["error"], row["error_choice"], row["cpu"], row["runs"]) == (15.0, 25.0, 2.0, 2)


def test_more_weights_at_larger_constants():
    rows = list(synthetic_runs.sparsity([SMALL], DATA, 2))
    assert [row["constant"] for row in rows] == ["C = 0.003", "C = 0.1"]
    assert 0 < rows[0]["total"] < rows[1]["total"]


def test_best_and_sparsest_are_marked():
    points = [(2, 30.0, 1.0), (4, 24.9, 1.0), (8, 24.0, 1.0), (9, 26.0, 9.0)]
    rows = [{"model": "a", "total": n, "error_choice": value, "error_choice_se": se} for n, value, se in points]
    rows += [{"model": "b", "total": 1, "error_choice": 20.0, "error_choice_se": 0.0}]
    mark_best(rows)
    assert [row["best"] for row in rows] == ["", "sparsest", "best", "", "best, sparsest"]


@pytest.mark.parametrize("model", [*synthetic_runs.MODELS, *synthetic_runs.ALGORITHMS], ids=lambda model: model.name)
def test_models_are_trainers_of_ours(model):
    few = DATA.sequences.part(np.arange(4))
    for constants in model.grid:
        assert replace(model, passes=1).train(few, constants).node.shape == (N_FEATURES, 2)


def test_the_sparsest_within_one_standard_error_is_chosen(monkeypatch):
    """Three constants: least error with most weights, nearly the same with fewer, far off with fewest."""
    points = {0.01: ([26.0, 26.1, 25.9], 1), 0.02: ([20.1, 20.6, 20.0], 4), 0.03: ([19.5, 20.5, 20.3], 9)}

    def run(model, constants, data, fold):
        choices, n = points[constants["C"]]
        node = np.zeros((N_FEATURES, 2))
        node[:n, 0] = 1
        return Outcome(50.0, choices[fold], node, 1.0)

    monkeypatch.setattr(synthetic_runs, "run", run)
    model = replace(SMALL, grid=tuple({"C": C} for C in points))
    assert choose(model, DATA, [0, 1, 2])[0] == {"C": 0.03}
    assert choose(replace(model, sparsest=True), DATA, [0, 1, 2])[0] == {"C": 0.02}


def test_refitted_weights_are_those_of_the_selected_features_alone():
    chains = DATA.sequences.part(DATA.folds(2)[0])
    settings = {"algorithm": "em", "threshold": 0.3}
    select = Model("selects", "L1M3N", settings)
    model = synthetic_runs.Refitted("refitted", "MTLstruct", {"p": 2.0}, select=select)
    left = np.flatnonzero(select.train(chains, {"C": 0.1}).node.any(axis=1))
    assert 0 < left.size < N_FEATURES
    weights = model.train(chains, {"select_C": 0.1, "C": 0.01})
    alone = Model("M3N", "MTLstruct", {"p": 2.0}).train(chains.only(left), {"C": 0.01})
    assert np.array_equal(weights.node[left], alone.node)
    assert np.array_equal(weights.pair, alone.pair)
    assert not np.delete(weights.node, left, axis=0).any()


@pytest.mark.filterwarnings("ignore:.*M332")
def test_rows_are_found_again(tmp_path, monkeypatch):
    """All of the command, on little data."""
    monkeypatch.setattr(
        "benchmarks.synthetic.data.make_data", lambda seed, *sizes: make_data(seed, *(sizes or (60, 10)))
    )
    monkeypatch.setattr(synthetic_runs, "MODELS", (SMALL, Model("M3N", "MTLstruct", {"p": 2.0}, ({"C": 0.01},))))
    path = tmp_path / "rows.jsonl"
    plot = pytest.importorskip("matplotlib") and tmp_path / "errors.png"
    for _ in range(2):
        synthetic_sparsity.errors(path, False, plot, 2, [50, 100], None, 2)
        rows = read_rows(path)
        assert len(rows) == 2 * 2 * 2
    assert plot.stat().st_size > 1000
    assert {row["runs"] for row in rows} == {2}
    lines = by_size(synthetic_runs.MODELS, rows)
    assert [line["model"] for line in lines] == ["l1-M3N", "M3N"]
    found = [row["error"] for row in rows if row["model"] == "M3N" and row["size"] == 100]
    assert lines[1]["error_100"] == pytest.approx(np.mean(found))
    assert json.loads(rows[1]["chosen"]) == {"C": 0.01}


def test_an_informed_model_errs_less_than_a_coin():
    fold = DATA.folds(2)[0]
    problem = DATA.sequences.part(fold).problem()
    weights = EM.train(DATA.sequences.part(fold), {"C": 0.1})
    assert error(problem, weights, DATA.sequences.part(fold)) < 25
    assert error(problem, weights, DATA.others(fold)) < 45


def test_average_weights_are_those_of_all_folds(tmp_path):
    from benchmarks.synthetic.plots import plot_weights
    from benchmarks.synthetic.runs import Outcome, mean_node

    nodes = [np.zeros((100, 2), np.float32) for _ in range(2)]
    nodes[0][3, 1], nodes[1][3, 1], nodes[1][50, 0] = 1.0, 2.0, 4.0
    mean = mean_node([Outcome(0.0, 0.0, node, 0.0) for node in nodes])
    assert (mean[3, 1], mean[50, 0], np.count_nonzero(mean)) == (1.5, 2.0, 2)
    plot_weights(tmp_path / "weights.svg", [{"model": "a", "weights": mean.T.tolist()}])
    assert (tmp_path / "weights.svg").read_text(encoding="utf8").count("<path") > 100


def test_pairs_are_compared_on_the_data_sets_that_both_have():
    errors = {("l1-M3N", 50): [19.0, 21.0, 23.0], ("M3N", 50): [20.0, 22.0, 21.0, 30.0], ("M3N", 100): [1.0]}
    rows = [
        {"model": model, "size": size, "data_set": k, "error": error}
        for (model, size), values in errors.items()
        for k, error in enumerate(values)
    ]
    (row,) = compare(rows)
    assert (row["model"], row["other"], row["size"], row["data_sets"], row["fewer"]) == ("l1-M3N", "M3N", 50, 3, 2)
    assert row["difference"] == pytest.approx(0)
    # of -1, -1 and 2: deviation sqrt(3), and 4.303 is the quantile of t with two degrees of freedom
    assert (row["low"], row["high"]) == (pytest.approx(-4.3027, abs=1e-4), pytest.approx(4.3027, abs=1e-4))
