"""How right trees are: attachment scores under three rules, whole sentences, crossing arcs. The same for every contestant, on plain lists."""

import unicodedata
from collections.abc import Sequence

import numpy as np

from spacy_mtl.roots import crossing

from .data import Sentence, Tree

#: The labels that spaCy's scorer leaves out.
PUNCTUATION_LABELS = frozenset({"p", "punct"})


def is_punctuation(form: str) -> bool:
    """Whether CoNLL-X's scorer leaves a token out: nothing but characters of the Unicode categories P."""
    return all(unicodedata.category(character).startswith("P") for character in form)


def percent(part: float, whole: float) -> float:
    """nan of nothing."""
    return float(100 * part / whole) if whole else float("nan")


def scores(sentences: Sequence[Sentence], trees: Sequence[Tree]) -> dict[str, float]:
    """Percentages of the trees of one part.

    uas, las: of all tokens. uas_x, las_x: CoNLL-X's rule, tokens of nothing but Unicode punctuation do not count. uas_spacy, las_spacy: spaCy's rule,
    F of the arcs that are not labelled punct or p, in gold or found trees respectively. complete, complete_labelled: sentences whose heads (and
    labels) are all right, punctuation included. crossing_gold, crossing_found: numbers of arcs that another arc of the same tree crosses, arcs to the
    root (left of the sentence) included. crossing_precision: of those found the share with the right head; crossing_recall: of the gold ones the
    share whose head was found.

    Raises ValueError where a tree is not as long as its sentence.
    """
    head, label, word, counted, found_counted, crosses, found_crosses = [], [], [], [], [], [], []
    complete = complete_labelled = 0
    for sentence, tree in zip(sentences, trees, strict=True):
        gold = sentence.tree
        right = [a == b for a, b in zip(gold.heads, tree.heads, strict=True)]
        both = [r and a == b for r, a, b in zip(right, gold.labels, tree.labels, strict=True)]
        complete += all(right)
        complete_labelled += all(both)
        head += right
        label += both
        word += [not is_punctuation(form) for form in sentence.forms]
        counted += [name.lower() not in PUNCTUATION_LABELS for name in gold.labels]
        found_counted += [name.lower() not in PUNCTUATION_LABELS for name in tree.labels]
        crosses.append(crossing(np.array(gold.heads)))
        found_crosses.append(crossing(np.array(tree.heads)))
    heads, labels, words = np.array(head), np.array(label), np.array(word)
    both_counted = np.array(counted) & np.array(found_counted)
    n_counted = (sum(counted) + sum(found_counted)) / 2
    gold_crosses, tree_crosses = np.concatenate(crosses), np.concatenate(found_crosses)
    return {
        "uas": percent(heads.sum(), heads.size),
        "las": percent(labels.sum(), labels.size),
        "uas_x": percent(heads[words].sum(), words.sum()),
        "las_x": percent(labels[words].sum(), words.sum()),
        "uas_spacy": percent(heads[both_counted].sum(), n_counted),
        "las_spacy": percent(labels[both_counted].sum(), n_counted),
        "complete": percent(complete, len(trees)),
        "complete_labelled": percent(complete_labelled, len(trees)),
        "crossing_gold": int(gold_crosses.sum()),
        "crossing_found": int(tree_crosses.sum()),
        "crossing_precision": percent(heads[tree_crosses].sum(), tree_crosses.sum()),
        "crossing_recall": percent(heads[gold_crosses].sum(), gold_crosses.sum()),
    }
