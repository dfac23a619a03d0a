"""spaCy's own entity recognizer as a contestant: the efficiency preset with the training settings spaCy recommends."""

import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import spacy
from spacy.cli.init_config import init_config
from spacy.language import Language
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as train_loop
from spacy.util import registry
from thinc.api import Config

from benchmarks.common.measure import Clock, forget_peak, median, peak_megabytes

from .data import COLUMNS, LANGUAGES, Data
from .ours import scores

#: spaCy's HashEmbedCNN as its small models have it.
TOK2VEC = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "pretrained_vectors": None,
    "width": 96,
    "depth": 4,
    "embed_size": 2000,
    "window_size": 1,
    "maxout_pieces": 3,
    "subword_features": True,
}


def config_of(data: Data, max_steps: int, patience: int) -> Config:
    """What ``spacy init config --pipeline ner --optimize efficiency`` writes, with a HashEmbedCNN of its own in place of the shared layer."""
    config = init_config(lang=LANGUAGES[data.lang], pipeline=["ner"], optimize="efficiency", silent=True)
    config["nlp"]["pipeline"] = ["ner"]
    config["components"] = {"ner": config["components"]["ner"]}
    config["components"]["ner"]["model"]["tok2vec"] = TOK2VEC
    config["training"] |= {"max_steps": max_steps, "patience": patience, "logger": {"@loggers": "benchmark.points"}}
    for part, name in (("train", "train"), ("dev", "testa")):
        config["corpora"][part] = {
            "@readers": "spacy_mtl.ConllCorpus.v1",
            "path": str(data.path(name)),
            "columns": list(COLUMNS),
            "group": data.group,
            "limit": data.sentences(name) // max(1, data.group or 0),
        }
    return config


def keep_points(points: list[dict[str, Any]], begin: float) -> None:
    """Register a logger that notes step, CPU seconds and score of every evaluation."""

    def logger() -> Callable:
        def setup(nlp: Language, stdout: Any = None, stderr: Any = None) -> tuple[Callable, Callable]:
            def log(info: dict[str, Any] | None) -> None:
                if info is not None and info["score"] is not None:
                    cpu = time.process_time() - begin
                    points.append({"step": info["step"], "cpu": cpu, "f1_testa": 100 * info["score"]})

            return log, lambda: None

        return setup

    registry.loggers.register("benchmark.points", func=logger)


def train(data: dict, max_steps: int, patience: int) -> dict[str, Any]:
    """Train to spaCy's own stop and score the best model: a row.

    cpu: all of it, corpus reading and the evaluations that the stop needs included, as ``spacy train`` has them.
    """
    the_data = Data(**data)
    points: list[dict[str, Any]] = []
    clock = Clock()
    keep_points(points, time.process_time())
    forget_peak()
    with TemporaryDirectory() as folder:
        with clock("cpu"):
            nlp = init_nlp(config_of(the_data, max_steps, patience), use_gpu=-1)
            train_loop(nlp, Path(folder), use_gpu=-1, stdout=StringIO(), stderr=StringIO())
        row: dict[str, Any] = {"contestant": "spaCy ner", "cpu": clock.seconds["cpu"], "peak_mb": peak_megabytes()}
        best = spacy.load(f"{folder}/model-best")
        best.get_pipe("ner").to_disk(f"{folder}/ner", exclude=["vocab"])  # type: ignore[attr-defined]
        row["model_mb"] = sum(path.stat().st_size for path in Path(folder, "ner").rglob("*") if path.is_file()) / 1e6
        for part in ("testa", "testb"):
            row |= scores(best, the_data, part, judge=part == "testb")
        row["words_per_second"] = words_per_second(best, the_data)
    top = max(points, key=lambda point: point["f1_testa"])
    return row | {"steps": points[-1]["step"], "best_step": top["step"], "cpu_to_best": top["cpu"], "points": points}


def words_per_second(nlp: Language, data: Data, repeats: int = 5) -> float:
    """Docs in memory to labels."""
    seconds, n_words = [], 0
    for _ in range(repeats):
        docs = data.part(nlp, "testb").given
        n_words = sum(map(len, docs))
        clock = Clock()
        with clock("cpu"):
            for _ in nlp.pipe(docs, batch_size=1000):
                pass
        seconds.append(clock.seconds["cpu"])
    return n_words / median(seconds)


def untrained(data: Data) -> Language:
    """A pipeline with the recognizer initialized but not trained: as fast as a trained one."""
    nlp = data.blank()
    nlp.add_pipe("ner", config={"model": {"tok2vec": TOK2VEC}})
    examples = data.part(nlp, "testa", 1).examples()[:200]
    nlp.initialize(lambda: examples)
    return nlp
