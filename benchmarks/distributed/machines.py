"""Runs on a Ray cluster of this machine: the config of a component, to a gap, with so many workers."""

import time
from functools import partial
from pathlib import Path
from typing import Any

from thinc.api import Config

from spacy_mtl.cli.cluster.train import make_worker
from spacy_mtl.cluster.connect import connect, usable_cpus
from spacy_mtl.sharded.actors import RayCrew
from spacy_mtl.sharded.crew import ask
from spacy_mtl.sharded.driver import Driver
from spacy_mtl.sharded.pipeline import make
from spacy_mtl.sharded.settings import check_trainer
from spacy_mtl.sharded.spec import Spec, sources


def config_of(of: dict[str, Any]) -> str:
    """The config of a task as a text, with its corpora, templates and trainer."""
    config = Config().from_disk(of["config"], interpolate=False)
    config["paths"] |= {"train": of["train"], "dev": of["dev"]}
    config["corpora"]["train"] |= {**of["reader"], "limit": of["limit"]}
    name = config["nlp"]["pipeline"][0]
    component = config["components"][name]
    component["trainer"] |= of["trainer"]
    if of["templates"]:
        component["model"]["templates"] = {"@mtl_templates": of["templates"]}
    return config.to_str()


def on_ray(
    of: dict[str, Any], counts: list[int], passes: int, gap: float, every: int, most: int
) -> list[dict[str, Any]]:
    """A row for each number of workers: seconds until the first round, and of the rounds to a gap, with the CPU seconds of all processes."""
    text = config_of(of)
    return [_run(text, count, passes, gap, every, most) for count in counts]


def _run(text: str, count: int, passes: int, gap: float, every: int, most: int) -> dict[str, Any]:
    nlp = make(text, None)
    name = nlp.pipe_names[0]
    pipe: Any = nlp.get_pipe(name)
    with connect("local", count) as cluster:
        parts = sources(nlp, count, "the config")
        makers = [partial(make_worker, Spec(text, None, Path.cwd(), part), k) for k, part in enumerate(parts)]
        crew = RayCrew(cluster, makers)
        driver = Driver(crew, name, check_trainer(name, pipe.trainer), passes=passes)
        begin = time.perf_counter()
        driver.begin()
        driver.certify()  # kernels are compiled or read by now, but for those of a round
        driver.round()
        ready = time.perf_counter()
        before = _cpu(crew)
        wall = cpu = 0.0
        while driver.rounds < most:
            start = time.perf_counter()
            driver.round()
            wall += time.perf_counter() - start
            if driver.rounds % every == 0 or driver.rounds == most:
                cpu += _cpu(crew) - before
                report = driver.certify()
                before = _cpu(crew)
                if report.gap <= gap:
                    break
        return {
            "workers": count,
            "cpus": usable_cpus(),
            "passes": passes,
            "ready_s": ready - begin,
            "wall_s": wall,
            "round_s": wall / (driver.rounds - 1),
            "cpu_s": cpu,
            "rounds": driver.rounds,
            "gap": report.gap,
            "primal": report.primal,
            "dual": report.dual,
            "megabytes": (sum(crew.sent) + sum(crew.received)) / 1e6,
        }


def _cpu(crew: RayCrew) -> float:
    """CPU seconds of this process and of all workers so far."""
    return time.process_time() + sum(ask(crew, "seconds"))
