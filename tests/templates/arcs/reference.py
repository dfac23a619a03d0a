"""What templates of arcs observe, in plain Python."""

from spacy_mtl.templates.grammar import DISTANCE_BINS, Template

ATTRIBUTES = {"TAG": 0, "LOWER": 1}
TEMPLATES = [
    "U0:%h[0,TAG]/%m[0,TAG]",
    "U1:%h[0,TAG]/%m[0,TAG]/%d",
    "U2:%h[-1,TAG]/%h[0,LOWER]/%m[2,TAG]",
    "U3:%h[0,TAG]/%b[TAG]/%m[0,TAG]",
    "U4:%h[0,TAG]/%b[LOWER]/%m[0,TAG]/%d",
    "U5:%b[TAG]",
    "U6:%m[0,LOWER]/%d[1]",
    "U7:%m[0,LOWER]/%d[6]",
    "U8:%d",
    "U9:%m[0,LOWER]",
    "U10:%h[0,TAG]/%h[1,TAG]",
    "U11:%m[0,TAG]/%m[1,TAG]",
    "U12:%h[-2,LOWER]",
    "U13:%b[TAG]/%d[3]",
]
SIBLING_TEMPLATES = [
    "U0:%s[0,TAG]/%m[0,TAG]",
    "U1:%h[0,TAG]/%s[0,TAG]/%m[0,TAG]",
    "U2:%s[1,LOWER]/%m[0,LOWER]/%d",
    "U3:%s[0,TAG]/%d[2]",
    "U4:%s[0,TAG]",
]
GRANDPARENT_TEMPLATES = [
    "U0:%g[0,TAG]/%m[0,TAG]",
    "U1:%g[0,TAG]/%h[0,TAG]/%m[0,TAG]",
    "U2:%g[-1,LOWER]/%m[0,LOWER]/%d",
    "U3:%g[0,TAG]/%d[2]",
    "U4:%g[0,TAG]",
]

LABEL_TEMPLATES = [
    "B0:%h[0,TAG]/%m[0,TAG]",
    "B1:%m[0,TAG]/%c[LOWER]",
    "B2:%c[TAG]/%d",
    "B3:%h[0,TAG]/%b[TAG]",
    "B4:%b[LOWER]",
    "B5:%c[LOWER]",
    "B",
]


def seen_at(columns, attr: str, place: int):
    """The value of an attribute at a place of a sentence, 0 the root. columns: one list of values an attribute."""
    n = len(columns[0])
    if place < 0:
        return "left of the root", place
    if place > n:
        return "right of the end", place - n
    return "root" if place == 0 else int(columns[ATTRIBUTES[attr]][place - 1])


def distance_of(head: int, modifier: int) -> tuple[bool, int]:
    """Direction and bin: the largest that does not exceed the distance."""
    return head < modifier, max(bound for bound in DISTANCE_BINS if bound <= abs(head - modifier))


def observed(columns, template: Template, head: int, modifier: int, sibling: int | None = None, tree=()) -> list:
    """Every observation of an arc. columns: values of one sentence. sibling: or grandparent, None for none. tree: heads of its words."""
    fixed, betweens = [], [()]
    for obs in template.observations:
        if obs.place in "hm":
            fixed.append(seen_at(columns, obs.attr, {"h": head, "m": modifier}[obs.place] + obs.offset))
        elif obs.place == "s":
            fixed.append("none" if sibling is None else seen_at(columns, obs.attr, sibling + obs.offset))
        elif obs.place == "g":
            order = tuple(sorted("ghm", key=lambda place: {"g": sibling, "h": head, "m": modifier}[place]))
            fixed.append((frozenset((order, order[::-1])), seen_at(columns, obs.attr, sibling + obs.offset)))
        elif obs.place in "bc":
            places = range(min(head, modifier) + 1, max(head, modifier))
            if obs.place == "c":
                places = [p for p, own in enumerate(tree, start=1) if own == modifier]
            betweens = sorted({(seen_at(columns, obs.attr, p),) for p in places})
        else:
            direction, distance = distance_of(head, modifier)
            if obs.offset not in (0, distance):
                return []
            fixed.append((direction, distance))
    return [(template.name, *fixed, *between) for between in betweens]
