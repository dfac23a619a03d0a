"""The most frequent tag of each word in a training corpus: the table behind the attribute USUAL_TAG."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from spacy.attrs import ORTH, TAG
from spacy.tokens import Doc

from spacy_mtl.learning.streamed import Corpus

#: A word must occur this often to have a usual tag, so that no single occurrence decides it.
OFTEN = 4


def orths_and_tags(doc: Doc) -> np.ndarray:
    """String hashes of forms and tags, uint64[n, 2]."""
    return doc.to_array([ORTH, TAG])


#: How often each word has each tag.
TagCounts = Counter[tuple[str, str]]


def tag_counts(references: Corpus[Doc], columns_of: Callable[[Doc], np.ndarray] = orths_and_tags) -> TagCounts:
    """Count the pairs of words and tags. columns_of: from a document to the hashes of its forms and tags, uint64[n, 2]."""
    stores, columns = {}, [np.empty((0, 2), np.uint64)]
    for doc in references:
        stores[id(doc.vocab.strings)] = doc.vocab.strings  # which stay alive, so that no other has the same id
        columns.append(columns_of(doc))
    pairs, counts = np.unique(np.concatenate(columns), axis=0, return_counts=True)
    text_of = {k: next(strings[k] for strings in stores.values() if k in strings) for k in np.unique(pairs).tolist()}
    found: TagCounts = Counter()
    for (orth, tag), n in zip(pairs.tolist(), counts.tolist(), strict=True):
        found[text_of[orth], text_of[tag]] += n
    return found


def added_tags(parts: Iterable[TagCounts]) -> TagCounts:
    """The sum of what was counted in several parts of a corpus."""
    total: TagCounts = Counter()
    for part in parts:
        total.update(part)
    return total


def usual_tags(counts: TagCounts, tags: Sequence[str], least: int = OFTEN) -> dict[str, str]:
    """The most frequent tag of each word that has a tag at least ``least`` times; of equally frequent tags, the first in ``tags``."""
    numbers = {tag: k for k, tag in enumerate(tags)}
    total: Counter[str] = Counter()
    most: dict[str, tuple[int, int]] = {}
    for (word, tag), n in counts.items():
        if tag in numbers:
            total[word] += n
            most[word] = max(most.get(word, (0, 0)), (n, -numbers[tag]))
    return dict(sorted((word, tags[-k]) for word, (_, k) in most.items() if total[word] >= least))


def count_usual_tags(
    references: Corpus[Doc],
    tags: Sequence[str],
    least: int = OFTEN,
    columns_of: Callable[[Doc], np.ndarray] = orths_and_tags,
) -> dict[str, str]:
    """The usual tags of the words of some documents, see :func:`tag_counts` and :func:`usual_tags`."""
    return usual_tags(tag_counts(references, columns_of), tags, least)
