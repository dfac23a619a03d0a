"""What the installed package costs a pipeline that does not use it: ``python -m benchmarks.startup.blank``.

``spacy.blank`` looks up all entry points. Processes with the package and processes that cannot see its entry points take turns.
"""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common.measure import median, use_one_core
from benchmarks.common.origin import ROOT
from benchmarks.common.rows import Row, append_rows, show

app = typer.Typer(add_completion=False, help=__doc__)
WAYS = ("without", "with")
_PROCESS = """
import importlib.metadata as metadata, sys, time
if sys.argv[1] == "without":
    every = metadata.distributions
    metadata.distributions = lambda **settings: (found for found in every(**settings) if found.name != "spacy-mtl")
seen = {point.dist.name for point in metadata.entry_points(group="spacy_factories")}
assert ("spacy-mtl" in seen) == (sys.argv[1] == "with"), seen
begin = time.process_time()
import spacy
spacy.blank("en")
print(time.process_time() - begin, {"numba", "scipy"}.isdisjoint(sys.modules))
"""


def start(way: str) -> float:
    """CPU seconds of importing spaCy and making a blank pipeline, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", _PROCESS, way], cwd=ROOT, check=True, capture_output=True, text=True)
    seconds, light = done.stdout.split()
    if light != "True":
        raise RuntimeError("numba or scipy was imported for a blank pipeline.")
    return float(seconds)


@app.command()
def main(
    repeats: Annotated[int, typer.Option(help="Processes of each kind, in turn.", min=1)] = 15,
    json_file: Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")] = None,
) -> None:
    """CPU seconds of ``import spacy; spacy.blank("en")`` with and without this package."""
    use_one_core()
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    start(WAYS[0])  # reads files that later ones find in memory
    for _ in range(repeats):
        for way in WAYS:
            found[way].append(start(way))
    more = median([a - b for a, b in zip(found["with"], found["without"], strict=True)])
    rows: list[Row] = [
        {"benchmark": "startup", "mode": "blank", "contestant": f"{way} the package", "cpu": median(found[way])}
        for way in WAYS
    ]
    rows[-1]["more"] = more
    show("spacy.blank", {"contestant": "", "cpu": "CPU s, median", "more": "more, median of pairs"}, rows)
    append_rows(json_file, rows)


if __name__ == "__main__":
    app()
