"""``spacy mtl train --ray`` to a gap, again and again, each time with a kill at a random moment: of a worker, the command, or both."""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from thinc.api import Config

from benchmarks.common.measure import median

from .machines import TRAINING, kill, ray_cluster

WORKERS = 2
#: How often a command is run at most: once more than it is killed, and once again.
MOST_RUNS = 3
#: Kills come before this share of the time that a training takes without one.
LATEST = 0.95
_KINDS = ("worker", "command", "both")
#: A row of the command's table: rounds, primal, dual, gap.
_ROW = re.compile(r"^ +ner +(\d+) +([\d,.]+) +([\d,.]+) +([\d.]+)%", re.M)


def config_of(of: dict[str, Any], folder: Path, gap: float, limit: int) -> Path:
    """The config: entities until the gap is small, with an evaluation after every three rounds."""
    config = Config().from_disk(of["config"], interpolate=False)
    config["paths"] |= {"train": of["train"], "dev": of["dev"]}
    config["corpora"]["train"]["limit"] = limit
    config["components"]["ner"]["trainer"] |= {"C": 0.1, "tol": gap}
    config["components"]["ner"]["model"]["templates"] = {"@mtl_templates": "spacy_mtl.tp1.v1"}
    config["training"] |= {"max_epochs": 60, "patience": 0}
    config["training"]["batcher"]["passes"] = [3]
    path = folder / "ner.cfg"
    config.to_disk(path)
    return path


def trained(command: list[str], output: Path, moment: float | None, rng: random.Random, cluster: Any) -> dict[str, Any]:
    """Run the command until it comes to its end.

    moment: seconds until the kill; None for no kill. Returns the last certificate, F1 and what was killed.
    """
    begin, killed, said = time.monotonic(), "", []
    runs = 0
    for _ in range(MOST_RUNS):
        runs += 1
        with subprocess.Popen(
            [*command, "--output", str(output)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
        ) as process:  # fmt: skip
            if moment is not None and not killed:
                killed = _kill_at(begin + moment, process, rng, cluster)
            told, faults = process.communicate()
        said += _ROW.findall(told)
        if process.returncode == 0:
            break
        if process.returncode > 0 or killed in ("", "worker"):  # what nobody has killed
            raise RuntimeError(faults)
    else:
        raise RuntimeError(f"The training came to no end in {MOST_RUNS} runs.")
    rounds, *figures = said[-1]
    primal, dual, gap = (float(figure.replace(",", "")) for figure in figures)
    meta = json.loads((output / "model-best" / "meta.json").read_text(encoding="utf8"))
    return {
        "rounds": int(rounds), "primal": primal, "dual": dual, "gap": gap / 100, "ents_f": meta["performance"]["ents_f"], "killed": killed,
        "runs": runs, "wall": time.monotonic() - begin, "left_over": (output / "checkpoint").exists(),
    }  # fmt: skip


def _kill_at(moment: float, process: subprocess.Popen, rng: random.Random, cluster: Any) -> str:
    """Kill at a moment, or as soon after it as there is something to kill. Returns what was killed; "" if the training ends first."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(max(0.0, moment - time.monotonic()))
    what = rng.choice(_KINDS)
    while process.poll() is None:
        killed = kill(what, cluster, TRAINING, process, rng)
        if killed:
            return killed
        time.sleep(0.05)
    return ""


def killed(of: dict[str, Any], kills: int, gap: float, limit: int, seed: int) -> dict[str, Any]:
    """A row: trainings with a kill each, and how their ends agree with that of a training without one.

    consistent: no training's primal is below another's dual, as must be, since all are about one optimum.
    """
    rng, found = random.Random(seed), []
    with tempfile.TemporaryDirectory() as place, ray_cluster(WORKERS, Path(place, "ray")) as (address, tree):
        config = config_of(of, Path(place), gap, limit)
        command = [sys.executable, "-W", "ignore", "-m", "spacy", "mtl", "train", str(config)]
        command += ["--ray", address, "--workers", str(WORKERS)]
        trained(command, Path(place, "warm"), None, rng, tree)
        calm = trained(command, Path(place, "calm"), None, rng, tree)
        for k in range(kills):
            moment = rng.uniform(0.0, LATEST * calm["wall"])
            found.append({**trained(command, Path(place, f"killed-{k}"), moment, rng, tree), "moment": moment})
    counts = Counter(each["killed"] for each in found)
    return {
        "workers": WORKERS, "kills": kills, "tol": gap, "limit": limit,
        **{f"killed_{what}": counts[what] for what in _KINDS}, "nothing_killed": counts[""],
        "certified": sum(each["gap"] <= gap for each in found),
        "consistent": sum(each["primal"] >= calm["dual"] and calm["primal"] >= each["dual"] for each in found),
        "left_over": sum(each["left_over"] for each in found),
        "calm": calm, "lowest_f": min(each["ents_f"] for each in found), "highest_f": max(each["ents_f"] for each in found),
        "rounds": median([each["rounds"] for each in found]), "wall": median([each["wall"] for each in found]), "trainings": found,
    }  # fmt: skip
