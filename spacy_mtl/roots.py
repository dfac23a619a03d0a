"""Dependency trees in Docs and as arrays of heads, for sentences with one root or several.

In a Doc, exactly one word of each sentence must be its own head; otherwise spaCy splits the sentence. So the *first* root of a sentence is
spaCy's root, every further root is attached to it, and all roots are labelled ``ROOT``: a word with this label is a root whatever its head in
the Doc, and no other word may have the label. Non-projective trees are stored as they are.
"""

from dataclasses import dataclass

import numpy as np
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.strings import get_string_id
from spacy.tokens import Doc

from .errors import Errors

ROOT = "ROOT"
#: Id of the label of roots, the same in every string store.
ROOT_ID = np.uint64(get_string_id(ROOT))
#: A treebank of which a smaller share of arcs cross is parsed better with projective trees alone.
FEW_CROSSING = 0.02
TREE_ATTRIBUTES: list[int | str] = ["HEAD", "DEP", "SENT_START"]


@dataclass(frozen=True, slots=True)
class Trees:
    """The trees of a text of N words in S sentences.

    heads: int32[N], position of the head within the sentence, from 1; 0 for a root. labels: uint64[N], ids in the string store, ``ROOT_ID`` for
    roots, 0 for words without a label. starts: int64[S], index of each sentence's first word.
    """

    heads: np.ndarray
    labels: np.ndarray
    starts: np.ndarray

    @property
    def known(self) -> np.ndarray:
        """bool[N]: whether the word has a head, which it does if and only if it has a label."""
        return self.labels != 0

    @property
    def spans(self) -> list[tuple[int, int]]:
        """For each sentence, the index of its first word and the index after its last word."""
        ends = [*self.starts[1:].tolist(), len(self.heads)]
        return list(zip(self.starts.tolist(), ends, strict=False))  # an empty text has an end but no start


def heads_to_doc(heads: np.ndarray, labels: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """HEAD and DEP as ``Doc.from_array`` takes them, uint64[N] each, made from heads, labels and starts as in :class:`Trees`.

    :func:`set_trees` writes them. The labels given for roots are ignored. HEAD is relative, in two's complement. The string store of the Doc must
    contain "ROOT" and all labels.

    Raises ValueError where a sentence has no root (M556); whether the heads form trees is not checked.
    """
    n = len(heads)
    if not n:
        return np.zeros(0, np.uint64), np.zeros(0, np.uint64)
    words = np.arange(n)
    is_root = heads == 0
    n_roots = np.add.reduceat(is_root, starts, dtype=np.int64)
    if not n_roots.all():
        raise ValueError(Errors.M556.format(sentence=int(np.argmin(n_roots)) + 1))
    first_root = np.minimum.reduceat(np.where(is_root, words, n), starts)
    sentence = sentence_of(starts, n)
    absolute = np.where(is_root, first_root[sentence], starts[sentence] + heads - 1)
    dep = np.where(is_root, ROOT_ID, labels)
    return (absolute - words).view(np.uint64), dep


def set_trees(doc: Doc, heads: np.ndarray, labels: np.ndarray, starts: np.ndarray) -> None:
    """Write trees to a Doc: heads, labels and starts as in :class:`Trees`. Other annotation of the Doc is kept.

    Sentence starts are written last: spaCy derives them from the heads, and gives up on heads that lead back and forth a dozen times (it does so
    again when such a Doc is read from bytes). Raises ValueError where a sentence has no root (M556).
    """
    doc.vocab.strings.add(ROOT)
    head, dep = heads_to_doc(heads, labels, starts)
    doc.from_array([HEAD, DEP], np.array([head, dep]).T)  # type: ignore[arg-type]
    doc.from_array([SENT_START], start_marks(starts, len(doc)))  # type: ignore[arg-type]


def start_marks(starts: np.ndarray, n: int) -> np.ndarray:
    """SENT_START of n words, uint64[n]: 1 for the first word of each sentence, -1 (in two's complement) for the others."""
    marks = np.full(n, -1, np.int64)
    marks[starts] = 1
    return marks.view(np.uint64)


def doc_heads(doc: Doc) -> Trees:
    """The trees of a Doc, the inverse of :func:`heads_to_doc`.

    Words without a parse have head 0 and label 0; a Doc without sentence boundaries is one sentence.
    """
    values = doc.to_array(TREE_ATTRIBUTES).reshape(len(doc), len(TREE_ATTRIBUTES))
    return array_heads(values)


def array_heads(values: np.ndarray) -> Trees:
    """As :func:`doc_heads`, from ``doc.to_array(TREE_ATTRIBUTES)``, uint64[N, 3]."""
    relative, labels, start = values.T
    is_start = start == 1
    is_start[:1] = True
    starts = np.flatnonzero(is_start)
    words = np.arange(len(values))
    heads = words + relative.view(np.int64) - starts[sentence_of(starts, len(values))] + 1
    heads[(relative == 0) | (labels == ROOT_ID)] = 0
    return Trees(heads.astype(np.int32), np.ascontiguousarray(labels), starts)


def sentence_of(starts: np.ndarray, n: int) -> np.ndarray:
    """int64[n], the index of each word's sentence."""
    is_start = np.zeros(n, np.int64)
    is_start[starts] = 1
    return np.cumsum(is_start) - 1


def first_off_tree(heads: np.ndarray) -> int:
    """Position, from 1, of the first word of a sentence whose chain of heads (int[n], 0 to n) never reaches a root; 0 if every word reaches one."""
    above = np.concatenate(([0], heads))
    for _ in range(len(heads).bit_length()):  # each round doubles the number of steps taken
        above = above[above]
    lost = np.flatnonzero(above)
    return int(lost[0]) if len(lost) else 0


#: Pairs of arcs that are compared at once: the arcs of an ordinary sentence, and a part of those of one with thousands of words.
_MOST_PAIRS = 1 << 20


def crossing(heads: np.ndarray) -> np.ndarray:
    """Whether the arc to each word crosses another arc of the sentence, bool[n].

    heads: int[n], position of each word's head from 1, 0 for a root, -1 for a word without an arc. The root is at position 0, before the sentence,
    and its arcs count like all others, so that a tree is projective if no arcs cross. Arcs a - b and c - d (a < b, c < d) cross if
    a < c < b < d or c < a < d < b; arcs that share an end do not cross.
    """
    words = np.arange(1, len(heads) + 1)
    has_arc = heads >= 0
    low, high = np.minimum(heads, words)[has_arc], np.maximum(heads, words)[has_arc]
    n, found = len(low), np.zeros(len(heads), bool)
    crosses = np.zeros(n, bool)
    step = max(1, _MOST_PAIRS // max(n, 1))
    for begin in range(0, n, step):
        part = slice(begin, begin + step)
        a, b = low[part, None], high[part, None]
        starts_inside = (a < low) & (low < b) & (b < high)  # [i, j]: arc j begins inside arc i and ends outside
        crosses[part] |= starts_inside.any(1)
        crosses |= starts_inside.any(0)
    found[has_arc] = crosses
    return found
