"""The batcher of batch trainers."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from spacy_mtl.registry import registry

Item = TypeVar("Item")


def whole_corpus(items: Iterable[Item]) -> Iterator[list[Item]]:
    """One batch of everything; none when there is nothing."""
    if batch := list(items):
        yield batch


@registry.batchers("spacy_mtl.whole_corpus.v1")
def create_whole_corpus() -> Callable[[Iterable[Item]], Iterator[list[Item]]]:
    """A batcher that makes each epoch one batch: one update is one pass, the natural step of a batch trainer.

    With it ``[training] eval_frequency``, ``patience`` and ``max_steps`` count passes over the corpus.
    """
    return whole_corpus
