"""``python -m spacy mtl report``: one HTML file about a trained pipeline."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.files.disk import reason_of

from ..shared.messages import clear_errors
from ..shared.options import Code
from ..shared.output import check_place
from ..shared.pipelines import load_pipeline
from ..summary import BEST, LOG

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.training import Example

    from spacy_mtl.report.data import Step

LAST = "model-last"
#: The most rows of the training table, and bytes of its file.
MOST_STEPS, MOST_BYTES = 200, 1 << 26
#: How a page begins; another file is not replaced.
BEGINS = b"<!doctype html>"


def report_cli(
    training: Annotated[
        Path, typer.Argument(metavar="TRAINING", help='Output directory of "spacy train", or a saved pipeline.')
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The page. Default: TRAINING/report.html.")
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Documents with gold. Default: the dev corpus of the config.")
    ] = None,
    train: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The training corpus. Default: that of the config.")
    ] = None,
    component: Annotated[list[str] | None, typer.Option(help="Report only on this component. Repeatable.")] = None,
    learning_curve: Annotated[
        bool, typer.Option("--learning-curve", help="Train on an eighth, a quarter, half and all of the corpus, too.")
    ] = False,
    code: Code = None,
) -> None:
    """Write a page about a trained pipeline: scores, training, templates, labels, confusions, how sure it is, its costliest errors with explanations.

    The page is one file that loads nothing from elsewhere, so it can be sent as it is.
    """
    from spacy_mtl.report import reportable

    with clear_errors():
        best = training / BEST if (training / BEST).is_dir() else training
        nlp = load_pipeline(best, code)
        reportable(nlp, component or None)
        page = output if output is not None else training / "report.html"
        _check_writable(page)
        size = _write(nlp, training, page, (corpus, train), component or None, learning_curve)
    typer.echo(f"{page}: {size / 1e3:,.0f} KB")


def _write(
    nlp: "Language",
    training: Path,
    page: Path,
    files: tuple[Path | None, Path | None],
    components: list[str] | None,
    curve: bool,
) -> int:
    """Make the page and write it. Returns its size in bytes."""
    from spacy_mtl.choosing.corpora import read_part
    from spacy_mtl.report import make_report

    corpus, train = files
    examples = read_part(nlp, "dev", corpus, str(training))
    with_history(nlp, training)
    report = make_report(
        nlp,
        examples,
        train=_training_corpus(nlp, train, str(training), curve),
        curve=curve,
        components=components,
        steps=read_steps(training / LOG),
        source=training.resolve().name,
        tell=lambda what: typer.echo(f"{what} ...", err=True),
    )
    try:
        report.save(page)
    except OSError as error:
        raise ValueError(Errors.M704.format(path=page, reason=reason_of(error))) from None
    return page.stat().st_size


def _check_writable(page: Path) -> None:
    """Refuse a page that cannot be written, or would replace what is no page, before any work. Raises ValueError: M704, M790."""
    try:
        if page.is_dir() or (page.parent.exists() and not page.parent.is_dir()):
            raise ValueError(Errors.M704.format(path=page, reason="it is a folder, or in a file"))
        if page.is_file():
            with page.open("rb") as file:
                begins = file.read(len(BEGINS))
            if begins not in (BEGINS, b""):
                raise ValueError(Errors.M790.format(path=page))
        check_place(page)
    except OSError as error:
        raise ValueError(Errors.M704.format(path=page, reason=reason_of(error))) from None


def _training_corpus(nlp: "Language", path: Path | None, where: str, needed: bool) -> "list[Example] | None":
    """The training corpus; None where nobody asked for it and the config names no file, or one that is not there.

    Raises ValueError: M771-M773, the reader's.
    """
    from spacy_mtl.choosing.corpora import block_of, read_part
    from spacy_mtl.corpora.conll import corpus_paths

    if path is None and not needed:
        try:
            named = corpus_paths(block_of(nlp, "train", where)["path"])
        except ValueError:  # it names none
            return None
        if not all(file.exists() for file in named):
            return None
    return read_part(nlp, "train", path, where)


def with_history(nlp: "Language", training: Path) -> None:
    """Let components have the evaluations of model-last where its training is theirs: that of model-best was made after it had been saved."""
    from spacy_mtl.components.protocol.base import StructuredPipe
    from spacy_mtl.learning.history import Remembered

    for name, pipe in nlp.pipeline:
        if isinstance(pipe, StructuredPipe):
            later = Remembered.beside(training / LAST / name / "model")
            try:
                own, other = pipe.history, later.history
            except ValueError:
                continue
            if own.passes and other.begins_like(own):
                own.evaluations = other.evaluations


def read_steps(log: Path) -> "list[Step]":
    """The rows of the logger's file; none where there is no file, or no evaluation has ended. Raises ValueError (M715) for what is not a row."""
    from spacy_mtl.report.data import Step
    from spacy_mtl.stored.fault import StoredValueError
    from spacy_mtl.stored.json import read_json
    from spacy_mtl.stored.values import mapping

    if not log.is_file():
        return []
    steps: list[Step] = []
    try:
        if log.stat().st_size > MOST_BYTES:
            raise ValueError(Errors.M715.format(path=log, reason=f"it has more than {MOST_BYTES:,} bytes"))
        lines = log.read_bytes().rstrip(b"\n").split(b"\n")
    except OSError as error:
        raise ValueError(Errors.M715.format(path=log, reason=reason_of(error))) from None
    for line in lines if any(lines) else ():
        try:
            row = mapping(read_json(line, "a row"), "a row")
            other = mapping(row.get("other_scores") or {}, "its scores")
            known = [(key, float(value)) for key, value in other.items() if isinstance(value, int | float)]
            score, seconds = (None if row.get(key) is None else float(row[key]) for key in ("score", "seconds"))
            steps.append(Step(int(row["step"]), score, seconds, known))
        except (ValueError, TypeError, KeyError, OverflowError, StoredValueError):
            reason = f"line {len(steps) + 1} is no row of the log of a training"
            raise ValueError(Errors.M715.format(path=log, reason=reason)) from None
    return steps[-MOST_STEPS:]
