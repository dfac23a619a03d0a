"""Templates over attributes with few values share a look-up of everything they see.

Classes of characters and words of the dictionary around a position come in few combinations. So the rows of all templates over them are summed once
for each combination that is met, and remembered under its hash.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..kernels import kernel
from ..templates.characters import CHARACTER_CONTEXT
from ..templates.extract import mix, observe
from ..templates.grammar import Template
from .lookup import row_at

#: Attributes with few values.
NARROW = ("CHAR_CLASS", *CHARACTER_CONTEXT)
#: A group looks at no more than this.
MOST_OBSERVATIONS = 8


class Groups(NamedTuple):
    """G groups of the templates of a :class:`Lookup`.

    seed: uint64[G]. first: int64[G + 1], group g has the members ``first[g]:first[g + 1]`` of ``template`` (int64, numbers in the program).
    seen: int64[G + 1], and looks at the observations ``seen[g]:seen[g + 1]`` of ``offset`` and ``column`` (int64).
    """

    seed: np.ndarray
    first: np.ndarray
    template: np.ndarray
    seen: np.ndarray
    offset: np.ndarray
    column: np.ndarray


def groups_of(templates: Sequence[Template], columns: dict[str, int]) -> tuple[Groups, list[int]]:
    """Groups of templates over narrow attributes and at most one other observation, the same for all; and the numbers of the rest."""
    groups: dict[tuple, list[int]] = {}
    rest = []
    for j, template in enumerate(templates):
        wide = {(o.offset, o.attr) for o in template.observations if o.attr not in NARROW}
        if len(wide) > 1 or len(wide) == len(template.observations):
            rest.append(j)
        else:
            kind = {"CHAR_CLASS" if o.attr == "CHAR_CLASS" else "" for o in template.observations if o.attr in NARROW}
            groups.setdefault((*wide, *sorted(kind)), []).append(j)
    seen = {key: _seen(templates, members) for key, members in groups.items()}
    for key in [key for key, observations in seen.items() if len(observations) > MOST_OBSERVATIONS]:
        rest += groups.pop(key)
        seen.pop(key)
    flat = [place for observations in seen.values() for place in observations]
    return Groups(
        np.arange(1, len(groups) + 1, dtype=np.uint64),
        np.cumsum([0, *map(len, groups.values())], dtype=np.int64),
        np.array([j for members in groups.values() for j in members], np.int64),
        np.cumsum([0, *map(len, seen.values())], dtype=np.int64),
        np.array([offset for offset, _ in flat], np.int64),
        np.array([columns[attr] for _, attr in flat], np.int64),
    ), sorted(rest)


def _seen(templates: Sequence[Template], members: Sequence[int]) -> list[tuple[int, str]]:
    return sorted({(o.offset, o.attr) for j in members for o in templates[j].observations})


@kernel
def remember_group(columns, lookup, groups, g, t, start, end, memory, slot, key, n_labels):
    """Enter the sum of what the members of group g see at position t of the sentence [start, end)."""
    at = memory.used[1]
    memory.values[at : at + n_labels] = 0
    for m in range(groups.first[g], groups.first[g + 1]):
        row = row_at(columns, lookup, groups.template[m], t, start, end)
        if row >= 0:
            for y in range(n_labels):
                memory.values[at + y] += lookup.rows[row, y]
    memory.table.slots[slot] = key
    memory.table.rows[slot] = at
    memory.used[0] += 1
    memory.used[1] += n_labels


@kernel
def add_groups(columns, starts, lookup, groups, memory, out):
    """out[t] += the rows of all members at token t. Returns whether there was room to remember what was met."""
    slots, rows, values, used = memory.table.slots, memory.table.rows, memory.values, memory.used
    mask, most, n_labels = np.uint64(rows.size - 1), rows.size // 2, out.shape[1]
    for g in range(groups.seed.size):
        for s in range(starts.size - 1):
            start, end = starts[s], starts[s + 1]
            for t in range(start, end):
                key = groups.seed[g]
                for o in range(groups.seen[g], groups.seen[g + 1]):
                    key = mix(key, observe(columns, groups.column[o], t + groups.offset[o], start, end))
                slot = key & mask
                while rows[slot] >= 0 and slots[slot] != key:  # as index.find
                    slot = (slot + np.uint64(1)) & mask
                if rows[slot] < 0:
                    if used[0] >= most or used[1] + n_labels > values.size:
                        return False
                    remember_group(columns, lookup, groups, g, t, start, end, memory, slot, key, n_labels)
                at = rows[slot]
                for y in range(n_labels):
                    out[t, y] += values[at + y]
    return True
