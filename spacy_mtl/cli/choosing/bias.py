"""``python -m spacy mtl bias``: precision against recall of what a trained component finds, without training anew."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.settings import of_the_name

from ..evaluate import read_data
from ..shared.input import asked_for, reading
from ..shared.messages import clear_errors
from ..shared.options import (
    AsColumns,
    AsFormat,
    AsGroup,
    AsScheme,
    AsSeparator,
    AsTag,
    Code,
    Encoding,
    Format,
    Given,
    Limit,
)
from ..shared.output import check_outputs, make_console
from ..shared.pipelines import check_folder, load_pipeline, save_pipeline

if TYPE_CHECKING:
    from rich.table import Table
    from spacy.language import Language
    from spacy.training import Example

    from spacy_mtl.components.biased.pipe import BiasPoint, Fold


def bias_cli(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Pipeline name or directory.")],
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DEV...", help="Development data: column files, segmented texts, trees or .spacy files."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Save the pipeline with the best bias to this folder."),
    ] = None,
    beta: Annotated[
        float, typer.Option(min=0.01, max=1000.0, help="How many times as much recall counts as precision.")
    ] = 1.0,
    sure: Annotated[
        bool, typer.Option("--sure", help="Keep the bias as it is unless another is better by a standard error.")
    ] = False,
    folds: Annotated[
        int,
        typer.Option(
            help="Choose also by so many trainings (at most one a document) on parts of the training corpus; 0: by DEV alone."
        ),
    ] = 0,
    component: Annotated[str | None, typer.Option(help="The component, if several have a bias.")] = None,
    file_format: AsFormat = None,
    columns: AsColumns = None,
    given: Given = None,
    scheme: AsScheme = None,
    separator: AsSeparator = None,
    tag: AsTag = None,
    encoding: Encoding = "utf8",
    group: AsGroup = None,
    limit: Limit = 0,
    code: Code = None,
) -> None:
    """Show precision, recall and F of entities, words or sentences for many biases, and find the best.

    The bias of a recognizer is added to the score of every tag of an entity: above 0 more entities are found, below 0 fewer. That of a segmenter is
    added to every tag that begins a word, that of a senter to every token that begins a sentence: above 0 there are more, below 0 longer ones. Choose
    it on development data, not on those that the pipeline is judged by. With --format segmented or tasks, of the options about files only
    --encoding and --limit count. With --folds, the component is trained again on parts of its training corpus and scored on the others, so that
    more than DEV decides; of a training corpus of a single document, there are no folds, and the bias stays as it is.
    """
    from spacy_mtl.choosing.folds import check_folds

    asked = asked_for(columns, given, separator, scheme=scheme, group=group, tag=tag)
    if file_format is Format.bracketed:
        raise typer.BadParameter("it reads columns, segmented texts, trees and annotated tasks", param_hint="--format")
    with clear_errors():
        check_outputs([output], [])
        nlp = load_pipeline(model, code)
        if output is not None:
            check_folder(nlp, output)
        check_folds("bias", folds)
        name, pipe = biased_component(nlp, model, component)
        read_as, settings = reading(nlp, data, file_format, asked, encoding)
        settings |= {**_broken(nlp, read_as), "encoding": encoding, "limit": limit}
        examples = read_data(nlp, data, read_as, settings, asked["given"])
        before, points = pipe.bias, None
        more = _folds(nlp, model, name, folds) if folds else ()
        if more is not None:
            points = pipe.tune_bias(annotated_before(nlp, name, examples), beta, sure, more)
        if output is not None:
            save_pipeline(nlp, output)
    _say(name, before, pipe.bias, points, sure, output)


def _say(
    name: str, before: float, after: float, points: "list[BiasPoint] | None", sure: bool, output: Path | None
) -> None:
    """Say what was found, and where it was saved. points: scores of the biases, None where there was nothing to choose by."""
    saved = f"; saved to {output}" if output is not None else ""
    if points is None:
        reason = "the training corpus is a single document, of which there are no folds"
        typer.echo(f"{name}: the bias stays {before:g}, since {reason}{saved}")
        return
    make_console().print(_table(points, before))
    told = "the best bias is" if not sure else "the bias stays" if after == before else "the bias is now"
    typer.echo(f"{name}: {told} {after:g}{saved}")


def biased_component(nlp: "Language", model: str, component: str | None) -> tuple[str, Any]:
    """Name and component of what has a bias, the first if none is named. Raises ValueError (M751) without one."""
    from spacy_mtl.components.biased.pipe import BiasedPipe

    for name, pipe in nlp.pipeline:
        if isinstance(pipe, BiasedPipe) and component in (None, name):
            return name, pipe
    raise ValueError(
        Errors.M751.format(model=model, named=of_the_name(component), names=", ".join(nlp.pipe_names) or "none")
    )


def annotated_before(nlp: "Language", name: str, examples: "Iterable[Example]") -> "list[Example]":
    """The examples with the annotation of the components before the one of this name."""
    from spacy.training import Example

    from spacy_mtl.components.protocol.annotated import docs_before

    examples = list(examples)
    docs = docs_before(nlp, name, [example.predicted for example in examples])
    return [Example(doc, example.reference) for doc, example in zip(docs, examples, strict=True)]


def _broken(nlp: "Language", file_format: Format) -> dict[str, Any]:
    """The setting of what is done with broken trees, as in training; none for files of other formats."""
    from ..shared.trained_with import dev_reader

    named = dev_reader(nlp).get("broken")
    return {"broken": named} if named is not None and file_format is Format.conllu else {}


def _folds(nlp: "Language", model: str, name: str, folds: int) -> "Iterator[Fold] | None":
    """Components trained on parts of the training corpus of a pipeline, and the parts left out, both as its config says.

    None for a corpus of a single document, of which nothing would be left to train on.
    """
    from spacy_mtl.choosing.corpora import read_part
    from spacy_mtl.choosing.folds import trained_on_folds

    train = read_part(nlp, "train", None, model)
    if len(train) < 2:
        return None
    if len(train) < folds:
        typer.echo(f"The training corpus has {len(train)} documents, so that there are no more folds")
    return trained_on_folds(nlp, name, train, read_part(nlp, "dev", None, model), folds)


def _table(points: "list[BiasPoint]", before: float) -> "Table":
    from rich.table import Table

    from spacy_mtl.components.biased.pipe import best_point

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("bias", "P", "R", "F", ""):
        table.add_column(title, justify="left" if not title else "right")
    for point in points:
        marks = [
            text for text, bias in (("best", best_point(points).bias), ("as it was", before)) if point.bias == bias
        ]
        table.add_row(f"{point.bias:.1f}", *(f"{100 * each:.2f}" for each in point[1:]), ", ".join(marks))
    return table
