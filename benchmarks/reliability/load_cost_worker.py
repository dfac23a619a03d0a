"""A process that loads pipelines with the spacy_mtl on its path, and tells the CPU seconds: ``python load_cost_worker.py PIPELINE...``.

It reads numbers of pipelines from standard input and answers each with a line of JSON.
"""

import gc
import json
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language

import spacy_mtl

#: Times that a component's folder is loaded for one answer.
TIMES = 5


def timed(function: Callable[[], Any]) -> float:
    gc.collect()
    gc.disable()
    begin = time.process_time()
    function()
    spent = time.process_time() - begin
    gc.enable()
    return spent


def load(path: Path) -> Language:
    """Pipelines of the tests were saved without tokenizer."""
    return spacy.load(path, exclude=[] if (path / "tokenizer").exists() else ["tokenizer"])


def parts_of(nlp: Language, path: Path) -> list[Callable[[], Any]]:
    """Functions that load the parts of a pipeline that belong to this package, again."""
    given = [("tokenizer", nlp.tokenizer), *nlp.pipeline]
    ours: list[tuple[str, Any]] = [
        (name, pipe) for name, pipe in given if type(pipe).__module__.startswith("spacy_mtl")
    ]
    return [partial(pipe.from_disk, path / name, exclude=["vocab"]) for name, pipe in ours]


def main(paths: list[Path]) -> None:
    warnings.simplefilter("ignore")
    parts = [parts_of(load(path), path) for path in paths]
    print(json.dumps({"package": str(Path(spacy_mtl.__file__).parent)}), flush=True)
    for line in sys.stdin:
        k = int(line)
        whole = timed(lambda k=k: load(paths[k]))
        alone = timed(lambda k=k: [part() for _ in range(TIMES) for part in parts[k]])
        print(json.dumps({"pipeline": whole, "components": alone / TIMES}), flush=True)


if __name__ == "__main__":
    main([Path(path) for path in sys.argv[1:]])
