"""Scores of dependency trees: spaCy's own, those of the CoNLL-X shared task, complete sentences, and crossing arcs."""

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from spacy.scorer import Scorer
from spacy.tokens import Doc, Token
from spacy.training import Example

from spacy_mtl.registry import registry
from spacy_mtl.roots import crossing, doc_heads, sentence_of

#: Labels that the scorer of spaCy's own parser ignores.
_IGNORED_BY_SPACY = ("p", "punct")
_ROOT = -1
_NONE = -2


@dataclass
class _Count:
    """A number of hits, and the number of cases."""

    right: int = 0
    of: int = 0

    def add(self, hits: np.ndarray) -> None:
        """Add N cases. hits: bool[N]."""
        self.right += int(np.count_nonzero(hits))
        self.of += len(hits)

    @property
    def rate(self) -> float | None:
        return self.right / self.of if self.of else None


@dataclass
class ArcCounts:
    """Running counts for :func:`score_dependencies`; counts named ``_all`` include punctuation."""

    uas: _Count = field(default_factory=_Count)
    las: _Count = field(default_factory=_Count)
    uas_all: _Count = field(default_factory=_Count)
    las_all: _Count = field(default_factory=_Count)
    complete: _Count = field(default_factory=_Count)
    complete_all: _Count = field(default_factory=_Count)
    crossing_p: _Count = field(default_factory=_Count)
    crossing_r: _Count = field(default_factory=_Count)

    def add(self, example: Example) -> None:
        """Count one Example, sentence by sentence of its gold annotation."""
        gold_doc = example.reference
        trees = doc_heads(gold_doc)
        n = len(gold_doc)
        sentence = sentence_of(trees.starts, n)
        gold = np.where(trees.heads == 0, _ROOT, trees.starts[sentence] + trees.heads - 1)
        heads, labels = _predicted(example)
        right = heads == gold
        labelled = right & (labels == trees.labels)
        words = ~_punctuation(gold_doc)
        known = trees.known
        self.uas.add(right[known & words])
        self.las.add(labelled[known & words])
        self.uas_all.add(right[known])
        self.las_all.add(labelled[known])
        for begin, end in trees.spans:
            if known[begin:end].all():
                here = slice(begin, end)
                self._add_sentence(gold[here] - begin, heads[here] - begin, right[here], words[here], begin)

    def _add_sentence(
        self, gold: np.ndarray, heads: np.ndarray, right: np.ndarray, words: np.ndarray, begin: int
    ) -> None:
        """Count complete sentences and crossing arcs. gold, heads: int[n], relative to the sentence's ``begin``."""
        self.complete_all.add(np.array([right.all()]))
        if words.any():
            self.complete.add(np.array([right[words].all()]))
        self.crossing_r.add(right[words & crossing(_positions(gold, begin))])
        self.crossing_p.add(right[words & crossing(_positions(heads, begin))])

    def scores(self) -> dict[str, float | None]:
        p, r = self.crossing_p, self.crossing_r
        return {
            "dep_uas_conllx": self.uas.rate,
            "dep_las_conllx": self.las.rate,
            "dep_uas_all": self.uas_all.rate,
            "dep_las_all": self.las_all.rate,
            "dep_complete": self.complete.rate,
            "dep_complete_all": self.complete_all.rate,
            "dep_crossing_p": p.rate,
            "dep_crossing_r": r.rate,
            "dep_crossing_f": _f1(p, r),
        }


def _f1(p: _Count, r: _Count) -> float | None:
    """Harmonic mean of two rates: 0 if nothing is right, None if there is neither a predicted nor a gold arc."""
    if not p.of and not r.of:
        return None
    precision, recall = p.rate or 0.0, r.rate or 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _positions(heads: np.ndarray, begin: int) -> np.ndarray:
    """Heads as positions from 1, 0 for the root and -1 for no head in the sentence. heads: int[n], relative to ``begin``."""
    inside = (heads >= 0) & (heads < len(heads))
    return np.where(inside, heads + 1, np.where(heads + begin == _ROOT, 0, -1))


