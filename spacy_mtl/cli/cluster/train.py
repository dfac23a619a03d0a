"""``python -m spacy mtl train``: train a config on a corpus that no process holds as a whole, in this one or on a Ray cluster."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from spacy.cli._util import NoSuchOption, parse_config_overrides

from spacy_mtl.errors import Errors
from spacy_mtl.files.disk import reason_of
from spacy_mtl.files.folder_lock import lock_folder

from ..shared.messages import INTERRUPTED, clear_errors
from ..shared.options import Code
from ..shared.pipelines import save_pipeline
from ..validate import make_pipeline
from .options import Ray, Workers

if TYPE_CHECKING:
    from spacy.language import Language

    from spacy_mtl.sharded.crew import Crew
    from spacy_mtl.sharded.session import Row
    from spacy_mtl.sharded.spec import Spec
    from spacy_mtl.sharded.worker import ShardWorker

#: The columns of the table, with their widths, before those of scores.
_COLUMNS = {"component": 14, "rounds": 6, "primal": 12, "dual": 12, "gap": 7, "templates": 9}


def train_cli(
    ctx: typer.Context,
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="Config, as for spacy train.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="For model-best and model-last; all machines share it."),
    ],
    ray: Ray = None,
    workers: Workers = None,
    passes: Annotated[int, typer.Option(min=1, help="Of each worker over its share in a round.")] = 1,
    code: Code = None,
) -> None:
    """Train on a corpus that is too large for spacy train: in this process, or on a cluster, where no machine needs the whole of it.

    Documents are read as often as they are needed, and only features are kept. The path of the training corpus is a file, a folder or a pattern
    such as "shards/*.conllu". With --ray, each worker reads a share of it, whole files where there are enough. Settings of the config can be given
    as for spacy train, such as --paths.train shards.

    After an interrupt, the death of a worker or of this command, the same command goes on from the last checkpoint.
    """
    with clear_errors():
        if ray is None and workers is not None:
            raise ValueError(Errors.M917.format(option="--workers", out="out", hint=", or give --ray"))
        nlp = make_pipeline(config, code, changes=_changes(ctx.args))
        if ray == "local" and (workers or 1) > (os.cpu_count() or 1):
            raise ValueError(Errors.M948.format(workers=workers, cpus=os.cpu_count()))
        try:
            lock = lock_folder(output)
            if isinstance(lock, str):
                raise ValueError(Errors.M915.format(path=output, holder=lock))
            _train(nlp, str(config), output, ray, workers, passes, code)
        except KeyboardInterrupt:
            typer.echo("Interrupted. The same command goes on with the training.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except OSError as error:
            raise ValueError(Errors.M704.format(path=output, reason=reason_of(error))) from None
    typer.echo(f"Written: {output / 'model-best'} and {output / 'model-last'}")


def _changes(arguments: list[str]) -> dict[str, Any]:
    """Settings of the config by their names, as they are given for spacy train. Raises ValueError (M952) for an option without a section."""
    try:
        return parse_config_overrides(arguments)
    except NoSuchOption as error:
        raise ValueError(Errors.M952.format(option=error.option_name)) from None


def _train(
    nlp: "Language", where: str, output: Path, address: str | None, workers: int | None, passes: int, code: Path | None
) -> None:
    """Check, join the cluster if there is one, and train.

    Raises ValueError with a sentence for all that is wrong with config, corpus, cluster or workers.
    """
    from spacy_mtl.sharded.session import Session
    from spacy_mtl.sharded.spec import Spec, sources

    def makers(count: int) -> list[Callable[[], "ShardWorker"]]:
        text = nlp.config.to_str()
        specs = [Spec(text, code and code.absolute(), Path.cwd(), source) for source in sources(nlp, count, where)]
        return [partial(make_worker, spec, k) for k, spec in enumerate(specs)]

    with _Table(nlp) as table:
        session = Session(nlp, output.absolute(), where, table, save_pipeline, passes)
        sources(nlp, 1, where)  # before the cluster is joined
        session.prepare()
        with _crew(address, workers, makers) as crew:
            session.run(crew)


@contextmanager
def _crew(
    address: str | None, workers: int | None, makers: Callable[[int], list[Callable[[], "ShardWorker"]]]
) -> "Iterator[Crew]":
    """The workers: of a cluster, or one in this process. makers: of so many workers, a function for each."""
    from spacy_mtl.sharded.crew import LocalCrew

    if address is None:
        yield LocalCrew(makers(1))
        return
    from spacy_mtl.cluster.connect import connect
    from spacy_mtl.sharded.actors import RayCrew

    with connect(address, workers) as cluster:
        yield RayCrew(cluster, makers(_count(workers, cluster.cpus)))


def _count(workers: int | None, cpus: int) -> int:
    """How many workers there are. Raises ValueError (M948) for more than the cluster can run: others would wait for them without end."""
    if (workers or 1) > cpus:
        raise ValueError(Errors.M948.format(workers=workers or 1, cpus=cpus))
    return workers or cpus


def make_worker(spec: "Spec", number: int) -> "ShardWorker":
    """A worker, in its own process."""
    from spacy_mtl.sharded.worker import ShardWorker

    return ShardWorker(spec, number)


class _Table:
    """Shows a row for each evaluation, and in between what is being done."""

    def __init__(self, nlp: "Language"):
        weights = nlp.config.interpolate()["training"]["score_weights"]
        self._scores = [name for name, weight in weights.items() if weight]
        self._bar: Any = None

    def __enter__(self) -> "_Table":
        from tqdm import tqdm

        widths = [*_COLUMNS.items(), *((name.upper(), max(7, len(name))) for name in self._scores), ("MB", 8), ("s", 6)]
        self._widths = [width for _, width in widths]
        typer.echo("  ".join(name.rjust(width) for name, width in widths))
        self._bar = tqdm(bar_format="{desc}", disable=None, leave=False)
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def phase(self, component: str, what: str) -> None:
        """Something else is being done."""
        self._bar.set_description_str(f"{component}: {what}")

    def goes_on(self, component: str, rounds: int) -> None:
        """A training that was ended after so many rounds goes on."""
        self._bar.clear()
        typer.echo(f"{component}: going on from round {rounds}", err=True)

    def round(self, done: int, total: int, promised: float) -> None:
        """Another round has ended."""
        self._bar.set_description_str(f"round {done} of {total}; steps promise {promised:,.0f}")

    def row(self, row: "Row") -> None:
        """An evaluation has ended."""
        report = row.report
        cells = [row.component, str(row.rounds), f"{report.primal:,.2f}", f"{report.dual:,.2f}", f"{report.gap:.2%}"]
        cells.append(f"{report.live_templates}/{report.n_templates}")
        cells += [f"{100 * (row.scores.get(name) or 0):.2f}" for name in self._scores]
        cells += [f"{(row.sent + row.received) / 1e6:,.1f}", f"{row.seconds:,.0f}"]
        self._bar.clear()
        typer.echo("  ".join(cell.rjust(width) for cell, width in zip(cells, self._widths, strict=True)))
