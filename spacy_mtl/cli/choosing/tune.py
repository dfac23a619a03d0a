"""``python -m spacy mtl tune``: search for the settings of a config that score best."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.files.disk import reason_of

from ..cluster.options import Ray, Workers
from ..cluster.tune import run_trials, trial_workers
from ..config import read_config, write_changes
from ..insight.names import chosen
from ..shared.messages import INTERRUPTED, clear_errors
from ..shared.options import Code
from ..shared.output import check_files, make_console, write_file, write_json
from ..validate import make_pipeline
from .prune import Dev, Train

if TYPE_CHECKING:
    from spacy_mtl.choosing.tuning import Trial, Tuning

#: Seconds between two looks at the journal while other processes work.
LOOK = 1.0


@dataclass(frozen=True)
class Search:
    """What a process needs to take part in a search."""

    config: Path
    component: str | None
    vary: tuple[str, ...]
    journal: Path
    train: Path | None
    dev: Path | None
    folds: int
    seed: int
    code: Path | None

    def absolute(self) -> "Search":
        """The same for processes that work in other folders."""
        paths = {name: getattr(self, name) for name in ("config", "journal", "train", "dev", "code")}
        return replace(self, **{name: path.absolute() for name, path in paths.items() if path is not None})

    def tuning(self) -> "Tuning":
        """Read the config and its corpora. Raises ValueError as :func:`tune_cli` tells."""
        from spacy_mtl.choosing.corpora import read_part
        from spacy_mtl.choosing.refit import Refit
        from spacy_mtl.choosing.space import dimensions
        from spacy_mtl.choosing.tuning import Tuning

        from .given import given_tables

        nlp = make_pipeline(self.config, self.code)
        name, where = chosen(nlp, str(self.config), self.component), str(self.config)
        settings = nlp.config.interpolate()["components"][name]
        space = dimensions(settings, self.vary)
        tables = given_tables(nlp, name, self.config)
        examples = read_part(nlp, "train", self.train, where)
        if self.folds:
            if len(examples) < self.folds:
                raise ValueError(Errors.M783.format(n=len(examples), folds=self.folds))
            parts = [examples[k :: self.folds] for k in range(self.folds)]
            rest = [[each for other in parts if other is not part for each in other] for part in parts]
            refits = [
                Refit(nlp, name, *both, left_out=both[1], tables=tables) for both in zip(rest, parts, strict=True)
            ]
        else:
            refits = [Refit(nlp, name, examples, read_part(nlp, "dev", self.dev, where), tables=tables)]
        return Tuning(refits, settings, space, self.journal, self.seed)


def tune_cli(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="Config to start from.")],
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="Config to write, with the best settings.")],
    trials: Annotated[int, typer.Option(min=1, help="Trials in all, with those that the journal has.")] = 40,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="A setting to search, repeatable: C=0.1:10, p=1,1.5,2, templates=ner.v1,tp1.v1, trainer=MTLStruct,CRF. Default: C, and p.",
        ),
    ] = None,
    journal: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keeps the trials. Default: OUTPUT with the ending .journal.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Processes.")] = 1,
    ray: Ray = None,
    workers: Workers = None,
    folds: Annotated[
        int, typer.Option(min=0, max=100, help="Score on so many parts of the training corpus, not on dev.")
    ] = 0,
    train: Train = None,
    dev: Dev = None,
    component: Annotated[str | None, typer.Option(help="The component, if there are several.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the search.")] = 0,
    json_path: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all trials to this file, as JSON.")
    ] = None,
    code: Code = None,
) -> None:
    """Search for settings with Optuna, and write a config with those that score best on the dev corpus.

    Trials are kept in the journal. After an interrupt (Ctrl-C) the best config so far is written, and the same command goes on where it stopped.
    Features are made once for all trials that share them. With --ray, trials are made on a cluster whose machines share these files.
    Shown are the trials that no other beats in score, size and speed.
    """
    from spacy_mtl.choosing.journal import check_installed, lead

    with clear_errors():
        check_installed()
        place = journal or output.with_suffix(".journal")
        search = Search(config, component, tuple(vary or ()), place, train, dev, folds, seed, code)
        _check_files(search, output, json_path)
        _check_options(search, ray, jobs, workers)
        tuning = search.tuning()
        tuning.check()
        with lead(place):
            best, stays, finished = _searched(search, tuning, trials, jobs, ray, workers)
            name, found = tuning.refits[0].component, _ended(tuning)
        write_file(output, _best_config(config, name, best, tuning.config).encode())
        if json_path is not None:
            others = [each for each in found if each.number != best.number]
            write_json(json_path, [asdict(trial) for trial in (best, *others)])
    _show(found, best, name)
    _tell(best, stays, output)
    if not finished:
        typer.echo("Interrupted. The same command goes on with the search.", err=True)
        raise typer.Exit(INTERRUPTED)


def _searched(
    search: Search, tuning: "Tuning", trials: int, jobs: int, ray: str | None, workers: int | None
) -> "tuple[Trial, bool, bool]":
    """Make the trials that are missing, and choose; returns as :func:`_chosen`.

    Raises ValueError: M704 the journal cannot be written, M782 no trial has a score.
    """
    try:
        finished = _run(search, tuning, trials, jobs, ray, workers)
        return _chosen(tuning, _ended(tuning), finished)
    except ValueError:  # which says what to do
        raise
    except Exception as error:
        if (fault := _of_disk(error)) is None:
            raise
        raise ValueError(Errors.M704.format(path=search.journal, reason=reason_of(fault))) from None


def _ended(tuning: "Tuning") -> "list[Trial]":
    """The trials with a score, the best first. Raises ValueError (M782) if there are none."""
    from spacy_mtl.choosing.tuning import ended

    found = ended(tuning.study())
    if not found:
        raise ValueError(Errors.M782)
    return found


def _of_disk(error: BaseException | None) -> OSError | None:
    """The fault of the disk behind an error: where the journal cannot be written, Optuna raises others after it."""
    while error is not None and (not isinstance(error, OSError) or isinstance(error, ConnectionError | TimeoutError)):
        error = error.__cause__ or error.__context__
    return error


def _chosen(tuning: "Tuning", found: "list[Trial]", finished: bool) -> "tuple[Trial, bool, bool]":
    """The best trial, whether it has the settings that the config had before, and whether the search has come to its end."""
    from tqdm import tqdm

    from spacy_mtl.choosing.finals import FINALISTS

    if finished:
        try:
            with tqdm(total=min(FINALISTS, len(found)), desc="the best once more", leave=False) as bar:
                return *tuning.finish(bar.update), True
        except KeyboardInterrupt:
            pass
    return found[0], False, False


def _check_files(search: Search, output: Path, json_path: Path | None) -> None:
    """Raises ValueError (M741, M795, M704) for files that must not or cannot be written."""
    check_files([output, search.journal, json_path], [search.config, search.train, search.dev])


def _check_options(search: Search, ray: str | None, jobs: int, workers: int | None) -> None:
    """Raises ValueError (M783, M794, M917) for options that do not go with each other."""
    if search.folds == 1:
        raise ValueError(Errors.M783.format(n="all", folds=1))
    if search.folds and search.dev is not None:
        hint = "folds are scored on the training corpus"
        raise ValueError(Errors.M794.format(option="--dev", other="--folds", hint=hint))
    if ray is not None and jobs > 1:
        raise ValueError(
            Errors.M917.format(option="--jobs", out="", hint="; --workers says how many trials there are at once")
        )
    if ray is None and workers is not None:
        raise ValueError(Errors.M917.format(option="--workers", out="out", hint=", or give --ray"))


def _run(
    search: Search, tuning: "Tuning", trials: int, jobs: int, ray: str | None = None, workers: int | None = None
) -> bool:
    """Make the trials that are missing. Returns whether all have been made, and not been interrupted."""
    from tqdm import tqdm

    from spacy_mtl.choosing.journal import n_ended, take_up

    study = tuning.study()
    take_up(study)
    trials = tuning.plan(trials)
    done = n_ended(study)
    left = max(0, trials - done)
    with tqdm(total=trials, initial=min(done, trials), desc="trials", leave=False) as bar:

        def look() -> None:
            bar.update(n_ended(study) - done - bar.n + min(done, trials))

        try:
            if ray is not None:
                if left:
                    with trial_workers(ray, workers) as executor:
                        run_trials(
                            executor, search.absolute(), lambda: trials - n_ended(study), lambda: take_up(study), look
                        )
            elif jobs == 1 or left < 2:
                tuning.run(left, bar.update)
            else:
                _in_processes(search, left, min(jobs, left), look)
        except KeyboardInterrupt:
            return False
    return True


def _in_processes(search: Search, left: int, jobs: int, look: Callable[[], object]) -> None:
    """Share the trials out among processes, which all work on the same journal."""
    context = get_context("spawn")
    shares = [left // jobs + (k < left % jobs) for k in range(jobs)]
    workers = [context.Process(target=work, args=(search, share, k)) for k, share in enumerate(shares)]
    for worker in workers:
        worker.start()
    try:
        while any(worker.is_alive() for worker in workers):
            for worker in workers:
                worker.join(LOOK / jobs)
            look()
    except KeyboardInterrupt:
        _stop(workers)
        raise
    if any(worker.exitcode for worker in workers):
        raise ValueError(Errors.M784)


def _stop(workers: Sequence[BaseProcess]) -> None:
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join()


def work(search: Search, n: int, number: int) -> None:
    """A process of several: make so many trials, with a seed of its own. It ends with the command, even if that is killed."""
    from spacy_mtl.treebanks.orphans import end_with_parent

    end_with_parent()
    try:
        tuning = search.tuning()
        tuning.seed += 1000 * (number + 1)
        tuning.run(n)
    except KeyboardInterrupt:
        pass


def _best_config(path: Path, name: str, best: "Trial", filled: Mapping[str, Any]) -> str:
    """The config with the settings of a trial; its comments stay. filled: the component with the blocks that the config leaves out."""
    from spacy_mtl.choosing.space import by_path, changed

    config, text = read_config(path)
    before, settings = deepcopy(config), by_path(best.settings)
    resolved = config.interpolate()["components"][name]
    component = own_blocks(config["components"][name], resolved)
    if "trainer" in best.settings and "trainer" in resolved:  # another one takes over values, which references are not
        component["trainer"] = resolved["trainer"]
    for block in {place[0] for place in settings} & {"trainer", "model"}:
        component.setdefault(block, deepcopy(filled[block]))
    if any(place[:2] == ("model", "templates") for place in settings):
        component["model"].setdefault("templates", deepcopy(filled["model"]["templates"]))
    config["components"][name] = changed(component, settings)
    write_changes(text, before, config)
    return str(text)


def own_blocks(block: Mapping[str, Any], resolved: Mapping[str, Any]) -> dict[str, Any]:
    """A block of a config that refers to no other block. resolved: the same without references; those to single values stay, but for names."""
    found = {}
    for key, value in block.items():
        if isinstance(inner := resolved[key], Mapping):
            found[key] = own_blocks(value, inner) if isinstance(value, Mapping) else dict(inner)
        else:
            found[key] = inner if key.startswith("@") else value
    return found


def _tell(best: "Trial", stays: bool, output: Path) -> None:
    score = best.score if best.final is None else best.final
    typer.echo(f"Written: {output}, with the settings of trial {best.number}, whose score is {score:.2f}")
    if stays:
        typer.echo("They are those of the config: no others are better by more than one standard error.")


def _show(found: "list[Trial]", chosen: "Trial", name: str) -> None:
    """The trials that no other beats, and the one that was chosen."""
    from rich.table import Table

    from spacy_mtl.choosing.tuning import front

    best = front(found)
    if chosen.number not in {trial.number for trial in best}:
        best.append(chosen)
    table = Table(box=None, pad_edge=False, header_style="bold", title=name, title_justify="left")
    for heading in ("Trial", "Score", "Once more", "MB", "Words/s"):
        table.add_column(heading, justify="right")
    table.add_column("Settings", overflow="fold")
    table.add_column("")
    for trial in best:
        told = ", ".join(f"{key.rpartition('.')[2]} = {value}" for key, value in trial.settings.items())
        again = "" if trial.final is None else f"{trial.final:.2f}"
        table.add_row(
            f"{trial.number}", f"{trial.score:.2f}", again, f"{trial.megabytes:.2f}", f"{trial.speed:,.0f}", told,
            "chosen" if trial.number == chosen.number else "",
        )  # fmt: skip
    make_console().print(table)
