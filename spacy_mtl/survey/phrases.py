"""Entities as phrases, and whether a list of phrases comes from them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from .found import Survey

#: A list that has this share of the different entities of the training part, and of the dev part so much less, is not one from elsewhere.
NEARLY_ALL, MUCH_LESS = 0.9, 0.2
#: Of fewer entities, shares say nothing.
_FEWEST = 10


class Origin(NamedTuple):
    """What shows that a list comes from the training part. label: of its entities, None for several. train, dev: the share of the different entities
    of each part that it has."""

    label: str | None
    train: float
    dev: float


def phrases_of(words: Sequence[str], tags: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Label and words of each entity of a sentence, whatever the scheme of its tags."""
    before, begin = "O", 0
    for k, tag in enumerate([*tags, "O"]):
        prefix, _, label = tag.partition("-")
        inside = before.partition("-")[2]
        follows = prefix in ("I", "L", "E", "M") and label == inside and before[:1] in "BIM"
        if inside and not follows:
            yield inside, " ".join(words[begin:k])
        begin = begin if follows else k
        before = tag


def origin_of(phrases: Collection[str], train: Survey, dev: Survey) -> Origin | None:
    """Whether a list has (nearly) all entities of the training part, of a label or several, but not of the dev part; None if not."""
    labels = [label for label, texts in train.phrases.items() if _share(phrases, texts) >= NEARLY_ALL]
    known, met = (set[str]().union(*(part.phrases.get(label, ()) for label in labels)) for part in (train, dev))
    found = Origin(labels[0] if len(labels) == 1 else None, _share(phrases, known), _share(phrases, met))
    return found if len(known) >= _FEWEST and found.dev <= found.train - MUCH_LESS else None


def _share(phrases: Collection[str], texts: Iterable[str]) -> float:
    """The share of these texts that a list has."""
    has = [text in phrases for text in texts]
    return sum(has) / max(len(has), 1)
