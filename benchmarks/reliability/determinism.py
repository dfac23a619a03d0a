"""The same training gives the same bytes: in another process, with another hash seed of Python, and when documents are annotated between passes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from benchmarks.common.rows import Row

from .plan import ROOT, Plan

#: Way of training -> environment.
WAYS = {
    "alone": {"PYTHONHASHSEED": "1"},
    "again": {"PYTHONHASHSEED": "2"},
    "annotating between passes": {"PYTHONHASHSEED": "3"},
}
#: Name -> trainer, and settings other than its defaults. The quick part takes the first ones.
TRAINERS: dict[str, tuple[str, dict[str, Any]]] = {
    "MTLStruct, averaged": ("MTLStruct", {"p": 4 / 3, "average": 3, "inner_passes": 2}),
    "Perceptron": ("Perceptron", {}),
    "MTLStruct": ("MTLStruct", {}),
    "cutting planes": ("MTLStruct", {"solver": "cutting_plane"}),
    "MIRA": ("MIRA", {}),
    "CRF": ("CRF", {}),
    "CRF, SGD": ("CRF", {"algorithm": "sgd"}),
    "EG": ("EG", {}),
    "L1M3N": ("L1M3N", {}),
    "OnlineMKL": ("OnlineMKL", {}),
}
QUICK_TRAINERS = 1
SENTENCES = 60
PASSES = 4


def run(plan: Plan) -> Iterator[Row]:
    from .training import COMPONENTS

    trainers = [*TRAINERS][: plan.size(QUICK_TRAINERS, len(TRAINERS))]
    told = {way: _ask(way, environment, trainers) for way, environment in WAYS.items()}
    for factory in COMPONENTS:
        if plan.wants(factory):
            failures = [
                f"{trainer}: other bytes when trained {way}"
                for trainer in trainers
                for way in WAYS
                if told[way][factory][trainer] != told["alone"][factory][trainer]
            ]
            tried = len(trainers) * (len(WAYS) - 1)
            yield plan.row("determinism", factory, tried, failures, trainers=trainers, note="; ".join(trainers))


def _ask(way: str, environment: dict[str, str], trainers: list[str]) -> dict[str, dict[str, str]]:
    """Digests of models, by component and trainer."""
    command = [sys.executable, "-m", __spec__.name, way, *trainers]
    done = subprocess.run(command, env={**os.environ, **environment}, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"training '{way}' failed: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout)


def main() -> None:
    from .training import COMPONENTS, corpus, make, model_bytes, train

    way, *trainers = sys.argv[1:]
    found: dict[str, dict[str, str]] = {}
    for factory in COMPONENTS:
        found[factory] = {}
        for trainer in trainers:
            kind, settings = TRAINERS[trainer]
            nlp = make(factory, {"@mtl_trainers": f"spacy_mtl.{kind}.v1", **settings})
            examples = corpus(factory, nlp, n=SENTENCES)
            shown = corpus(factory, nlp, "dev")

            def annotate(nlp=nlp, shown=shown) -> None:
                for example in shown:
                    nlp(example.predicted.copy())

            train(nlp, examples, PASSES, annotate if way.startswith("annotating") else None)
            found[factory][trainer] = blake2b(model_bytes(nlp), digest_size=8).hexdigest()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
