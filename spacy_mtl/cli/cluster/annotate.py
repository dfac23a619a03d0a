"""``spacy mtl annotate --ray``: a collection of files into a folder, on a cluster."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.files.disk import reason_of
from spacy_mtl.settings import brief

from ..shared.messages import INTERRUPTED, number_of
from ..shared.options import Format
from ..shared.pipelines import load_pipeline
from ..shared.trained_with import trained_with
from ..shared.visible import visible

if TYPE_CHECKING:
    from spacy_mtl.annotation.documents import Done
    from spacy_mtl.cluster.executor import Executor
    from spacy_mtl.treebanks.inputs import Input


#: What is read and written.
FORMATS = ("text", "jsonl", "parquet", "spacy", "conllu")
_OPTIONS = {
    "workers": "--workers",
    "output_format": "--output-format",
    "text": "--text-column",
    "id": "--id-column",
    "size": "--partition-size",
}


@dataclass(frozen=True, slots=True)
class OnCluster:
    """The options of ``annotate`` that go with --ray. size: of a partition, in bytes."""

    address: str
    workers: int | None
    output_format: str
    text: str
    id: str
    size: int

    def check(self, n_process: int) -> None:
        """Raises ValueError: M917 processes of another kind were asked for, M742 the output format is none."""
        if n_process > 1:
            raise ValueError(
                Errors.M917.format(option="--n-process", out="", hint="; --workers says how many there are")
            )
        if self.output_format not in (known := ("same", *FORMATS)):
            value = brief(self.output_format)
            raise ValueError(Errors.M742.format(setting="output format", value=value, known=", ".join(known)))

    def check_unused(self) -> None:
        """Raises ValueError (M917) for an option that says something only on a cluster."""
        usual = OnCluster("", None, "same", "text", "id", 16 << 20)
        for name, option in _OPTIONS.items():
            if getattr(self, name) != getattr(usual, name):
                raise ValueError(Errors.M917.format(option=option, out="out", hint=", or give --ray"))


def annotate_on_cluster(
    model: str, code: Path | None, inputs: Sequence[Path], output: Path, settings: "Input", options: OnCluster
) -> str:
    """Annotate, and say how much. Raises ValueError with a sentence for all that is wrong with inputs, output, cluster or workers."""
    from dataclasses import replace

    from spacy_mtl.annotation.collection import annotate_collection, plan
    from spacy_mtl.annotation.documents import Task
    from spacy_mtl.annotation.model import fingerprint

    nlp = load_pipeline(model, code)
    place = str(Path(model).resolve()) if Path(model).is_dir() else model
    settings = replace(settings, tag=trained_with(nlp, Format.conllu).get("tag", "auto"))
    code = code.resolve() if code is not None else None
    task = Task(
        place,
        code,
        load_pipeline,
        fingerprint(place),
        settings,
        options.output_format,
        output,
        options.text,
        options.id,
    )
    collection = plan(nlp, task, inputs, options.size)
    _tell_left_out(collection.left_out)
    with _progress(len(collection.partitions)) as bar:
        try:
            done = annotate_collection(collection, lambda: _workers(options, bar), bar.add)
        except KeyboardInterrupt:
            typer.echo("Interrupted. The same command goes on with the annotation.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except OSError as error:
            raise ValueError(Errors.M704.format(path=output, reason=reason_of(error))) from None
    return _told(done, output, bar)


def _told(done: "Sequence[Done]", output: Path, bar: "_Progress") -> str:
    """What became of the documents. Raises ValueError (M909) where all were set aside."""
    from spacy_mtl.annotation.manifest import ASIDE

    names = ("documents", "sentences", "words")
    counts = {name: sum(getattr(each, name) for each in done) for name in names}
    aside = [each for partition in done for each in partition.set_aside]
    path = output / ASIDE
    if aside and not counts["documents"]:
        raise ValueError(Errors.M909.format(n=len(aside), reason=aside[0].reason.rstrip("."), aside=path))
    if aside:
        were = "was" if len(aside) == 1 else "were"
        typer.echo(f"{number_of(len(aside), 'document')} {were} set aside; {path} says why.", err=True)
    told = ", ".join(number_of(counts[name], name.removesuffix("s")) for name in names)
    told = f"{output}: {told} in {number_of(len(done), 'partition')}"
    if not bar.new:
        return f"{told}; all of them were done before"
    return f"{told}; {bar.speed():,.0f} words/s" if bar.new_words else told


def _tell_left_out(files: Sequence[Path]) -> None:
    if files:
        told = "a file was" if len(files) == 1 else f"{len(files):,} files were"
        names = ", ".join(str(path) for path in files[:3]) + (" and others" if len(files) > 3 else "")
        typer.echo(visible(Errors.M939.format(files=told, names=names)), err=True)


@contextmanager
def _workers(options: OnCluster, bar: "_Progress") -> "Iterator[Executor]":
    from spacy_mtl.annotation.work import work
    from spacy_mtl.cluster.connect import connect
    from spacy_mtl.cluster.executor import RayExecutor

    with connect(options.address, options.workers) as cluster:
        bar.begin()
        yield RayExecutor(cluster, work, options.workers)


class _Progress:
    """A bar of partitions, with words per second since the cluster began."""

    def __init__(self, total: int):
        from tqdm import tqdm

        self.bar = tqdm(total=total, unit=" partitions", disable=None, leave=False)
        self.new = self.new_words = self._aside = 0
        self.begin()

    def begin(self) -> None:
        """The workers begin now."""
        self._since = time.monotonic()

    def speed(self) -> float:
        """Words per second since then."""
        return self.new_words / max(time.monotonic() - self._since, 1e-9)

    def add(self, done: "Done", known: bool) -> None:
        """A partition is done. known: it was so before."""
        self._aside += len(done.set_aside)
        if not known:
            self.new += 1
            self.new_words += done.words
        self.bar.update(1)
        told = {"words": f"{self.new_words:,}", "words/s": f"{self.speed():,.0f}", "set aside": self._aside}
        self.bar.set_postfix(told, refresh=False)


@contextmanager
def _progress(total: int) -> Iterator[_Progress]:
    progress = _Progress(total)
    with progress.bar:
        yield progress
