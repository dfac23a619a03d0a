"""spaCy as a contestant: tagger, morphologizer, edit-tree lemmatizer and parser over one shared layer, as ``spacy init config`` writes them."""

import time
from collections.abc import Callable
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import spacy
from spacy.cli.init_config import init_config
from spacy.language import Language
from spacy.parts_of_speech import IDS
from spacy.tokens import DocBin
from spacy.training.converters import conllu_to_docs
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as train_loop
from spacy.util import registry
from thinc.api import Config

from benchmarks.common.measure import Clock, forget_peak, peak_megabytes
from spacy_mtl.treebanks.annotate import annotate
from spacy_mtl.treebanks.inputs import Input

LOGGER = "benchmark.ud_points"
COMPONENTS = ["tagger", "morphologizer", "trainable_lemmatizer", "parser"]
#: Sentences in a document, so that the parser learns where sentences begin; what ``spacy convert`` recommends.
GROUP = 10
SCORES = {
    "tag_acc": "XPOS",
    "pos_acc": "UPOS",
    "morph_acc": "UFeats",
    "lemma_acc": "Lemmas",
    "dep_uas": "UAS",
    "dep_las": "LAS",
}


def convert(path: str, output: Path) -> set[str]:
    """Write a CoNLL-U file as spaCy's own converter reads it; returns what is annotated, of TAG and LEMMA."""
    text = with_known_parts(Path(path).read_text(encoding="utf8"))
    docs = list(conllu_to_docs(text, n_sents=GROUP, no_print=True))
    DocBin(docs=docs, store_user_data=False).to_disk(output)
    return {column for column in ("TAG", "LEMMA") if any(doc.has_annotation(column) for doc in docs)}


def with_known_parts(text: str) -> str:
    """CoNLL-U with X in place of parts of speech that Universal Dependencies do not have, which spaCy refuses."""
    lines = [line.split("\t") for line in text.split("\n")]
    for fields in lines:
        if len(fields) == 10 and fields[3] != "_" and fields[3] not in IDS:
            fields[3] = "X"
    return "\n".join(map("\t".join, lines))


def config_of(lang: str, columns: set[str], folder: Path, max_steps: int, patience: int) -> Config:
    """The efficiency preset, without components whose column the treebank does not have."""
    missing = {"TAG": "tagger", "LEMMA": "trainable_lemmatizer"}
    left_out = {name for column, name in missing.items() if column not in columns}
    pipeline = [name for name in COMPONENTS if name not in left_out]
    config = init_config(lang=lang, pipeline=pipeline, optimize="efficiency", silent=True)
    config["paths"] |= {"train": str(folder / "train.spacy"), "dev": str(folder / "dev.spacy")}
    config["training"] |= {"max_steps": max_steps, "patience": patience, "logger": {"@loggers": LOGGER}}
    config["training"]["eval_frequency"] = min(200, max_steps)
    return config


def keep_points(points: list[dict[str, Any]], begin: float, most_cpu: float) -> None:
    """Register a logger that notes step, CPU seconds and dev scores of every evaluation, and ends the training after ``most_cpu`` seconds."""

    def logger() -> Callable:
        def setup(nlp: Language, stdout: Any = None, stderr: Any = None) -> tuple[Callable, Callable]:
            def log(info: dict[str, Any] | None) -> None:
                if info is None or info["score"] is None:
                    return
                found = info["other_scores"]
                scores = {name: 100 * found[key] for key, name in SCORES.items() if found.get(key) is not None}
                cpu = time.process_time() - begin
                points.append({"step": info["step"], "cpu": cpu, "score": info["score"], **scores})
                stderr.write(f"{points[-1]}\n")
                if cpu > most_cpu:
                    raise KeyboardInterrupt

            return log, lambda: None

        return setup

    registry.loggers.register(LOGGER, func=logger)


def train(
    train: str, dev: str, lang: str, folder: str, max_steps: int, patience: int, most_cpu: float
) -> dict[str, Any]:
    """Train into a folder until spaCy stops or ``most_cpu`` seconds are over; the best model so far is in ``model-best``.

    cpu: all of it, corpus reading and the evaluations that the stop needs included, as ``spacy train`` has them.
    """
    place, clock = Path(folder), Clock()
    columns = convert(train, place / "train.spacy")
    convert(dev, place / "dev.spacy")
    points: list[dict[str, Any]] = []
    keep_points(points, time.process_time(), most_cpu)
    forget_peak()
    config = config_of(lang, columns, place, max_steps, patience)
    with clock("cpu"), suppress(KeyboardInterrupt):
        train_loop(init_nlp(config, use_gpu=-1), place, use_gpu=-1, stdout=StringIO())
    top, last = max(points, key=lambda point: point["score"]), points[-1]
    stopped = "most_cpu" if last["cpu"] > most_cpu else "max_steps" if last["step"] >= max_steps else "patience"
    row = {"cpu": clock.seconds["cpu"], "peak_mb": peak_megabytes(), "points": points, "stopped": stopped}
    files = (path for path in (place / "model-best").rglob("*") if path.is_file())
    row |= {"best_step": top["step"], "cpu_to_best": top["cpu"], "pipeline": config["nlp"]["pipeline"]}
    return row | {"model_mb": sum(path.stat().st_size for path in files) / 1e6, "version": spacy.__version__}


def predict(model: str, source: str, given: str, output: str) -> dict[str, float]:
    """Annotate a file and write CoNLL-U; CPU seconds, loading not included. given: "text" or "tokens", whose sentences are kept."""
    nlp, clock = spacy.load(model), Clock()
    settings = Input(kind="text" if given == "text" else "conllu", given=[], documents="paragraph")
    with clock("cpu"):
        annotate(nlp, [Path(source)], Path(output), settings)
    return {"cpu": clock.seconds["cpu"]}
