"""Arcs learnt from one problem by every contestant: templates once, heads of dev and test, significance."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from spacy.tokens import Doc

from benchmarks.common.rows import Row, best_point
from benchmarks.common.significance import Counts, compare
from benchmarks.parsing.data import Data, Sentence
from benchmarks.parsing.ours import COARSE, Ours, examples_of, warm_up
from benchmarks.parsing.scores import is_punctuation
from spacy_mtl.models.chain.model import set_weights
from spacy_mtl.templates.presets import mst
from spacy_mtl.trainers.base import Training

from .contestants import OURS, Contestant

#: A group whose weight is smaller than this share of all is as good as removed (Mao & Tsang).
SHARE = 1e-5
#: Passes after each of which dev is scored; from then on it is after every third one.
CLOSELY = 12
EVERY = 3


def patterns_of(data: Data) -> tuple[str, ...]:
    """MSTParser's templates, those of each direction and distance apart; beside the form they read its first five characters."""
    coarse = COARSE.get(data.name, "POS")
    found = mst(form="ORTH", lemma="PREFIX5", tag="TAG", coarse=coarse, variants="each", labels=False)
    return tuple(template.text for template in found.templates)


@dataclass
class Parser:
    """A parser without labels, its problem, and how its heads are scored. patterns: its templates. first: kernels are still to be loaded."""

    data: Data
    patterns: tuple[str, ...]
    first: bool = True

    def __post_init__(self) -> None:
        # a pass of the perceptron makes the problem, which everybody else then learns from
        settings = Ours(
            "MIRA", 1, self.data.name == "swedish", 1, labelling="none", patterns=self.patterns, megabytes=None
        )
        if self.first:
            warm_up(self.data, settings)
        nlp, self.pipe = settings.pipeline(self.data)
        examples = examples_of(nlp, self.data, "train")
        begin = time.process_time()
        nlp.initialize(lambda: examples)
        nlp.update(examples)
        self.cpu_problem = time.process_time() - begin
        assert self.pipe._learner is not None
        self.learner = self.pipe._learner
        assert self.learner.training is not None
        self.problem = self.learner.training.problem
        self.docs = {part: [e.predicted for e in examples_of(nlp, self.data, part)] for part in ("dev", "test")}

    def load_kernels(self, contestant: Contestant) -> None:
        """Compile or load those of a contestant, so that this does not count."""
        training = contestant.make(contestant.C[0]).begin(self.problem)
        training.step(np.arange(min(5, self.problem.n)))
        training.end_pass()

    def heads(self, training: Training, part: str) -> list[np.ndarray]:
        """Of each sentence, 0 for roots, by the present weights of a training."""
        self.learner.training = training
        set_weights(self.pipe.model, self.learner.export(None), self.pipe.model_constraints())
        docs: list[Doc] = self.docs[part]
        return [found[0] for found in self.pipe.predict(docs)]

    def counts(self, training: Training, part: str) -> tuple[Counts, Row]:
        """Heads right of each sentence, of tokens that are not punctuation, and the paper's three measures."""
        sentences = self.data.sentences(part)
        return judged(sentences, self.heads(training, part), part)


def judged(sentences: Sequence[Sentence], heads: Sequence[np.ndarray], part: str) -> tuple[Counts, Row]:
    right, words, everything, complete = [], [], 0, 0
    for sentence, found in zip(sentences, heads, strict=True):
        same = np.array(sentence.tree.heads) == found
        counted = np.array([not is_punctuation(form) for form in sentence.forms])
        right.append(int((same & counted).sum()))
        words.append(int(counted.sum()))
        everything += int(same.sum())
        complete += bool(same.all())
    counts = Counts(np.array(right), np.array(words), np.array(words))
    tokens = sum(len(sentence.forms) for sentence in sentences)
    measures = {"uas": counts.score(), "uas_p": 100 * everything / tokens, "acc": 100 * complete / len(sentences)}
    return counts, {f"{key}_{part}": value for key, value in measures.items()}


