"""Compiling templates of arcs, and the keys of what they observe: against a plain-Python reference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.templates.arcs.keys import arc_keys, fill_side_keys, most_keys, new_side_keys, note_words, turn_of
from spacy_mtl.templates.arcs.program import check_arc_templates, compile_arcs
from spacy_mtl.templates.grammar import parse_templates

from .reference import ATTRIBUTES, GRANDPARENT_TEMPLATES, LABEL_TEMPLATES, SIBLING_TEMPLATES, TEMPLATES, observed

NO_TREE = np.empty(0, np.int32)


def keys_of(program, columns, arcs, tree=NO_TREE) -> list[list[tuple[int, int]]]:
    """Template and key of every observation of each arc (head, modifier, and sibling, grandparent or None)."""
    n = columns.shape[1]
    keys = new_side_keys(program, n)
    fill_side_keys(columns, 0, n, program, keys)
    n_between = program.betweens.seed.size
    seen, counts = np.empty((n_between, n + 1), np.uint64), np.zeros(n_between, np.int64)
    out, owners = np.empty(most_keys(program, n), np.uint64), np.empty(most_keys(program, n), np.int64)
    found = []
    for head, modifier, sibling in arcs:
        note_words(keys.betweens, program.dependent, head, modifier, tree, seen, counts)
        place = n + 1 if sibling is None else sibling
        if program.turned:
            place += turn_of(sibling, head, modifier) * (n + 2)
        count = arc_keys(program, keys, head, modifier, place, seen, counts, out, owners)
        found.append(list(zip(owners[:count].tolist(), out[:count].tolist(), strict=True)))
    return found


def every_arc(n: int, third: str = "") -> list[tuple[int, int, int | None]]:
    arcs = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]
    if third == "grandparent":
        return [(h, m, g) for h, m in arcs for g in range(n + 1) if h and g not in (h, m)]
    if not third:
        return [(h, m, None) for h, m in arcs]
    return [(h, m, s) for h, m in arcs for s in [None, *range(min(h, m) + 1, max(h, m))]]


@pytest.mark.parametrize(
    ("texts", "third"),
    [(TEMPLATES, ""), (SIBLING_TEMPLATES, "sibling"), (GRANDPARENT_TEMPLATES, "grandparent"), (LABEL_TEMPLATES, "")],
    ids=["arcs", "siblings", "grandparents", "labels"],
)
@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_keys_are_equal_where_observations_are(texts, third, seed):
    rng = np.random.default_rng(seed)
    templates = parse_templates(texts)
    program = compile_arcs(templates, ATTRIBUTES)
    key_of, observation_of = {}, {}
    for n in (int(rng.integers(1, 14)), int(rng.integers(1, 6))):
        columns = rng.integers(1, 4, (2, n)).astype(np.uint64)
        tree = rng.integers(0, n + 1, n).astype(np.int32)
        arcs = every_arc(n, third)
        for arc, found in zip(arcs, keys_of(program, columns, arcs, tree), strict=True):
            for j, template in enumerate(templates):
                wanted = observed(columns, template, *arc, tree)
                keys = [key for owner, key in found if owner == j]
                assert len(keys) == len(set(keys)) == len(wanted)
                for observation in wanted:
                    known = key_of.get(observation)
                    assert known is None or known in keys
                if len(wanted) == 1:  # else the reference does not say which is whose
                    assert key_of.setdefault(wanted[0], keys[0]) == keys[0]
                    assert observation_of.setdefault(keys[0], wanted[0]) == wanted[0]


def test_keys_do_not_depend_on_other_templates_names_or_columns():
    columns = np.array([[1, 2, 3, 1], [5, 6, 6, 5]], np.uint64)
    arcs = every_arc(4)
    together = keys_of(compile_arcs(parse_templates(TEMPLATES), ATTRIBUTES), columns, arcs)
    swapped = {name: 1 - row for name, row in ATTRIBUTES.items()}
    for j, text in enumerate(TEMPLATES):
        program = compile_arcs(parse_templates([text.replace("U", "U-other")]), swapped)
        alone = keys_of(program, columns[::-1].copy(), arcs)
        assert [[key for _, key in arc] for arc in alone] == [[k for owner, k in arc if owner == j] for arc in together]


def test_a_label_without_observation_is_seen_on_every_arc():
    columns = np.array([[1, 2, 3]], np.uint64)
    found = keys_of(compile_arcs(parse_templates(["B"]), {"TAG": 0}), columns, every_arc(3))
    assert len({tuple(arc) for arc in found}) == 1
    assert all(len(arc) == 1 for arc in found)


@pytest.mark.parametrize(
    ("texts", "start"),
    [
        (
            ["U0:%h[0,TAG]/%b[TAG]/%b[LOWER]"],
            "[M130] Template 'U0:%h[0,TAG]/%b[TAG]/%b[LOWER]' has more than one %b or %c",
        ),
        (["B0:%m[0,TAG]/%b[TAG]/%c[TAG]"], "[M130] Template 'B0:%m[0,TAG]/%b[TAG]/%c[TAG]' has more than one %b or %c"),
        (["U0:%m[0,TAG]/%c[TAG]"], "[M130] Template 'U0:%m[0,TAG]/%c[TAG]' looks at the dependents of the modifier"),
        (["U0:%m[0,TAG]/%d/%d[3]"], "[M130] Template 'U0:%m[0,TAG]/%d/%d[3]' has more than one %d"),
        (["U0:%s[0,TAG]/%b[TAG]"], "[M130] Template 'U0:%s[0,TAG]/%b[TAG]' has both %s and %b"),
        (["B0:%s[0,TAG]/%m[0,TAG]"], "[M130] Template 'B0:%s[0,TAG]/%m[0,TAG]' scores labels by a sibling"),
        (["U0:%g[0,TAG]/%b[TAG]"], "[M130] Template 'U0:%g[0,TAG]/%b[TAG]' has both %g and %b"),
        (["B0:%g[0,TAG]/%m[0,TAG]"], "[M130] Template 'B0:%g[0,TAG]/%m[0,TAG]' scores labels by a grandparent"),
        (["U0:%s[0,TAG]/%g[0,TAG]"], "[M130] Template 'U0:%s[0,TAG]/%g[0,TAG]' looks at both the sibling (%s) and"),
        (["U0:%h[0,TAG]/%m[0,TAG]", "U1:%m[0,TAG]/%h[0,TAG]"], "[M126] The templates 'U0' and 'U1' observe the same"),
        (["U0:%m[0,TAG]/%d[3]", "U1:%m[0,TAG]/%d"], "[M126] The templates 'U0' and 'U1'"),
        (["U0:%m[0,TAG]/%d[3]", "U1:%d[3]/%m[0,TAG]"], "[M126] The templates 'U0' and 'U1'"),
    ],
)
def test_what_no_program_can_be_made_of(texts, start):
    templates = parse_templates(texts)
    for refuse in (lambda: check_arc_templates(templates), lambda: compile_arcs(templates, ATTRIBUTES)):
        with pytest.raises(ValueError, match=r"^\[M1") as info:
            refuse()
        assert str(info.value).startswith(start)


def test_templates_that_differ_are_not_refused():
    check_arc_templates(parse_templates(["U0:%m[0,TAG]/%d[3]", "U1:%m[0,TAG]/%d[4]", "U2:%m[0,TAG]", "B2:%m[0,TAG]"]))


def test_attribute_without_a_column():
    with pytest.raises(ValueError, match=r"^\[M125\] Template 'U0:%h\[0,SHAPE\]' reads the attribute 'SHAPE'"):
        compile_arcs(parse_templates(["U0:%h[0,SHAPE]"]), ATTRIBUTES)
