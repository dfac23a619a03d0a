"""Workers that are asked all together."""

import pytest

from spacy_mtl.distributed.workers import MOST_LOST
from spacy_mtl.sharded.crew import LocalCrew, PartWorkers, ask, forget, tell


class Answering:
    """Remembers what it is told."""

    def __init__(self):
        self.told = []

    def note(self, what):
        self.told.append(what)
        return what

    def on(self, part, method, *given):
        return part, method, *given

    def spread(self, workers):
        return [(id(self), k) for k in range(workers)]

    def take(self, *parts):
        return list(parts)

    def fail(self):
        raise ValueError("[M000] There is nothing.")


def crew(n=2):
    return LocalCrew([Answering] * n)


def test_a_replacement_is_told_what_the_others_were():
    workers = crew()
    tell(workers, "note", "a")
    tell(workers, "note", "b")
    ask(workers, "note", "not remembered")
    workers.kill(1)
    assert ask(workers, "note", "c") == ["c", "c"]
    assert workers.workers[1].told == ["a", "b", "c"]
    assert workers.generations == [0, 1]
    forget(workers, "note")
    workers.kill(0)
    ask(workers, "note", "d")
    assert workers.workers[0].told == ["d"]


def test_a_worker_that_was_lost_to_one_problem_is_lost_to_all():
    workers = crew()
    parts = [PartWorkers(workers, k) for k in range(2)]
    workers.kill(1)
    assert parts[0].call("x", [(1,), (1,)]) == [(0, "x", 1), None]
    assert parts[0].call("x", [(1,), (1,)]) == [(0, "x", 1), (0, "x", 1)]
    assert parts[1].call("y", [(), ()]) == [(1, "y"), None]
    assert parts[1].call("y", [(), ()]) == [(1, "y"), (1, "y")]


def test_an_exchange_gives_each_worker_what_all_have_for_it():
    workers = crew(3)
    found = workers.exchange("spread", "take")
    owners = [id(worker) for worker in workers.workers]
    assert found == [[(owner, k) for owner in owners] for k in range(3)]
    workers.kill(2)
    assert workers.exchange("spread", "take") == [None] * 3
    assert None not in workers.exchange("spread", "take")


def test_what_a_worker_refuses_is_told_with_its_name():
    with pytest.raises(ValueError, match=r"M944.*Worker 1 of 2: \[M000\] There is nothing\.$"):
        ask(crew(), "fail")


def test_workers_that_are_lost_again_and_again_end_the_training(monkeypatch):
    workers = crew()
    call = workers.call

    def dying(method, arguments):
        workers.kill(0)
        return call(method, arguments)

    monkeypatch.setattr(workers, "call", dying)
    with pytest.raises(ValueError, match=rf"M377.*{MOST_LOST}"):
        ask(workers, "note", "a")
