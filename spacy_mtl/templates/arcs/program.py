"""Templates of arcs compiled to flat arrays.

The key of an observation is the sum of the keys of its *sides* (what is read from the head, the modifier, the sibling, or a token between) and of
direction and distance. A side is hashed once per token, however many templates and arcs share it, so an arc costs one addition per template.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.templates.grammar import DISTANCE_BINS, Observation, Template

#: Number of values of direction and distance: one per distance bin, first for heads to the left of their modifiers, then to the right.
N_DISTANCES = 2 * len(DISTANCE_BINS)
#: Lowest bits of a key, which hold direction and distance (0 for none), so that one look-up finds an observation with all distances.
DISTANCE_BITS = 4


class Side(NamedTuple):
    """What templates read from one word of an arc: K distinct lists of observations.

    first: int64[K + 1], list k is the observations ``first[k]:first[k + 1]``. offset, column: int64, as in :class:`.extract.Program`.
    seed: uint64[K].
    """

    first: np.ndarray
    offset: np.ndarray
    column: np.ndarray
    seed: np.ndarray


class ArcProgram(NamedTuple):
    """P patterns, which are distinct combinations of sides, each with its templates without and with direction and distance.

    head, modifier, sibling, between: int64[P], the list of each side, -1 for none. seed: uint64[P], the key of a pattern without any side, 0 for
    others. plain: int64[P], the template without distance, -1 for none. near: int64[P, N_DISTANCES], the template for each distance. dependent:
    bool[K], whether a list of ``betweens`` is read from the modifier's dependents rather than from the words between. turned: whether the third
    side is a grandparent, which is read together with its turn (see :func:`.keys.turn_of`).
    """

    heads: Side
    modifiers: Side
    siblings: Side
    betweens: Side
    head: np.ndarray
    modifier: np.ndarray
    sibling: np.ndarray
    between: np.ndarray
    seed: np.ndarray
    plain: np.ndarray
    near: np.ndarray
    dependent: np.ndarray
    turned: bool


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf8"), digest_size=8).digest(), "little")


def _text(observations: Sequence[Observation]) -> str:
    return "/".join(map(str, observations))


def _pattern(template: Template) -> tuple[tuple[Observation, ...], ...]:
    """The observations of each side: head, modifier, sibling or grandparent, and each of the words between or dependents."""
    return tuple(tuple(obs for obs in template.observations if obs.place in place) for place in ("h", "m", "sg", "bc"))


def check_arc_template(template: Template) -> None:
    """Refuse an invalid arc template. Raises ValueError (M130)."""
    places = [obs.place for obs in template.observations]
    if places.count("d") > 1:
        raise ValueError(Errors.M130.format(template=template.text, fault="has more than one %d; keep one"))
    if places.count("b") + places.count("c") > 1:
        raise ValueError(Errors.M130.format(template=template.text, fault="has more than one %b or %c; keep one"))
    if "c" in places and not template.is_edge:
        fault = "looks at the dependents of the modifier, which only templates of labels (B) can do"
        raise ValueError(Errors.M130.format(template=template.text, fault=fault))
    _check_pair(template, places)


def _check_pair(template: Template, places: Sequence[str]) -> None:
    """Refuse an invalid template of pairs. Raises ValueError (M130)."""
    if "s" in places and "g" in places:
        fault = "looks at both the sibling (%s) and the grandparent (%g); make a template of each"
        raise ValueError(Errors.M130.format(template=template.text, fault=fault))
    for place, name in (("s", "sibling"), ("g", "grandparent")):
        if place in places and ("b" in places or template.is_edge):
            fault = f"has both %{place} and %b" if "b" in places else f"scores labels by a {name}"
            use = f"a U template with %{place}, %h, %m and %d alone scores {name}s"
            raise ValueError(Errors.M130.format(template=template.text, fault=f"{fault}; {use}"))


def check_arc_templates(templates: Sequence[Template]) -> None:
    """Refuse invalid arc templates (M130), and two that observe the same thing, even if only at some distances (M126). Raises ValueError.

    Templates that differ only in the order of their sides observe the same thing, and so do two with ``%d`` and ``%d[3]`` at distance 3.
    """
    seen: dict[tuple, Template] = {}
    for template in templates:
        check_arc_template(template)
        pattern = _pattern(template)
        for distance in _fires_at(template):
            first = seen.setdefault((template.is_edge, pattern, distance), template)
            if first is not template:
                raise ValueError(Errors.M126.format(first=first.name, second=template.name, pattern=template.pattern))


def _fires_at(template: Template) -> Sequence[int]:
    """The distances at which a template fires; [-1] if it has no distance."""
    distance = next((obs for obs in template.observations if obs.place == "d"), None)
    return [-1] if distance is None else np.arange(N_DISTANCES)[_distances(distance)].tolist()


def compile_arcs(templates: Sequence[Template], columns: Mapping[str, int]) -> ArcProgram:
    """Compile templates of arcs, or of pairs of one kind, over attribute columns; templates are numbered in the given order.

    columns: attribute name -> row of the column matrix (uint64[A, N]). Keys depend only on what a template observes.
    Raises ValueError: M125 a template reads an attribute without a column; M126, M130 as :func:`check_arc_templates`.
    """
    check_arc_templates(templates)
    sides: list[dict[tuple[Observation, ...], int]] = [{}, {}, {}, {}]
    patterns: dict[tuple, int] = {}
    members: list[list[int]] = []
    plain: list[int] = []
    near: list[np.ndarray] = []
    for j, template in enumerate(templates):
        pattern = _pattern(template)
        p = patterns.setdefault(pattern, len(patterns))
        if p == len(members):
            members.append(
                [seen.setdefault(side, len(seen)) if side else -1 for seen, side in zip(sides, pattern, strict=True)]
            )
            plain.append(-1)
            near.append(np.full(N_DISTANCES, -1, np.int64))
        distance = next((obs for obs in template.observations if obs.place == "d"), None)
        if distance is None:
            plain[p] = j
        else:
            near[p][_distances(distance)] = j
    column = _columns(templates, columns)
    heads, modifiers, siblings, betweens = (
        _side(place, list(side), column) for place, side in zip("hmsb", sides, strict=True)
    )
    head, modifier, sibling, between = np.array(members, np.int64).reshape(-1, 4).T.copy()
    bias = _digest("bias") >> DISTANCE_BITS << DISTANCE_BITS
    seeds = np.array([bias if max(row, default=-1) < 0 else 0 for row in members], np.uint64)
    return ArcProgram(
        heads, modifiers, siblings, betweens, head, modifier, sibling, between, seeds,
        np.array(plain, np.int64), np.array(near, np.int64).reshape(-1, N_DISTANCES),
        np.array([side[0].place == "c" for side in sides[3]], bool),
        any(obs.place == "g" for side in sides[2] for obs in side),
    )  # fmt: skip


def _distances(observation: Observation) -> slice | list[int]:
    """The distances at which a template with this ``%d`` fires."""
    if not observation.offset:
        return slice(None)
    at = DISTANCE_BINS.index(observation.offset)
    return [at, at + len(DISTANCE_BINS)]


def _columns(templates: Sequence[Template], columns: Mapping[str, int]) -> Callable[[Observation], int]:
    for template in templates:
        for obs in template.observations:
            if obs.attr and obs.attr not in columns:
                known = ", ".join(columns) or "none"
                raise ValueError(Errors.M125.format(template=template.text, attr=obs.attr, known=known))
    return lambda obs: columns[obs.attr]


def _side(place: str, lists: Sequence[tuple[Observation, ...]], column: Callable[[Observation], int]) -> Side:
    read = [obs for observations in lists for obs in observations]
    return Side(
        np.cumsum([0, *map(len, lists)], dtype=np.int64),
        np.array([obs.offset for obs in read], np.int64),
        np.array([column(obs) for obs in read], np.int64),
        np.array([_digest(f"{place}:{_text(observations)}") for observations in lists], np.uint64),
    )
