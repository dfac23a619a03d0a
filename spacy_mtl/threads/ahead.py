"""Work on the pieces of a stream of batches, ahead of the one whose turn it is.

The caller's own thread takes part: it reads the stream, does pieces that nobody has begun, and gets the batches back in their order. So n threads are
at work, and what only one thread can do at a time, such as writing to documents, is done while the others are in kernels.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from itertools import accumulate, pairwise
from typing import Any, Generic, TypeVar

#: The largest number of threads that a setting may ask for.
MOST_THREADS = 256

Item = TypeVar("Item")
Found = TypeVar("Found")


class _Piece(Generic[Found]):
    """A piece of work, done by a thread of the pool or by the caller's, whoever comes first."""

    def __init__(self, work: Callable[[], Found], pool: ThreadPoolExecutor):
        self._work = work
        self._future: Future = pool.submit(copy_context().run, work)

    def take(self) -> bool:
        """Do it in this thread, unless another has begun. Returns whether it has been done here."""
        if not self._future.cancel():
            return False
        self._future = Future()
        try:
            self._future.set_result(self._work())
        except Exception as error:
            self._future.set_exception(error)
        return True

    @property
    def done(self) -> bool:
        return self._future.done()

    def found(self) -> Found:
        """What was found, after waiting for it; raises what the work has raised."""
        return self._future.result()


def work_ahead(
    work: Callable[[Sequence[Item]], Found],
    batches: Iterable[list[Item]],
    split: Callable[[list[Item], int], list[list[Item]]],
    threads: int,
) -> Iterator[tuple[list[Item], Callable[[], list[Found]]]]:
    """Yield each batch, in order, and a function that returns what ``work`` finds in its pieces.

    split: a batch, and the largest number of pieces -> its pieces. Where the work on a piece raises anything, the function returns or raises what the
    work on the whole batch does. At least one batch more than has been yielded is read, and as many as keep the threads busy; what the stream itself
    raises is raised after the batches before it.
    """
    source, failure = iter(batches), list[BaseException]()

    def read() -> Iterator[list[Item]]:
        try:
            yield from source
        except Exception as error:
            failure.append(error)

    with _pool(threads - 1) as pool:
        yield from _in_order(work, read(), split, threads, pool)
    if failure:
        raise failure[0]


@contextmanager
def _pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """A pool of threads. When it ends, what has not been begun never is, and what has been is waited for."""
    pool = ThreadPoolExecutor(max(1, threads), thread_name_prefix="spacy_mtl")
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _in_order(
    work: Callable[[Sequence[Item]], Found], unread: Iterator[list[Item]], split: Callable, threads: int,
    pool: ThreadPoolExecutor,
) -> Iterator[tuple[list[Item], Callable[[], list[Found]]]]:  # fmt: skip
    queue: deque[tuple[list[Item], list[_Piece[Found]]]] = deque()
    while True:
        while len(queue) < 2 or sum(len(pieces) for _, pieces in queue) - len(queue[0][1]) < 2 * threads:
            batch = next(unread, None)
            if batch is None:
                break
            parts = split(batch, 8 * threads)
            queue.append((batch, [_Piece(lambda part=part: work(part), pool) for part in parts]))  # type: ignore[misc]
        if not queue:
            return
        _help(queue)
        batch, pieces = queue.popleft()
        yield batch, _finder(work, batch, pieces)


def _help(queue: deque[tuple[Any, list[_Piece[Any]]]]) -> None:
    """Do pieces that nobody has begun, the first ones first, until those of the first batch are done."""
    waiting = deque(piece for _, pieces in queue for piece in pieces)
    while waiting and not all(piece.done for piece in queue[0][1]):
        waiting.popleft().take()


def _finder(
    work: Callable[[Sequence[Item]], Found], batch: list[Item], pieces: Sequence[_Piece[Found]]
) -> Callable[[], list[Found]]:
    def found() -> list[Found]:
        try:
            return [piece.found() for piece in pieces]
        except Exception:
            return [work(batch)]  # as one thread does it, for the same result or the same message

    return found


def split_evenly(sizes: Sequence[int], most: int, least: int) -> list[slice]:
    """Slices of items of these sizes that add up to about the same: ``most`` at most, of a size of at least about ``least`` on average.

    None but that of all items is without size.
    """
    ends, n = list(accumulate(sizes)), len(sizes)
    total = ends[-1] if ends else 0
    count = max(1, min(most, total // max(1, least)))
    wanted = (bisect_left(ends, k * total / count) + 1 for k in range(1, count))
    cuts = sorted({0, *(cut for cut in wanted if cut < n and ends[cut - 1] < total), n})
    return [slice(a, b) for a, b in pairwise(cuts)]
