"""Words a CPU second from tagged sentences to trees, one core, the contestants taking turns in one process."""

import gc
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from benchmarks.common.measure import median

from .data import Data, Sentence, n_words
from .ours import Ours, saved
from .spacy_rival import as_doc, untrained

#: Makes the input of a contestant (not timed), and reads it (timed).
Contestant = tuple[Callable[[list[Sentence]], list[Any]], Callable[[list[Any]], Any]]
BATCH = 1000


def piped(nlp: Language, data: Data) -> Contestant:
    """Docs with tags through ``nlp.pipe``."""

    def read(docs: list[Doc]) -> None:
        for _ in nlp.pipe(docs, batch_size=BATCH):
            pass

    return lambda sentences: [as_doc(nlp.vocab, sentence, data, False) for sentence in sentences], read


def udpipe(data: Data, path: Path, iterations: int) -> Contestant:
    """UDPipe's parser alone, trained briefly: networks of one size are as fast, however right they are."""
    from .udpipe_rival import as_udpipe, fit, load, parse, settings_of

    fit(data.sentences("train"), [], settings_of(data.name, iterations, 0), path)
    model = load(path)
    return lambda sentences: [as_udpipe(sentence, False) for sentence in sentences], lambda made: parse(model, made)


def take_turns(contestants: dict[str, Contestant], portions: list[list[Sentence]]) -> list[dict[str, Any]]:
    """A row for each: the median over the portions. The first portion is read once before, not counted."""
    inputs = {name: [make(portion) for portion in (portions[0], *portions)] for name, (make, _) in contestants.items()}
    gc.collect()
    gc.freeze()  # what waits in memory for its turn is not to slow the others down
    speeds: dict[str, list[float]] = {name: [] for name in contestants}
    for k, portion in enumerate((portions[0], *portions)):
        for name, (_, read) in contestants.items():
            begin = time.process_time()
            read(inputs[name][k])
            speeds[name].append(n_words(portion) / (time.process_time() - begin))
    return [
        {
            "contestant": name,
            "words": sum(map(n_words, portions)),
            "words_a_second": median(found[1:]),
            "runs": len(found) - 1,
            "all_runs": found,
        }
        for name, found in speeds.items()
    ]


def speed(data: dict, ours: list[dict], brief: int, repeats: int) -> list[dict[str, Any]]:
    """Rows. ours: settings of those of ours that run. brief: training sentences of ours and of UDPipe, whose accuracy does not matter here."""
    the_data = Data(**data)
    short = Data(the_data.corpora, the_data.name, brief)
    read = [*the_data.sentences("dev"), *the_data.sentences("test")]
    cuts = np.linspace(0, len(read), repeats + 1).astype(int)
    with TemporaryDirectory() as folder:
        contestants = {}
        for number, found in enumerate(ours):
            settings = Ours(**found)
            contestants[settings.name] = piped(saved(short, settings, f"{folder}/{number}"), the_data)
        contestants["spaCy parser"] = piped(untrained(the_data), the_data)
        contestants["UDPipe 1"] = udpipe(short, Path(folder, "udpipe"), 1)
        return take_turns(contestants, [read[a:b] for a, b in pairwise(cuts)])
