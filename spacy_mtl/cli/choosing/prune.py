"""``python -m spacy mtl prune``: a smaller and faster pipeline, with the templates that weigh most alone."""

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief

from ..insight.names import chosen
from ..shared.messages import clear_errors
from ..shared.options import Code
from ..shared.output import check_file_name, check_outputs, make_console, write_json
from ..shared.pipelines import check_folder, load_pipeline, save_pipeline

if TYPE_CHECKING:
    from spacy_mtl.choosing.pruning import Point, Pruning
    from spacy_mtl.choosing.refit import Refit

Train = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Training corpus, in place of the one that the config names.")
]
Dev = Annotated[Path | None, typer.Option(metavar="FILE", help="Dev corpus, in place of the one of the config.")]


def prune_cli(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Pipeline name or directory.")],
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="Directory to write the smaller pipeline to.")],
    templates: Annotated[int | None, typer.Option(min=1, metavar="K", help="Keep at most K templates.")] = None,
    megabytes: Annotated[
        float | None, typer.Option(min=0.0, metavar="MB", help="The saved component takes at most so much.")
    ] = None,
    speed: Annotated[
        str | None,
        typer.Option(metavar="WORDS/S", help="At least so many words per CPU second, or times the present: 2.5x."),
    ] = None,
    loss: Annotated[
        float | None,
        typer.Option(min=0.0, max=100.0, metavar="POINTS", help="As small as possible with at most this loss on dev."),
    ] = None,
    train: Train = None,
    dev: Dev = None,
    component: Annotated[str | None, typer.Option(help="The component, if there are several.")] = None,
    json_path: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all that was tried to this file, as JSON.")
    ] = None,
    code: Code = None,
) -> None:
    """Keep the templates of a component that weigh most, and train with these alone.

    Corpora are read, and training goes on, as the config of MODEL says. OUTPUT is the same pipeline with the smaller component; its config.cfg
    has the templates that are left, and trains the same again; a calibration is made anew on the dev corpus. Nothing is written if a training fails
    or is interrupted.
    """
    from spacy_mtl.choosing.corpora import read_part
    from spacy_mtl.choosing.refit import Refit

    with clear_errors():
        wanted, times = _speed(speed)
        check_outputs([output, json_path], [Path(model), train, dev])
        check_file_name(json_path)
        nlp = load_pipeline(model, code)
        check_folder(nlp, output)
        name = chosen(nlp, model, component)
        if templates is None and megabytes is None and speed is None and loss is None:
            raise ValueError(Errors.M770.format(component=name))
        examples, scored = read_part(nlp, "train", train, model), read_part(nlp, "dev", dev, model)
        refit = Refit(nlp, name, examples, scored)
        pruning, point = _pruned(refit, templates, megabytes, (wanted, times), loss)
        save_pipeline(pruning.apply(point), output)
        if json_path is not None:
            write_json(json_path, _described(pruning, point))
    _show(pruning, point, output)


def _speed(text: str | None) -> tuple[float | None, bool]:
    """A speed, and whether it is a multiple of the present one. Raises ValueError (M776)."""
    if text is None:
        return None, False
    found = re.fullmatch(r"(\d+(?:[_,]\d{3})*(?:\.\d+)?)(x?)", text)
    if found is None:
        raise ValueError(Errors.M776.format(text=brief(text)))
    return float(re.sub("[_,]", "", found[1])), bool(found[2])


def _pruned(
    refit: "Refit", templates: int | None, megabytes: float | None, speed: tuple[float | None, bool], loss: float | None
) -> "tuple[Pruning, Point]":
    from tqdm import tqdm

    from spacy_mtl.choosing.pruning import Limits, Pruning

    with tqdm(desc="trainings", bar_format="{desc}: {n_fmt} [{elapsed}]{postfix}", leave=False) as bar:

        def tell(k: int) -> None:
            bar.set_postfix_str(f"{k} templates")
            bar.update()

        pruning = Pruning(refit, Limits(templates, megabytes, None, loss), tell)
        wanted, times = speed
        if wanted is not None:
            rate = wanted * pruning.full.speed if times else wanted
            pruning.limits = Limits(templates, megabytes, rate, loss)
        with (
            warnings.catch_warnings()
        ):  # sizes that are too small to parse well are tried, too, and their scores are shown
            warnings.filterwarnings("ignore", r"\[M433\]")
            return pruning, pruning.run()


def _rows(pruning: "Pruning") -> list[dict[str, float]]:
    fits = [(len(pruning.templates.templates), pruning.full), *sorted(pruning.points.items(), reverse=True)]
    return [
        {"templates": k, "score": fitted.score, "megabytes": fitted.megabytes, "words_per_second": fitted.speed}
        for k, fitted in fits
    ]


def _described(pruning: "Pruning", point: "Point") -> dict[str, object]:
    kept = pruning.config(point.templates)["model"]["templates"]["patterns"]
    return {"component": pruning.refit.component, "kept": kept, "full": _rows(pruning)[0], "tried": _rows(pruning)[1:]}


def _show(pruning: "Pruning", point: "Point", output: Path) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", title=pruning.refit.component, title_justify="left")
    for heading in ("Templates", "Dev score", "MB", "Words/s", ""):
        table.add_column(heading, justify="right" if heading else "left")
    for number, row in enumerate(_rows(pruning)):
        note = "as it was" if number == 0 else "kept" if row["templates"] == point.templates else ""
        table.add_row(
            f"{row['templates']:,}",
            f"{row['score']:.2f}",
            f"{row['megabytes']:.2f}",
            f"{row['words_per_second']:,.0f}",
            note,
        )
    make_console().print(table)
    typer.echo(f"Written: {output}. Its config.cfg has the {point.templates} templates that are left")
