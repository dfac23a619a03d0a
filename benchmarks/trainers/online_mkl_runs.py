"""What the benchmark of online MKL runs in processes of their own."""

from dataclasses import replace
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.training import Example

from benchmarks.common.measure import Clock, forget_peak, median, peak_megabytes
from benchmarks.common.rows import progress
from benchmarks.ner.data import Data, Ours
from benchmarks.ner.ours import scores, warm_up
from spacy_mtl.components.ner import MTLEntityRecognizer
from spacy_mtl.kernels import kernel
from spacy_mtl.structures.chain.build import ChainFeatures, chain_problem
from spacy_mtl.structures.contract import (
    Scale,
    add_direction,
    decode,
    gold_direction,
    gold_score,
    new_work,
    score_parts,
)
from spacy_mtl.structures.problem import Blocks, Problem, block_starts
from spacy_mtl.trainers.base import Training
from spacy_mtl.trainers.online_mkl.prox import shrink
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL

# --- proximal steps as the number of features grows ---


def made_up_problem(n_features: int, n_sentences: int, n_templates: int = 20, n_labels: int = 9) -> Problem:
    """Sentences of 20 tokens; every token draws one feature of each template, from as many as the template has."""
    rng = np.random.default_rng(0)
    lengths = np.full(n_sentences, 20)
    n = int(lengths.sum())
    borders = block_starts([n_features // n_templates] * n_templates)
    rows = (rng.integers(0, n_features // n_templates, (n, n_templates)) + borders[:-1]).astype(np.int32)
    gold = rng.integers(0, n_labels, n).astype(np.int32)
    rows[:, 0] = gold  # one template tells
    names = tuple(f"t{j}" for j in range(n_templates + 1))
    features = ChainFeatures(rows, np.zeros((n, 1), np.int32), False)
    labels = [f"y{y}" for y in range(n_labels)]
    return chain_problem(
        features, Blocks(borders, np.array([0, 1]), names), gold, block_starts(lengths.tolist()), labels
    )


@kernel
def rewrite(matrix, borders, factors):
    """Multiply every weight by the factor of its block."""
    for j in range(borders.size - 1):
        factor = np.float32(factors[j])
        for r in range(borders[j], borders[j + 1]):
            for y in range(matrix.shape[1]):
                matrix[r, y] *= factor


@kernel
def measure_norms(matrix, borders, norms):
    """Norm of every block."""
    for j in range(borders.size - 1):
        total = 0.0
        for r in range(borders[j], borders[j + 1]):
            for y in range(matrix.shape[1]):
                total += np.float64(matrix[r, y]) * matrix[r, y]
        norms[j] = np.sqrt(total)


@kernel
def dense_pass(arrays, weights, live, node, pair, plan, order, norms):
    """Algorithm 1 as it is written: every proximal step measures and writes every weight. node, pair: rows of the blocks. norms: float64[M]."""
    work, n = new_work(arrays), node.size - 1
    ones = Scale(np.ones(n), np.ones(pair.size - 1))
    for k in range(order.size):
        i, eta = order[k], plan.eta0 / np.sqrt(k + 1.0)
        score_parts(arrays, weights, live, i, work)
        gold = gold_score(arrays, i, work)
        if decode(arrays, i, work, True) > gold:
            gold_direction(arrays, i, work)
            add_direction(arrays, weights, live, ones, i, work, -eta)
        measure_norms(weights.node, node, norms[:n])
        measure_norms(weights.pair, pair, norms[n:])
        after = norms.copy()
        shrink(after, plan.regularizer, eta * plan.step)
        for m in range(after.size):
            after[m] = after[m] / norms[m] if norms[m] > 0 else 0.0
        rewrite(weights.node, node, after[:n])
        rewrite(weights.pair, pair, after[n:])


def dense_step(problem: Problem, settings: OnlineMKL, order: np.ndarray) -> Any:
    """The weights after these sentences, with dense proximal steps. settings: hinge, transitions learned."""
    weights, blocks = problem.zeros(), problem.blocks
    plan = settings.begin(problem)._plan()  # type: ignore[attr-defined]
    dense_pass(problem.arrays, weights, problem.all_live(), blocks.node, blocks.pair, plan, order, np.empty(blocks.n))
    return weights


def proximal_steps(sizes: list[int], n_sentences: int) -> list[dict[str, Any]]:
    """CPU microseconds a sentence, ours and dense, for each number of features; medians of three."""
    settings = OnlineMKL(C=1.0, eta0=0.3, model="last", transition="learned")
    rows = []
    for size in [1000, *sizes]:
        problem = made_up_problem(size, n_sentences)
        order = np.random.default_rng(1).permutation(problem.n)
        seconds: dict[str, list[float]] = {"ours": [], "dense": []}
        for _ in range(3):
            training, clock = settings.begin(problem), Clock()
            training.step(order[:1])  # memory is given out when it is first written
            with clock("ours"):
                training.take(problem, order)  # type: ignore[attr-defined]
            with clock("dense"):
                dense_step(problem, settings, order)
            for name, found in seconds.items():
                found.append(clock.seconds[name])
        rows.append({"features": size, **{name: 1e6 * median(found) / problem.n for name, found in seconds.items()}})
        rows[-1]["ratio"] = rows[-1]["dense"] / rows[-1]["ours"]
        progress.print(f"[dim]{size:,} features ...[/dim]")
    return rows[1:]  # the first was to load kernels


# --- CoNLL-2002 ---


def pipeline(data: Data, ours: Ours, trainer: dict[str, Any] | None) -> tuple[Language, MTLEntityRecognizer]:
    """A pipeline with the recognizer alone, trained by online MKL if its settings are given, else by MTLstruct."""
    nlp, config = data.blank(), ours.config()
    if trainer is not None:
        config["trainer"] = {"@mtl_trainers": "spacy_mtl.OnlineMKL.v1", **trainer}
    pipe = nlp.add_pipe("mtl_ner", config=config)
    assert isinstance(pipe, MTLEntityRecognizer)
    return nlp, pipe


def warm(data: Data, ours: Ours, trainer: dict[str, Any] | None) -> None:
    """Compile or load what the training uses."""
    warm_up(data, ours)
    small = replace(data, limit=10)
    nlp, ner = pipeline(small, ours, trainer)
    examples = small.part(nlp, "train").examples()
    nlp.initialize(lambda: examples)
    for _ in range(2):
        nlp.update(examples)
    assert ner.report is not None


class Run:
    """A training from Docs in memory: CPU seconds and peak memory of its passes, certificates and scores apart."""

    def __init__(self, data: Data, ours: Ours, trainer: dict[str, Any] | None):
        warm(data, ours, trainer)
        self.data, self.clock, self.peak = data, Clock(), 0.0
        self.nlp, self.ner = pipeline(data, ours, trainer)
        self.examples: list[Example] = data.part(self.nlp, "train").examples()
        self.seconds: list[float] = []
        forget_peak()
        with self.clock("cpu"):
            self.nlp.initialize(lambda: self.examples)
            self.nlp.update(self.examples)
        self._measure()

    def _measure(self) -> None:
        self.peak = max(self.peak, peak_megabytes() or 0.0)

    @property
    def training(self) -> Training:
        learner = self.ner._learner
        assert learner is not None
        assert learner.training is not None
        return learner.training

    def epoch(self) -> None:
        """One more pass."""
        before = self.clock.seconds["cpu"]
        forget_peak()
        with self.clock("cpu"):
            self.nlp.update(self.examples)
        self._measure()
        self.seconds.append(self.clock.seconds["cpu"] - before)

    def row(self, contestant: str, test: bool) -> dict[str, Any]:
        """Everything there is to know now."""
        report = self.training.report()
        row: dict[str, Any] = {"contestant": contestant, "passes": report.passes, "cpu": self.clock.seconds["cpu"]}
        row |= {"cpu_pass": median(self.seconds or [0.0]), "cpu_passes": self.seconds, "peak_mb": self.peak}
        row |= {"primal": report.primal, "dual": report.dual, "live_templates": report.live_templates}
        for part in ("testa", "testb") if test else ("testa",):
            row |= scores(self.nlp, self.data, part)
        progress.print(f"[dim]{contestant}, {report.passes} passes, F1 testa {row['f1_testa']:.2f} ...[/dim]")
        return row


def online(data: dict, ours: dict, trainer: dict[str, Any], epochs: int, test: bool, every: int = 5) -> dict[str, Any]:
    """Online MKL; "points" are testa scores on the way."""
    run = Run(Data(**data), replace(Ours(**ours), inner_passes=1), trainer)
    points = []
    for epoch in range(2, epochs + 1):
        run.epoch()
        if epoch % every == 0 and epoch < epochs:
            points.append(run.row("online MKL", test=False))
    return {**run.row("online MKL", test), "points": points}


def ascent(data: dict, ours: dict, target: float, budget: float, test: bool) -> dict[str, Any]:
    """MTLstruct until the relative gap is at most ``target`` or so many CPU seconds are spent; it is looked at ever less often."""
    run = Run(Data(**data), replace(Ours(**ours), inner_passes=1), None)
    while run.training.report().gap > target and run.clock.seconds["cpu"] < budget:
        for _ in range(max(1, run.training.passes // 8)):
            run.epoch()
    return run.row("MTLstruct", test)
