"""Entities out of tag sequences, and their F1, as the CoNLL shared tasks count them."""

from collections.abc import Iterable, Sequence

Span = tuple[int, int, str]


def spans(tags: Sequence[str]) -> set[Span]:
    """Entities (first token, end, type) of one sentence in IOB2 or BILUO; a continuation of nothing begins an entity."""
    found: set[Span] = set()
    begin, kind = 0, ""
    for i, tag in enumerate([*tags, "O"]):
        prefix, _, here = tag.partition("-")
        if kind and (prefix in "OBU" or here != kind):
            found.add((begin, i, kind))
            kind = ""
        if here and not kind:
            begin, kind = i, here
        if prefix in ("L", "U"):
            found.add((begin, i + 1, kind))
            kind = ""
    return found


def entity_counts(gold: Iterable[Sequence[str]], predicted: Iterable[Sequence[str]]) -> list[tuple[int, int, int]]:
    """How many entities of each sentence are right, found and gold: an entity counts if borders and type are right."""
    both = [(spans(tags), spans(found)) for tags, found in zip(gold, predicted, strict=True)]
    return [(len(expected & found), len(found), len(expected)) for expected, found in both]


def entity_f1(gold: Iterable[Sequence[str]], predicted: Iterable[Sequence[str]]) -> float:
    """F1 in percent over sentences: an entity counts if borders and type are right. 0 where nothing is."""
    right, n_predicted, n_gold = map(sum, zip((0, 0, 0), *entity_counts(gold, predicted), strict=True))
    return 200 * right / (n_gold + n_predicted) if right else 0.0
