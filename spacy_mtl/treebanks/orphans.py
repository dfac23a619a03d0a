"""Processes, as those of ``nlp.pipe``, that end when the process that started them does, however that happens."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.util import register_after_fork
from threading import Thread
from typing import Any

from spacy.language import Language

#: Seconds in which a process knows its parent, if it has one.
_PATIENCE = 60.0


class Watched:
    """An error handler of a pipeline that does what ``handler`` does. A child that is forked or gets it by pickle ends with its parent."""

    def __init__(self, handler: Any) -> None:
        self._handler = handler
        register_after_fork(self, lambda _: end_with_parent())

    def __call__(self, *arguments: Any) -> Any:
        return self._handler(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, (self._handler,)


@contextmanager
def ending_with_this(nlp: Language) -> Iterator[None]:
    """Within this, processes of ``nlp.pipe`` notice that this process is gone, even if it was killed and could not tell them.

    Without it they wait forever for documents: each of them holds the writing end of the queue that it reads. Error handlers of single components
    stay what they are.
    """
    before = nlp.default_error_handler
    nlp.default_error_handler = Watched(before)
    try:
        yield
    finally:
        nlp.default_error_handler = before


def end_with_parent() -> None:
    """Let this process end as soon as its parent is gone, if it is a child of ``multiprocessing``. What it was at work on is lost."""
    Thread(target=_wait_and_leave, name="ends with its parent", daemon=True).start()


def _wait_and_leave() -> None:
    deadline = time.monotonic() + _PATIENCE
    while (parent := parent_process()) is None:
        if time.monotonic() > deadline:
            return
        time.sleep(0.01)
    parent.join()
    os._exit(1)


def _arrived(handler: Any) -> Any:
    """Called where the pipeline is read from a pickle: in a process that was spawned, which learns who its parent is just after that."""
    end_with_parent()
    return handler
