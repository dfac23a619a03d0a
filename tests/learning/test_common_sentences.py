"""What two problems have in common: old sentences with the same gold, and those among them with the same parts."""

from types import SimpleNamespace

import numpy as np

from spacy_mtl.learning.chain import forms_of
from spacy_mtl.learning.learner import Sentences, common_sentences
from spacy_mtl.learning.tree import arcs_of
from spacy_mtl.structures.problem import block_starts


def problem_of(lengths, gold, **more):
    borders = block_starts(lengths)
    arrays = SimpleNamespace(first=borders[:-1], last=borders[1:], gold=np.array(gold), **more)
    return SimpleNamespace(arrays=arrays, n=len(lengths))


def places(*documents) -> Sentences:
    """Each sentence a document of its own."""
    return Sentences(np.array(documents), np.zeros(len(documents), int))


def test_chains_whose_words_may_have_the_same_labels_are_alike():
    """A form may have another number where more are known, or the same number and other labels."""
    before, now = np.zeros((5, 2), np.float32), np.zeros((6, 2), np.float32)
    before[4, 1] = now[5, 1] = now[4, 0] = -1
    old = problem_of([2, 3, 1], [0, 1, 0, 0, 1, 2], forms=np.array([-1, 4, 4, -1, -1, -1]), form_mask=before)
    new = problem_of(
        [3, 2, 2, 1], [0, 0, 1, 0, 1, 1, 1, 0], forms=np.array([5, -1, -1, -1, 4, -1, -1, -1]), form_mask=now
    )
    kept = common_sentences(old, new, places(0, 1, 2), places(1, 0, 3, 2), forms_of)
    assert kept.sentences.tolist() == [1, 0, -1, -1]  # the last has other gold
    assert kept.alike.tolist() == [True, False, False, False]
    assert kept.slots.tolist() == [2, 3, 4, 0, 1, -1, -1, -1]
    assert kept.owners.tolist() == [0, 0, 0, 1, 1, 2, 2, 3]


def test_trees_with_the_same_arcs_are_alike():
    def arcs(*of_words):
        return {"first_arc": block_starts([len(heads) for heads in of_words]), "heads": np.concatenate(of_words)}

    old = problem_of([2, 2, 2], [0, 1] * 3, **arcs([0, 2], [1], [0], [0, 1], [0, 2], [1]))
    new = problem_of([2, 2, 2], [0, 1] * 3, **arcs([0], [0, 1], [0, 2], [0], [0], [2, 1]))
    kept = common_sentences(old, new, places(0, 1, 2), places(1, 0, 2), arcs_of)
    assert kept.sentences.tolist() == [1, 0, 2]
    assert kept.alike.tolist() == [True, False, False]  # another head; the same heads, but of other words
