"""The contestants, each in a process of its own: grammars trained by our trainers with templates, and the probabilistic grammar of the same trees."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import significance
from benchmarks.common.measure import Clock, cpu_seconds, forget_peak, median, peak_megabytes, resident_megabytes
from benchmarks.common.significance import compare
from spacy_mtl.constituents.binarize import Binarization
from spacy_mtl.constituents.scores import Counts
from spacy_mtl.constituents.tree import Constituent, constituents_of
from spacy_mtl.learning.grammar import GrammarCorpus, GrammarRules, learn_corpus
from spacy_mtl.models.grammar.model import GrammarModel, most_probable
from spacy_mtl.models.grammar.treebank import TreebankGrammar, read_grammar
from spacy_mtl.templates.spans.presets import constituents_v1
from spacy_mtl.trainers.base import Trainer, fit
from spacy_mtl.trainers.crf.trainer import CRF
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from .data import Sentence, blank_vocab, read_part, words_from

#: Training sentences are longer than those that are scored, at most.
LONGEST_LEARNT = 60
TRAINERS: dict[str, Callable[[float], Trainer]] = {
    "MTLStruct": lambda C: MTLStruct(p=4 / 3, C=C),
    "SSVM": lambda C: MTLStruct(p=2.0, C=C),
    "CRF": lambda C: CRF(C=C, algorithm="sgd"),
    "CRF, L-BFGS": lambda C: CRF(C=C),
}


@dataclass(frozen=True)
class Ours:
    """Settings of ours. learn_margin, margin: of the pruning in training and prediction. limit: training sentences, 0 for all."""

    trainer: str = "MTLStruct"
    C: float = 0.3
    passes: int = 10
    horizontal: int = 0
    learn_margin: float = 6.0
    margin: float = 8.0
    limit: int = 0

    @property
    def binarization(self) -> Binarization:
        return Binarization(self.horizontal)


def scores(sentences: Sequence[Sentence], found: Sequence[Sequence[Constituent]], part: str) -> dict[str, float]:
    """Percentages of the trees of one part, the part's name at the end of the keys."""
    counts = Counts()
    for sentence, constituents in zip(sentences, found, strict=True):
        counts.add(sentence.tags, constituents_of(sentence.tree), constituents)
    rates = {"f1": counts.f1, "precision": counts.precision, "recall": counts.recall, "exact": counts.exact_match}
    none = sum(not constituents for constituents in found)
    return {f"{key}_{part}": 100 * value for key, value in rates.items()} | {f"without_tree_{part}": none}


def train(corpora: str, every: Sequence[dict[str, Any]], test: bool = True) -> list[dict[str, Any]]:
    """A row of each training, from sentences in memory to weights, with scores of dev; and, for ``test``, of the best of each trainer those of test.

    every: settings that differ in trainer, C and passes alone, so that they share one problem, whose time counts in each row.
    """
    settings, clock = [Ours(**ours) for ours in every], Clock()
    for one in {one.trainer: one for one in settings}.values():
        warm_up(corpora, one)
    corpus = problem_of(corpora, settings[0], clock)
    best: dict[str, tuple[dict[str, Any], GrammarModel]] = {}
    rows = []
    for one in settings:
        row: dict[str, Any] = {"contestant": f"ours: {one.trainer}", **asdict(one)}
        model = learn(corpus, one, clock)
        seconds = clock.seconds["cpu_problem"]
        row |= {"cpu": seconds + clock.seconds.pop("cpu_training"), "cpu_problem": seconds, "peak_mb": peak_megabytes()}
        row |= {"symbols": len(model.grammar.symbols), "rules": model.grammar.rule_scores.size}
        row |= predicted(corpora, model, "dev")
        if one.trainer not in best or row["f1_dev"] > best[one.trainer][0]["f1_dev"]:
            best[one.trainer] = row, model
        rows.append(row)
    for row, model in best.values() if test else ():
        row |= predicted(corpora, model, "test")
    return rows


def predicted(corpora: str, model: GrammarModel, part: str) -> dict[str, float]:
    """Scores of one part, and the CPU seconds from words and tags to constituents."""
    sentences, clock = read_part(Path(corpora), part), Clock()
    with clock("cpu"):
        found = model.predict(words_from(sentences, constituents_v1(), blank_vocab()))
    return scores(sentences, found, part) | {f"cpu_predicting_{part}": clock.seconds["cpu"]}


def problem_of(corpora: str, settings: Ours, clock: Clock, grammar: TreebankGrammar | None = None) -> GrammarCorpus:
    """The training part as a problem. grammar: None for that of its sentences."""
    sentences = read_part(Path(corpora), "train", LONGEST_LEARNT, settings.limit)
    templates = constituents_v1()
    with clock("cpu_problem"):
        words = words_from(sentences, templates, blank_vocab())
        rules = GrammarRules(settings.binarization, settings.learn_margin)
        return learn_corpus(words, [sentence.tree for sentence in sentences], templates, rules, grammar)


def learn(corpus: GrammarCorpus, settings: Ours, clock: Clock) -> GrammarModel:
    with clock("cpu_training"):
        training = fit(TRAINERS[settings.trainer](settings.C), corpus.problem, settings.passes)
        return replace(corpus.model(training), margin=settings.margin)


def warm_up(corpora: str, settings: Ours) -> None:
    """Train and predict on a few sentences, so that no kernel is compiled while we measure."""
    few = replace(settings, limit=5, passes=2)
    model = learn(problem_of(corpora, few, Clock()), few, Clock())
    model.predict(words_from(read_part(Path(corpora), "dev", limit=5), constituents_v1(), blank_vocab()))


