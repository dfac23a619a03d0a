"""Workers in the processes of a Ray cluster, each with an object that stays there."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spacy_mtl.cluster.connect import Cluster
from spacy_mtl.cluster.executor import guarded
from spacy_mtl.distributed.workers import bytes_of
from spacy_mtl.errors import Errors


class Actor:
    """The process of a worker. make: makes its object when it is first needed, so that what is wrong with it can be told."""

    def __init__(self, make: Callable[[], Any]):
        self._make, self._object = make, None

    def do(self, method: str, *given: Any) -> tuple[Any, str, str]:
        """What a method returns, or the sentence of the error that it raises, and the machine."""
        return guarded(self._answer, (method, given))

    def spread(self, count: int, method: str) -> list[Any]:
        """For each of so many workers what a method has for it, and at the end the sentence of its error."""
        found, fault, _ = self.do(method, count)
        return [*(found if not fault else [None] * count), fault]

    def _answer(self, job: tuple[str, tuple]) -> Any:
        method, given = job
        if self._object is None:
            self._object = self._make()
        return getattr(self._object, method)(*owned(given))


def owned(value: Any) -> Any:
    """The same with copies of arrays that cannot be written to, as those are that processes share: kernels are compiled for others."""
    if isinstance(value, np.ndarray):
        return value if value.flags.writeable else value.copy()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(owned, value))
    if isinstance(value, (tuple, list)):
        return type(value)(map(owned, value))
    return value


class RayCrew:
    """Workers, each with one CPU of the cluster (see :class:`.Crew`). makers: a function for each that makes its object, there."""

    def __init__(self, cluster: Cluster, makers: Sequence[Callable[[], Any]]):
        self._cluster, self._ray, self._makers = cluster, cluster.ray, makers
        self._actor = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(Actor)
        self.told: list[tuple[str, tuple]] = []
        self._hosts = [""] * len(makers)
        self.generations = [0] * len(makers)
        self.sent = [0] * len(makers)
        self.received = [0] * len(makers)
        self._actors = [self._actor.remote(make) for make in makers]
        self._replayed: dict[int, list[Any]] = {}

    def __len__(self) -> int:
        return len(self._makers)

    def name(self, k: int) -> str:
        host = f" ({self._hosts[k]})" if self._hosts[k] else ""
        return f"Worker {k + 1} of {len(self)}{host}"

    def kill(self, k: int) -> None:
        """End the process of a worker, with all that it knows."""
        self._ray.kill(self._actors[k])

    def call(self, method: str, arguments: Sequence[tuple]) -> list[Any]:
        stored: dict[int, Any] = {}  # what several get is sent to each machine once
        asked = []
        for k, (actor, given) in enumerate(zip(self._actors, arguments, strict=True)):
            self.sent[k] += bytes_of(given)
            asked.append(actor.do.remote(method, *(self._put(each, stored) for each in given)))
        return self._answers(asked)

    def _put(self, value: Any, stored: dict[int, Any]) -> Any:
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if id(value) not in stored:
            stored[id(value)] = self._ray.put(value)
        return stored[id(value)]

    def _answers(self, asked: Sequence[Any]) -> list[Any]:
        """What the workers answer, None where one was lost."""
        found: list[Any] = []
        for k, reference in enumerate(asked):
            try:
                for replayed in self._replayed.pop(k, []):
                    _, fault, self._hosts[k] = self._ray.get(replayed)
                    if fault:
                        self._refuse(k, fault)
                value, fault, self._hosts[k] = self._ray.get(reference)
            except (
                self._ray.exceptions.RayTaskError
            ) as error:  # what was sent cannot be read there, or belonged to a worker that is lost
                if not isinstance(error.cause, self._ray.exceptions.RayError):
                    self._refuse(k, str(error.cause or error))
                value, fault = None, ""
            except self._ray.exceptions.RayError:
                self._replace(k)
                value, fault = None, ""
            if fault:
                self._refuse(k, fault)
            found.append(value)
            self.received[k] += bytes_of(value)
        return found

    def _refuse(self, k: int, reason: str) -> None:
        told = " ".join(reason.split()).rstrip(".")
        raise ValueError(Errors.M944.format(worker=self.name(k), reason=told)) from None

    def _replace(self, k: int) -> None:
        """Begin with another process in place of one that is lost, and tell it what the others know."""
        self.generations[k] += 1
        self._ray.kill(self._actors[k])
        self._actors[k] = self._actor.remote(self._makers[k])
        do = self._actors[k].do  # calls are made in this order
        self._replayed[k] = [do.remote(method, *given) for method, given in self.told]

    def exchange(self, method: str, taken_by: str) -> list[Any]:
        n = len(self)
        parts = [actor.spread.options(num_returns=n + 1).remote(n, method) for actor in self._actors]
        lost = False
        for k, part in enumerate(parts):
            try:
                fault = self._ray.get(part[n])
            except self._ray.exceptions.RayError:
                self._replace(k)
                lost, fault = True, ""
            if fault:
                self._refuse(k, fault)
        if lost:
            return [None] * n
        return self._answers(
            [actor.do.remote(taken_by, *(part[k] for part in parts)) for k, actor in enumerate(self._actors)]
        )
