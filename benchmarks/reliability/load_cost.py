"""What the checks of model files cost: CPU time of loading pipelines with this checkout and with an older one, in turn.

``python -m benchmarks.reliability.load_cost --before CHECKOUT [PIPELINE...]``: without pipelines, those of the tests. Medians of all rounds; the
whole pipeline as ``spacy.load`` reads it, and its components' folders alone.
"""

import argparse
from pathlib import Path
from statistics import median

from benchmarks.common.checkout import Checkout
from benchmarks.common.rows import Row, append_rows, show

from .loading import SAVED
from .plan import ROOT

_WORKER = Path(__file__).with_name("load_cost_worker.py")
_WHAT = ("pipeline", "components")


def compare(before: Path, pipelines: list[Path], rounds: int) -> list[Row]:
    """A row for each pipeline. The order of the two checkouts changes from round to round."""
    worker = [str(_WORKER), *map(str, pipelines)]
    checkouts = {"before": Checkout(before.resolve(), worker), "after": Checkout(ROOT, worker)}
    for checkout in checkouts.values():
        checkout.wait()
    rows = []
    for k, path in enumerate(pipelines):
        found: dict[str, list[dict[str, float]]] = {name: [] for name in checkouts}
        for number in range(rounds):
            for name in sorted(checkouts, reverse=number % 2 == 0):
                found[name].append(checkouts[name].ask(k))
        row: Row = {
            "benchmark": "reliability",
            "mode": "load cost",
            "case": path.parent.name if path.name == "pipeline" else path.name,
        }
        for what in _WHAT:
            old, new = (median(each[what] for each in found[name]) for name in ("before", "after"))
            row |= {f"{what}_before_ms": 1e3 * old, f"{what}_after_ms": 1e3 * new, f"{what}_ratio": new / old}
        rows.append(row)
    for checkout in checkouts.values():
        checkout.stop()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, required=True, help="checkout of an older version")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--json", type=Path, help="append the rows to this file")
    parser.add_argument("pipelines", type=Path, nargs="*")
    given = parser.parse_args()
    pipelines = given.pipelines or sorted(path.parent for path in SAVED.glob("*/config.cfg"))
    rows = compare(given.before, pipelines, given.rounds)
    columns = {"case": "pipeline"}
    for what in _WHAT:
        columns |= {
            f"{what}_before_ms": f"{what}: before, ms",
            f"{what}_after_ms": "after, ms",
            f"{what}_ratio": "ratio",
        }
    show("CPU time of loading", columns, rows, "medians")
    for what in _WHAT:
        print(f"{what}: median ratio {median(row[f'{what}_ratio'] for row in rows):.3f}")
    append_rows(given.json, rows)


if __name__ == "__main__":
    main()
