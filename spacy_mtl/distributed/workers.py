"""Workers as the driver sees them, and workers of this process: for tests, and to count rounds and bytes of more workers than there are machines."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from .shard import Shard

#: Workers that may be lost in turn while all are asked the same.
MOST_LOST = 20


class Workers(Protocol):
    """The workers of a training. A worker that is lost has been replaced, with all its mass on gold, when ``call`` returns."""

    def __len__(self) -> int: ...

    def name(self, k: int) -> str:
        """Worker k in a sentence."""

    def call(self, method: str, arguments: Sequence[tuple]) -> list[Any]:
        """Call this method of every worker's :class:`.Shard`, each with its arguments. Returns what they return; None for one that was lost."""


def bytes_of(message: Any) -> int:
    """The size of what is sent, without its envelope."""
    if isinstance(message, (tuple, list)) and not hasattr(message, "nbytes"):
        return sum(map(bytes_of, message))
    return int(getattr(message, "nbytes", 8))


class LocalWorkers:
    """Workers that take turns in this process.

    makers: a function for each worker that makes its shard. sent, received: bytes to and from each worker so far.
    """

    def __init__(self, makers: Sequence[Callable[[], Shard]]):
        self._makers = makers
        self.shards: list[Shard | None] = [make() for make in makers]
        self.sent = [0] * len(makers)
        self.received = [0] * len(makers)

    def __len__(self) -> int:
        return len(self._makers)

    def name(self, k: int) -> str:
        return f"worker {k + 1} of {len(self)}"

    def kill(self, k: int) -> None:
        """Lose a worker with all that it knows."""
        self.shards[k] = None

    def call(self, method: str, arguments: Sequence[tuple]) -> list[Any]:
        found: list[Any] = []
        for k, given in enumerate(arguments):
            shard = self.shards[k]
            self.sent[k] += bytes_of(given)
            found.append(None if shard is None else getattr(shard, method)(*given))
            self.received[k] += bytes_of(found[-1])
            if shard is None:
                self.shards[k] = self._makers[k]()
        return found
