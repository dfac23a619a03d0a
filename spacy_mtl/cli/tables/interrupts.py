"""Interrupts (Ctrl-C) that end a search, but not what has been found."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread


@contextmanager
def interrupts_noted() -> Iterator[Callable[[], bool]]:
    """Within, an interrupt raises nothing; what is returned tells whether there was one."""
    noted: list[int] = []
    if current_thread() is not main_thread():  # to which alone interrupts are told
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    try:
        yield lambda: bool(noted)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler if before is None else before)
