"""A process that trains and predicts with the spacy_mtl on its path: ``python worker.py`` reads a task as a line of JSON, then one line a round.

Each round trains anew and answers with CPU seconds of training and of prediction, and the score.
"""

import json
import sys
import time
import warnings
from collections import deque
from itertools import islice
from pathlib import Path
from typing import Any

from spacy import registry, util
from spacy.language import Language
from spacy.training import Example

import spacy_mtl


def pipeline(task: dict[str, Any]) -> tuple[Language, list[list[Example]]]:
    """The untrained pipeline of a config, and the examples of both corpora."""
    config = util.load_config(task["config"])
    for component in config["components"].values():
        component["trainer"]["inner_passes"] = task["passes"]
    nlp = util.load_model_from_config(
        {"nlp": config["nlp"], "components": config["components"]}, auto_fill=True, validate=False
    )
    settings = config["corpora"]["train"] | task["reader"]
    corpora = []
    for share, path in zip((1, 2), task["files"], strict=True):
        reader = registry.resolve({"corpus": {**settings, "path": path}})["corpus"]
        corpora.append(list(islice(reader(nlp), task["documents"] // share)))
    return nlp, corpora


def one_round(nlp: Language, task: dict[str, Any], train: list[Example], dev: list[Example]) -> dict[str, float]:
    """CPU seconds of training, without copies of documents, and of the prediction of dev; the score."""
    nlp.initialize(lambda: train)
    nlp.update(train[:-1])
    begin = time.process_time()
    nlp.update(train[-1:])  # the last document begins the training: features are indexed, and all passes made
    trained = time.process_time()
    nlp(dev[0].predicted.copy())  # what training has learnt is made ready for prediction
    docs = [example.predicted.copy() for example in dev]
    started = time.process_time()
    deque(nlp.pipe(docs), maxlen=0)
    predicted = time.process_time() - started
    scores = nlp.evaluate(dev)
    return {"training": trained - begin, "prediction": predicted, "score": scores[task["score"]]}


def main() -> None:
    warnings.simplefilter("ignore")
    task = json.loads(sys.stdin.readline())
    nlp, corpora = pipeline(task)
    one_round(nlp, task, *corpora)  # compiles
    print(json.dumps({"package": str(Path(spacy_mtl.__file__).parent)}), flush=True)
    for _ in sys.stdin:
        print(json.dumps(one_round(nlp, task, *corpora)), flush=True)


if __name__ == "__main__":
    main()