def _predicted(example: Example) -> tuple[np.ndarray, np.ndarray]:
    """Predicted heads and labels of the N gold words: int64[N] (index of the head's gold word, -1 for the root, -2 for none) and uint64[N]."""
    trees = doc_heads(example.predicted)
    sentence = sentence_of(trees.starts, len(trees.heads))
    heads = np.where(trees.heads == 0, _ROOT, trees.starts[sentence] + trees.heads - 1)
    heads[~trees.known] = _NONE
    if np.array_equal(example.predicted.to_array("ORTH"), example.reference.to_array("ORTH")):
        return heads, trees.labels
    gold_of, word_of = _one_to_one(example)
    to_gold = np.append(gold_of, [_NONE, _ROOT])  # indexed from the end: -1 is the root, -2 none
    aligned = word_of >= 0
    found = np.full(len(word_of), _NONE)
    labels = np.zeros(len(word_of), np.uint64)
    found[aligned] = to_gold[heads[word_of[aligned]]]
    labels[aligned] = trees.labels[word_of[aligned]]
    return found, labels


def _one_to_one(example: Example) -> tuple[np.ndarray, np.ndarray]:
    """The gold word of each predicted word, and the predicted word of each gold word, int64 each; -2 where the alignment is not one to one."""
    align = example.alignment
    gold_of = np.full(len(example.predicted), _NONE)
    word_of = np.full(len(example.reference), _NONE)
    for word in range(len(gold_of)):
        if align.x2y.lengths[word] == 1 and align.y2x.lengths[gold := int(align.x2y[word][0])] == 1:
            gold_of[word], word_of[gold] = gold, word
    return gold_of, word_of


@lru_cache(maxsize=4096)
def is_punctuation(word: str) -> bool:
    """Whether all characters are Unicode punctuation (categories P*), the definition of the CoNLL-X script."""
    return bool(word) and all(unicodedata.category(character).startswith("P") for character in word)


def _punctuation(doc: Doc) -> np.ndarray:
    return np.array([is_punctuation(token.text) for token in doc], bool)


def _lower_label(token: Token, attribute: str) -> str:
    return token.vocab.strings.as_string(getattr(token, attribute)).lower()


def score_dependencies(examples: Iterable[Example], **_: Any) -> dict[str, Any]:
    """The scores of :func:`dep_scorer`. Other keyword arguments, which spaCy passes, are ignored."""
    examples = list(examples)
    spacys = Scorer.score_deps(examples, "dep", getter=_lower_label, ignore_labels=_IGNORED_BY_SPACY)
    counts = ArcCounts()
    for example in examples:
        counts.add(example)
    return {**spacys, **counts.scores()}


@registry.scorers("spacy_mtl.dep_scorer.v1")
def dep_scorer() -> Callable[..., dict[str, Any]]:
    """Make a scorer of dependency trees, for the ``scorer`` of a parser. Scores are fractions of 1, or None where there is nothing to count.

    - ``dep_uas``, ``dep_las``, ``dep_las_per_type``: the scores of spaCy's own parser, which leave out words labelled ``p`` or ``punct`` (in the
      gold and in the prediction separately), ignore case in labels, and treat a root as a word that is its own head.
    - ``dep_uas_conllx``, ``dep_las_conllx``: the share of words with the right head, and the right head and label; words made only of
      Unicode punctuation do not count, as in the CoNLL-X shared task.
    - ``dep_uas_all``, ``dep_las_all``: the same over all words.
    - ``dep_complete``, ``dep_complete_all``: the share of sentences in which all heads are right, without and with punctuation.
    - ``dep_crossing_p``, ``dep_crossing_r``, ``dep_crossing_f``: scores of the arcs that cross another arc of the same tree (:func:`crossing`),
      except arcs to punctuation. Precision: the share of crossing arcs in the predicted trees whose head is right. Recall: the share of crossing
      arcs in the gold trees whose head was predicted right. F is their harmonic mean.

    In all but spaCy's scores, all roots of a sentence have the root as their head (:mod:`spacy_mtl.roots`), sentences are those of the gold
    annotation, and gold words without a head do not count (nor do their sentences, for complete and crossing). Where tokens differ, gold words
    that do not correspond to exactly one predicted word are wrong.
    """
    return score_dependencies
