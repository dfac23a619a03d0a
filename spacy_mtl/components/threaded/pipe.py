"""ThreadedPipe: a component whose ``pipe`` predicts on several threads."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np
from spacy import util
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.components.confidence.pipe import ConfidentPipe, Told
from spacy_mtl.components.protocol.settings import refuse
from spacy_mtl.settings import is_whole
from spacy_mtl.threads.ahead import MOST_THREADS, split_evenly, work_ahead


class ThreadedPipe(ConfidentPipe):
    """A component that predicts the documents of ``pipe`` on ``threads`` threads.

    Predictions are the same for any number of threads. Documents are read by these threads but only ever written to by the thread that asks for them.
    """

    #: A piece of a batch has about this many words at least. After every kernel a thread waits for Python's lock, so calls should be few and long.
    piece: ClassVar[int] = 20_000
    _threads = 1

    @property
    def threads(self) -> int:
        """The number of threads that ``pipe`` predicts on. May be set at any time, for streams that begin later."""
        return self._threads

    @threads.setter
    def threads(self, value: int) -> None:
        if not is_whole(value, 1, MOST_THREADS):
            refuse(self.name, "threads", f"a whole number from 1 to {MOST_THREADS}", value)
        self._threads = int(value)

    @abstractmethod
    def make_ready(self, vocab: Vocab) -> None:
        """Make what predicts documents of a vocabulary, if the component is trained, so that no two threads make it at the same time."""

    def work(self, docs: Sequence[Doc]) -> Any:
        """What takes most of the time to annotate documents, without a change to any of them. Called by several threads at once."""
        return self.predict(docs)

    def finish(self, docs: Sequence[Doc], found: Sequence[Any]) -> Iterable[Doc]:
        """The documents annotated. found: what :meth:`work` returned for pieces of them, in order."""
        self.set_annotations(docs, joined(found))
        return docs

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotate a stream of documents, in order, on ``threads`` threads. With several, the stream is read some batches ahead."""
        handle = self.get_error_handler()
        for docs, find in self._found(stream, batch_size):
            try:
                yield from self.finish(docs, find())
            except Exception as error:
                handle(self.name, self, docs, error)

    def _found(self, stream: Iterable[Doc], size: int) -> Iterator[tuple[list[Doc], Callable[[], list[Any]]]]:
        """Batches, each with a function that returns what :meth:`work` finds in its pieces."""
        batches = map(list, util.minibatch(stream, size=size))
        if self._threads > 1:
            yield from work_ahead(self.work, self._after_first(batches), self._split, self._threads)
            return
        for docs in batches:
            yield docs, lambda docs=docs: [self.work(docs)]  # type: ignore[misc]

    def _after_first(self, batches: Iterable[list[Doc]]) -> Iterator[list[Doc]]:
        """The batches, after what they share has been made for the first one."""
        ready = False
        for docs in batches:
            if not ready:
                with suppress(Exception):  # it comes again where documents are predicted, and is handled there
                    self.make_ready(docs[0].vocab)
                ready = True
            yield docs

    def _split(self, docs: list[Doc], most: int) -> list[list[Doc]]:
        return [docs[part] for part in split_evenly([len(doc) for doc in docs], most, self.piece)]


def joined(found: Sequence[list[np.ndarray]]) -> list[np.ndarray]:
    """Predictions of pieces as those of the whole, with how sure the component is if it says so of all of them."""
    predicted = [each for part in found for each in part]
    told = [part for part in found if isinstance(part, Told)]
    return (
        Told(predicted, [each for part in told for each in part.confidences]) if len(told) == len(found) else predicted
    )
