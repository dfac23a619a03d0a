"""Gather the documents of a pass over the corpus from the batches of the training loop, whatever the batcher."""

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import ClassVar

import numpy as np
from spacy.tokens import Doc

from spacy_mtl.errors import Errors


def content_key(reference: Doc, gold_attributes: Sequence[str]) -> bytes:
    """A hash that identifies a training document by its words and gold annotation (not by ``id()``: spaCy copies documents and reads them again)."""
    return blake2b(reference.to_array(["ORTH", *gold_attributes]).tobytes(), digest_size=12).digest()


@dataclass
class Piece:
    """One document as training sees it: attribute columns uint64[A, n], sentence borders int64[S + 1], gold labels int32[n]."""

    key: bytes
    given: np.ndarray
    starts: np.ndarray
    gold: np.ndarray

    @property
    def sort_key(self) -> tuple[bytes, bytes, bytes]:
        return self.key, self.given.tobytes(), self.starts.tobytes()

    def same_input(self, given: np.ndarray, starts: np.ndarray) -> bool:
        return np.array_equal(self.given, given) and np.array_equal(self.starts, starts)


class Gatherer:
    """The documents of a corpus, each in a slot of its own, ticked off as they are seen in a pass.

    expected: how often each content key occurs in the corpus of ``initialize``. A pass is over when every document has been seen, or when one
    is seen for the second time (since a batcher may leave documents out).
    """

    #: whether documents may come that ``initialize`` did not see
    is_open: ClassVar[bool] = False

    def __init__(self, expected: Counter[bytes]):
        self.expected = expected
        self.pieces: list[Piece] = []
        self.changed = False
        self._slots: dict[bytes, list[int]] = defaultdict(list)
        self._shown: Counter[bytes] = Counter()
        self._n_shown = 0
        self._free: dict[bytes, deque[int]] = {}
        self.closed = False
        self.grown = False

    @property
    def n_expected(self) -> int:
        return sum(self.expected.values())

    def repeats(self, key: bytes) -> bool:
        """Whether this document, seen now, begins another pass. Raises ValueError (M405) for one that ``initialize`` did not see."""
        if key not in self.expected:
            raise ValueError(Errors.M405)
        return self._shown[key] >= self.expected[key]

    def find(self, key: bytes, given: np.ndarray, starts: np.ndarray) -> int | None:
        """The slot of a document not yet seen in this pass, preferably one with the same input; None if there is no such slot."""
        if key not in self._free:
            self._free[key] = deque(self._slots[key])
        free = self._free[key]
        same = (slot for slot in free if self.pieces[slot].same_input(given, starts))
        return next(same, free[0] if free else None)

    def show(self, piece: Piece, slot: int | None) -> int:
        """Tick off a document in ``slot`` (from :meth:`find`; None for a new slot) and return its slot. A new slot in a later pass sets ``grown``."""
        self._shown[piece.key] += 1
        self._n_shown += 1
        if slot is None:
            self.grown |= self.closed
            slot = len(self.pieces)
            self._slots[piece.key].append(slot)
            self.pieces.append(piece)
        else:
            self._free[piece.key].remove(slot)
            if self.pieces[slot] is not piece:
                self.pieces[slot], self.changed = piece, True
        return slot

    @property
    def is_complete(self) -> bool:
        return self._n_shown >= self.n_expected

    @property
    def begins_pass(self) -> bool:
        """Whether no document has been seen since the last pass ended."""
        return self._n_shown == 0

    def begin_pass(self) -> None:
        self._shown.clear()
        self._n_shown = 0
        self._free.clear()
        self.changed = self.grown = False

    def close(self) -> np.ndarray:
        """End the first pass, or one with new documents: sort the documents, so that the order in which they were read does not matter.

        Returns the new slot of each old slot, int64[n].
        """
        order = sorted(range(len(self.pieces)), key=lambda i: self.pieces[i].sort_key)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        self.pieces = [self.pieces[i] for i in order]
        for slots in self._slots.values():
            slots[:] = sorted(int(place[slot]) for slot in slots)
        self.closed = True
        return place


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
