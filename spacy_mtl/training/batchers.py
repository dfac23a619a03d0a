"""The batcher for batch trainers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from spacy_mtl.errors import Errors
from spacy_mtl.registry import registry
from spacy_mtl.settings import is_whole, shown
from spacy_mtl.stand_in import stand_in

from .spacy_loop import learns_from_whole_corpora

MOST_PASSES = 10_000


class WholeCorpus:
    """The batcher. passes: for each epoch, how many passes it makes; the last number is for all further epochs.

    In spaCy's loop, where only components that can take a corpus as a whole learn, an epoch is one batch of one Example that stands for the
    corpus as often as the epoch has passes (:mod:`spacy_mtl.stand_in`). Elsewhere it is as many batches of all items as it has passes.
    """

    def __init__(self, passes: Sequence[int] = (1,)):
        self.passes = tuple(passes)
        self._epoch = 0

    def __call__(self, items: Iterable[Any]) -> Iterator[list[Any]]:
        passes = self.passes[min(self._epoch, len(self.passes) - 1)]
        self._epoch += 1
        if isinstance(items, list) and items and learns_from_whole_corpora():
            yield [stand_in(items, passes)]
            return
        batch = list(items)
        for _ in range(passes if batch else 0):
            yield batch


@registry.batchers("spacy_mtl.whole_corpus.v1")
def create_whole_corpus(passes: list[int] | None = None) -> Callable[[Iterable[Any]], Iterator[list[Any]]]:
    """Make a batcher that turns the whole corpus into one batch, so that an update is a full pass, the natural step of a batch trainer.

    passes: how many passes the first epoch makes, the second, and so on; the last number holds for all further ones; null for one each. Where
    all components that learn are of this package and none annotates documents for the others, an epoch is a single step, and spaCy copies and
    evaluates once for all of its passes: ``[5, 3, 2, 1]`` makes few evaluations at first, while each pass still changes much. Otherwise
    each pass is a step of its own.

    ``[training] eval_frequency``, ``patience`` and ``max_steps`` count steps.

    Raises ValueError (M590) for other settings.
    """
    passes = [1] if passes is None else passes
    if not isinstance(passes, list) or not passes or not all(is_whole(n, 1, MOST_PASSES) for n in passes):
        expected = f"a list of whole numbers from 1 to {MOST_PASSES}, or null"
        name = "spacy_mtl.whole_corpus.v1"
        raise ValueError(Errors.M590.format(setting="passes", name=name, expected=expected, value=shown(passes)))
    return WholeCorpus(passes)
