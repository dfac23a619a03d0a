"""The workers of a training: they are asked all together, and one that is lost is replaced by one that has been told all that it was."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from spacy_mtl.distributed.workers import MOST_LOST, bytes_of
from spacy_mtl.errors import Errors


class Crew(Protocol):
    """Workers, each of which has an object with methods that answer with something other than None.

    generations: how often each worker has been replaced. sent, received: bytes to and from each. told: methods and arguments that a worker
    that replaces another is asked first, one after the other.
    """

    told: list[tuple[str, tuple]]
    generations: list[int]
    sent: list[int]
    received: list[int]

    def __len__(self) -> int: ...

    def name(self, k: int) -> str:
        """Worker k in a sentence."""

    def call(self, method: str, arguments: Sequence[tuple]) -> list[Any]:
        """Call a method of each worker's object. Returns what they return; None for one that was lost, and has been replaced.

        Raises ValueError (M944), which names the worker, for what a method raises.
        """

    def exchange(self, method: str, taken_by: str) -> list[Any]:
        """Call a method, which is told the number of workers and returns something for each; another one then takes what all have for its worker.

        Returns as :meth:`call` does.
        """


def ask(crew: Crew, method: str, *given: Any) -> list[Any]:
    """What each worker answers; a worker that is lost meanwhile is asked again. Raises ValueError: M377 workers are lost again and again, M944."""
    for _ in range(MOST_LOST):
        found = crew.call(method, [given] * len(crew))
        if all(each is not None for each in found):
            return found
    raise ValueError(Errors.M377.format(lost=MOST_LOST))


def tell(crew: Crew, method: str, *given: Any) -> list[Any]:
    """The same with what replacements have to be told, too."""
    found = ask(crew, method, *given)
    crew.told.append((method, given))
    return found


def forget(crew: Crew, *methods: str) -> None:
    """Replacements need not be told these any more."""
    crew.told[:] = [each for each in crew.told if each[0] not in methods]


class PartWorkers:
    """The workers as seen by the ascent of one of several problems (see :class:`.distributed.workers.Workers`).

    A worker that was lost to another problem has lost its mixtures of this one, too: the next call is answered with None.
    """

    def __init__(self, crew: Crew, part: int):
        self._crew, self._part = crew, part
        self._seen = list(crew.generations)

    def __len__(self) -> int:
        return len(self._crew)

    def name(self, k: int) -> str:
        return self._crew.name(k)

    def call(self, method: str, arguments: Sequence[tuple]) -> list[Any]:
        found = self._crew.call("on", [(self._part, method, *given) for given in arguments])
        for k, generation in enumerate(self._crew.generations):
            if generation != self._seen[k]:
                found[k] = None
        self._seen = list(self._crew.generations)
        return found


class LocalCrew:
    """Workers that take turns in this process. makers: a function for each that makes its object."""

    def __init__(self, makers: Sequence[Callable[[], Any]]):
        self._makers = makers
        self.told: list[tuple[str, tuple]] = []
        self.workers: list[Any] = [make() for make in makers]
        self.generations = [0] * len(makers)
        self.sent = [0] * len(makers)
        self.received = [0] * len(makers)

    def __len__(self) -> int:
        return len(self._makers)

    def name(self, k: int) -> str:
        return f"Worker {k + 1} of {len(self)}"

    def kill(self, k: int) -> None:
        """Lose a worker with all that it knows."""
        self.workers[k] = None

    def _one(self, k: int, method: str, given: tuple) -> Any:
        self.sent[k] += bytes_of(given)
        if self.workers[k] is None:
            self._replace(k)
            return None
        try:
            found = getattr(self.workers[k], method)(*given)
        except (ValueError, OSError) as error:
            if len(self) == 1 and isinstance(error, ValueError):  # the command itself
                raise
            raise ValueError(Errors.M944.format(worker=self.name(k), reason=str(error).rstrip("."))) from None
        self.received[k] += bytes_of(found)
        return found

    def _replace(self, k: int) -> None:
        self.workers[k] = self._makers[k]()
        self.generations[k] += 1
        for method, given in self.told:
            getattr(self.workers[k], method)(*given)

    def call(self, method: str, arguments: Sequence[tuple]) -> list[Any]:
        return [self._one(k, method, given) for k, given in enumerate(arguments)]

    def exchange(self, method: str, taken_by: str) -> list[Any]:
        parts = self.call(method, [(len(self),)] * len(self))
        if any(part is None for part in parts):
            return [None] * len(self)
        return self.call(taken_by, [tuple(part[k] for part in parts) for k in range(len(self))])
