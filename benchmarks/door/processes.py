"""The contestants, each a process of its own from beginning to end."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import srsly
from spacy.cli._util import parse_config_overrides
from spacy.training import Example
from spacy.util import load_config, load_model_from_config, registry

from benchmarks.common.measure import run_child
from benchmarks.common.origin import ROOT
from spacy_mtl.models.chain.model import current_weights
from spacy_mtl.stand_in import stand_in

from .tasks import SMALL, TASKS

Row = dict[str, Any]


def cpu_of(command: list[str], text: str = "", cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> float:
    """CPU seconds of a process and all that it starts. text: its standard input. env: by default this process's, with this checkout's modules.

    Raises CalledProcessError where it fails.
    """
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    before = os.times()
    env = {**os.environ, "PYTHONPATH": path} if env is None else env
    subprocess.run(command, cwd=cwd, env=env, input=text, stdout=sys.stderr, text=True, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def spacy_train(task: str, corpora: str, folder: str, **more: str) -> float:
    """``spacy train`` with a config of the repository. CPU seconds of the whole process."""
    settings = TASKS[task].overrides(corpora, **more)
    options = [word for name, value in settings.items() for word in (f"--{name}", value)]
    return cpu_of([sys.executable, "-m", "spacy", "train", str(TASKS[task].path), "--output", folder, *options])


def limited(documents: int) -> dict[str, str]:
    """Settings for so many training documents, 0 for all, and a quarter as many of the development part."""
    if not documents:
        return {}
    return {"corpora.train.limit": str(documents), "corpora.dev.limit": str(max(1, documents // 4))}


def door(name: str, corpora: str, documents: int = 0, epochs: int = 0) -> Row:
    """``spacy train`` with kernels cached: CPU seconds, the best dev score, and its passes. epochs: at most, 0 for those of the config."""
    with TemporaryDirectory() as folder:
        spacy_train(name, corpora, f"{folder}/small", **SMALL)
        log = Path(folder, "log.jsonl")
        more = {"training.logger.path": str(log)} | ({"training.max_epochs": str(epochs)} if epochs else {})
        cpu = spacy_train(name, corpora, f"{folder}/out", **limited(documents), **more)
        rows = [srsly.json_loads(line) for line in log.read_text(encoding="utf8").splitlines()]
        files = [path for path in Path(folder, "out/model-best").rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files) / 1e6
    (report,) = rows[-1]["reports"].values()
    best = max(row["other_scores"][TASKS[name].score] for row in rows)
    return {
        "contestant": "spacy train",
        "cpu": cpu,
        "score": 100 * best,
        "passes": report["passes"],
        "evaluations": len(rows),
        "pipeline_mb": size,
    }


def in_memory(name: str, corpora: str, passes: int, documents: int = 0) -> Row:
    """The same training of the same documents in memory: initialize, so many passes, weights that can predict.

    Documents are read once by the component, and kernels are loaded before.
    """
    learn(name, corpora, 1, **SMALL)
    return {"contestant": "in memory", "cpu": learn(name, corpora, passes, **limited(documents)), "passes": passes}


def learn(task: str, corpora: str, passes: int, **more: str) -> float:
    """CPU seconds of one training in memory."""
    settings = TASKS[task].overrides(corpora, **more)
    options = [word for name, value in settings.items() for word in (f"--{name}", value)]
    config = load_config(TASKS[task].path, overrides=parse_config_overrides(options))
    nlp = load_model_from_config(config, auto_fill=True)
    examples: list[Example] = list(registry.resolve(nlp.config.interpolate()["corpora"])["train"](nlp))
    (pipe,) = (pipe for _, pipe in nlp.pipeline)
    begin = time.process_time()
    nlp.initialize(lambda: examples)
    pipe.update([stand_in(examples, passes)])
    current_weights(pipe.model)
    pipe.predict([examples[0].predicted])
    return time.process_time() - begin


def crfsuite(name: str, corpora: str) -> Row:
    """python-crfsuite: files read, features computed in Python, trained to its default stop, model written; then scored, which does not count."""
    with TemporaryDirectory() as folder:
        settings = {"name": name, "corpora": corpora, "model": str(Path(folder, "model"))}
        command = [
            sys.executable,
            "-m",
            "benchmarks.common.child",
            "benchmarks.door.crfsuite:train",
            str(Path(folder, "answer")),
        ]
        cpu = cpu_of(command, srsly.json_dumps(settings))
        size = Path(settings["model"]).stat().st_size / 1e6
        score = run_child("benchmarks.door.crfsuite:score", **settings)["score"]
    return {"contestant": "crfsuite lbfgs", "cpu": cpu, "score": score, "pipeline_mb": size}
