"""Segmenters on texts of another source than those that they were trained on."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.common.measure import cpu_seconds
from benchmarks.common.rows import Row
from benchmarks.common.significance import counted, judged, take_counts
from spacy_mtl.training.segmentation import count_words

from .data import Data, Sentence, texts
from .ours import DEFAULTS, examples_of, learn, warm_up
from .reading import Segmenter, piped
from .rivals import fit_ltp, ltp

#: Numbers of passes of LTP's perceptron that are tried.
LTP_SEARCHED = (3, 5, 10, 20)


def ours(data: dict, other: dict, settings: dict[str, float]) -> list[dict[str, Any]]:
    """Rows of seg.v1, trained on ``data``, on its own test texts and on those of ``other``. settings: of :class:`Ours`, and the bias."""
    bias = settings.pop("bias", 0.0)
    source, chosen = Data(**data), replace(DEFAULTS["seg.v1"], **settings)
    warm_up(chosen)
    nlp, segmenter = chosen.pipeline()
    seconds = learn(nlp, segmenter, chosen, examples_of(nlp, source.train()))
    segmenter.bias = bias
    about = {"contestant": "ours", "templates": "seg.v1", "hidden": chosen.hidden, "C": chosen.C, "bias": bias}
    return [about | {"cpu": seconds["cpu"]} | row for row in scored(piped(nlp), source, Data(**other))]


def rival(data: dict, other: dict) -> list[dict[str, Any]]:
    """Rows of LTP's perceptron, which are like those of :func:`ours`, with the number of passes that is best on a tenth of the training text."""
    source = Data(**data)
    held_out = replace(source, dev=True)
    with TemporaryDirectory() as folder:
        path = str(Path(folder, "model"))
        found = {}
        for passes in LTP_SEARCHED:
            fit_ltp(held_out, path, passes)
            gold = held_out.test()
            found[passes] = count_words(gold, list(ltp(path).sentences(texts(gold)))).f1
        best = max(found, key=lambda passes: found[passes])
        cpu = fit_ltp(source, path, best)
        rows = scored(ltp(path), source, Data(**other))
    return [{"contestant": "LTP", "passes": best, "cpu": cpu, **row} for row in rows]


def scored(segmenter: Segmenter, source: Data, other: Data) -> list[dict[str, Any]]:
    """A row for each test text. The words of the training text are known."""
    known = {word for sentence in source.train() for word in sentence}
    rows = []
    for data in (source, other):
        gold = data.test()
        predicted: list[list[str]] = []
        cpu = cpu_seconds(lambda gold=gold, predicted=predicted: predicted.extend(segmenter.sentences(texts(gold))))
        counts = count_words(gold, predicted, known)
        shares = {"f1": counts.f1, "r_iv": counts.recall_iv, "r_oov": counts.recall_oov, "oov": counts.oov_rate}
        kind = "same" if data.name == source.name else "other"
        row = {name: None if share is None else 100 * share for name, share in shares.items()}
        rows.append(
            {"tested_on": data.name, "texts": kind, "cpu_test": cpu, **row, **counted(word_counts(gold, predicted))}
        )
    return rows


def word_counts(gold: list[Sentence], predicted: list[Sentence]) -> list[tuple[int, int, int]]:
    """How many words of each sentence are right, found and gold."""
    each = [count_words([expected], [found]) for expected, found in zip(gold, predicted, strict=True)]
    return [(one.correct, one.predicted, one.gold) for one in each]


def judged_domains(rows: list[Row]) -> list[Row]:
    """Ours as it comes is compared with each other row on the same texts, whose ``ahead`` says by how much it is ahead."""
    mine = {row["tested_on"]: take_counts(row) for row in rows[:2]}
    return [*rows[:2], *(judged(row, mine[row["tested_on"]]) for row in rows[2:])]
