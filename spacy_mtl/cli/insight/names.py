"""``python -m spacy mtl names``: what the features of a trained component observe, found in its corpus again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.settings import of_the_name

from ..shared.messages import clear_errors
from ..shared.options import Code
from ..shared.output import check_files
from ..shared.pipelines import load_pipeline
from ..validate import read_examples

if TYPE_CHECKING:
    from spacy.language import Language


def names_cli(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Pipeline name or directory.")],
    corpus: Annotated[
        Path, typer.Argument(metavar="CORPUS", help="What it was trained on, in the format of its config.")
    ],
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The file to write, JSON.")],
    component: Annotated[str | None, typer.Option(help="The component, if there are several.")] = None,
    code: Code = None,
) -> None:
    """Name the features of a trained component, by extracting them from a corpus again. Prediction does not need the names."""
    from spacy_mtl.insight.seen import name_features

    with clear_errors():
        check_files([output], [corpus])
        nlp = load_pipeline(model, code)
        name = chosen(nlp, model, component)
        names = name_features(nlp, name, read_examples(nlp, Path(model), corpus))
        names.write(output)
        total = features_of(nlp, name)
    typer.echo(f"{len(names):,} of the {total:,} features of {name} occur in {corpus}; their names are in {output}")


def chosen(nlp: "Language", model: str, component: str | None) -> str:
    """The component that a command is about: the one named, or the only one. Raises ValueError: M752 which of several, M761 none."""
    able = [name for name, pipe in nlp.pipeline if hasattr(pipe, "explained_weights")]
    if component is None and len(able) == 1:
        return able[0]
    if component is None and able:
        raise ValueError(Errors.M752.format(model=model, names=", ".join(able)))
    if component not in able:
        raise ValueError(Errors.M761.format(model=model, named=of_the_name(component), names=", ".join(able) or "none"))
    return component


def features_of(nlp: "Language", component: str) -> int:
    """The number of features with weights."""
    weights = nlp.get_pipe(component).explained_weights()  # type: ignore[attr-defined]
    return int(weights.keys.size + weights.pair_keys.size)
