"""Which trainings of spaCy are running, and what they know: it is read from the variables of their functions, and nothing is changed there."""

import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from spacy.training import loop


def _calls() -> Iterator[FrameType]:
    """The calls that the caller runs in, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _command() -> CodeType | None:
    """Of ``spacy train``; None where it is not imported, for those who train from Python."""
    module = sys.modules.get("spacy.cli.train")
    return module.train.__code__ if module is not None else None


def running_trainings() -> list[FrameType]:
    """Calls of spaCy's training, by the command or the loop, that the caller runs in; the innermost first."""
    codes = {loop.train.__code__, _command()}
    return [frame for frame in _calls() if frame.f_code in codes]


def running_loop() -> dict[str, Any] | None:
    """The variables of the innermost running ``spacy.training.loop.train``; None if none is running. They are for reading alone."""
    return next((frame.f_locals for frame in _calls() if frame.f_code is loop.train.__code__), None)


def running_initialize() -> dict[str, Any] | None:
    """The variables of the ``init_nlp`` with which ``spacy train`` begins, before its loop; None if that is not running."""
    module = sys.modules.get("spacy.training.initialize")
    if module is None or _command() not in {frame.f_code for frame in _calls()}:
        return None
    return next((frame.f_locals for frame in _calls() if frame.f_code is module.init_nlp.__code__), None)
