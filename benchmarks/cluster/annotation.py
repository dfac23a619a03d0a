"""``spacy mtl annotate --ray`` on a corpus of many words: speed of one worker and two, and with kills."""

import hashlib
import json
import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.common.measure import median

from .machines import Killer, annotate_command, ray_cluster


def run(command: Sequence[str]) -> dict[str, float]:
    """Run a command to its end: wall seconds from its start, and its words a second, as it tells them, since the workers began."""
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    told = done.stdout.rpartition("; ")[2]
    return {"wall": time.monotonic() - begin, "words_a_second": float(told.split()[0].replace(",", ""))}


def run_with_kills(command: Sequence[str], killer: Killer) -> dict[str, float]:
    """Run a command again and again until it comes to its end."""
    begin, runs = time.monotonic(), 0
    with killer:
        while True:
            runs += 1
            killer.command = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
            )
            _, told = killer.command.communicate()
            if killer.command.returncode == 0:
                return {"wall": time.monotonic() - begin, "commands": runs}
            if killer.command.returncode > 0:
                raise RuntimeError(told)


def looked_at(folder: Path, documents: int) -> dict[str, Any]:
    """What an output has: whether each id is there once, its sums, and a digest of all parts."""
    ids: Counter[str] = Counter()
    digest = hashlib.sha256()
    for path in sorted(folder.glob("part-*.jsonl")):
        with path.open("rb") as file:
            for line in file:
                digest.update(line)
                ids[json.loads(line)["id"]] += 1
    wanted = {f"d{i}" for i in range(documents)}
    summary = json.loads((folder / "summary.json").read_text())
    return {
        "once": sum(ids[name] == 1 for name in wanted),
        "missing": sum(ids[name] == 0 for name in wanted),
        "repeated": sum(count > 1 for count in ids.values()),
        "foreign": len(ids.keys() - wanted),
        "partitions": summary["partitions"],
        "words": summary["words"],
        "cpu": summary["cpu"],
        "set_aside": summary["set_aside"],
        "left_over": sum(1 for path in folder.rglob("*.tmp")),
        "digest": digest.hexdigest(),
    }


def speeds(made: Path, workers: Sequence[int], size: int, repeats: int, documents: int) -> list[dict[str, Any]]:
    """A row for each number of workers, in turn: medians of words a second, wall and CPU seconds. All outputs must be the same."""
    found: dict[int, list[dict[str, Any]]] = {n: [] for n in workers}
    digests = set()
    with tempfile.TemporaryDirectory() as place, ray_cluster(max(workers), Path(place)) as (address, _):
        run(annotate_command(address, made, "first", max(workers), size))  # processes and files are warm
        for repeat in range(repeats):
            for n in workers:
                output = f"speed-{n}-{repeat}"
                told = run(annotate_command(address, made, output, n, size))
                seen = looked_at(made / output, documents)
                digests.add(seen["digest"])
                found[n].append({**told, **seen})
    rows = []
    for n, runs in found.items():
        middle = {name: median([each[name] for each in runs]) for name in ("words_a_second", "wall", "cpu")}
        pairs = [
            one["words_a_second"] / other["words_a_second"] for one, other in zip(runs, found[workers[0]], strict=True)
        ]
        fixed = {name: runs[0][name] for name in ("words", "partitions", "once", "missing", "repeated", "set_aside")}
        rows.append(
            {
                "workers": n, **middle, **fixed, "speedup": median(pairs), "same": len(digests) == 1,
                "runs": [each["words_a_second"] for each in runs],
            }
        )  # fmt: skip
    return rows


def killed(made: Path, workers: int, size: int, between: Sequence[float], documents: int, seed: int) -> dict[str, Any]:
    """A row: a run with kills, and whether what it wrote is what a run without them writes, byte by byte."""
    with tempfile.TemporaryDirectory() as place, ray_cluster(workers, Path(place)) as (address, tree):
        told = run(annotate_command(address, made, "whole", workers, size))
        whole = looked_at(made / "whole", documents)
        killer = Killer(tree, between, seed)
        found = run_with_kills(annotate_command(address, made, "killed", workers, size), killer)
        seen = looked_at(made / "killed", documents)
    same = seen.pop("digest") == whole["digest"]
    return {
        "workers": workers, **found, **{f"killed_{what}": count for what, count in killer.counts.items()}, **seen,
        "same": same, "wall_without": told["wall"], "words_a_second_without": told["words_a_second"],
    }  # fmt: skip
