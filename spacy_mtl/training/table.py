"""The columns of the training table, which show the results of an evaluation."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from spacy.language import Language

REPORT_FIELDS = ("primal", "dual", "gap", "live_templates", "n_templates", "passes")

Info = dict[str, Any]


class Report(Protocol):
    """Progress of a component's training; any float is nan if the trainer does not know it.

    primal, dual: objective values. gap: relative, 0.031 is 3.1%. live_templates: the number of templates with weight, out of n_templates.
    passes: the number of passes over the corpus.
    """

    primal: float
    dual: float
    gap: float
    live_templates: int
    n_templates: int
    passes: int


@dataclass(frozen=True)
class Column:
    """A column of the table: header, minimum width in characters, and a function from the results of an evaluation to the cell."""

    header: str
    width: int
    cell: Callable[[Info], str]


def reporting_pipes(nlp: Language) -> dict[str, Any]:
    """Components that report on their training: ``pipe.report`` is a :class:`Report`, or None before training begins."""
    return {name: pipe for name, pipe in nlp.pipeline if hasattr(pipe, "report") and not callable(pipe.report)}


def table_columns(nlp: Language) -> list[Column]:
    """The columns: epoch and step, reports of our components, losses of others, dev scores with a weight, the overall score, seconds."""
    reporting = reporting_pipes(nlp)
    others = [name for name, pipe in nlp.pipeline if name not in reporting and getattr(pipe, "is_trainable", False)]
    weights = nlp.config.interpolate()["training"]["score_weights"]
    columns = [Column("E", 3, lambda info: str(info["epoch"])), Column("#", 6, lambda info: str(info["step"]))]
    for name, pipe in reporting.items():
        columns += _report_columns(name, pipe, f"{name} " if len(reporting) > 1 else "")
    columns += [_loss_column(name, f"LOSS {name.upper()}") for name in others]
    columns += [_score_column(name) for name, weight in weights.items() if weight is not None]
    columns.append(Column("SCORE", 6, lambda info: _number(info["score"], ".4f")))
    columns.append(Column("SEC", 5, lambda info: _number(info.get("seconds"), ".0f")))
    return columns


def header(columns: list[Column]) -> str:
    """The two lines above the rows."""
    names = _line(columns, [column.header for column in columns])
    return f"{names}\n{_line(columns, ['-' * _width(column) for column in columns])}"


def row(columns: list[Column], info: Info) -> str:
    """The line of one evaluation."""
    return _line(columns, [column.cell(info) for column in columns])


def _width(column: Column) -> int:
    return max(len(column.header), column.width)


def _line(columns: list[Column], cells: list[str]) -> str:
    return "  ".join(cell.rjust(_width(column)) for column, cell in zip(columns, cells, strict=True)).rstrip()


def _report_columns(name: str, pipe: Any, prefix: str) -> list[Column]:
    def live(_: Info) -> str:
        return f"{pipe.report.live_templates}/{pipe.report.n_templates}" if pipe.report is not None else ""

    def figure(field: str, form: str, scale: float = 1.0) -> Callable[[Info], str]:
        return lambda _: _number(getattr(pipe.report, field, None), form, scale)

    prefix = prefix.upper()
    return [
        _loss_column(name, f"{prefix}LOSS"),
        Column(f"{prefix}PRIMAL", 10, figure("primal", ".6g")),
        Column(f"{prefix}DUAL", 10, figure("dual", ".6g")),
        Column(f"{prefix}GAP %", 6, figure("gap", ".2f", 100.0)),
        Column(f"{prefix}LIVE", 7, live),
    ]


def _loss_column(name: str, title: str) -> Column:
    return Column(title, 8, lambda info: _number(info["losses"].get(name), ".2f"))


def _score_column(name: str) -> Column:
    # as in spaCy: scores are percentages, speed is words per second
    width, form, scale = (8, ".0f", 1.0) if name == "speed" else (6, ".2f", 100.0)
    return Column(name.upper(), width, lambda info: _number(info["other_scores"].get(name), form, scale))


def _number(value: Any, form: str, scale: float = 1.0) -> str:
    """Format a value; blank if there is none."""
    try:
        number = float(value) * scale
    except (TypeError, ValueError):
        return ""
    return "" if math.isnan(number) else format(number, form)
