"""Gather the documents of a pass over the corpus from the batches of the training loop, whatever the batcher."""

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import ClassVar

import numpy as np
from spacy.tokens import Doc

#: A pass may end with a document that comes again once this share of the known ones has been shown.
NEARLY = 0.9


#: No spans, and no rows of a tensor.
NO_SPANS = np.empty((0, 3), np.int32)
NO_ROWS = np.empty((0, 0), np.float32)


def content_key(reference: Doc, gold_attributes: Sequence[str], more: bytes = b"") -> bytes:
    """A hash that identifies a training document by its words and gold annotation (not by ``id()``: spaCy copies documents and reads them again).

    more: gold annotation that is none of words.
    """
    return blake2b(reference.to_array(["ORTH", *gold_attributes]).tobytes() + more, digest_size=12).digest()


@dataclass
class Piece:
    """One document as training sees it: attribute columns uint64[A, n], sentence borders int64[S + 1], gold labels int32[n].

    spans: int32[k, 3], gold as labelled spans (first word, end, label number) in the order of their first words, for structures that consist of such.
    tensor: float32[n, D], the rows of ``doc.tensor`` if a template reads them. outdated: whether gold has to be read again when the document comes
    again.
    """

    key: bytes
    given: np.ndarray
    starts: np.ndarray
    gold: np.ndarray
    spans: np.ndarray = field(default_factory=lambda: NO_SPANS)
    tensor: np.ndarray = field(default_factory=lambda: NO_ROWS)
    outdated: bool = False

    @property
    def sort_key(self) -> tuple[bytes, bytes, bytes]:
        return self.key, self.given.tobytes(), self.starts.tobytes()

    def same_input(self, given: np.ndarray, starts: np.ndarray, tensor: np.ndarray = NO_ROWS) -> bool:
        """Whether the input is the same, but for what rounding does to a tensor in batches of other sizes."""
        same = np.array_equal(self.given, given) and np.array_equal(self.starts, starts)
        if not same or self.tensor is tensor:
            return same
        return self.tensor.shape == tensor.shape and np.allclose(self.tensor, tensor, 1e-3, 1e-4)


class Gatherer:
    """The documents of a corpus, each in a slot of its own, ticked off as they are seen in a pass.

    expected: how often each content key occurs in what ``initialize`` was given; other documents may come later and then belong to the corpus.
    A pass is over when as many documents have been shown as were known when it began, or when one comes again after nearly all of them (since a
    batcher may leave documents out). So it is an epoch where there are epochs, and as much as one where documents are drawn at random.
    """

    #: whether documents may come that ``initialize`` did not see
    is_open: ClassVar[bool] = False

    def __init__(self, expected: Counter[bytes]):
        self.expected = Counter(expected)
        self.pieces: list[Piece] = []
        self.changed = False
        self._slots: dict[bytes, list[int]] = defaultdict(list)
        self._shown: Counter[bytes] = Counter()
        self._free: dict[bytes, deque[int]] = {}
        self._n_closed = 0
        self.n_shown = 0
        self.n_needed = self.n_expected

    @property
    def n_new(self) -> int:
        """The number of documents that no earlier pass had."""
        return len(self.pieces) - self._n_closed

    @property
    def grown(self) -> bool:
        return self.n_new > 0

    @property
    def n_expected(self) -> int:
        """The number of known documents."""
        return sum(self.expected.values())

    def knows(self, key: bytes) -> bool:
        """Whether ``initialize`` or an update has seen this document."""
        return key in self.expected

    def meet(self, keys: Sequence[bytes]) -> None:
        """Expect each document of a batch that was unknown as often as the batch has it."""
        for key, n in Counter(key for key in keys if not self.knows(key)).items():
            self.expected[key] = n

    def repeats(self, key: bytes) -> bool:
        """Whether this document, seen now, begins another pass: one that comes again after nearly all."""
        return 0 < self.expected[key] <= self._shown[key] and self.n_shown >= NEARLY * self.n_needed

    def find(self, key: bytes, given: np.ndarray, starts: np.ndarray, tensor: np.ndarray = NO_ROWS) -> int | None:
        """The slot of a document, preferably one that was not yet seen in this pass and has the same input; None for a new document."""
        if key not in self._free:
            self._free[key] = deque(self._slots[key])
        free = self._free[key]
        if not free and self._shown[key] >= max(self.expected[key], 1):
            return self._slots[key][-1]  # drawn again in the same pass
        same = (slot for slot in free if self.pieces[slot].same_input(given, starts, tensor))
        return next(same, free[0] if free else None)

    def show(self, piece: Piece, slot: int | None) -> int:
        """Tick off a document in ``slot`` (from :meth:`find`; None for a new slot) and return its slot."""
        self._shown[piece.key] += 1
        self.n_shown += 1
        if slot is None:
            slot = len(self.pieces)
            self._slots[piece.key].append(slot)
            self.expected[piece.key] = max(self.expected[piece.key], len(self._slots[piece.key]))
            self.pieces.append(piece)
            return slot
        if slot in self._free[piece.key]:
            self._free[piece.key].remove(slot)
        if self.pieces[slot] is not piece:
            self.pieces[slot], self.changed = piece, True
        return slot

    @property
    def is_complete(self) -> bool:
        return self.n_shown >= self.n_needed

    @property
    def begins_pass(self) -> bool:
        """Whether no document has been seen since the last pass ended."""
        return self.n_shown == 0

    def begin_pass(self) -> None:
        self._shown.clear()
        self._free.clear()
        self.n_shown, self.n_needed = 0, len(self.pieces)
        self.changed = False

    def close(self) -> np.ndarray:
        """Sort the documents that are new in this pass, so that the order in which they were read does not matter; others keep their slots.

        Returns the new slot of each old slot, int64[n].
        """
        first, n = self._n_closed, len(self.pieces)
        order = [*range(first), *sorted(range(first, n), key=lambda i: self.pieces[i].sort_key)]
        place = np.empty(n, np.int64)
        place[order] = np.arange(n)
        self.pieces = [self.pieces[i] for i in order]
        for slots in self._slots.values():
            slots[:] = sorted(int(place[slot]) for slot in slots)
        self._n_closed = n
        return place


def tensor_of(pieces: Sequence[Piece]) -> np.ndarray:
    """The rows of ``doc.tensor`` of all pieces, float32[N, D]; those without words have none, of whatever width."""
    return np.concatenate([piece.tensor for piece in pieces if piece.gold.size] or [NO_ROWS])


def concatenate(pieces: Sequence[Piece]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Attribute columns uint64[A, N], sentence borders int64[S + 1] and gold labels int32[N] of all pieces, in order."""
    lengths = [piece.gold.size for piece in pieces]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    starts = [piece.starts[:-1] + offset for piece, offset in zip(pieces, offsets[:-1], strict=True)]
    return (
        np.concatenate([piece.given for piece in pieces], axis=1),
        np.concatenate([*starts, offsets[-1:]]).astype(np.int64),
        np.concatenate([piece.gold for piece in pieces]),
    )
