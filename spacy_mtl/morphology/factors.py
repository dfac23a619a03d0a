"""Factors of analyses: groups of features, each with its own, short list of values.

Hundreds of analyses are far too many labels to learn from few words, but they consist of the same few values: a chain over each factor learns what
all analyses with a value have in common. A word gets the analysis whose values score most together.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from .analysis import POS, TAG, parse_analysis

#: Names of features, by factor.
Groups = list[list[str]]
#: With more tags, these are no factor: a word gets the most frequent tag that its part of speech and its features have.
MOST_TAGS = 100


def group_features(counts: Mapping[str, int], most: int) -> Groups:
    """Divide features into groups with at most ``most`` values each, unless a feature by itself has more.

    counts: of each analysis. Features come in the order of their frequency; each joins the group whose number of values grows least by it, compared
    with all combinations of the two. The part of speech, if there is any, is a group of its own, and so is the tag, unless there are more than
    :data:`MOST_TAGS`.
    """
    analyses = [parse_analysis(text).values for text in counts]
    often: Counter[str] = Counter()
    for values, n in zip(analyses, counts.values(), strict=True):
        often.update(dict.fromkeys(values, n))
    found: Groups = [[POS]] if POS in often else []
    apart = {POS} | ({TAG} if _have_tags(counts) else set())
    if TAG in apart and _distinct(analyses, [TAG]) <= MOST_TAGS:
        found.append([TAG])
    features = [name for name, _ in sorted(often.items(), key=lambda each: (-each[1], each[0])) if name not in apart]
    open_groups: Groups = []
    for name in features:
        best: tuple[float, list[str]] | None = None
        for group in open_groups:
            n = _distinct(analyses, [*group, name])
            growth = n / (_distinct(analyses, group) * _distinct(analyses, [name]))
            if n <= most and (best is None or growth < best[0]):
                best = growth, group
        if best:
            best[1].append(name)
        else:
            open_groups.append([name])
    return [*found, *open_groups] or [[]]


def _have_tags(analyses: Iterable[str]) -> bool:
    """Whether TAG is that of analyses, and no feature of this name."""
    return any(parse_analysis(text).tag for text in analyses)


def _distinct(analyses: Sequence[Mapping[str, str]], group: Sequence[str]) -> int:
    return len({value_of(values, group) for values in analyses})


def value_of(values: Mapping[str, str], group: Sequence[str]) -> str:
    """The value of a factor, such as ``Case=Nom|Number=Sing``; "" without any of its features."""
    return "|".join(f"{name}={values[name]}" for name in group if name in values)


class Factors:
    """What each analysis is in each factor.

    analyses: labels. groups: names of features; those that are in none belong to the last, but for the tag.
    labels: of all factors, each with the number of its factor before it, such as ``1:Case=Nom``. borders: int64[G + 1], factor g has the labels
    ``borders[g]:borders[g + 1]``. table: int32[A, G], the label of each analysis in each factor. Raises StoredValueError for a label that is none.
    """

    def __init__(self, analyses: Sequence[str], groups: Sequence[Sequence[str]]):
        found = [parse_analysis(text).values for text in analyses]
        grouped = {name for group in groups for name in group}
        rest = {name for values in found for name in values} - grouped
        rest -= {TAG} if _have_tags(analyses) else set()
        *before, last = groups or [[]]
        full = [*before, [*last, *sorted(rest)]]
        columns = [[value_of(values, group) for values in found] for group in full]
        labels = [sorted(set(column)) for column in columns]
        self.borders = np.cumsum([0, *map(len, labels)])
        self.labels = tuple(f"{g}:{value}" for g, values in enumerate(labels) for value in values)
        numbers = [
            {value: k for k, value in enumerate(values, int(b))}
            for values, b in zip(labels, self.borders[:-1], strict=True)
        ]
        rows = [[number[value] for value in column] for number, column in zip(numbers, columns, strict=True)]
        self.table = np.array(rows, np.int32).reshape(len(full), len(found)).T.copy()


def factor_of(label: str) -> str:
    """The factor that a label of :attr:`Factors.labels` belongs to."""
    return label.partition(":")[0]
