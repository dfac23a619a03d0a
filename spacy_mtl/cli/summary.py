"""``python -m spacy mtl summary``: the scores, training times and model sizes of several trainings in one table."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacy_mtl.errors import Errors

from .shared.messages import clear_errors, reason_of
from .shared.output import check_files, make_console, write_json

if TYPE_CHECKING:
    from spacy.language import Language
    from thinc.api import Config

BEST, LOG = "model-best", "log.jsonl"
#: Key of a row -> column heading.
COLUMNS = {
    "component": "component",
    "corpus": "corpus",
    "score": "score",
    "dev": "dev",
    "test": "test",
    "seconds": "training s",
    "megabytes": "model MB",
}

Row = dict[str, Any]


def summary_cli(
    trainings: Annotated[
        list[Path],
        typer.Argument(metavar="TRAINING...", help='Output directories of "spacy train", which contain model-best.'),
    ],
    metrics: Annotated[
        Path,
        typer.Option(
            metavar="DIR", help='Directory of test scores from "spacy mtl evaluate": NAME.json for the training NAME.'
        ),
    ] = Path("metrics"),
    output: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the rows to this file, as JSON.")
    ] = None,
) -> None:
    """Show one row per trained component: its main score on dev and test, its training time and the size of its model.

    If several scores have the same weight, each gets a row. The dev score is that of the best model, which spaCy saves with the model; the
    training time is the logger's (log.jsonl in TRAINING). A "-" means that there is no file with this value.
    """
    with clear_errors():
        scores = {training: metrics / f"{training.name}.json" for training in trainings}
        read = (LOG, f"{BEST}/meta.json", f"{BEST}/config.cfg")
        check_files([output], [*scores.values(), *(training / name for training in trainings for name in read)])
        rows = [row for training in trainings for row in summarize(training, scores[training])]
        if output is not None:
            write_json(output, rows)
    make_console().print(_table(rows))


def summarize(training: Path, metrics: Path) -> list[Row]:
    """One row for each component that has a score. metrics: the file of test scores.

    Raises ValueError (M715) where there is no trained pipeline, or a file of scores is damaged.
    """
    best = training / BEST
    meta = best / "meta.json"
    dev = _by_name(_read_json(meta, required=True).get("performance", {}), meta)
    config, scores = _trained(best / "config.cfg")
    test, seconds = _read_json(metrics), _seconds(training / LOG)
    rows = []
    for name in config["nlp"]["pipeline"]:
        files = [path for path in (best / name).rglob("*") if path.is_file()]
        for score in scores[name]:
            row = {"component": name, "corpus": _corpus(config), "score": score, "dev": _score(dev, score, meta)}
            size = sum(path.stat().st_size for path in files) / 1e6
            rows.append({**row, "test": _score(test, score, metrics), "seconds": seconds, "megabytes": size})
    return rows


def _trained(path: Path) -> tuple["Config", dict[str, list[str]]]:
    """The config of a trained pipeline, and the main scores of its components. Raises ValueError (M715) where it cannot be read."""
    import spacy
    from spacy.util import load_config

    try:
        config = load_config(path, interpolate=True)
        nlp = spacy.blank(config["nlp"]["lang"])  # an instance knows the factories of installed packages too
        factories = {name: config["components"][name].get("factory") for name in config["nlp"]["pipeline"]}
    except KeyError as error:
        reason = f"it has no {error}"
    except Exception as error:  # configparser, confection and spaCy each complain in their own way
        reason = reason_of(error)
    else:
        return config, {name: _main_scores(nlp, factory) for name, factory in factories.items()}
    raise ValueError(Errors.M715.format(path=path, reason=reason))


def _main_scores(nlp: "Language", factory: str | None) -> list[str]:
    """The score with the largest weight in the factory's defaults, or all of them if several share it."""
    if factory is None or not nlp.has_factory(factory):
        return []
    weights = nlp.get_factory_meta(factory).default_score_weights or {}
    most = max((weight or 0.0 for weight in weights.values()), default=0.0)
    return [name for name, weight in weights.items() if (weight or 0.0) == most and most > 0]


def _corpus(config: dict[str, Any]) -> str:
    """The name of the folder of the training file, or of the first of several, "-" if the config names none."""
    from spacy_mtl.corpora.conll import corpus_paths

    path = config.get("paths", {}).get("train")
    if not path:
        return "-"
    first = corpus_paths(path)[0]
    return first.parent.name or str(first)


def _seconds(log: Path) -> float | None:
    """Training time in the last row of the log, None without a log. Raises ValueError (M715) if the row is cut short or is not a row."""
    if not log.is_file():
        return None
    lines = _read_text(log).strip().splitlines()
    return _score(_parse(lines[-1], log), "seconds", log) if lines else None


def _read_json(path: Path, required: bool = False) -> Row:
    """Read a file of scores; empty if there is no file and none is required."""
    if not path.is_file() and not required:
        return {}
    return _parse(_read_text(path), path)


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf8")
    except OSError as error:
        raise ValueError(Errors.M715.format(path=path, reason=error.strerror)) from None
    except UnicodeDecodeError:
        raise ValueError(Errors.M715.format(path=path, reason="it is not UTF-8")) from None


def _parse(text: str, path: Path) -> Row:
    try:
        return _by_name(json.loads(text), path)
    except json.JSONDecodeError:
        raise ValueError(Errors.M715.format(path=path, reason="it is not JSON")) from None


def _by_name(found: Any, path: Path) -> Row:
    if not isinstance(found, dict):
        raise ValueError(Errors.M715.format(path=path, reason="it does not contain named scores"))
    return found


def _score(scores: Row, name: str, path: Path) -> float | None:
    """The score of this name, None if there is none. Raises ValueError (M715) if it is not a number."""
    value = scores.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise ValueError(Errors.M715.format(path=path, reason=f"the score '{name}' is not a number"))
    return value


def _table(rows: list[Row]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for key, heading in COLUMNS.items():
        table.add_column(heading, justify="left" if key in ("component", "corpus", "score") else "right")
    for row in rows:
        table.add_row(*(_cell(key, row[key]) for key in COLUMNS))
    return table


def _cell(key: str, value: Any) -> str:
    if value is None:
        return "-"
    if key in ("dev", "test"):
        return f"{100 * value:.2f}"
    return f"{value:.2f}" if key == "megabytes" else str(value)