def train(parser: Parser, contestant: Contestant, C: float) -> tuple[Row, Counts]:
    """A row of the pass that is best on dev, and the heads right on test at that pass.

    cpu: CPU seconds to that pass, features left out. history: shares of the groups after each pass.
    """
    everything = np.arange(parser.problem.n)
    parser.load_kernels(contestant)
    begin = time.process_time()
    training = contestant.make(C).begin(parser.problem)
    cpu, points, history = time.process_time() - begin, [], []
    kept: tuple[Row, Counts] | None = None
    while training.passes < contestant.passes and not training.finished:
        begin = time.process_time()
        training.step(everything)
        training.end_pass()
        cpu += time.process_time() - begin
        history.append(shares(training))
        if is_scored(training.passes) or training.passes == contestant.passes or training.finished:
            _, dev = parser.counts(training, "dev")
            points.append({"passes": training.passes, "cpu": cpu, **dev, "shares": history[-1]})
            if best_point(points, "uas_dev") is points[-1]:
                test, measures = parser.counts(training, "test")
                kept = {**points[-1], **measures}, test
    assert kept is not None
    row, counts = kept
    live = int((np.array(row["shares"]) > SHARE).sum())
    curve = [{key: point[key] for key in ("passes", "cpu", "uas_dev")} for point in points]
    size = {"groups": len(row["shares"]), "live": live, "observations": int(parser.problem.blocks.node[-1])}
    more = {"contestant": contestant.name, "size": contestant.size, "C": C, "cpu_all": cpu, "points": curve, **size}
    return {**row, **more, "history": history}, counts


def is_scored(passes: int) -> bool:
    """Whether dev is scored after so many passes."""
    return passes <= CLOSELY or passes % EVERY == 0


def shares(training: Training) -> list[float]:
    """The weight of each group: its mu where the trainer weighs groups, otherwise its norm; of their sum. Trainers that do not have mu = 1, or 0
    for groups without any weight."""
    mu = np.array(training.template_weights, float)
    if np.isin(mu, (0.0, 1.0)).all():
        mu = np.array(training.problem.block_norms(training.weights), float)
    total = mu.sum()
    return [float(f"{x:.4g}") for x in (mu / total if total > 0 else mu)]


def contest(parser: Parser, contestants: Sequence[Contestant]) -> list[Row]:
    """A row for each constant of each contestant; those chosen on dev have scores on test.

    ahead: the difference of the first contestant from each other one. ahead_of_ours: of that of ours which is best on dev, which ``ours`` names.
    """
    rows, chosen = [], []
    for contestant in contestants:
        found = [train(parser, contestant, C) for C in contestant.C]
        best = max(found, key=lambda pair: pair[0]["uas_dev"])
        chosen.append(best)
        for pair in found:
            row = {key: value for key, value in pair[0].items() if pair is best or not key.endswith("_test")}
            row.pop("history")
            rows.append(row | {"chosen": pair is best})
    first = chosen[0]
    ours = max(
        [pair for pair in chosen if pair[0]["contestant"] in OURS] or [first], key=lambda pair: pair[0]["uas_dev"]
    )
    for row, (_, counts) in zip([row for row in rows if row["chosen"]], chosen, strict=True):
        row["ours"] = ours[0]["contestant"]
        for key, (_, reference) in (("ahead", first), ("ahead_of_ours", ours)):
            if reference is not counts:
                row[key] = compare(reference, counts)._asdict()
    return rows


def run(data: Row, contestants: Sequence[Row]) -> list[Row]:
    """All contestants on MSTParser's templates, one for each direction and distance."""
    the_data = Data(**data)
    parser = Parser(the_data, patterns_of(the_data))
    rows = contest(parser, [contestant_of(settings) for settings in contestants])
    return [row | {"cpu_problem": parser.cpu_problem} for row in rows]


def contestant_of(settings: Row) -> Contestant:
    return Contestant(**{**settings, "C": tuple(settings["C"])})


def select(data: Row, selectors: Sequence[Row], sizes: Sequence[int]) -> list[Row]:
    """Groups by weight, by each selector at its constant that is best on dev; then an SVM on the heaviest ones of each selector.

    The SVM on all groups is the row of that selector.
    """
    the_data = Data(**data)
    patterns = patterns_of(the_data)
    parser, rows = Parser(the_data, patterns), []
    order: dict[str, list[int]] = {}
    counts_of_all: Counts | None = None
    for contestant in map(contestant_of, selectors):
        found = [train(parser, contestant, C) for C in contestant.C]
        row, counts = max(found, key=lambda pair: pair[0]["uas_dev"])
        order[contestant.name] = np.argsort(-np.array(row["shares"]), kind="stable").tolist()
        rows.append({**row, "selected_by": None, "chosen": True})
        svm, counts_of_all = (contestant, row["C"]), counts
    del parser
    assert counts_of_all is not None
    for name, ranked in order.items():
        for size in sizes:
            texts = tuple(patterns[k] for k in sorted(ranked[:size]))
            row, counts = train(Parser(the_data, texts, first=False), svm[0], svm[1])
            row |= {"selected_by": name, "chosen": True, "ahead": compare(counts, counts_of_all)._asdict()}
            rows.append({key: value for key, value in row.items() if key != "history"})
    return rows
