"""A crew: threads that run one kernel together."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import pairwise
from threading import Lock
from typing import TypeVar

import numpy as np
from numba import config

from .meeting import FAILED, new_state

Item = TypeVar("Item")
Found = TypeVar("Found")
#: Parts of the corpus for each of several threads, so that none waits long for another at the end.
PARTS = 4


class Crew:
    """``size`` threads, the caller's own among them. Kernels release Python's lock, so they run at the same time.

    Where compilation is switched off (``NUMBA_DISABLE_JIT``) they could not, and there is one.
    """

    def __init__(self, size: int):
        self.size = 1 if getattr(config, "DISABLE_JIT", 0) else size
        self._pool: ThreadPoolExecutor | None = None

    def run(self, task: Callable[..., None]) -> None:
        """Call task(k, state) for each thread k, and return when all have ended; raise what the first of them that failed has raised.

        state: where they can meet, see :mod:`.meeting`. Ctrl-C takes effect when all have ended.
        """
        state = new_state()
        if self.size == 1:
            task(0, state)
            return

        def attempt(k: int) -> None:
            try:
                task(k, state)
            except BaseException:
                state[FAILED] = 1  # the others must not wait for this one
                raise

        others: list[Future] = []
        try:
            pool = self._started()
            others += [pool.submit(attempt, k) for k in range(1, self.size)]
            attempt(0)
        except BaseException:
            state[FAILED] = 1
            raise
        finally:
            _wait_for(others)
        for other in others:
            other.result()

    def map(self, work: Callable[[Item], Found], items: Sequence[Item]) -> list[Found]:
        """What ``work`` returns for each item, in order; each thread takes the next one when it has time."""
        if self.size == 1:
            return [work(item) for item in items]
        found: list[Found | None] = [None] * len(items)
        numbers, lock = iter(range(len(items))), Lock()

        def task(k: int, state: np.ndarray) -> None:
            while state[FAILED] == 0:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                found[number] = work(items[number])

        self.run(task)
        return found  # type: ignore[return-value]

    def parts(self, n: int) -> list[tuple[int, int]]:
        """The numbers from 0 to n - 1 in parts for :meth:`map`, first and last + 1 of each: a single one for one thread."""
        count = 1 if self.size == 1 else max(1, min(n, PARTS * self.size))
        return list(pairwise(n * k // count for k in range(count + 1)))

    def _started(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.size - 1, thread_name_prefix="spacy_mtl")
        return self._pool

    def __reduce__(self) -> tuple:
        """Pickle without threads: each process starts its own."""
        return type(self), (self.size,)


def _wait_for(futures: list[Future]) -> None:
    """Wait to the end, however often the user interrupts: kernels write to arrays that must not change afterwards."""
    interrupted: BaseException | None = None
    while True:
        try:
            wait(futures)
            break
        except KeyboardInterrupt as error:
            interrupted = error
    if interrupted is not None:
        raise interrupted


#: The caller's own thread.
ALONE = Crew(1)
