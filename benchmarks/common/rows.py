"""Results as rows: appended to a file of JSON lines, found again, shown as tables."""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from spacy_mtl.files import write_atomically

from .origin import ROOT, origin

Row = dict[str, Any]
#: Where the files of published rows are, one for each task: what the tables of the documentation are made from.
RESULTS = ROOT / "benchmarks" / "results"
#: Of all random numbers, where a row does not say otherwise.
SEED = 0
console = Console() if sys.stdout.isatty() else Console(width=160)
progress = Console(stderr=True)


def read_rows(path: Path | None) -> list[Row]:
    """The rows of a file of JSON lines; none if there is no file. Raises ValueError naming the line that is not one."""
    if path is None or not path.exists():
        return []
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf8").splitlines(), 1):
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            row = None
        if not isinstance(row, dict):
            raise ValueError(f"Line {number} of {path} is not a row of results: name another file with --json.")
        rows.append(row)
    return rows


def append_rows(path: Path | None, rows: Iterable[Row]) -> None:
    """Add rows, with seed, time and origin, to a file of JSON lines: all of them or none."""
    if path is None:
        return
    stamp = {"time": datetime.now(timezone.utc).isoformat(timespec="seconds"), **origin()}
    signed = (finite({"seed": SEED, **row, **stamp}) for row in rows)
    new = "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in signed)
    old = path.read_text(encoding="utf8") if path.exists() else ""
    write_atomically(path, (old + new).encode("utf8"))


def finite(value: Any) -> Any:
    """The same with None for what is not a number: JSON has neither NaN nor infinity."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    return [finite(item) for item in value] if isinstance(value, list | tuple) else value


def find_row(rows: Sequence[Row], wanted: Row) -> Row | None:
    """The last row that has all these values."""
    return next((row for row in reversed(rows) if all(row.get(k) == v for k, v in wanted.items())), None)


def best_point(points: Sequence[Row], score: str) -> Row:
    """The earliest of the points with the highest score. Raises ValueError if there are none."""
    if not points:
        raise ValueError("There is no point to choose from.")
    return max(points, key=lambda point: point[score])


def has_peaked(scores: list[float], patience: int = 3) -> bool:
    """Whether the best score lies ``patience`` or more trainings back."""
    return len(scores) > patience and max(scores[-patience:]) <= max(scores[:-patience])


def epochs_to_try(given: Sequence[int] | None, usual: Sequence[int], quick: int | None) -> list[int]:
    """Passes of an online rival that are tried: those given, or the usual ones (the first ``quick`` of them where that is a number)."""
    return sorted(given) if given else list(usual[:quick])


def cell(value: Any) -> str:
    """A value for people: three or four digits, and no more."""
    if value is None:
        return "-"
    if isinstance(value, float):
        if value and abs(value) < 0.1:
            return f"{value:.2g}"
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}" if abs(value) < 100 else f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def show(title: str, columns: Mapping[str, str], rows: Iterable[Row], note: str = "") -> None:
    """Print a table. columns: key of a row -> heading."""
    table = Table(title=title, title_justify="left", caption=note or None, caption_justify="left")
    rows = list(rows)
    for key, heading in columns.items():
        is_text = any(isinstance(row.get(key), str) for row in rows)
        table.add_column(heading, justify="left" if is_text else "right")
    for row in rows:
        table.add_row(*(cell(row.get(key)) for key in columns))
    console.print(table)


def ratio(ours: float | None, theirs: float | None) -> float | None:
    """theirs / ours; None where one is missing or ours is 0."""
    return theirs / ours if ours and theirs is not None else None
