"""One start in a process of its own: ``python -m benchmarks.startup.worker COMPONENT PHASE MODEL RESULT``.

Trains one pass of a component with the settings of ``configs/`` and saves it to MODEL ("train"), or loads it and annotates a text ("load").
"""

import json
import logging
import sys
import time
from itertools import islice, pairwise
from pathlib import Path

from .listening import Compilations

#: Documents of the corpora of ``configs/`` that are trained on: what takes long is compiling.
DOCUMENTS = 60
TEXTS = {"segmenter": "他在北京大学学习中文。"}
TEXT = "Ana vive en Santa Fe ."
#: What stands for a tagger, where templates read tags.
TAG = "N"


class Stages(logging.Handler):
    """CPU seconds of this process when each stage was reached, and when something was said about kernels."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: dict[str, float] = {}
        self.words: list[float] = []
        logger = logging.getLogger("spacy_mtl.compiling")
        logger.addHandler(self)
        logger.setLevel(logging.INFO)

    def reach(self, name: str) -> None:
        self.seconds[name] = time.process_time()

    def emit(self, record: logging.LogRecord) -> None:
        self.words.append(time.process_time())

    @property
    def silence(self) -> float:
        """The longest time without a word, from the start to the end."""
        return max(b - a for a, b in pairwise([0.0, *self.words, max(self.seconds.values())]))


def train(component: str, model: Path, stages: Stages) -> None:
    from spacy.util import load_config, load_model_from_config, registry

    from benchmarks.common.origin import ROOT

    nlp = load_model_from_config(load_config(ROOT / "configs" / f"{component}.cfg"), auto_fill=True)
    stages.reach("pipeline")
    corpora = registry.resolve(nlp.config.interpolate()["corpora"])
    examples = list(islice(corpora["train"](nlp), DOCUMENTS))
    nlp.initialize(lambda: examples)
    stages.reach("initialized")
    nlp.update(examples)
    stages.reach("first update")
    _ = nlp.get_pipe(component).report
    nlp.evaluate(examples[:2])
    stages.reach("first row")
    nlp.to_disk(model)


def load(component: str, model: Path, stages: Stages) -> None:
    import spacy

    nlp = spacy.load(model)
    stages.reach("loaded")
    doc = nlp.make_doc(TEXTS.get(component, TEXT))
    if component == "parser":
        for token in doc:
            token.tag_, token.pos_, token.is_sent_start = TAG, "NOUN", token.i == 0
            token.set_morph("Number=Sing")
    nlp(doc)
    stages.reach("first document")


def main() -> None:
    component, phase, model, result = sys.argv[1:]
    stages = Stages()
    with Compilations() as compilations:
        {"train": train, "load": load}[phase](component, Path(model), stages)
    answer = {
        "stages": stages.seconds,
        "silence": stages.silence,
        "functions": compilations.rows,
        "kernels": compilations.kernels,
    }
    Path(result).write_text(json.dumps(answer), encoding="utf8")


if __name__ == "__main__":
    main()
