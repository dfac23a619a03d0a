"""What every published row must say of itself."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.common.rows import RESULTS, Row, read_rows

from .table import Results

#: Packages that every figure depends on.
NEEDED = ("python", "spacy-mtl", "spacy", "numba", "numpy")
#: An absolute path, as a string or in one.
PATH = re.compile(r"""["' =](/[\w.-]+){2,}""")


def read_results(folder: Path = RESULTS) -> Results:
    """The rows of every file of results. Raises ValueError naming a line that is none."""
    return {path.stem: read_rows(path) for path in sorted(folder.glob("*.jsonl"))}


def faults(row: Row) -> Iterator[str]:
    """What a row lacks, in words."""
    if not re.fullmatch(r"[0-9a-f]{40}", str(row.get("commit"))):
        yield "no commit"
    if row.get("dirty") is not False:
        yield "measured with uncommitted changes"
    if not str(row.get("command")).startswith("python -m benchmarks."):
        yield "no command"
    versions = row.get("versions") or {}
    if missing := [name for name in NEEDED if not versions.get(name)]:
        yield f"no version of {', '.join(missing)}"
    machine = row.get("machine") or {}
    if not (machine.get("processor") and machine.get("cores")):
        yield "no machine"
    yield from (f"no {key}" for key in ("seed", "time") if row.get(key) is None)
    if PATH.search(json.dumps(row)):
        yield "a path of the machine it was measured on"


def faulty(results: Results) -> list[str]:
    """A sentence for every row that lacks something."""
    return [
        f"{name}.jsonl, row {number}: {fault}."
        for name, rows in results.items()
        for number, row in enumerate(rows, 1)
        for fault in faults(row)
    ]
