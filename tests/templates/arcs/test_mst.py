"""Templates of trees: what the settings of the presets add."""

import pytest

from spacy_mtl.templates.arcs.program import check_arc_templates
from spacy_mtl.templates.presets import mst, parse


def without_name(templates) -> list[str]:
    return [template.pattern for template in templates.templates]


@pytest.mark.parametrize("siblings", [False, True])
@pytest.mark.parametrize(("coarse", "count"), [(None, 8), ("POS", 10)])
def test_grandparents_are_added_after_what_was_there(siblings, coarse, count):
    """Names go on; each without and with direction and distance."""
    before = parse(coarse=coarse, morph=False, siblings=siblings, grandparents=False)
    after = parse(coarse=coarse, morph=False, siblings=siblings, grandparents=True)
    added = [template for template in after.templates if template not in before.templates]
    assert [t for t in after.templates if t not in added] == list(before.templates)
    assert len(added) == 2 * count
    assert all("%g[" in template.text and "%s[" not in template.text for template in added)
    check_arc_templates(after.templates)
    numbers = [int(t.name.strip("Ud")) for t in after.node]
    assert sorted(set(numbers)) == list(range(len(set(numbers))))


@pytest.mark.parametrize(("variants", "factor"), [("one", 2), ("each", 8), ("none", 1)])
@pytest.mark.parametrize("form", ["ORTH", None])
def test_grandparents_of_mst(variants, factor, form):
    before = without_name(mst(form=form, variants=variants, siblings=True))
    after = mst(form=form, variants=variants, siblings=True, grandparents=True)
    added = [pattern for pattern in without_name(after) if pattern not in before]
    assert len(added) == factor * (8 if form else 2)
    check_arc_templates(after.templates)
