"""The most frequent tag of each word in a training corpus: the table behind the attribute USUAL_TAG."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from spacy.attrs import ORTH, TAG
from spacy.tokens import Doc

#: A word must occur this often to have a usual tag, so that no single occurrence decides it.
OFTEN = 4


def orths_and_tags(doc: Doc) -> np.ndarray:
    """String hashes of forms and tags, uint64[n, 2]."""
    return doc.to_array([ORTH, TAG])


def count_usual_tags(
    references: Sequence[Doc],
    tags: Sequence[str],
    least: int = OFTEN,
    columns_of: Callable[[Doc], np.ndarray] = orths_and_tags,
) -> dict[str, str]:
    """The most frequent tag of each word that has a tag at least ``least`` times; of equally frequent tags, the first in ``tags``.

    columns_of: from a document to the hashes of its forms and tags, uint64[n, 2].
    """
    stores = list({id(doc.vocab): doc.vocab.strings for doc in references}.values())
    numbers = {int(stores[0][tag]): k for k, tag in enumerate(tags)} if stores else {}
    columns = np.concatenate([np.empty((0, 2), np.uint64), *map(columns_of, references)])
    pairs, counts = np.unique(columns, axis=0, return_counts=True)
    total: Counter[Any] = Counter()
    most: dict[Any, tuple[int, int]] = {}
    for (orth, tag), n in zip(pairs.tolist(), counts.tolist(), strict=True):
        if tag in numbers:
            total[orth] += n
            most[orth] = max(most.get(orth, (0, 0)), (n, -numbers[tag]))
    text_of = {orth: next(strings[orth] for strings in stores if orth in strings) for orth in total}
    return dict(sorted((text_of[orth], tags[-k]) for orth, (_, k) in most.items() if total[orth] >= least))
