"""Segmenters on texts of another source than those that they were trained on."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.common.measure import cpu_seconds
from spacy_mtl.training.segmentation import count_words

from .data import Data, texts
from .ours import DEFAULTS, examples_of, learn, warm_up
from .reading import Segmenter, piped
from .rivals import fit_ltp, ltp


def ours(data: dict, other: dict, hidden: float) -> list[dict[str, Any]]:
    """Rows of seg.v1, trained on ``data``, on its own test texts and on those of ``other``. hidden: the setting of the segmenter."""
    source, settings = Data(**data), replace(DEFAULTS["seg.v1"], hidden=hidden)
    warm_up(settings)
    nlp, segmenter = settings.pipeline()
    examples = examples_of(nlp, source.train())
    seconds = learn(nlp, segmenter, settings, examples)
    about = {"contestant": "ours", "templates": "seg.v1", "hidden": hidden, "cpu": seconds["cpu"]}
    return [about | row for row in scored(piped(nlp), source, Data(**other))]


def rival(data: dict, other: dict) -> list[dict[str, Any]]:
    """Rows of LTP's perceptron, which are like those of :func:`ours`."""
    source = Data(**data)
    with TemporaryDirectory() as folder:
        path = str(Path(folder, "model"))
        cpu = fit_ltp(source, path)
        rows = scored(ltp(path), source, Data(**other))
    return [{"contestant": "LTP", "cpu": cpu, **row} for row in rows]


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
        row = {name: None if share is None else 100 * share for name, share in shares.items()}
        rows.append({"tested_on": data.name, "cpu_test": cpu, **row})
    return rows
