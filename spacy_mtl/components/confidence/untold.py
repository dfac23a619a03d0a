"""Components that want probabilities but have no calibration, where a command can do without."""

from collections.abc import Iterator
from contextlib import contextmanager

from spacy.language import Language

from .pipe import ConfidentPipe


@contextmanager
def untold(nlp: Language, thresholds: bool = True) -> Iterator[frozenset[str]]:
    """Within this, components without the calibration that their probabilities need predict without these, in place of refusing to (M477).

    thresholds: whether those with a threshold do so, too, and leave nothing out; otherwise they still refuse, since what they find depends on it.
    Yields the names of components whose threshold does nothing.
    """
    pipes = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, ConfidentPipe) and pipe.temperature is None]
    kept = [(pipe, pipe.confidence, getattr(pipe, "threshold", 0.0)) for pipe in pipes]
    off = {pipe.name for pipe, _, threshold in kept if threshold} if thresholds else set()
    for pipe, _, threshold in kept:
        pipe.confidence = False
        if threshold and thresholds:
            pipe.threshold = 0.0  # type: ignore[attr-defined]
    try:
        yield frozenset(off)
    finally:
        for pipe, confidence, threshold in kept:
            pipe.confidence = confidence
            if threshold:
                pipe.threshold = threshold  # type: ignore[attr-defined]