def grammar_of(corpora: str, binarization: Binarization, limit: int = 0) -> TreebankGrammar:
    """The probabilistic grammar of the sentences that ours learns from."""
    sentences = read_part(Path(corpora), "train", LONGEST_LEARNT, limit)
    return read_grammar((sentence.tags, binarization.symbols(sentence.tree)) for sentence in sentences)


def probabilistic(corpora: str, every: Sequence[dict[str, Any]], limit: int = 0) -> list[dict[str, Any]]:
    """A row of the maximum-likelihood grammar of each binarization, decoded exactly, without pruning: scores of dev; and of test for the first one
    and for the best on dev."""
    rows, grammars = [], []
    for binarization in every:
        clock = Clock()
        with clock("cpu"):
            grammar = grammar_of(corpora, Binarization(**binarization), limit)
        row: dict[str, Any] = {"contestant": "PCFG", **binarization, "cpu": clock.seconds["cpu"], "limit": limit}
        row |= {"symbols": len(grammar.symbols), "rules": grammar.rule_scores.size}
        rows.append(row | most_probable_scores(corpora, grammar, "dev"))
        grammars.append(grammar)
    best = max(range(len(rows)), key=lambda k: rows[k]["f1_dev"])
    for k in sorted({0, best}):
        rows[k] |= most_probable_scores(corpora, grammars[k], "test")
    return rows


def most_probable_scores(corpora: str, grammar: TreebankGrammar, part: str) -> dict[str, float]:
    sentences = read_part(Path(corpora), part)
    return scores(sentences, [most_probable(grammar, sentence.tags) for sentence in sentences], part)


def pairs(corpora: str, every: Sequence[dict[str, Any]], ways: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first of ours against the others and the probabilistic grammars, on test: approximate randomization and the paired bootstrap.

    every: settings that were chosen on dev, one for each trainer, for one problem. ways: binarizations of the probabilistic grammars.
    """
    settings, clock = [Ours(**ours) for ours in every], Clock()
    corpus = problem_of(corpora, settings[0], clock)
    test = read_part(Path(corpora), "test")
    words = words_from(test, constituents_v1(), blank_vocab())
    found = {f"ours: {one.trainer}": learn(corpus, one, clock).predict(words) for one in settings}
    for way in ways:
        grammar = grammar_of(corpora, Binarization(**way), settings[0].limit)
        name = f"PCFG, h = {way['horizontal']}, v = {way['vertical']}"
        found[name] = [most_probable(grammar, sentence.tags) for sentence in test]
    counts = {name: by_sentence(test, trees) for name, trees in found.items()}
    first = next(iter(counts))
    return [
        {"contestant": first, "other": name, "f1_test": counts[first].score(), "f1_other": counts[name].score()}
        | {f"{key}_ahead": value for key, value in compare(counts[first], counts[name])._asdict().items()}
        for name in counts
        if name != first
    ]


def by_sentence(sentences: Sequence[Sentence], found: Sequence[Sequence[Constituent]]) -> significance.Counts:
    """Constituents right, found and gold of each sentence."""
    each = []
    for sentence, constituents in zip(sentences, found, strict=True):
        one = Counts()
        one.add(sentence.tags, constituents_of(sentence.tree), constituents)
        each.append((one.right, one.predicted, one.gold))
    return significance.Counts(*np.array(each, np.int64).T)


#: Sentences that the model of :func:`speed` learns from.
SOME = 200


def speed(corpora: str, ours: dict[str, Any], repeats: int) -> dict[str, Any]:
    """CPU seconds for one sentence of 40 words, from words and tags to constituents: the median and the longest of all of train and dev.

    Of the model see :func:`of_all_rules`.
    """
    settings, model = of_all_rules(corpora, ours)
    vocab, templates = blank_vocab(), constituents_v1()
    sentences = [s for part in ("train", "dev") for s in read_part(Path(corpora), part) if len(s.words) == 40]
    model.predict(words_from(sentences[:1], templates, vocab))
    seconds = [
        median([cpu_seconds(lambda: model.predict(words_from([s], templates, vocab))) for _ in range(repeats)])  # noqa: B023
        for s in sentences
    ]
    row = {"contestant": "ours", **asdict(settings), "rules": model.grammar.rule_scores.size}
    return {**row, "sentences": len(seconds), "median": median(seconds), "longest": max(seconds)}


def of_all_rules(corpora: str, ours: dict[str, Any]) -> tuple[Ours, GrammarModel]:
    """A model with the grammar of all sentences, whose rules take the time, and weights learnt from few."""
    settings = replace(Ours(**ours), limit=SOME, passes=2)
    grammar = grammar_of(corpora, settings.binarization)
    return settings, learn(problem_of(corpora, settings, Clock(), grammar), settings, Clock())


def lengths(corpora: str, ours: dict[str, Any], words: Sequence[int]) -> list[dict[str, Any]]:
    """CPU seconds and megabytes for one long sentence of each of these lengths, made of sentences of dev one after another."""
    settings, model = of_all_rules(corpora, ours)
    model = replace(model, longest=max(words))
    vocab, templates = blank_vocab(), constituents_v1()
    dev = read_part(Path(corpora), "dev")
    model.predict(words_from(dev[:1], templates, vocab))
    found = []
    for n in words:
        long = Sentence(dev[0].tree, [w for s in dev for w in s.words][:n], [t for s in dev for t in s.tags][:n])
        one = words_from([long], templates, vocab)
        forget_peak()
        before = resident_megabytes() or 0.0
        seconds = cpu_seconds(lambda: model.predict(one))  # noqa: B023
        row = {
            "contestant": "ours",
            **asdict(settings),
            "rules": model.grammar.rule_scores.size,
            "words": len(long.words),
        }
        found.append({**row, "cpu": seconds, "grown_mb": (peak_megabytes() or 0.0) - before})
    return found
