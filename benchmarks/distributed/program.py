"""Training in shards: ``python -m benchmarks.distributed MODE --help``. In the simulation the workers take turns: CPU and bytes count."""

from json import loads
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from benchmarks.common.measure import run_child
from benchmarks.common.rows import Row, append_rows, progress, show
from benchmarks.threads.tasks import described

from .large import command_of, trained, write_corpus

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
CorporaOption = Annotated[Path, typer.Option(help="The folder that the corpora are in.", envvar="SPACY_MTL_CORPORA")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
PExponent = Annotated[float, typer.Option("--p", help="Exponent of the block norm.")]
LimitOption = Annotated[int, typer.Option(help="Sentences of the corpus.", min=100)]
COption = Annotated[float, typer.Option("--C", help="C of MTLStruct.")]
PassesOption = Annotated[int, typer.Option(help="Of a worker over its shard, in a round.", min=1)]
TemplatesOption = Annotated[str, typer.Option(help="A template set of spacy_mtl for entities.")]
_SIMULATED = {
    "workers": "workers",
    "passes": "passes a round",
    "rounds_5": "rounds to 5%",
    "rounds_1": "to 1%",
    "cpu_1": "CPU s to 1%",
    "serial_cpu": "one machine",
    "sent": "bytes to a worker a round",
    "received": "from a worker",
    "live_bytes": "live weights, bytes",
    "sigma": "sigma",
}
_ON_RAY = {
    "workers": "workers",
    "passes": "passes a round",
    "ready_s": "s to the first round",
    "wall_s": "s of rounds",
    "round_s": "s a round",
    "cpu_s": "CPU s",
    "rounds": "rounds",
    "gap": "gap",
    "megabytes": "MB",
}
_LARGE = {
    "workers": "workers",
    "words": "words",
    "forms": "distinct",
    "peak_bytes": "bytes at most",
    "wall_s": "wall s",
    "gap": "gap",
    "ents_f": "F1 on dev",
}
_KILLED = {
    "workers": "workers",
    "kills": "trainings with a death",
    "ended": "that ended",
    "consistent": "certificates agree",
    "calm_gap": "gap without deaths",
    "median_gap": "median gap",
    "largest_gap": "largest gap",
}


@app.callback()
def distributed() -> None:
    """Training in shards."""


def _task(corpora: Path, templates: str, p: float, C: float, limit: int) -> Row:
    trainer = {"p": p, "C": C, "average": 4, "tol": 0.01}
    return {
        **described("ner", corpora.resolve()),
        "templates": f"spacy_mtl.{templates}",
        "trainer": trainer,
        "limit": limit,
    }


@app.command()
def simulate(
    corpora: CorporaOption,
    workers: Annotated[list[int], typer.Option(help="Again for another number.")] = [1, 2, 4, 16, 64],  # noqa: B006
    passes: PassesOption = 1,
    templates: TemplatesOption = "tp1.v1",
    p: PExponent = 1.3333,
    C: COption = 0.1,
    limit: LimitOption = 2000,
    most: Annotated[int, typer.Option(help="Rounds at most.", min=1)] = 100,
    json: JsonOption = None,
) -> None:
    """Spanish entities: rounds, bytes and CPU seconds to gaps of 5% and 1%, by the number of workers."""
    about: Row = {"benchmark": "distributed", "mode": "simulate", "templates": templates, "p": p, "C": C}
    found = run_child(
        "benchmarks.distributed.runs:simulated", of=_task(corpora, templates, p, C, limit), counts=workers, passes=passes, most=most
    )  # fmt: skip
    rows = [{**about, **row} for row in found]  # type: ignore[union-attr]
    show("Simulated workers", _SIMULATED, rows, "CPU seconds of all workers and the driver, without certificates")
    append_rows(json, rows)


@app.command()
def ray(
    corpora: CorporaOption,
    workers: Annotated[list[int], typer.Option(help="Again for another number.")] = [1, 2],  # noqa: B006
    component: Annotated[str, typer.Option(help="ner, tagger, segmenter or parser.")] = "ner",
    templates: Annotated[str, typer.Option(help="A template set, or empty for that of the config.")] = "",
    p: PExponent = 1.3333,
    C: COption = 0.1,
    limit: Annotated[int, typer.Option(help="Sentences of the corpus, 0 for all.", min=0)] = 0,
    passes: PassesOption = 1,
    gap: Annotated[float, typer.Option(help="Where to stop.")] = 0.02,
    every: Annotated[int, typer.Option(help="Rounds from one certificate to the next; they are not timed.", min=1)] = 5,
    most: Annotated[int, typer.Option(help="Rounds at most.", min=5)] = 60,
    repeats: Annotated[int, typer.Option(help="Runs of each, in turns.", min=1)] = 1,
    json: JsonOption = None,
) -> None:
    """A config on a Ray cluster of this machine: seconds of the rounds to a gap, and CPU seconds of all processes."""
    about: Row = {"benchmark": "distributed", "mode": "ray", "component": component, "p": p, "C": C, "limit": limit}
    of = {
        **described(component, corpora.resolve()),
        "templates": f"spacy_mtl.{templates}" if templates else "",
        "trainer": {"p": p, "C": C, "average": 4, "tol": 0.001},
        "limit": limit,
    }
    rows = []
    for _ in range(repeats):
        found = run_child(
            "benchmarks.distributed.machines:on_ray", of=of, counts=workers, passes=passes, gap=gap, every=every, most=most
        )  # fmt: skip
        rows += [{**about, **row} for row in found]  # type: ignore[union-attr]
    show("Workers of a cluster", _ON_RAY, rows, "CPU seconds of the rounds, of all workers and the driver")
    append_rows(json, rows)


@app.command()
def kill(
    corpora: CorporaOption,
    workers: Annotated[int, typer.Option(min=1)] = 4,
    kills: Annotated[int, typer.Option(help="Trainings, with a death each.", min=1)] = 50,
    rounds: Annotated[int, typer.Option(help="Of each training.", min=1)] = 30,
    templates: TemplatesOption = "tp1.v1",
    p: PExponent = 1.3333,
    C: COption = 0.1,
    limit: LimitOption = 2000,
    seed: int = 0,
    json: JsonOption = None,
) -> None:
    """Spanish entities: a worker dies before a call at random, and begins again at gold."""
    about: Row = {"benchmark": "distributed", "mode": "kill", "templates": templates, "p": p, "C": C}
    found = run_child(
        "benchmarks.distributed.runs:killed", of=_task(corpora, templates, p, C, limit), count=workers, kills=kills, rounds=rounds, seed=seed
    )  # fmt: skip
    rows = [{**about, **row} for row in found]  # type: ignore[union-attr]
    progress.print(f"{kills} trainings", highlight=False)
    show("Deaths of workers", _KILLED, rows, "gaps after the same number of rounds")
    append_rows(json, rows)


@app.command()
def large(
    corpora: CorporaOption,
    words: Annotated[int, typer.Option(help="Of the corpus that is made of the Spanish one.", min=10_000)] = 20_000_000,
    changed: Annotated[float, typer.Option(help="Share of longer words with another letter.", min=0.0, max=1.0)] = 0.02,
    workers: Annotated[
        list[int], typer.Option(help="Again for another number; 1 is without Ray, 0 is spacy train.", min=0)
    ] = [2],  # noqa: B006
    json: JsonOption = None,
) -> None:
    """ner.cfg on a corpus that is made by repeating the Spanish one with changes: the memory of all processes together."""
    rows = [
        {"benchmark": "distributed", "mode": "large", **_large(corpora, words, changed, count)} for count in workers
    ]
    show("A large corpus", _LARGE, rows, "memory of all processes; wall time with everything")
    append_rows(json, rows)


def _large(corpora: Path, words: int, changed: float, workers: int) -> Row:
    with TemporaryDirectory() as name:
        folder = Path(name)
        about = described("ner", corpora.resolve())
        shards = folder / "train"
        shards.mkdir()
        files = [shards / f"{k}.conll" for k in range(max(1, workers))]
        size = write_corpus(Path(about["train"]), files, words, changed)
        write_corpus(Path(about["dev"]), [folder / "dev.conll"])
        command = command_of(
            about["config"], shards if workers else files[0], folder / "dev.conll", folder / "model", workers
        )
        found = trained(command)
        meta = loads((folder / "model" / "model-best" / "meta.json").read_text(encoding="utf8"))
        return {"workers": workers, "changed": changed, **size, **found, "ents_f": meta["performance"]["ents_f"]}
