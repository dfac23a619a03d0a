"""spaCy's own tagger as a contestant: the efficiency preset with the training settings spaCy recommends."""

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

from benchmarks.common.measure import Clock, forget_peak, peak_megabytes
from benchmarks.ner.spacy_rival import TOK2VEC

from .data import SOURCES, Data, scores

TAGGER = {"@architectures": "spacy.Tagger.v2", "nO": None, "normalize": False, "tok2vec": TOK2VEC}


def config_of(data: Data, max_steps: int, patience: int) -> Config:
    """What ``spacy init config --pipeline tagger --optimize efficiency`` writes, with a HashEmbedCNN of its own in place of the shared layer."""
    config = init_config(lang=SOURCES[data.name].lang, pipeline=["tagger"], optimize="efficiency", silent=True)
    config["nlp"]["pipeline"] = ["tagger"]
    config["components"] = {"tagger": config["components"]["tagger"]}
    config["components"]["tagger"]["model"] = TAGGER
    config["training"] |= {"max_steps": max_steps, "patience": patience, "logger": {"@loggers": "benchmark.tag_points"}}
    for name in ("train", "dev"):
        config["corpora"][name] = {"@readers": "spacy_mtl.ConllCorpus.v1", **data.reader(name)}
    return config


def keep_points(points: list[dict[str, Any]], begin: float) -> None:
    """Register a logger that notes step, CPU seconds and dev accuracy of every evaluation."""

    def logger() -> Callable:
        def setup(nlp: Language, stdout: Any = None, stderr: Any = None) -> tuple[Callable, Callable]:
            def log(info: dict[str, Any] | None) -> None:
                if info is not None and info["score"] is not None:
                    cpu = time.process_time() - begin
                    points.append({"step": info["step"], "cpu": cpu, "accuracy_dev": 100 * info["score"]})
                    stderr.write(f"{points[-1]}\n")

            return log, lambda: None

        return setup

    registry.loggers.register("benchmark.tag_points", func=logger)


def train(data: dict, max_steps: int, patience: int) -> dict[str, Any]:
    """Train to spaCy's own stop, or for so many steps, and score the best model: a row.

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
            train_loop(nlp, Path(folder), use_gpu=-1, stdout=StringIO())
        row: dict[str, Any] = {"contestant": "spaCy tagger", "cpu": clock.seconds["cpu"], "peak_mb": peak_megabytes()}
        best = spacy.load(f"{folder}/model-best")
        best.get_pipe("tagger").to_disk(f"{folder}/tagger", exclude=["vocab"])  # type: ignore[attr-defined]
        row["model_mb"] = sum(path.stat().st_size for path in Path(folder, "tagger").rglob("*") if path.is_file()) / 1e6
        row |= scores(best, the_data)
    top = max(points, key=lambda point: point["accuracy_dev"])
    return row | {"steps": points[-1]["step"], "best_step": top["step"], "cpu_to_best": top["cpu"], "points": points}


def untrained(data: Data) -> Language:
    """A pipeline with the tagger initialized but not trained: as fast as a trained one."""
    nlp = data.blank()
    nlp.add_pipe("tagger", config={"model": TAGGER})
    examples = data.part(nlp, "train").examples()
    nlp.initialize(lambda: examples)
    return nlp
