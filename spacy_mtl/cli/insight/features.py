"""``python -m spacy mtl features``: the heaviest features of each label, and the transitions between labels."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacy_mtl.errors import Errors

from ..shared.messages import clear_errors
from ..shared.options import Code
from ..shared.output import check_files, make_console, write_json
from ..shared.pipelines import load_pipeline
from ..shared.visible import visible
from .names import chosen

if TYPE_CHECKING:
    from spacy_mtl.insight.weights import Weight


def features_cli(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Pipeline name or directory.")],
    names: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Names of features, from 'spacy mtl names'; else keys are shown."),
    ] = None,
    component: Annotated[str | None, typer.Option(help="The component, if there are several.")] = None,
    label: Annotated[str | None, typer.Option(help="Only of this label.")] = None,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Of pairs of labels, labels of arcs, or rules of a grammar.")
    ] = False,
    top: Annotated[
        int, typer.Option(min=0, help="Features of each label, the largest weights in size first; 0 for all.")
    ] = 10,
    json_path: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write them to this file, as JSON.")
    ] = None,
    code: Code = None,
) -> None:
    """Show the features of each label with the largest weights, and what transitions between labels score."""
    from spacy_mtl.insight.names import NODE, PAIR, FeatureNames
    from spacy_mtl.insight.weights import state_features, transitions

    with clear_errors():
        check_files([json_path], [names])
        nlp = load_pipeline(model, code)
        name = chosen(nlp, model, component)
        known = FeatureNames.read(names) if names is not None else None
        if known is not None and known.component != name:
            raise ValueError(Errors.M763.format(path=names, found=known.component, component=name))
        pipe = nlp.get_pipe(name)
        found = state_features(pipe, known, top, PAIR if pairs else NODE)  # type: ignore[arg-type]
        if label is not None and label not in found:
            raise ValueError(Errors.M764.format(component=name, label=label, known=", ".join(list(found)[:30])))
        found = {each: weights for each, weights in found.items() if label in (None, each)}
        steps = transitions(pipe)  # type: ignore[arg-type]
        if json_path is not None:
            listed = {each: [asdict(weight) for weight in weights] for each, weights in found.items()}
            write_json(json_path, {"component": name, "features": listed, "transitions": steps})
    _show(found, steps[: top or None] if label is None else [])


def _show(found: "Mapping[str, Sequence[Weight]]", steps: Sequence[tuple[str, str, float]]) -> None:
    from rich.table import Table
    from rich.text import Text

    console = make_console()
    for label, weights in found.items():
        if weights:
            table = Table(
                box=None,
                pad_edge=False,
                padding=(0, 2),
                show_header=False,
                title=Text(label or "arcs"),
                title_justify="left",
            )
            table.add_column(justify="right")
            table.add_column(overflow="fold")
            for each in weights:
                table.add_row(f"{each.value:+.4f}", Text(each.feature))
            console.print(table)
    for before, after, value in steps:
        console.print(visible(f"{value:+.4f}  {before} {after}", lines=False), markup=False)
