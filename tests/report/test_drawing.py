"""Small pictures: points are where their values are."""

import re

from spacy_mtl.report import drawing


def points(svg):
    return [
        tuple(map(float, each.split(",")))
        for each in re.search(r'polyline class="line s0" points="([^"]*)"', svg)[1].split()
    ]


def test_a_line_is_between_its_axes():
    svg = drawing.line_chart("t", [("a", [0, 5, 10], [1.0, 3.0, 2.0])], "passes")
    (x0, y0), (x1, y1), (x2, y2) = points(svg)
    assert (x0, y0) == (drawing.LEFT, drawing.HEIGHT - drawing.BOTTOM)
    assert (x2, y1) == (drawing.WIDTH - drawing.RIGHT, drawing.TOP)
    assert x1 == (x0 + x2) / 2
    assert y2 == (y0 + y1) / 2
    assert ">passes</text>" in svg


def test_orders_of_magnitude_are_equally_far_apart():
    svg = drawing.line_chart("t", [("a", [0, 1, 2, 3], [1.0, 10.0, 100.0, 0.0])], "x", log=True)
    (_, y0), (_, y1), (_, y2) = points(svg)  # there is no place for 0
    assert y0 - y1 == y1 - y2 > 0


def test_a_constant_is_in_the_middle_and_nothing_is_nothing():
    ((_, y), _) = points(drawing.line_chart("t", [("a", [0, 1], [5.0, 5.0])], "x"))
    assert y == (drawing.TOP + drawing.HEIGHT - drawing.BOTTOM) / 2
    assert drawing.line_chart("t", [("a", [], [])], "x") == ""


def test_reliability_on_the_diagonal():
    svg = drawing.reliability_diagram("t", [0.5, 0.75, 1.0], [0.5, 0.75, 1.0])
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(points(svg), points(svg)[1:], strict=False)]
    diagonal = re.search(r'class="even" x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"', svg)
    x1, y1, x2, y2 = map(float, diagonal.groups())
    assert all(abs(slope - (y2 - y1) / (x2 - x1)) < 0.01 for slope in slopes)


def test_titles_are_escaped():
    assert "<b>" not in drawing.line_chart('"<b>', [("<b>", [0], [1.0]), ("c", [0], [1.0])], "<b>")
    assert "<b>" not in drawing.reliability_diagram("<b>", [0.5], [0.5])
