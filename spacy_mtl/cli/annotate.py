"""``python -m spacy mtl annotate``: texts, ``.spacy`` files and CoNLL-U through a pipeline to CoNLL-U."""

import multiprocessing
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.files.disk import reason_of
from spacy_mtl.settings import brief

from .cluster.annotate import FORMATS, OnCluster, annotate_on_cluster
from .cluster.options import IdColumn, OutputFormat, PartitionSize, Ray, TextColumn, Workers
from .shared.messages import clear_errors, number_of
from .shared.options import Code, Encoding, Format
from .shared.output import check_other
from .shared.pipelines import load_pipeline
from .shared.trained_with import trained_with

if TYPE_CHECKING:
    from spacy_mtl.treebanks.inputs import Input


def annotate_cli(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Pipeline name or directory.")],
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="INPUT...",
            help="Text files, .spacy files or CoNLL-U; with --ray, JSON lines, Parquet and folders as well.",
        ),
    ],
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The CoNLL-U file to write; with --ray, a folder.")],
    kind: Annotated[
        str,
        typer.Option(
            "--format",
            help="text, conllu or spacy, with --ray also jsonl or parquet; auto goes by each file's ending.",
        ),
    ] = "auto",
    documents: Annotated[
        str, typer.Option(help="Text: what is a document: paragraph (up to an empty line), line or file.")
    ] = "paragraph",
    borders: Annotated[
        bool,
        typer.Option(help="Whether sentence borders of CoNLL-U and .spacy files are kept, or left to the pipeline."),
    ] = True,
    encoding: Encoding = "utf8",
    n_process: Annotated[int, typer.Option("--n-process", min=1, help="Processes.")] = 1,
    ray: Ray = None,
    workers: Workers = None,
    output_format: OutputFormat = "same",
    text_column: TextColumn = "text",
    id_column: IdColumn = "id",
    partition_size: PartitionSize = 16,
    code: Code = None,
) -> None:
    """Annotate files with a pipeline, and write them to one CoNLL-U file.

    A text is tokenized by the pipeline; the tokens of other files are kept. Columns that the pipeline predicts are replaced, others stay as they are,
    and so do comments, multiword tokens and MISC, where entities are (NER=B-LOC). Nothing is written if the command fails or is interrupted.
    "spacy mtl evaluate-ud" scores the result.

    With --ray, files are divided into partitions, which workers annotate into a folder, each document exactly once. After an interrupt, or a kill of
    workers or of the command, the same command goes on. Documents that cannot be annotated are set aside, and set-aside.jsonl says why.
    """
    options = OnCluster(ray or "", workers, output_format, text_column, id_column, partition_size << 20)
    with clear_errors():
        if ray is not None:
            options.check(n_process)
            settings = _settings(kind, documents, borders, encoding, ("auto", *FORMATS))
            typer.echo(annotate_on_cluster(model, code, inputs, output, settings, options))
            return
        options.check_unused()
        settings = _settings(kind, documents, borders, encoding)
        check_other(output, inputs)
        counts = _annotate(model, code, inputs, output, settings, n_process)
    told = ", ".join(map(number_of, counts, ("document", "sentence", "word")))
    typer.echo(f"{output}: {told}")


def _settings(kind: str, documents: str, borders: bool, encoding: str, kinds: Sequence[str] = ()) -> "Input":
    from spacy_mtl.treebanks.inputs import DOCUMENTS, KINDS, Input

    for setting, value, known in (("format", kind, kinds or KINDS), ("kind of documents", documents, DOCUMENTS)):
        if value not in known:
            raise ValueError(Errors.M742.format(setting=setting, value=brief(value), known=", ".join(known)))
    return Input(kind, documents, encoding, trees=True, borders=borders)


def _annotate(
    model: str, code: Path | None, inputs: list[Path], output: Path, settings: "Input", n_process: int
) -> tuple[int, int, int]:
    from spacy_mtl.corpora.settings import check_file
    from spacy_mtl.treebanks.annotate import annotate, sets_borders
    from spacy_mtl.treebanks.endings import check_ending
    from spacy_mtl.treebanks.inputs import kind_of

    for path in inputs:
        check_file(path)  # before the pipeline is loaded, which takes a while
        check_ending(path, settings.kind)
        _check_text(path, settings)
    nlp = load_pipeline(model, code)
    settings = replace(settings, tag=trained_with(nlp, Format.conllu).get("tag", "auto"))
    without = not settings.borders or any(kind_of(path, settings.kind) == "text" for path in inputs)
    if without and not sets_borders(nlp):
        typer.echo(Errors.M743, err=True)
    with leaving_at_once() if n_process > 1 else nullcontext():
        try:
            counts = annotate(nlp, inputs, output, settings, n_process)
        except OSError as error:
            raise ValueError(Errors.M704.format(path=output, reason=reason_of(error))) from None
    return counts.documents, counts.sentences, counts.words


def _check_text(path: Path, settings: "Input") -> None:
    """Refuse a file that its ending makes a text, and that is plainly none (M721)."""
    from spacy_mtl.survey.kinds import no_text
    from spacy_mtl.treebanks.inputs import kind_of

    hints = {
        "trees": ("a treebank", "--format conllu"),
        "columns": ("columns of words and tags", "the .spacy file that 'spacy mtl convert' makes of it"),
    }
    if settings.kind == "auto" and kind_of(path, "auto") == "text":
        other = no_text(path, settings.encoding)
        if other is not None:
            what, hint = hints[other]
            raise ValueError(Errors.M721.format(path=brief(path, 300), what=what, hint=hint))


@contextmanager
def leaving_at_once() -> Iterator[None]:
    """End this process after an error or interrupt, as the command would, but without waiting for other processes and for what they have not read.

    Where processes of ``nlp.pipe`` stop amid their work, Python waits for ever for what is on its way to them.
    """
    try:
        with clear_errors():
            yield
    except BaseException as error:
        if isinstance(error, typer.Exit):
            code = error.exit_code
        elif isinstance(error, KeyboardInterrupt):
            code = 130
        else:
            code = 1
            traceback.print_exception(error)
        for child in multiprocessing.active_children():
            child.terminate()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
