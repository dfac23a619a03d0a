"""``python -m spacy mtl calibrate``: make the scores of a trained pipeline probabilities, by held-out documents."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacy_mtl.errors import Errors

from ..shared.messages import clear_errors
from ..shared.options import Code
from ..shared.output import check_outputs, make_console
from ..shared.pipelines import check_folder, load_pipeline, save_pipeline
from ..validate import read_examples

if TYPE_CHECKING:
    from rich.table import Table

    from spacy_mtl.training.calibrating import Found


def calibrate_cli(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Pipeline name or directory.")],
    corpus: Annotated[
        Path, typer.Argument(metavar="DEV", help="Documents that it was not trained on, in the format of its config.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory for the calibrated pipeline.")],
    component: Annotated[list[str] | None, typer.Option(help="Calibrate only this component. Repeatable.")] = None,
    isotonic: Annotated[bool, typer.Option(help="Whether to try maps of probabilities, besides temperatures.")] = True,
    folds: Annotated[
        int,
        typer.Option(help="Make maps also from so many trainings on parts of the training corpus; 0: from DEV alone."),
    ] = 0,
    train: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Training corpus, in place of the one that the config names.")
    ] = None,
    confidence: Annotated[
        bool, typer.Option(help="Whether the new pipeline gives documents the probabilities of its decisions.")
    ] = False,
    code: Code = None,
) -> None:
    """Calibrate the components of a pipeline on held-out documents, so that they can tell how probable their decisions are."""
    from spacy_mtl.choosing.corpora import read_part
    from spacy_mtl.choosing.folds import check_folds, trained_on_folds
    from spacy_mtl.training.calibrating import calibrate_pipeline

    with clear_errors():
        check_outputs([output], [corpus, train])  # it may be the model itself, whose folder is replaced as a whole
        nlp = load_pipeline(model, code)
        check_folder(nlp, output)
        dev = read_examples(nlp, Path(model), corpus)
        check_folds("calibrate", folds)
        if folds and not isotonic:
            raise ValueError(Errors.M794.format(option="--folds", other="--no-isotonic", hint="folds are for maps"))
        if train is not None and not folds:
            raise ValueError(Errors.M799.format(option="--train", other="--folds"))
        more = None
        if folds:
            known = read_part(nlp, "train", train, model)
            if len(known) < 2:  # before any work
                raise ValueError(Errors.M954)
            more = partial(trained_on_folds, nlp, train=known, dev=dev, folds=folds)
        found = calibrate_pipeline(nlp, dev, component or None, isotonic, more)
        if confidence:
            for name in found:
                nlp.get_pipe_config(name)["confidence"] = True
        save_pipeline(nlp, output)
    make_console().print(_table(found))
    typer.echo(f"{output}: calibrated")


def _table(found: "Found") -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for title in ("component", "decisions", "temperature", "adjusted by", "isotonic map"):
        table.add_column(title)
    for name, kinds in found.items():
        for kind, each in kinds.items():
            adjustment, given, _ = each.maps
            places = f"{given.size} places" if given.size else "none"
            table.add_row(name, kind, f"{each.temperature:.4g}", adjustment.told() if adjustment else "nothing", places)
    return table
