"""Prediction: the documents of a stream through ``pipe`` of a component, with one number of threads and another in turn."""

import warnings
from collections.abc import Sequence
from itertools import cycle, islice
from typing import Any

import numpy as np
from spacy import registry, util
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from .timing import Took, compared, timed

#: Passes of the training: how well it is done does not matter here.
PASSES = 8
#: What annotation is compared by.
_ATTRIBUTES = ["TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "ENT_IOB", "ENT_TYPE", "SENT_START"]


def trained(task: dict[str, Any]) -> tuple[Language, list[Example]]:
    """A pipeline of the config, and its other corpus, a sentence a document."""
    config = util.load_config(task["config"])
    for component in config["components"].values():
        component["trainer"]["inner_passes"] = PASSES
    nlp = util.load_model_from_config(
        {"nlp": config["nlp"], "components": config["components"]}, auto_fill=True, validate=False
    )
    settings = config["corpora"]["train"] | task["reader"]
    single = {"group": 1} if "group" in settings else {}
    train, dev = (
        list(islice(registry.resolve({"corpus": {**settings, **own, "path": task[part]}})["corpus"](nlp), task[most]))
        for part, most, own in (("train", "learnt", {}), ("dev", "read", single))
    )
    nlp.initialize(lambda: train)
    nlp.update(train)
    return nlp, dev


def grouped(docs: Sequence[Doc], size: int, borders: bool) -> list[Doc]:
    """Documents of so many documents each. borders: each of these is a sentence."""
    if size == 1:
        return list(docs)
    found = []
    for at in range(0, len(docs), size):
        parts = docs[at : at + size]
        found.append(Doc.from_docs(list(parts)))
        starts = np.zeros((len(found[-1]), 1), np.uint64)
        starts[np.cumsum([0, *map(len, parts[:-1])])] = borders  # spaCy has marked them in any case
        found[-1].from_array(["SENT_START"], starts)
    return found


def annotation(doc: Doc) -> tuple[bytes, list[tuple]]:
    """All that a component may have written."""
    spans = [(key, span.start, span.end, span.label) for key in doc.spans for span in doc.spans[key]]
    return doc.to_array(_ATTRIBUTES).tobytes(), spans


def rounds(
    of: dict[str, Any], threads: Sequence[int], sentences: int, batch: int, repeats: int, first: bool
) -> list[dict[str, Any]]:
    """A row for each number of threads: wall seconds of each round, and whether the annotation is that of the first number.

    of: a task, as :func:`.described` has it. sentences: documents of the corpus that make up a document here. batch: documents.
    first: before all other programs.
    """
    warnings.simplefilter("ignore")
    nlp, dev = trained(of)
    pipe: Any = nlp.get_pipe(nlp.pipe_names[-1])
    given = [example.predicted for example in islice(cycle(dev), of["read"])]
    borders = not any(kind in nlp.pipe_names for kind in ("senter", "segmenter"))
    docs, n_words = grouped(given, sentences, borders), sum(map(len, given))
    runs: dict[int, list[Took]] = {n: [] for n in threads}
    found: dict[int, list] = {}
    for number in range(repeats + 1):
        for n in threads:
            pipe.threads = n
            stream = [doc.copy() for doc in docs]
            # the first round fills tables
            with timed(runs[n] if number else [], first):
                done = list(pipe.pipe(stream, batch_size=batch))
            if not number:
                found[n] = [annotation(doc) for doc in done]
    return [
        {
            **(row := compared(runs, n)),
            "documents": len(docs),
            "words": n_words,
            "words_a_second": n_words / row["wall"],
            "same": found[n] == found[threads[0]],
        }
        for n in threads
    ]
