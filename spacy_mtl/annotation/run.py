"""The driver: gives partitions to workers, again where their processes die, and finds the documents that these die of."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from spacy_mtl.cluster.executor import Executor, Outcome
from spacy_mtl.errors import Errors

from .documents import Done
from .partitions import Partition
from .work import Job

#: A partition is given out again after its worker has died, so many times; then documents are looked for that it dies of.
AGAIN = 2
#: A document is set aside when a process has died on it alone so many times.
ALONE = 2
#: So many searches that find nothing, and the partition is given up.
SEARCHES = 3
#: Seconds between two looks.
LOOK = 0.5


@dataclass(slots=True)
class _State:
    """A partition that is at work. deaths: of its workers since the last document was found. span: what is searched, if anything is."""

    partition: Partition
    deaths: int = 0
    searches: int = 0
    span: tuple[int, int] = (0, 0)
    alone: int = 0
    skip: dict[int, str] = field(default_factory=dict)


class Run:
    """Annotates partitions. tell: called with each that is done.

    Where processes die, they may have been killed, or have died of a document. So a partition is first given out again; then its documents are halved
    again and again: that half is kept of which a process dies, and the other one otherwise. Nothing is written meanwhile.
    """

    def __init__(self, executor: Executor, job: Job, tell: Callable[[Done], object] = lambda _: None):
        self._executor, self._job, self._tell = executor, job, tell
        self._states: dict[int, _State] = {}
        self._given_up: list[str] = []

    def run(self, partitions: Sequence[Partition]) -> list[Done]:
        """Annotate all of these.

        Raises ValueError: M910 a worker could not read, load or write something; M912, when all others are done, a partition ends any process.
        """
        left, found = deque(partitions), list[Done]()
        while left or self._states:
            while left and len(self._states) < 2 * self._executor.slots():
                partition = left.popleft()
                self._states[partition.number] = _State(partition)
                self._submit(self._states[partition.number], "write")
            for outcome in self._executor.outcomes(LOOK):
                done = self._take(outcome)
                if done is not None:
                    found.append(done)
                    self._tell(done)
        if self._given_up:
            raise ValueError(self._given_up[0])
        return found

    def _submit(self, state: _State, purpose: str, span: tuple[int, int] = (0, 0)) -> None:
        job = replace(self._job, partition=state.partition, purpose=purpose, span=span, skip=dict(state.skip))
        self._executor.submit(job)

    def _take(self, outcome: Outcome) -> Done | None:
        """What comes next for a partition; what became of it, if it is done."""
        job: Job = outcome.job
        state = self._states[job.partition.number]
        if outcome.fault:
            place = job.partition
            raise ValueError(
                Errors.M910.format(worker=outcome.worker, number=place.number, path=place.name, reason=outcome.fault)
            )
        if job.purpose == "write" and not outcome.died:
            del self._states[job.partition.number]
            return outcome.value
        if job.purpose == "write":
            self._again(state, outcome.died)
        elif job.purpose == "count":
            self._counted(state, outcome)
        else:
            self._halve(state, job.span, outcome.died)
        return None

    def _again(self, state: _State, died: str) -> None:
        state.deaths += 1
        if state.deaths <= AGAIN:
            self._submit(state, "write")
        elif state.searches < SEARCHES:
            state.searches += 1
            self._submit(state, "count")
        else:
            place = state.partition
            self._given_up.append(Errors.M912.format(number=place.number, path=place.name, reason=died))
            del self._states[place.number]

    def _counted(self, state: _State, outcome: Outcome) -> None:
        if outcome.died:  # reading alone ends the process, or it was killed
            self._again(state, outcome.died)
            return
        if not outcome.value:  # there is no document to blame
            self._submit(state, "write")
            return
        state.span, state.alone = (0, outcome.value), 0
        self._search(state)

    def _search(self, state: _State) -> None:
        """Try the first half of what is left, or the last document alone."""
        first, last = state.span
        self._submit(state, "try", (first, last if last - first == 1 else (first + last) // 2))

    def _halve(self, state: _State, tried: tuple[int, int], died: str) -> None:
        first, last = state.span
        if last - first > 1:
            state.span = tried if died else (tried[1], last)
            self._search(state)
        elif not died:  # it was killed, or died of several documents together
            self._submit(state, "write")
        else:
            state.alone += 1
            if state.alone == ALONE:
                state.skip[first] = Errors.M911.format(n=ALONE, reason=died)
                state.deaths, state.searches = AGAIN, 0  # with the next death, look for the next document at once
                self._submit(state, "write")
            else:
                self._search(state)
