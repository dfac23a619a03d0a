"""Tables of the papers' experiments on handwritten letters: the rows of ``benchmarks.letters``."""

import json
from collections.abc import Sequence

from benchmarks.common.rows import Row
from benchmarks.letters.l1m3n import CLAIM, CONTESTANTS, CURVES, MODELS
from benchmarks.letters.runs import Contestant

from .table import Column, Line, Table

#: Training words of the columns.
SIZES = (100, 150, 200, 250)


def error(row: Row) -> float:
    """Letters read wrong, in percent."""
    return 100 - row["accuracy"]


def plan_of(size: int) -> Row:
    return {"plan": f"l1m3n, 10 folds of {size} words", "mode": "run"}


FEW_WORDS = Table(
    "letters-few-words",
    "letters",
    ("Letters read wrong, %", ""),
    (
        *(Column(f"{size} words", error, "{:.1f}", "min", plan_of(size), spread=True) for size in SIZES),
        Column("weights not 0, 100 words", "non_zero", "{:,.0f}", "", plan_of(100)),
    ),
    {"": tuple(Line(one.name, one.identity()) for one in CONTESTANTS)},
    {"benchmark": "ocr", "mode": "run"},
)


def pairs_of(pairs: Sequence[tuple[Contestant, Contestant]], words: int) -> tuple[Line, ...]:
    return tuple(
        Line(f"{one.name}; {other.name}", {"contestant": one.name, "other": other.name, "words": words})
        for one, other in pairs
    )


def differences(name: str, groups: dict[str, tuple[Line, ...]]) -> Table:
    """Pairs of contestants, fold by fold."""
    columns = (
        Column("error of the first, %", "error"),
        Column("of the second", "error_other"),
        Column("difference", "difference", "{:.2f}"),
        Column("95%, from", "low", "{:.2f}"),
        Column("to", "high", "{:.2f}"),
        Column("folds, of 10, where the first errs less", "fewer", "{:.0f}"),
    )
    return Table(name, "letters", ("", "the first; the second"), columns, groups, {"benchmark": "ocr", "mode": "pair"})


PAIRS = differences(
    "letters-claim",
    {"100 words": pairs_of(CLAIM, 100)} | {f"{size} words": pairs_of(CLAIM[:1], size) for size in SIZES[1:]},
)
PAIRS_OF_MODELS = differences("letters-models", {f"{size} words": pairs_of(MODELS, size) for size in SIZES})

CONSTANTS = Table(
    "letters-constants",
    "letters",
    ("100 words", "constant"),
    (
        Column("letters read wrong, %", error, "{:.1f}", "min", spread=True),
        Column("weights not 0", "non_zero", "{:,.0f}"),
        Column("CPU s", "cpu", "{:.2f}"),
    ),
    {
        name: tuple(
            Line(
                ", ".join(f"{key} = {value:g}" for key, value in point.items()),
                {"contestant": name, "chosen": json.dumps(point, sort_keys=True)},
            )
            for point in points
        )
        for name, _, points in CURVES
    },
    {"benchmark": "ocr", **plan_of(100)},
)
TABLES = (FEW_WORDS, PAIRS, PAIRS_OF_MODELS, CONSTANTS)
