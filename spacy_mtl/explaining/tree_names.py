"""Which words a template of arcs lists: those between head and modifier, or the modifier's dependents, each distinct value once."""

from collections.abc import Mapping

import numpy as np

from spacy_mtl.templates.grammar import Template


def listed_words(
    template: Template, columns: np.ndarray, names: Mapping[str, int], head: int, modifier: int, tree: np.ndarray
) -> list[int]:
    """The words (from 1) whose values a template observes one by one, in the order of its observations; none if it lists no words.

    columns: uint64[A, n], of the sentence, by ``names``. tree: heads int32[n], or empty.
    """
    listing = next((obs for obs in template.observations if obs.place in "bc"), None)
    if listing is None:
        return []
    between = range(min(head, modifier) + 1, max(head, modifier))
    values, first = columns[names[listing.attr]], dict[int, int]()
    for word in between if listing.place == "b" else np.flatnonzero(tree == modifier) + 1:
        first.setdefault(int(values[word - 1]), int(word))
    return list(first.values())
