"""The benchmark on handwritten letters, on made-up ones: nothing that is tested on was seen, results are found again."""

import gzip
import json
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.common.rows import read_rows
from benchmarks.letters import l1m3n, mkl, plots, wrappers
from benchmarks.letters import program as ocr
from benchmarks.letters import runs as letter_runs
from benchmarks.letters.data import KINDS, Letters, average_values, blocks, new_blocks, read_letters, unit
from benchmarks.letters.runs import CHOOSING, Contestant, grid, make_problem, runs
from spacy_mtl.sequences import fit
from spacy_mtl.sequences.gram import Kernel
from spacy_mtl.trainers.l1m3n.elements import l1_norm
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct


@pytest.fixture(scope="module")
def letters() -> Letters:
    """Words of three kinds of letters in four folds, 12 words each."""
    rng = np.random.default_rng(0)
    shapes = rng.random((3, 128)) < 0.2
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 5, 48))])
    y = rng.integers(0, 3, starts[-1])
    pixels = (shapes[y] ^ (rng.random((y.size, 128)) < 0.1)).astype(np.float32)
    return Letters(pixels, np.array(list("abc"))[y], starts, np.arange(48) % 4)


def write(path, letters):
    lines = []
    for word, (a, b) in enumerate(zip(letters.starts, letters.starts[1:], strict=False)):
        for t in range(a, b):
            following = -1 if t == b - 1 else t + 2
            fields = [t + 1, letters.labels[t], following, word + 1, t - a + 1, letters.folds[word]]
            fields += letters.pixels[t].astype(int).tolist()
            lines.append("\t".join(map(str, fields)) + "\t\n")
    path.parent.mkdir()
    with gzip.open(path, "wt") as file:
        file.writelines(lines)


def test_letters_are_read_as_they_stand(letters, tmp_path):
    write(tmp_path / "ocr-letters" / "letter.data.gz", letters)
    for found in (read_letters(tmp_path / "ocr-letters" / "letter.data.gz"), ocr.letters_of(tmp_path)):
        for name in ("pixels", "labels", "starts", "folds"):
            np.testing.assert_array_equal(getattr(found, name), getattr(letters, name))
    with pytest.raises(SystemExit, match="ocr-letters"):
        ocr.letters_of(tmp_path / "ocr-letters")


def test_parts_are_words(letters):
    part = letters.part(np.array([3, 0]))
    assert part.lengths.tolist() == np.diff(letters.starts)[[3, 0]].tolist()
    second = letters.starts[1]
    np.testing.assert_array_equal(part.labels[part.lengths[0] :], letters.labels[:second])


def plans(letters):
    yield mkl.plan(letters, n_folds=4)
    yield mkl.plan(letters, n_folds=3, most=5)
    yield l1m3n.plan(letters, 5, n_folds=4)


def test_nothing_is_tested_that_was_seen_before(letters):
    for plan in plans(letters):
        choice = {*plan.choice.train, *plan.choice.test}
        assert not {*plan.choice.train} & {*plan.choice.test}
        for fold, split in plan.folds.items():
            assert set(letters.folds[split.train]) == {fold}
            assert split.train.size
            assert not {*split.train} & {*split.test}
            assert fold not in letters.folds[split.test]
            assert not choice & {*split.test}
            assert CHOOSING not in letters.folds[split.test]


def test_average_is_the_average(letters):
    pixels = letters.pixels[:9]
    parts = [
        unit(pixels) @ unit(pixels).T,
        (unit(pixels) @ unit(pixels).T) ** 2,
        Kernel("gaussian", sigma2=5.0)(pixels, pixels),
    ]
    np.testing.assert_allclose(average_values(pixels, pixels), sum(parts) / 3, rtol=1e-5)


@pytest.mark.parametrize("kinds", [*KINDS, "L/2,B/2", "L,Q,G"])
def test_blocks_predict_as_they_train(letters, kinds):
    """The training letters as new ones have the scores of the training."""
    part = letters.part(np.arange(12))
    problem = make_problem(Contestant("", kinds, "MTLstruct"), part)
    weights = problem.zeros()
    weights.node[:] = np.random.default_rng(0).normal(size=weights.node.shape)
    model = problem.model(weights)
    wanted = model.scores(blocks(kinds, part.pixels)) if "2" not in kinds else None
    found = model.scores(new_blocks(kinds, part.pixels))
    assert found.shape == (part.labels.size, 3)
    if wanted is not None:
        np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_grid():
    assert grid(a=(1, 2), b=("x",)) == ({"a": 1, "b": "x"}, {"a": 2, "b": "x"})
    assert grid() == ({},)


