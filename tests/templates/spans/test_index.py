"""Templates of spans: what they see, against plain Python, and what is refused."""

import numpy as np
import pytest

from spacy_mtl.templates.grammar import parse_template
from spacy_mtl.templates.spans.index import build_span_index, span_rows
from spacy_mtl.templates.spans.presets import constituents_v1
from spacy_mtl.templates.spans.program import check_span_templates, compile_spans

TEXTS = [
    "U0:%i[0,A]",
    "U1:%i[-1,A]/%j[1,B]",
    "U2:%j[0,A]/%d",
    "U3:%d",
    "B0",
    "B1:%k[-1,A]/%k[0,B]",
    "B2:%i[0,B]/%j[-1,A]/%k[2,A]",
]
TEMPLATES = [parse_template(text) for text in TEXTS]
STARTS = np.array([0, 25, 29])


def drawn():
    """Two columns of few values; every span of two sentences, with a split."""
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 3, (2, 29)).astype(np.uint64)
    places = [
        (s, i, int(rng.integers(i, j)), j)
        for s in range(2)
        for i in range(STARTS[s + 1] - STARTS[s])
        for j in range(i + 1, STARTS[s + 1] - STARTS[s] + 1)
    ]
    return columns, np.array(places, np.int32)


def seen(template, columns, place) -> tuple:
    """What a template sees of a span."""
    s, i, k, j = place.tolist()
    found = []
    for obs in template.observations:
        if obs.place == "d":
            found.append(next(b for b, most in enumerate((1, 2, 3, 4, 5, 10, 20, 99)) if j - i <= most))
            continue
        at, n = {"i": i, "j": j - 1, "k": k}[obs.place] + obs.offset, STARTS[s + 1] - STARTS[s]
        outside = at if at < 0 else at - n + 1
        found.append(("out", int(outside)) if not 0 <= at < n else int(columns["AB".index(obs.attr), STARTS[s] + at]))
    return tuple(found)


def test_places_share_a_row_if_a_template_sees_the_same():
    columns, places = drawn()
    program = compile_spans(TEMPLATES, {"A": 0, "B": 1})
    index = build_span_index(columns, STARTS, program, places)
    rows = span_rows(columns, STARTS, program, places, index.table)
    for j, template in enumerate(TEMPLATES):
        values = [seen(template, columns, place) for place in places]
        assert (
            len(set(zip(values, rows[:, j].tolist(), strict=True))) == len(set(values)) == len(set(rows[:, j].tolist()))
        )
        assert rows[:, j].min() == index.blocks[j]
        assert rows[:, j].max() + 1 == index.blocks[j + 1]
        counts = np.bincount(rows[:, j] - index.blocks[j])
        assert (np.diff(counts) <= 0).all()


def test_rare_and_unknown_observations_have_no_row():
    columns, places = drawn()
    program = compile_spans(TEMPLATES[:2], {"A": 0, "B": 1})
    some = places[::3]
    index = build_span_index(columns, STARTS, program, some, min_count=4)
    rows = span_rows(columns, STARTS, program, places, index.table)
    for j, template in enumerate(TEMPLATES[:2]):
        values = [seen(template, columns, place) for place in some]
        known = {value for value in values if values.count(value) >= 4}
        assert [row >= 0 for row in rows[:, j]] == [seen(template, columns, place) in known for place in places]


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        (["U0:%x[0,A]"], "M130"),
        (["U0:%h[0,A]"], "M130"),
        (["U0:%d[3]"], "M130"),
        (["U0:%k[0,A]"], "M130"),
        (["U0:%i[0,A]/%j[0,A]", "U1:%j[0,A]/%i[0,A]"], "M126"),
    ],
)
def test_templates_that_spans_do_not_have_are_refused(texts, code):
    with pytest.raises(ValueError, match=code):
        check_span_templates([parse_template(text) for text in texts])


def test_an_attribute_without_column_is_refused():
    with pytest.raises(ValueError, match="M125"):
        compile_spans(TEMPLATES, {"A": 0})


def test_the_preset():
    templates = constituents_v1(3)
    check_span_templates(templates.templates)
    assert (len(templates.node), len(templates.edge), templates.min_count) == (35, 6, 3)
    assert set(templates.attributes) == {"TAG", "LOWER", "SUFFIX3"}
