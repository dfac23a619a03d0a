"""The tables of learning on: the rows of ``benchmarks.learning_on``."""

from collections.abc import Mapping
from dataclasses import replace

from .table import Column, Line, Table

_SIZE = (Column("sentences", "documents", "{:,.0f}"), Column("CPU s", "cpu"))


def _table(mode: str, head: str, columns: tuple[Column, ...], lines: Mapping[str, str]) -> Table:
    """lines: what is shown, and the contestant of the row."""
    group = tuple(Line(label, {"contestant": contestant}) for label, contestant in lines.items())
    return Table(f"learning-on-{mode}", "learning_on", ("", head), columns, {"": group}, {"mode": mode})


HALVES = _table(
    "halves",
    "Spanish entities",
    (*_SIZE, Column("F1 testa", "testa"), Column("F1 testb", "testb")),
    {
        "first half": "first half",
        "on from it with the second half": "second half, on from the first",
        "both halves anew": "all",
    },
)
DOMAIN = _table(
    "domain",
    "Tags, accuracy",
    (*_SIZE, Column("abstracts", "abstracts"), Column("news", "news")),
    {
        "news": "news",
        "on from it with biomedical abstracts": "abstracts, on from news",
        "the abstracts alone": "abstracts",
        "news and abstracts anew": "news and abstracts",
    },
)
_BY_LABEL = (
    *(Column(label, label) for label in ("LOC", "ORG", "PER")),
    Column("change", "change", "{:+.1f}"),
    Column("worst", "worst", "{:+.1f}"),
    Column("MISC", "MISC"),
)


def _labels(file: str) -> Table:
    lines = {
        "before": "without MISC",
        "on from it": "on from it",
        "without what protects known labels": "known labels in full",
        "at a tenth of `C`": "on from it at a tenth of C",
        "300 texts rehearsed": "on from it, 300 texts rehearsed",
    }
    table = _table("labels", f"A new label in 20 sentences, F1 {file}", _BY_LABEL, lines)
    return replace(table, name=f"learning-on-labels-{file}", where={**table.where, "file": file})


TABLES = (HALVES, DOMAIN, _labels("testa"), _labels("testb"))