def test_the_best_point_is_chosen(letters, monkeypatch):
    """Here the larger C, whatever was read right; of equals, the first."""
    contestant = Contestant("Linear", "L", "MTLstruct", {"p": 2.0}, grid(C=(1.0, 3.0, 2.0)), 1)
    split = mkl.plan(letters, n_folds=3).choice
    for score, chosen in ((lambda *about: about[2].settings.C, 3.0), (lambda *about: 50.0, 1.0)):
        monkeypatch.setattr(letter_runs, "accuracy", score)
        row = letter_runs.choose(contestant, letters, split, lambda text: None)
        assert row["chosen"] == {"C": chosen}
        assert [point["C"] for point in row["points"]] == [1.0, 3.0, 2.0]


def test_runs_are_found_again(letters, tmp_path):
    path = tmp_path / "rows.jsonl"
    contestant = Contestant("Linear", "L", "MTLstruct", {"p": 2.0}, grid(C=(1.0, 3.0)), 10, "71.8")
    plan = mkl.plan(letters, n_folds=3)
    (mean,) = ocr.run_all([contestant], letters, plan, path)
    rows = read_rows(path)
    assert [row["mode"] for row in rows] == ["choice", "run", "run", "run"]
    assert json.loads(rows[1]["chosen"]) == {"C": 1.0}
    assert mean["accuracy"] == pytest.approx(np.mean([row["accuracy"] for row in rows[1:]]))
    assert mean["accuracy"] > 80
    assert mean["non_zero"] > 0
    assert [is_new for _, is_new in runs(contestant, letters, plan, rows, lambda text: None)] == [False] * 4
    (again,) = ocr.run_all([contestant], letters, plan, path)
    assert again == mean
    assert read_rows(path) == rows
    for changes, new in (({"grid": grid(C=(1.0,))}, [True, False, False, False]), ({"passes": 11}, [True] * 4)):
        other = replace(contestant, **changes)
        assert [is_new for _, is_new in runs(other, letters, plan, rows, lambda text: None)] == new


def test_contestants_are_trainers_of_ours(letters):
    part = letters.part(np.arange(12))
    for contestant in mkl.contestants(["MTLstruct"], 2):
        for point in contestant.grid:
            assert contestant.make(**point).begin(make_problem(contestant, part)) is not None
    assert len(mkl.contestants(["MTLstruct"], 2)) == len(mkl.TABLE) - 2


@pytest.fixture(scope="module")
def kernels(letters):
    """Explicit features and two kernels."""
    return make_problem(Contestant("", "L,Q,G", "OnlineMKL"), letters.part(np.arange(24)))


def test_scaled_kernels_have_the_same_scores_under_scaled_weights(kernels):
    """f(x) does not change where the kernel is beta_m K_m and the weights follow; nor do the norms in the unscaled problem."""
    random, beta = np.random.default_rng(0), np.array([0.5, 0.1, 0.4])
    weights = kernels.zeros()
    weights.node[:] = random.normal(size=weights.node.shape)
    weights.pair[:] = random.normal(size=weights.pair.shape)
    smaller = wrappers.times(kernels, weights, 1 / wrappers.block_factors(kernels, beta))
    within = wrappers.scaled(kernels, beta)
    np.testing.assert_allclose(within.hinges(smaller), kernels.hinges(weights), rtol=1e-3)
    norms = np.append(np.sqrt(beta), 1.0) * within.block_norms(smaller)
    np.testing.assert_allclose(norms, kernels.block_norms(weights), rtol=1e-4)


def test_pegasos_keeps_its_weights_when_kernel_weights_change(kernels):
    pegasos = wrappers.Pegasos(kernels, 10.0, 1.0)
    pegasos.train()
    before = wrappers.objective(kernels, pegasos.weights(), 10.0)
    pegasos.change(np.array([0.2, 0.7, 0.1]))
    assert wrappers.objective(kernels, pegasos.weights(), 10.0) == pytest.approx(before, rel=1e-3)
    assert pegasos.beta.sum() == pytest.approx(1)


