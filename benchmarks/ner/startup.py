"""How long until the first document is done, in a process of its own: compiled kernels cached or not."""

import os
import subprocess
import sys
import time
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.common.measure import median, run_child

from .data import LANGUAGES, Data, Ours, as_settings

TEXT = "Ana vive en Santa Fe y trabaja en la Universidad Nacional del Litoral."
SCRIPTS = {
    "blank": "import spacy; spacy.blank({lang!r})({text!r})",
    "ours": "import spacy; spacy.load({path!r})({text!r})",
}


def run_script(script: str, cache: str | None = None) -> dict[str, float]:
    """Wall and CPU seconds of one Python process. cache: folder of compiled kernels, None for the usual one."""
    env = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    begin, before = time.perf_counter(), os.times()
    subprocess.run([sys.executable, "-c", script], env=env, check=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"wall": time.perf_counter() - begin, "cpu": cpu}


def startup(data: Data, ours: Ours, repeats: int) -> list[dict[str, Any]]:
    """A row each for the blank pipeline, ours warm (medians), ours cold (nothing cached)."""
    with TemporaryDirectory() as model, TemporaryDirectory() as cache:
        run_child("benchmarks.ner.ours:train", **as_settings(data, ours), save_to=model)
        scripts = {
            name: script.format(lang=LANGUAGES[data.lang], path=model, text=TEXT) for name, script in SCRIPTS.items()
        }
        cold = run_script(scripts["ours"], cache)
        runs: dict[str, list[dict[str, float]]] = {"blank": [], "ours": []}
        for _ in range(repeats + 1):  # the first of each finds files that are not in memory yet
            for name, kept in runs.items():
                kept.append(run_script(scripts[name], cache))
    rows: list[dict[str, Any]] = [
        {"contestant": name, **{key: median([run[key] for run in kept[1:]]) for key in ("wall", "cpu")}}
        for name, kept in runs.items()
    ]
    rows[1]["contestant"] = "ours, warm"
    rows.append({"contestant": "ours, cold", **cold})
    for row in rows:
        row |= {f"extra_{key}": row[key] - rows[0][key] for key in ("wall", "cpu")}
    return rows
