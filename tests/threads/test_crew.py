"""A crew shares out work to threads, keeps its order, and ends together whatever happens."""

import pickle
import threading
import time

import numpy as np
import pytest

from spacy_mtl.kernels import kernel
from spacy_mtl.threads.crew import ALONE, Crew
from spacy_mtl.threads.meeting import FAILED, meet, next_task


@kernel
def _rounds(values, sums, n_rounds, n_threads, state):
    """In each round the threads write all values, meet, and read what the others have written."""
    for number in range(n_rounds):
        k = next_task(state)
        while k < values.size:
            values[k] = number * values.size + k
            k = next_task(state)
        if not meet(state, n_threads):
            return
        total = values.sum()
        if not meet(state, n_threads):
            return
        k = next_task(state)
        if k == 0:
            sums[number] = total
        if not meet(state, n_threads):
            return


@pytest.mark.parametrize("size", [1, 2, 5])
def test_threads_meet_and_share_out_numbers(size):
    values, sums = np.zeros(37, np.int64), np.zeros(200, np.int64)
    Crew(size).run(lambda k, state: _rounds(values, sums, sums.size, size, state))
    expected = [sum(range(37 * number, 37 * number + 37)) for number in range(200)]
    assert sums.tolist() == expected


@pytest.mark.parametrize("size", [1, 2, 3])
def test_what_is_found_is_in_the_order_of_the_items(size):
    def slowly(item: int) -> int:
        time.sleep(0.01 * (item == 0))
        return item * item

    assert Crew(size).map(slowly, range(20)) == [item * item for item in range(20)]


def test_several_threads_are_at_work_at_once():
    both = threading.Barrier(2, timeout=20)
    assert sorted(Crew(2).map(lambda _: both.wait(), range(2))) == [0, 1]


@pytest.mark.parametrize("failing", [0, 1])
def test_what_a_thread_raises_is_raised_when_all_have_ended(failing):
    ended = []

    def task(k, state):
        if k == failing:
            raise RuntimeError(f"thread {k}")
        while state[FAILED] == 0:
            time.sleep(0.001)
        ended.append(k)

    with pytest.raises(RuntimeError, match=f"thread {failing}"):
        Crew(2).run(task)
    assert ended == [1 - failing]


def test_threads_that_wait_do_not_wait_for_one_that_has_failed():
    values, sums = np.zeros(3, np.int64), np.zeros(5, np.int64)

    def task(k, state):
        if k == 1:
            raise RuntimeError("gone")
        _rounds(values, sums, sums.size, 2, state)

    with pytest.raises(RuntimeError, match="gone"):
        Crew(2).run(task)


@pytest.mark.parametrize("n", [0, 1, 5, 1000])
def test_parts_cover_everything_once(n):
    for crew in (ALONE, Crew(3)):
        parts = crew.parts(n)
        assert [number for first, last in parts for number in range(first, last)] == list(range(n))
    assert len(ALONE.parts(n)) == 1


def test_a_crew_is_pickled_without_its_threads():
    crew = Crew(2)
    crew.map(str, [1, 2, 3])
    assert pickle.loads(pickle.dumps(crew)).map(str, [1, 2]) == ["1", "2"]
