"""Learning from a corpus as a whole, where one Example stands for all others (:mod:`spacy_mtl.stand_in`)."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from spacy.training import Example

from spacy_mtl.learning.gather import Gatherer
from spacy_mtl.learning.learner import Learner
from spacy_mtl.stand_in import StandIn

#: So many documents are read at a time.
AT_ONCE = 1000


class TakesWholeCorpus(ABC):
    """A component that need not be shown the documents again for each pass."""

    #: Tells the batcher ``spacy_mtl.whole_corpus.v1`` that ``update`` understands an Example that stands for a corpus.
    takes_whole_corpus: ClassVar[bool] = True

    _gathered: Gatherer | None
    _learner: Learner | None
    _held: list[Example] | None
    _depends: bool
    #: Called after each pass of an update that makes several, with its number (from 1) and how many there are: a logger may set it.
    after_pass: Callable[[int, int], None] | None

    @abstractmethod
    def _show_batch(self, examples: list[Example]) -> float:
        """Take documents as they come. Returns the training losses of the passes that have ended."""

    @abstractmethod
    def _end_pass(self) -> float:
        """End a pass over the corpus and return the training loss."""

    def _learn_whole(self, corpus: StandIn) -> float:
        """Make all passes over a corpus, the first over its documents if it is not the corpus at hand. Returns the sum of the training losses.

        Where the documents do not make up a full pass, since ``initialize`` has seen others, they are shown again for every pass, as in batches.
        """
        loss, left = 0.0, corpus.passes
        while left and self._held is not corpus.examples:
            loss += self._show_all(corpus.examples)
            left -= 1
            self._tell(corpus.passes - left, corpus.passes)
        for k in range(left):
            loss += self._repeat_pass()
            self._tell(corpus.passes - left + k + 1, corpus.passes)
        return loss

    def _tell(self, done: int, passes: int) -> None:
        if self.after_pass is not None:
            self.after_pass(done, passes)

    def _show_all(self, examples: list[Example]) -> float:
        assert self._gathered is not None
        whole = self._gathered.n_expected == len(examples)
        loss = 0.0
        for begin in range(0, len(examples), AT_ONCE):
            loss += self._show_batch(examples[begin : begin + AT_ONCE])
        if whole and self._gathered.begins_pass and self._learner is not None and not self._depends:
            self._held = examples
        return loss

    def _repeat_pass(self) -> float:
        """A pass over the documents at hand."""
        assert self._learner is not None
        self._learner.step(np.arange(len(self._learner.documents)))
        return self._end_pass()
