"""The tables of learning on: the rows of ``benchmarks.learning_on``."""

from collections.abc import Mapping

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
TABLES = (HALVES, DOMAIN)
