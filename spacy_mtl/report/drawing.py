"""Small pictures as inline SVG. Colours are those of the page's style sheet, so they follow light and dark."""

import math
from collections.abc import Sequence

from markupsafe import Markup

#: Size of a chart, and the room for its axes, in pixels.
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 340, 190, 52, 30, 10, 12
#: Steps of a line in a table.
SPARKS = 20
Line = tuple[str, Sequence[float], Sequence[float]]


def line_chart(title: str, lines: Sequence[Line], across: str, log: bool = False) -> Markup:
    """Lines with names over common axes. across: name of the horizontal axis. log: whether the vertical axis is logarithmic."""
    points = [(x, y) for _, xs, ys in lines for x, y in zip(xs, ys, strict=True) if not log or y > 0]
    if not points:
        return Markup("")
    place_x = _scale([x for x, _ in points], LEFT, WIDTH - RIGHT)
    place_y = _scale([math.log10(y) if log else y for _, y in points], HEIGHT - BOTTOM, TOP)
    parts = [_axes(points, place_x, place_y, across, log)]
    for number, (_, xs, ys) in enumerate(lines):
        kept = [(x, math.log10(y) if log else y) for x, y in zip(xs, ys, strict=True) if not log or y > 0]
        path = " ".join(f"{place_x(x):.1f},{place_y(y):.1f}" for x, y in kept)
        parts.append(Markup('<polyline class="line s{}" points="{}"/>').format(number, path))
        parts += [
            Markup('<circle class="dot s{}" cx="{}" cy="{}" r="2.5"/>').format(
                number, f"{place_x(x):.1f}", f"{place_y(y):.1f}"
            )
            for x, y in (kept if len(kept) <= 12 else [])
        ]
    return _svg(title, parts) + _legend([name for name, _, _ in lines])


def reliability_diagram(title: str, told: Sequence[float], correct: Sequence[float]) -> Markup:
    """Shares of correct decisions over their mean probabilities, and the diagonal of what would be right."""
    low = max(0.0, min(*told, *correct) - 0.05)

    def place_x(p: float) -> float:
        return LEFT + (WIDTH - RIGHT - LEFT) * (p - low) / (1 - low)

    def place_y(p: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (p - low) / (1 - low)

    parts = [
        Markup('<line class="even" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(
            *(f"{value:.1f}" for value in (place_x(low), place_y(low), place_x(1), place_y(1)))
        )
    ]
    for value in (low, (1 + low) / 2, 1.0):
        parts.append(_text(f"{100 * value:.0f}%", LEFT - 6, place_y(value) + 4, "end"))
        parts.append(_text(f"{100 * value:.0f}%", place_x(value), HEIGHT - 14, "end" if value == 1 else "middle"))
    parts.append(_text("told probability", (LEFT + WIDTH) / 2, HEIGHT - 1, "middle"))
    path = " ".join(f"{place_x(p):.1f},{place_y(q):.1f}" for p, q in zip(told, correct, strict=True))
    parts.append(Markup('<polyline class="line s0" points="{}"/>').format(path))
    parts += [
        Markup('<circle class="dot s0" cx="{}" cy="{}" r="3"/>').format(f"{place_x(p):.1f}", f"{place_y(q):.1f}")
        for p, q in zip(told, correct, strict=True)
    ]
    return _svg(title, parts)


def sparkline(values: Sequence[float], most: float) -> Markup:
    """A line of values from 0 to ``most``, without axes: a few of them where there are many. A table says the same in numbers."""
    n = max(len(values) - 1, 1)
    shown = sorted({round(k * n / SPARKS) for k in range(SPARKS + 1)} & set(range(len(values))))
    path = " ".join(f"{1 + 78 * k / n:.0f},{17 - 16 * values[k] / (most or 1):.1f}" for k in shown)
    return Markup(
        '<svg class="spark" width="80" height="18" aria-hidden="true"><polyline class="line s0" points="{}"/></svg>'
    ).format(path)


def interval(low: float, value: float, high: float) -> Markup:
    """A value with its interval on a line from 0 to 100."""
    return Markup(
        '<svg class="interval" width="104" height="14" aria-hidden="true"><line class="scale" x1="2" x2="102" y1="7" y2="7"/>'
        '<line class="span" x1="{}" x2="{}" y1="7" y2="7"/><circle class="dot s0" cx="{}" cy="7" r="3"/></svg>'
    ).format(f"{2 + low:.1f}", f"{2 + high:.1f}", f"{2 + value:.1f}")


def _scale(values: Sequence[float], start: float, end: float):
    low, high = min(values), max(values)
    if low == high:  # in the middle
        low, high = low - 1, high + 1
    span = high - low
    return lambda value: start + (end - start) * (value - low) / span


def _axes(points: Sequence[tuple[float, float]], place_x, place_y, across: str, log: bool) -> Markup:
    xs, ys = sorted(x for x, _ in points), sorted(y for _, y in points)
    parts = [Markup("")]
    for value in dict.fromkeys((ys[0], _middle(ys[0], ys[-1], log), ys[-1])):
        y = place_y(math.log10(value) if log else value)
        parts.append(
            Markup('<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
                LEFT, WIDTH - RIGHT, f"{y:.1f}", f"{y:.1f}"
            )
        )
        parts.append(_text(short(value), LEFT - 6, y + 4, "end"))
    for value, anchor in {xs[0]: "start", xs[-1]: "end"}.items():
        parts.append(_text(short(value), place_x(value), HEIGHT - 14, anchor))
    parts.append(_text(across, (LEFT + WIDTH) / 2, HEIGHT - 1, "middle"))
    return Markup("").join(parts)


def _middle(low: float, high: float, log: bool) -> float:
    return math.sqrt(low * high) if log else (low + high) / 2


def short(value: float) -> str:
    """A number in about four characters."""
    return f"{value:.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def _text(text: str, x: float, y: float, anchor: str) -> Markup:
    return Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(f"{x:.1f}", f"{y:.1f}", anchor, text)


def _svg(title: str, parts: Sequence[Markup]) -> Markup:
    return Markup(
        '<svg class="chart" role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}" height="{}">{}</svg>'
    ).format(title, WIDTH, HEIGHT + 4, WIDTH, HEIGHT + 4, Markup("").join(parts))


def _legend(names: Sequence[str]) -> Markup:
    if len(names) < 2:
        return Markup("")
    items = Markup("").join(
        Markup('<span class="key s{}">{}</span>').format(number, name) for number, name in enumerate(names)
    )
    return Markup('<p class="legend">{}</p>').format(items)
