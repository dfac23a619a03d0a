"""Collect a pass over the corpus from whatever batches the training loop makes, and turn it into a problem."""

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from spacy.tokens import Doc

from spacy_mtl.errors import Errors


def content_key(reference: Doc, gold_attributes: Sequence[str]) -> bytes:
    """What makes two training documents the same: words and gold annotation (never ``id()``: spaCy copies and re-reads)."""
    return blake2b(reference.to_array(["ORTH", *gold_attributes]).tobytes(), digest_size=12).digest()


@dataclass
class Piece:
    """One document as read: given attribute columns uint64[A, n], borders of its sentences int64[S + 1], gold int32[n]."""

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
    """The documents of a corpus, each in a slot of its own, ticked off as a pass shows them.

    expected: how often each content key occurs, as seen by ``initialize``. A pass is over when every document has been shown, or when one
    comes a second time (a batcher may leave documents out).
    """

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
        """Whether showing this document now would begin another pass. Raises ValueError (M405) for one that ``initialize`` never saw."""
        if key not in self.expected:
            raise ValueError(Errors.M405)
        return self._shown[key] >= self.expected[key]

    def find(self, key: bytes, given: np.ndarray, starts: np.ndarray) -> int | None:
        """The slot of a document not yet shown in this pass, one with the same input first; None if it has none."""
        if key not in self._free:
            self._free[key] = deque(self._slots[key])
        free = self._free[key]
        same = (slot for slot in free if self.pieces[slot].same_input(given, starts))
        return next(same, free[0] if free else None)

    def show(self, piece: Piece, slot: int | None) -> int:
        """Tick a document off, in ``slot`` (from :meth:`find`) or a new one; returns its slot. A new one in a later pass sets ``grown``."""
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

    def begin_pass(self) -> None:
        self._shown.clear()
        self._n_shown = 0
        self._free.clear()
        self.changed = self.grown = False

    def close(self) -> np.ndarray:
        """End of the first pass, or of one that brought new documents: order the documents, so that the order of reading does not matter.

        Returns the new slot of every old one, int64[n].
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
    """Given columns uint64[A, N], sentence borders int64[S + 1] and gold int32[N] of all pieces, in order."""
    lengths = [piece.gold.size for piece in pieces]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    starts = [piece.starts[:-1] + offset for piece, offset in zip(pieces, offsets[:-1], strict=True)]
    return (
        np.concatenate([piece.given for piece in pieces], axis=1),
        np.concatenate([*starts, offsets[-1:]]).astype(np.int64),
        np.concatenate([piece.gold for piece in pieces]),
    )
