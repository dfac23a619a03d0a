"""CPU seconds until the first result, on an empty kernel cache, and the functions that were compiled for it."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from pprint import pformat
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from benchmarks.common.origin import ROOT
from benchmarks.common.rows import append_rows, progress, show

app = typer.Typer(add_completion=False, help=__doc__)
COMPONENTS = ("ner", "tagger", "segmenter", "parser")
PHASES = ("train", "load")


def start(component: str, phase: str, model: Path, cache: Path) -> dict[str, Any]:
    """What a worker measured. cache: folder of compiled kernels."""
    with TemporaryDirectory() as folder:
        result = Path(folder, "result.json")
        command = [sys.executable, "-m", "benchmarks.startup.worker", component, phase, str(model), str(result)]
        env = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
        subprocess.run(command, env=env, check=True, cwd=ROOT, stdout=sys.stderr)
        return json.loads(result.read_text(encoding="utf8"))


def row_of(component: str, phase: str, cached: bool, answer: dict[str, Any]) -> dict[str, Any]:
    """cpu: seconds until the last stage. silence: the longest of them without a word about kernels."""
    stages = {f"{name}, cpu": seconds for name, seconds in answer["stages"].items()}
    row = {"benchmark": "startup", "component": component, "phase": phase, "kernels": "cached" if cached else "none"}
    counts = {"functions": len(answer["functions"]), "kernels_compiled": len(answer["kernels"])}
    return {**row, "cpu": max(stages.values()), **stages, "silence": answer["silence"], **counts}


def by_module(functions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """CPU seconds and number of the functions of each module, the slowest first."""
    seconds: Counter[str] = Counter()
    for function in functions:
        seconds[function["module"]] += function["cpu"]
    number = Counter(function["module"] for function in functions)
    return [{"module": name, "cpu": cpu, "number": number[name]} for name, cpu in seconds.most_common()]


@app.command()
def main(
    component: Annotated[list[str] | None, typer.Option(help="ner, tagger, segmenter, parser; default: all.")] = None,
    most: Annotated[int, typer.Option(help="How many modules and functions to show.")] = 25,
    warm: Annotated[bool, typer.Option(help="Load once more with the kernels that were compiled.")] = True,
    functions: Annotated[Path | None, typer.Option(help="Write all functions to this file, as JSON.")] = None,
    expected: Annotated[bool, typer.Option(help="Print the table of spacy_mtl/compiling/expected.py.")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")] = None,
) -> None:
    """Train and load each component, each time in a process of its own with nothing compiled."""
    rows, compiled, kernels = [], {}, {}
    with TemporaryDirectory() as folder:
        for name in component or COMPONENTS:
            for phase in PHASES:
                progress.print(f"{name}: {phase}")
                with TemporaryDirectory() as cache:
                    answer = start(name, phase, Path(folder, name), Path(cache))
                    rows.append(row_of(name, phase, False, answer))
                    if warm and phase == "load":
                        rows.append(row_of(name, phase, True, start(name, phase, Path(folder, name), Path(cache))))
                compiled[f"{name}: {phase}"] = answer["functions"]
                kernels[f"{name}: {phase}"] = {key: round(cpu, 1) for key, cpu in answer["kernels"].items()}
                shown = by_module(answer["functions"])[:most]
                show(f"{name}, {phase}", {"module": "module", "number": "functions", "cpu": "CPU s"}, shown)
                shown = answer["functions"][:most]
                show("slowest", {"function": "function", "module": "module", "cpu": "CPU s, itself"}, shown)
    columns = {"component": "component", "phase": "phase", "kernels": "kernels", "cpu": "CPU s"}
    show("First result", columns | {"silence": "longest silence, CPU s", "kernels_compiled": "compiled"}, rows)
    if expected:
        print(pformat(kernels, width=120, sort_dicts=False))
    if functions:
        functions.write_text(json.dumps(compiled), encoding="utf8")
    append_rows(json_file, rows)