def test_directions_on_the_simplex():
    direction, longest = wrappers.descent(np.array([0.5, 0.3, 0.2]), np.array([-1.0, -3.0, 0.5]))
    assert direction.tolist() == [-0.5, 2.0, -1.5]
    assert longest == pytest.approx(0.2 / 1.5)
    edge, _ = wrappers.descent(np.array([1.0, 0.0, 0.0]), np.array([-1.0, 2.0, -2.0]))
    assert edge.tolist() == [-1.0, 0.0, 1.0]


@pytest.mark.parametrize("method", ["OnlineMKL", "Gauss-Seidel", "SimpleMKL"])
def test_all_ways_lead_to_the_optimum(kernels, method):
    """As near as subgradients come, of what MTLstruct (p = 1, but label pairs in the norm as well) bounds from above."""
    row = wrappers.run(method, kernels, 1.0, 0.3, 400)
    values = dict(row["points"])
    optimum = fit(MTLStruct(p=1.0, C=1.0), kernels, 500).report().primal
    assert values[400] <= 1.2 * optimum
    assert values[400] < values[40] < values[5]
    (shown,) = wrappers.table({method: row})
    assert shown["40"] == values[40]


def test_tables_and_pictures(letters, tmp_path):
    pytest.importorskip("matplotlib")
    contestants = [Contestant(name, "L", "MTLstruct", {"p": 2.0}, passes=3, paper="71.8 ± 3.9") for name in "ab"]
    means = {size: ocr.run_all(contestants, letters, l1m3n.plan(letters, size, 3), None) for size in (3, 5)}
    first, second = l1m3n.by_size(contestants, means)
    assert first["contestant"] == "a"
    assert second["error_5"].startswith(f"{100 - means[5][1]['accuracy']:.1f}")
    plots.plot_table(tmp_path / "table.png", means[3])
    plots.plot_sizes(tmp_path / "sizes.svg", means)
    plots.plot_objectives(tmp_path / "curves.svg", {"a": [(1, 5.0), (2, 3.0)]})
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("table.png", "sizes.svg", "curves.svg"))


def test_curves_show_their_constants(letters, tmp_path):
    pytest.importorskip("matplotlib")
    contestants = [
        replace(one, kinds="L", passes=12) for one in l1m3n.curves() if one.grid[0] in ({"C": 300.0}, {"radius": 30.0})
    ]
    rows = l1m3n.by_constant(ocr.run_all(contestants, letters, l1m3n.plan(letters, 3, 3), None))
    assert [row["constant"] for row in rows] == ["C = 300", "radius = 30"]
    assert all(row["error"] == 100 - row["accuracy"] and row["non_zero"] > 0 for row in rows)
    plots.plot_constants(tmp_path / "constants.svg", rows)
    assert (tmp_path / "constants.svg").stat().st_size > 1000


def test_rounds_of_rough_steps_leave_fewer_weights_and_lower_their_objective(letters):
    problem = make_problem(Contestant("", "pixels,bias", "RoughEM"), letters.part(np.arange(24)))
    one, many = (
        fit(
            Contestant("", "pixels,bias", "RoughEM", {"C": 0.01, "rounds": n, "inner_passes": 60 // n}).make(),
            problem,
            99,
        )
        for n in (1, 6)
    )
    assert [one.passes, many.passes] == [60, 60]
    optimum = fit(MTLStruct(p=2.0, C=0.01), problem, 300).report().primal
    assert optimum * (1 - 1e-6) <= one.report().primal <= 1.05 * optimum
    # both objectives have the same constant
    size = sum(matrix.size for matrix in many.weights)
    of_one = 0.5 * l1_norm(one.weights) ** 2 / size + 0.01 * problem.hinges(one.weights).sum()
    assert many.report().primal < of_one
    assert letter_runs.non_zero(many) < letter_runs.non_zero(one)


def test_pairs_are_compared_fold_by_fold():
    one, other = ([{"accuracy": value} for value in values] for values in ((60.0, 62.0, 64.0), (61.0, 62.0, 67.0)))
    row = l1m3n.pair_row(one, other)
    assert row["difference"] == pytest.approx(4 / 3)  # errors: more
    # by hand: deviation of 1, 0, 3 is 1.5275, t with 2 degrees of freedom 4.3027
    assert (row["low"], row["high"]) == pytest.approx((4 / 3 - 3.7946, 4 / 3 + 3.7946), abs=1e-3)
    assert (row["fewer"], row["runs"]) == (0, 3)
