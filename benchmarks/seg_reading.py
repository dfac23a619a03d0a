"""Segmenters as functions from raw texts to words: scored and timed the same way."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from measure import median
from seg_data import Data, Sentence, texts

#: Raw texts to their words.
Reader = Callable[[Iterable[str]], Iterable[Sentence]]


def characters_per_second(read: Reader, data: Data, repeats: int = 3) -> dict[str, Any]:
    """Scores of the test texts, and how many characters of them a CPU second segments: at first, and the median of ``repeats`` readings more."""
    inputs = texts(data.test())
    characters = sum(map(len, inputs))
    speeds, predicted = [], []
    for _ in range(1 + repeats):
        begin = time.process_time()
        predicted = list(read(inputs))
        speeds.append(characters / (time.process_time() - begin))
    row = {"characters_per_second": median(speeds[1:] or speeds), "characters_per_second_at_first": speeds[0]}
    return data.scores(predicted) | row
