"""The page of a report: Jinja2 templates, one style sheet and one script, all in one file that loads nothing."""

import base64
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from markupsafe import Markup

from spacy_mtl.files import write_atomically
from spacy_mtl.thresholds import LIVE

from . import drawing
from .data import ComponentReport, ReportData, TemplateLine
from .pairs import OwnName

#: The largest page, in bytes.
MOST_BYTES = 1_000_000
#: What a page shows at most of each component: templates, labels, errors and labels with their features; and characters of the config.
LIMITS = {"templates": 400, "labels": 200, "errors": 8, "features": 40, "config": 60_000}
#: Where that is too much, so large a part of it.
PARTS = (1.0, 0.5, 0.25, 0.1, 0.02)


class Report:
    """A report as data, and as a page."""

    def __init__(self, data: ReportData):
        self.data = data

    def to_html(self) -> str:
        """One HTML file: style, script and pictures are inside, and a policy in its head lets it load or run nothing else.

        Where it would have more than MOST_BYTES, its tables are cut shorter.
        """
        environment = _environment()
        script = environment.get_template("script.js").render()
        digest = base64.b64encode(sha256(script.encode()).digest()).decode()
        template = environment.get_template("report.html")
        html = ""
        for part in PARTS:
            limits = {what: max(1, round(part * most)) for what, most in LIMITS.items()}
            html = template.render(data=self.data, script=script, digest=digest, limits=limits, whole=part == 1)
            if len(html.encode("utf8", "replace")) <= MOST_BYTES:
                break
        return html

    def save(self, path: str | Path) -> None:
        """Write the page, all of it or nothing. Raises OSError (M650-M652)."""
        write_atomically(path, self.to_html().encode("utf8", "replace"))

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that its style and script stay apart from a notebook's."""
        return (
            f'<iframe title="Report on {escape(self.data.title)}" sandbox="allow-scripts" '
            f'style="width:100%;height:36em;border:1px solid #8888" srcdoc="{escape(self.to_html())}"></iframe>'
        )


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("spacy_mtl.report", "page"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters.update(number=_number, percent=_percent, called=_called)
    environment.globals.update(
        drawing=drawing, objective_chart=_objective_chart, gap_chart=_gap_chart, score_chart=_score_chart,
        path_chart=_path_chart, live=LIVE, heat=_heat,
    )  # fmt: skip
    return environment


def _number(value: float | int | None, digits: int = 0) -> str:
    return "" if value is None else f"{value:,.{digits}f}"


def _percent(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{100 * value:.{digits}f}"


def _called(label: str) -> str:
    """A label; a name that the report gives stands in italics."""
    return Markup("<i>{}</i>").format(str(label)) if isinstance(label, OwnName) else label


def _heat(count: int, row_total: int) -> str:
    """How dark a cell of a confusion matrix is, from 0 to 0.6."""
    return f"{0.6 * count / row_total:.2f}" if row_total else "0"


def _objective_chart(part: ComponentReport) -> Any:
    lines = [
        (name, [each.passes for each in kept], [getattr(each, name) for each in kept])
        for name in ("primal", "dual")
        if (kept := [each for each in part.evaluations if getattr(each, name) is not None])
    ]
    return drawing.line_chart(f"Objective values of {part.name} over passes", lines, "passes") if lines else ""


def _gap_chart(part: ComponentReport) -> Any:
    kept = [each for each in part.evaluations if each.gap is not None and each.gap > 0]
    line = ("gap %", [each.passes for each in kept], [100 * (each.gap or 0) for each in kept])
    return drawing.line_chart(f"Relative duality gap of {part.name} in percent", [line], "passes", log=True)


def _score_chart(part: ComponentReport) -> Any:
    kept = [each for each in part.evaluations if each.score is not None]
    line = ("score", [each.passes for each in kept], [100 * (each.score or 0) for each in kept])
    return drawing.line_chart("Score of the dev corpus", [line], "passes")


def _path_chart(part: ComponentReport, n: int = 6) -> Any:
    """Shares of the heaviest templates, and the line of equal weights."""
    shown: list[TemplateLine] = [line for line in part.templates if len(line.path) == len(part.passes) > 1][:n]
    if not shown:
        return ""
    lines = [(line.pattern or line.name, part.passes, [100 * share for share in line.path]) for line in shown]
    ends = [part.passes[0], part.passes[-1]]
    lines.append(("equal weights", ends, [100 * part.equal] * 2))
    return drawing.line_chart(f"Weights of templates of {part.name}, in percent of their sum", lines, "passes")
