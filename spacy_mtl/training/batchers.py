"""The batcher for batch trainers."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from spacy_mtl.registry import registry

Item = TypeVar("Item")


def whole_corpus(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield all items as a single batch; no batch if there are no items."""
    if batch := list(items):
        yield batch


@registry.batchers("spacy_mtl.whole_corpus.v1")
def create_whole_corpus() -> Callable[[Iterable[Item]], Iterator[list[Item]]]:
    """Make a batcher that turns each epoch into one batch, so that an update is a full pass, the natural step of a batch trainer.

    ``[training] eval_frequency``, ``patience`` and ``max_steps`` then count passes over the corpus.
    """
    return whole_corpus
