import threading
import time
from contextvars import ContextVar
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.threads.ahead import split_evenly, work_ahead

VARIABLE = ContextVar("variable", default="unset")


def halves(batch, most):
    return [batch[: len(batch) // 2], batch[len(batch) // 2 :]] if len(batch) > 1 else [batch]


def found(work, batches, threads=2, split=halves):
    return [
        (batch, [each for part in find() for each in part]) for batch, find in work_ahead(work, batches, split, threads)
    ]


def squares(items):
    return [item**2 for item in items]


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_batches_come_in_order_with_what_was_found_in_them(threads):
    batches = [list(range(k, k + k % 4)) or [k] for k in range(40)]

    def work(items):
        time.sleep(0.0005 * (items[0] % 3))
        return squares(items)

    assert found(work, batches, threads) == [(batch, squares(batch)) for batch in batches]


def test_nothing_comes_of_nothing():
    assert found(squares, []) == []


def test_pieces_are_worked_on_at_the_same_time():
    """Each of three pieces waits for the two others."""
    together = threading.Barrier(3, timeout=20)

    def work(items):
        together.wait()
        return items

    assert found(work, [[1], [2], [3]], threads=3, split=lambda batch, most: [batch]) == [([k], [k]) for k in (1, 2, 3)]


def test_the_thread_that_asks_takes_part():
    begun, threads = threading.Event(), set()

    def work(items):
        threads.add(threading.current_thread() is threading.main_thread())
        if threading.current_thread() is threading.main_thread():
            begun.set()
        else:
            assert begun.wait(20)  # the pool is busy until the main thread has done something
        return items

    found(work, [[k] for k in range(6)])
    assert threads == {True, False}


def test_no_more_is_read_than_keeps_the_threads_busy():
    read = []

    def stream():
        for k in range(100):
            read.append(k)
            yield [k]

    results = work_ahead(squares, stream(), halves, 2)
    next(results)
    assert 2 <= len(read) <= 6
    results.close()
    assert len(read) <= 6


def test_what_fails_in_a_piece_is_done_once_more_as_a_whole():
    seen = []

    def work(items):
        seen.append(list(items))
        if 3 in items:
            raise ValueError(f"three among {len(items)}")
        return items

    results = work_ahead(work, [[1, 2, 3, 4], [5]], halves, 2)
    _, find = next(results)
    with pytest.raises(ValueError, match="three among 4"):
        find()
    assert next(results)[1]() == [[5]]
    assert [3, 4] in seen


def test_a_stream_that_fails_does_so_after_what_came_before():
    def stream():
        yield [1]
        yield [2, 3]
        raise KeyError("broken")

    results = work_ahead(squares, stream(), halves, 3)
    assert [find() for _, find in islice(results, 2)] == [[[1]], [[4], [9]]]
    with pytest.raises(KeyError, match="broken"):
        next(results)


def test_an_interrupt_ends_all_threads():
    before = threading.active_count()

    def work(items):
        time.sleep(0.02)
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        return items

    with pytest.raises(KeyboardInterrupt):
        found(work, [[k] for k in range(50)], threads=4)
    assert threading.active_count() <= before


def test_an_end_amid_the_stream_ends_all_threads():
    before = threading.active_count()
    results = work_ahead(squares, ([k] for k in range(10**9)), halves, 3)
    for _ in range(5):
        next(results)
    results.close()
    assert threading.active_count() <= before


def test_threads_see_the_context_of_the_caller():
    token = VARIABLE.set("set")
    try:
        values = found(lambda items: (time.sleep(0.001), [VARIABLE.get()])[1], [[k] for k in range(8)], threads=4)
    finally:
        VARIABLE.reset(token)
    assert {value for _, each in values for value in each} == {"set"}


@given(st.lists(st.integers(0, 50), max_size=30), st.integers(1, 12), st.integers(1, 60))
def test_slices_are_all_there_is_in_pieces_of_about_a_size(sizes, most, least):
    slices = split_evenly(sizes, most, least)
    assert [size for part in slices for size in sizes[part]] == sizes
    assert len(slices) <= most
    total, largest = sum(sizes), max(sizes, default=0)
    if len(slices) > 1:
        assert total >= least * len(slices)
        assert min(sum(sizes[part]) for part in slices) > 0
    if sizes:
        assert max(sum(sizes[part]) for part in slices) <= total / max(1, min(most, total // least)) + largest


def test_pieces_are_even():
    assert split_evenly([1] * 12, 3, 1) == [slice(0, 4), slice(4, 8), slice(8, 12)]
    assert split_evenly([1] * 12, 3, 100) == [slice(0, 12)]
    assert split_evenly([], 3, 1) == []
    assert split_evenly([0] * 12, 3, 1) == [slice(0, 12)]
    assert split_evenly([5, 0, 0], 3, 1) == [slice(0, 3)]
