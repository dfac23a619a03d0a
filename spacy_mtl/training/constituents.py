"""Scores of constituents by the rules of EVALB, for spaCy: labelled recall, precision and F1, sentences without error, and each label."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.constituents.scores import PUNCTUATION, Bracket, Counts, brackets
from spacy_mtl.constituents.tree import SPANS_KEY
from spacy_mtl.errors import Errors
from spacy_mtl.registry import registry
from spacy_mtl.sentences import borders
from spacy_mtl.settings import is_list, shown

_KEYS = ("constituents_p", "constituents_r", "constituents_f", "constituents_exact", "constituents_per_type")


@registry.scorers("spacy_mtl.constituents_scorer.v1")
def constituents_scorer(key: str = SPANS_KEY, ignored: Sequence[str] | None = None) -> Callable:
    """Make a scorer of ``doc.spans[key]``.

    ignored: tags of words that are left out of all spans; null for those of EVALB's ``COLLINS.prm``: comma, colon, full stop and double quotes.
    The tags are those of the reference, or the predicted ones where it has none. Raises ValueError: M590 a setting of another type.
    """
    if not isinstance(key, str) or not key:
        _refuse("key", "a key of doc.spans", key)
    if ignored is not None and not is_list(ignored):
        _refuse("ignored", "a list of tags, or null", ignored)
    left_out = PUNCTUATION if ignored is None else frozenset(ignored)
    return partial(score_constituents, key=key, ignored=left_out)


def _refuse(setting: str, expected: str, value: Any) -> None:
    raise ValueError(
        Errors.M590.format(setting=setting, name="constituents_scorer", expected=expected, value=shown(value))
    )


def score_constituents(
    examples: Iterable[Example], key: str = SPANS_KEY, ignored: frozenset[str] = PUNCTUATION, **_: Any
) -> dict[str, Any]:
    """``constituents_p``, ``_r``, ``_f`` and ``_exact``, the share of sentences without error, from 0 to 1, and ``_per_type``; None without any gold.

    A constituent is right if the other side has one of the same label over the same text, whatever the words it is divided into. Documents without
    ``spans[key]`` in the reference are left out.
    """
    counts = Counts()
    labels: defaultdict[str, Counts] = defaultdict(Counts)
    for example in examples:
        if key not in example.reference.spans:
            continue
        for gold, found in _by_sentence(example, key, ignored):
            counts.add_brackets(gold, found)
            for label in {label for label, _, _ in (*gold, *found)}:
                labels[label].add_brackets(*(_only(label, side) for side in (gold, found)))
    if not counts.sentences:
        return dict.fromkeys(_KEYS)
    per_type = {label: {"p": c.precision, "r": c.recall, "f": c.f1} for label, c in sorted(labels.items())}
    return dict(zip(_KEYS, (counts.precision, counts.recall, counts.f1, counts.exact_match, per_type), strict=True))


def _only(label: str, found: Counter[Bracket]) -> Counter[Bracket]:
    return Counter({bracket: n for bracket, n in found.items() if bracket[0] == label})


def _by_sentence(
    example: Example, key: str, ignored: frozenset[str]
) -> list[tuple[Counter[Bracket], Counter[Bracket]]]:
    """The constituents of each gold sentence, of the reference and of the predicted Doc, as brackets over characters that count."""
    reference, predicted = example.reference, example.predicted
    tagged = reference if reference.has_annotation("TAG") else predicted
    counts = (np.full(_length(token.text), token.tag_ not in ignored) for token in tagged)
    counted = np.concatenate([np.empty(0, bool), *counts])
    place = np.concatenate([[0], np.cumsum(counted)])
    first = _first_characters(reference)
    starts = place[first[borders([reference])[:-1]]]
    sides = [_groups(doc, key, place, starts) for doc in (reference, predicted)]
    return list(zip(*sides, strict=True))


def _length(text: str) -> int:
    """The number of characters that are no white space."""
    return len("".join(text.split()))


def _first_characters(doc: Doc) -> np.ndarray:
    """Where each word begins among the characters of a text that are no white space, and where the last one ends, int64[n + 1]."""
    return np.cumsum([0, *(_length(token.text) for token in doc)])


def _groups(doc: Doc, key: str, place: np.ndarray, starts: np.ndarray) -> list[Counter[Bracket]]:
    """Brackets of each sentence. place: of each character among those that count. starts: of the sentences, likewise."""
    groups: list[Counter[Bracket]] = [Counter() for _ in starts]
    first = _first_characters(doc)
    ends = place.size - 1
    spans = [
        (span.label_, int(place[min(first[span.start], ends)]), int(place[min(first[span.end], ends)]))
        for span in doc.spans.get(key, ())
    ]
    for bracket in brackets(spans).elements():
        groups[int(np.searchsorted(starts, bracket[1], side="right")) - 1][bracket] += 1
    return groups
