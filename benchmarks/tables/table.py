"""A table of the documentation: which rows its lines are made from, and how their figures are written."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.common.rows import Row

from .regions import FIGURE

#: The rows of every file of results, by the name of the file: ner, tagging, ...
Results = Mapping[str, Sequence[Row]]


#: Below a table with a contestant whose scores are not its best, and therefore not shown.
NOTE = "Where a score is left out, the contestant's constants were not searched or it was stopped early: it is here for its speed and its size.\n\n"


class NoRowsError(ValueError):
    """A table has a line or a column that no measurement stands behind."""


@dataclass(frozen=True)
class Column:
    """A figure of every line.

    key: of the rows, or a function of a row. form: as str.format takes it. best: max or min, printed bold in each group.
    where: what the column's rows have besides those of the line; of these the newest ones count.
    per_first: divided by the figure of the first line of the group.
    spread: the mean of repeated measurements and their standard deviation instead of the median. score: of quality, left empty for a contestant
    that was not searched.
    """

    heading: str
    key: str | Callable[[Row], Any]
    form: str = "{:,.1f}"
    best: str = ""
    where: Row = field(default_factory=dict)
    per_first: bool = False
    spread: bool = False
    score: bool = False

    def of(self, rows: Sequence[Row]) -> list[Row]:
        """The rows that its figures are from."""
        return newest(matching(rows, self.where))

    def numbers(self, rows: Sequence[Row]) -> list[float]:
        """Of all measurements that have the figure."""
        found = [self.key(row) if callable(self.key) else row.get(self.key) for row in self.of(rows)]
        return [float(value) for value in found if value is not None]

    def value(self, rows: Sequence[Row]) -> float | None:
        """The median (or mean) of repeated measurements; None where there is no figure."""
        numbers = self.numbers(rows)
        middle = statistics.fmean if self.spread else statistics.median
        return float(middle(numbers)) if numbers else None

    def deviation(self, rows: Sequence[Row]) -> str:
        """What follows the mean; nothing where there is one measurement alone."""
        numbers = self.numbers(rows) if self.spread else []
        return f" ± {self.form.format(statistics.stdev(numbers))}" if len(numbers) > 1 else ""


@dataclass(frozen=True)
class Line:
    """label: what is measured. where: what its rows have. unsearched: its constants were not chosen on dev, or it was stopped early."""

    label: str
    where: Row
    unsearched: bool = False


@dataclass(frozen=True)
class Table:
    """source: the file of results. head: headings of group and line. where: what all rows have. groups: lines that are compared, by their name."""

    name: str
    source: str
    head: tuple[str, str]
    columns: tuple[Column, ...]
    groups: Mapping[str, tuple[Line, ...]]
    where: Row = field(default_factory=dict)

    def rows_of(self, line: Line, results: Results) -> list[Row]:
        """Those of a line, older ones too. Raises NoRowsError where there are none."""
        found = matching(results.get(self.source, ()), self.where | line.where)
        if not found:
            raise NoRowsError(f"Table {self.name}: no row of {self.source}.jsonl has {self.where | line.where}.")
        return found

    def render(self, results: Results) -> str:
        """Markdown, with the commands that measured it below. Raises NoRowsError where a line or a column has no figure."""
        lines, used = [[*self.head, *(column.heading for column in self.columns)]], []
        for name, group in self.groups.items():
            rows = [self.rows_of(line, results) for line in group]
            used += [row for found in rows for column in self.columns for row in column.of(found)]
            figures = [self._figures(column, group, rows) for column in self.columns]
            for k, line in enumerate(group):
                lines.append(["" if k else name, line.label, *(column[k] for column in figures)])
        for k, column in enumerate(self.columns, 2):
            if not any(line[k] for line in lines[1:]):
                raise NoRowsError(f"Table {self.name}: no row has a figure for the column {column.heading!r}.")
        if not any(self.groups):
            lines = [[": ".join(filter(None, self.head)), *lines[0][2:]], *(line[1:] for line in lines[1:])]
        unsearched = any(line.unsearched for group in self.groups.values() for line in group)
        return markdown(lines) + "\n" + (NOTE if unsearched else "") + provenance(used)

    @staticmethod
    def _figures(column: Column, group: Sequence[Line], rows: Sequence[Sequence[Row]]) -> list[str]:
        """The cells of a column in one group; no score where the constants of a line were not searched."""
        hidden = [column.score and line.unsearched for line in group]
        values = [None if hide else column.value(found) for hide, found in zip(hidden, rows, strict=True)]
        if column.per_first:
            first = values[0]
            values = [value / first if value is not None and first else None for value in values]
        texts = ["" if value is None else column.form.format(value) for value in values]
        known = [value for value in values if value is not None]
        if column.best and len(known) > 1:
            top = column.form.format(max(known) if column.best == "max" else min(known))
            texts = [f"**{text}**" if text == top else text for text in texts]
        return [text + column.deviation(found) if text else "" for text, found in zip(texts, rows, strict=True)]


def matching(rows: Sequence[Row], where: Row) -> list[Row]:
    """The rows that have all these values."""
    return [row for row in rows if all(row.get(key) == value for key, value in where.items())]


def newest(rows: Sequence[Row]) -> list[Row]:
    """Those measured at the commit of the last one: older measurements stay in the file and leave the tables."""
    if not rows:
        return []
    last = max(rows, key=lambda row: row["time"])
    return [row for row in rows if row["commit"] == last["commit"]]


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """The first line is the heading. Columns of figures stand to the right."""
    columns = list(zip(*lines[1:], strict=True))
    rule = ["---:" if is_figures(column) else "---" for column in columns]
    return "".join(f"| {' | '.join(line)} |\n" for line in [lines[0], rule, *lines[1:]])


def is_figures(cells: Sequence[str]) -> bool:
    """Whether there is something, and nothing but figures."""
    return any(cells) and all(FIGURE.fullmatch(cell) for cell in cells if cell)


def provenance(rows: Sequence[Row]) -> str:
    """The commands that measured these rows, and at which commit."""
    commands: dict[str, list[str]] = {}
    for row in rows:
        commands.setdefault(row["commit"][:7], []).append(without_file(row["command"]))
    return "".join(
        f"Measured at commit `{commit}` by " + ", ".join(f"`{text}`" for text in dict.fromkeys(texts)) + ".\n"
        for commit, texts in commands.items()
    )


def without_file(command: str) -> str:
    """A command without the file that it added its rows to."""
    words = command.split(" ")
    while "--json" in words:
        at = words.index("--json")
        del words[at : at + 2]
    return " ".join(words)
