"""A process whose children are killed: ``python -m benchmarks.reliability.kills_worker training FOLDER``, or ``saving``.

It reads seeds from standard input and answers each with a line of JSON: whether the child was killed, and amid a save, and what was left.
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import spacy
from spacy.cli.train import train
from spacy.language import Language
from spacy.util import load_config

from spacy_mtl.training.safe_save import save

from .loading import check_doc
from .pipelines import make_pipeline
from .plan import ROOT
from .victims import ask_child, contents, kill_after

CORPUS = ROOT / "assets" / "es-entities"
TEXT = "El presidente Juan Carlos de Borbón visitó Madrid y Buenos Aires."


class Training:
    """Trainings of a few passes to one folder."""

    def __init__(self, folder: Path) -> None:
        self.output = folder / "output"
        self.target = self.output / "model-best"
        self._config = folder / "train.cfg"
        config = load_config(ROOT / "configs" / "ner.cfg")
        config["paths"] = {"train": str(CORPUS / "train.conll"), "dev": str(CORPUS / "dev.conll")}
        config["components"]["ner"]["model"]["templates"] = {"@mtl_templates": "spacy_mtl.tp1.v1"}
        config["corpora"]["train"]["limit"] = config["corpora"]["dev"]["limit"] = 60
        config["training"] |= {"max_epochs": 4, "accumulate_gradient": 1}
        config["training"]["batcher"]["passes"] = [1]
        config.to_disk(self._config)
        self.run()  # compiles, and is the first complete one

    def run(self, seed: int = 0) -> None:
        with redirect_stdout(sys.stderr):
            train(self._config, self.output, overrides={"training.seed": seed})

    def check(self) -> str:
        """Load and use the best model, which need not be of the last training."""
        return _check(spacy.load(self.target))

    def left(self) -> list[str]:
        return [name for name in os.listdir(self.output) if name.endswith((".tmp", ".old"))]


class Saving:
    """Two pipelines that are saved over each other."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.target = folder, folder / "pipeline"
        self._pipelines = [make_pipeline("tagger and ner"), make_pipeline("tagger and ner")]
        self._pipelines[1].meta["name"] = "second"
        self._pipelines[1].vocab.strings.add("a word of the second")
        for number, nlp in enumerate(self._pipelines):
            nlp.to_disk(folder / str(number))
        self._known = [contents(folder / str(number)) for number in (0, 1)]
        self.run()

    def run(self, seed: int = 0) -> None:
        save(self._pipelines[seed % 2], self.target)

    def check(self) -> str:
        if contents(self.target) not in self._known:
            return "mixed"
        return _check(spacy.load(self.target))

    def left(self) -> list[str]:
        return [name for name in os.listdir(self._folder) if name.endswith((".tmp", ".old"))]


def _check(nlp: Language) -> str:
    doc = nlp(TEXT)
    check_doc(doc, TEXT)
    _, pipe = nlp.pipeline[-1]
    return "complete" if pipe.template_weights() else "without weights"


CASES: dict[str, Callable[[Path], Any]] = {"training": Training, "saving": Saving}


def main() -> None:
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True)
    case = CASES[sys.argv[1]](folder)
    began = time.monotonic()
    kill_after(0, case.run)  # how long a fork takes
    fork = time.monotonic() - began
    began = time.monotonic()
    case.run()
    seconds = time.monotonic() - began
    print(json.dumps({"ready": True, "seconds": seconds}), flush=True)
    for line in sys.stdin:
        seed = int(line)
        killed = kill_after(random.Random(seed).uniform(0, fork + seconds), lambda seed=seed: case.run(seed))
        amid = bool(case.left())
        print(json.dumps({"killed": killed, "amid": amid, "outcome": ask_child(case.check)}), flush=True)


if __name__ == "__main__":
    main()
