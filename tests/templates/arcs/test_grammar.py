"""Templates of arcs as texts: what is read from them, and what is wrong with the others."""

import pytest

from spacy_mtl.templates.grammar import DISTANCE_BINS, Observation, Template, TemplateSet, parse_template

H, M, S, G = (Observation(0, "TAG", place) for place in "hmsg")


@pytest.mark.parametrize(
    ("text", "observations"),
    [
        ("U0:%h[0,TAG]/%m[0,TAG]", (H, M)),
        ("U1:%h[-1,LOWER]/%m[+2,TAG]", (Observation(-1, "LOWER", "h"), Observation(2, "TAG", "m"))),
        ("U2:%h[0,TAG]/%b[TAG]/%m[0,TAG]", (H, Observation(0, "TAG", "b"), M)),
        ("B2:%m[0,TAG]/%c[TAG]", (M, Observation(0, "TAG", "c"))),
        ("U3:%m[0,TAG]/%d", (M, Observation(0, "", "d"))),
        ("U4:%m[0,TAG]/%d[3]", (M, Observation(3, "", "d"))),
        ("U5:%s[0,TAG]/%m[0,TAG]", (S, M)),
        ("U7:%g[0,TAG]/%m[0,TAG]", (G, M)),
        ("U6:%d", (Observation(0, "", "d"),)),
        ("B", ()),
        ("B1:%h[0,TAG]", (H,)),
    ],
)
def test_observations(text, observations):
    template = parse_template(text)
    assert template.observations == observations
    assert parse_template(template.text) == template


def test_spaces_are_allowed_between_signs():
    assert parse_template("U : %h[ 0 , TAG ] / %d [ 11 ] / %b[ TAG ]").text == "U:%h[0,TAG]/%d[11]/%b[TAG]"


@pytest.mark.parametrize("distance", DISTANCE_BINS)
def test_every_bin_can_be_written(distance):
    template = Template("U0", (M, Observation(distance, "", "d")))
    assert parse_template(template.text) == template


@pytest.mark.parametrize(
    ("text", "code", "column", "found"),
    [
        ("U0:%h[TAG]", "M104", 7, "'TAG'"),
        ("U0:%h[0]", "M106", 8, "']'"),
        ("U0:%h", "M103", 6, "the end"),
        ("U0:%m[101,TAG]", "M105", 7, "'101'"),
        ("U0:%b[0,TAG]", "M106", 7, "'0'"),
        ("U0:%b", "M103", 6, "the end"),
        ("B0:%c[1,TAG]", "M106", 7, "'1'"),
        ("U0:%m[0,TAG]/%d[7]", "M128", 17, "'7'"),
        ("U0:%m[0,TAG]/%d[", "M128", 17, "the end"),
        ("U0:%m[0,TAG]/%d[3", "M103", 18, "the end"),
        ("U0:%m[0,TAG]/%d[3]/", "M103", 20, "the end"),
        ("U0:%m[0,TAG]%d", "M103", 13, "'%'"),
        ("U0:%q[0,TAG]", "M103", 4, "'%q[0,TAG]'"),
        ("U0:%dd", "M103", 4, "'%dd'"),
        ("U0:x/%h[0,TAG]", "M108", 4, "'x/'"),
    ],
)
def test_faults_are_shown_where_they_are(text, code, column, found):
    with pytest.raises(ValueError, match=rf"^\[{code}\] Bad template at column {column}: ") as info:
        parse_template(text)
    first, _, caret = str(info.value).split("\n")
    assert found in first[first.index(": ") :]
    assert caret == " " * (3 + column) + "^"


def test_attributes_of_a_set_leave_distances_out():
    templates = TemplateSet.from_texts(["U0:%h[0,TAG]/%d", "U1:%b[LOWER]/%m[0,TAG]/%d[2]", "B"])
    assert templates.attributes == ("TAG", "LOWER")
    assert [t.name for t in templates.without("LOWER").templates] == ["U0", "B"]
