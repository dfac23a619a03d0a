"""``python -m spacy mtl evaluate``: spaCy's ``evaluate`` for corpora with given columns, segmented texts and trees.

``spacy evaluate`` reads ``.spacy`` files only and hides all their annotation from the pipeline, even the part-of-speech tags that
templates read.
"""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacy_mtl.errors import Errors

from .shared.input import asked_for, read_spacy, reading, say_input
from .shared.messages import clear_errors
from .shared.options import (
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
from .shared.output import check_files, make_console, write_json
from .shared.pipelines import load_pipeline

if TYPE_CHECKING:
    from rich.console import RenderableType
    from spacy.language import Language
    from spacy.training import Example

#: Keys of spaCy's scores -> their names in the table.
FIGURES = {
    "token_acc": "tokenization",
    "seg_r_iv": "recall of known words",
    "seg_r_oov": "recall of unknown words",
    "seg_oov": "unknown words",
    "tag_acc": "TAG",
    "pos_acc": "POS",
    "morph_acc": "MORPH",
    "lemma_acc": "LEMMA",
    "dep_uas": "UAS",
    "dep_las": "LAS",
    "constituents_exact": "sentences without a wrong constituent",
}
SPANS = {"token": "words", "ents": "entities", "sents": "sentences", "constituents": "constituents"}

Scores = dict[str, Any]


def evaluate_cli(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Pipeline name or directory.")],
    data: Annotated[
        list[str], typer.Argument(metavar="DATA...", help="Column files, segmented texts, trees, or .spacy files.")
    ],
    file_format: AsFormat = None,
    columns: AsColumns = None,
    given: Given = None,
    scheme: AsScheme = None,
    separator: AsSeparator = None,
    encoding: Encoding = "utf8",
    group: AsGroup = None,
    limit: Limit = 0,
    tag: AsTag = None,
    borders: Annotated[
        bool | None,
        typer.Option(
            help="Whether sentence borders of .spacy files are input. Default: as in training, else if needed."
        ),
    ] = None,
    code: Code = None,
    lexicon: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="File of known words: one word per line, or segmented text. Repeatable."),
    ] = None,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the scores to this file, as JSON.")] = None,
) -> None:
    """Evaluate a pipeline on column files, segmented texts, dependency trees, bracketed trees or .spacy files.

    Files are read as in the training of the pipeline, if its config says how: in the same format, with the same settings. A line says what
    was taken from there. Texts that are plainly of another format are read in that one. A .spacy file may be among texts of any format.
    The pipeline sees the given columns as input; without --given, those that it predicts itself are hidden.
    Scores and JSON are those of "spacy evaluate" for the same input. A .spacy file has its own columns; --given chooses among them, and a
    line says what is input that "spacy evaluate" does not give.
    Segmented texts and tasks use only --encoding and --limit of the other options; trees use --given, --tag, --encoding, --group and --limit;
    bracketed trees use --given, --encoding, --group and --limit.
    With --lexicon, words are also scored as in the SIGHAN bakeoffs.
    """
    asked = asked_for(columns, given, separator, scheme=scheme, group=group, tag=tag)
    with clear_errors():
        check_files([output], [*map(Path, data), *(lexicon or ())])
        nlp = load_pipeline(model, code)
        read_as, settings = reading(nlp, data, file_format, asked, encoding)
        settings |= {"encoding": encoding, "limit": limit}
        examples = read_data(nlp, data, read_as, settings, asked["given"], borders)
        _warn_of_given(nlp, asked["given"] or [])
        scores = evaluate(nlp, examples, lexicon)
        if output is not None:
            write_json(output, scores)
    console = make_console()
    n_tokens = sum(len(example.reference) for example in examples)
    console.print(f"{model} on {len(examples):,} documents, {n_tokens:,} tokens", soft_wrap=True, markup=False)
    segments = read_as is Format.segmented or any(nlp.get_pipe_meta(name).retokenizes for name in nlp.pipe_names)
    for part in _tables(scores, examples, [key for key in SPANS if key != "token" or segments]):
        console.print(part)


def read_data(
    nlp: "Language",
    data: list[str],
    file_format: Format,
    settings: dict[str, Any],
    given: list[str] | None = None,
    borders: bool | None = None,
) -> list["Example"]:
    """Examples of all files: those of texts, all of one format, and of ``.spacy`` files, which are read as such whatever the format.

    settings: of the reader, with encoding and limit. given: the input columns that the user named; if None, columns that the pipeline predicts are
    not input. borders: whether sentence borders of ``.spacy`` files are input, None as in training. Raises ValueError: those of the readers below,
    M705 and M714 of ``.spacy`` files, M514 for a limit below 0, and M706 where there is no document at all.
    """
    from spacy_mtl.corpora.settings import check_counts

    check_counts(limit=settings["limit"])
    hidden = predicted_columns(nlp) if given is None else []
    examples: list[Example] = []
    binary: list[Example] = []
    for path in data:
        if Path(path).suffix == ".spacy":
            found = read_spacy(nlp, path, given, hidden, borders)[: settings["limit"] or None]
            binary += found
        else:
            found = _read_texts(nlp, [path], file_format, settings, given)
        examples += found
    if not examples:
        raise ValueError(Errors.M706.format(paths=", ".join(data)))
    say_input(nlp, binary)
    return examples


def _read_texts(
    nlp: "Language", data: list[str], file_format: Format, settings: dict[str, Any], given: list[str] | None
) -> list["Example"]:
    if file_format is Format.segmented:
        return read_segmented(nlp, data, settings["encoding"], settings["limit"])
    if file_format is Format.tasks:
        return read_tasks(nlp, data, settings["encoding"], settings["limit"])
    if file_format is Format.conllu:
        return read_trees(nlp, data, settings, given)
    if file_format is Format.bracketed:
        return read_brackets(nlp, data, settings, given)
    return read_columns(nlp, data, settings, given)


def read_segmented(nlp: "Language", data: list[str], encoding: str, limit: int) -> list["Example"]:
    """Examples of all files: raw texts as input, their words as gold. Raises ValueError (M501, M502, M513, M520)."""
    from spacy_mtl.corpora.segmented import SegmentedCorpus

    return [example for path in data for example in SegmentedCorpus(path, encoding, limit)(nlp)]


def read_tasks(nlp: "Language", data: list[str], encoding: str, limit: int) -> list["Example"]:
    """Examples of all files of annotated tasks. Raises ValueError (M501, M502, M513, M573, M574)."""
    from spacy_mtl.corpora.annotated.reader import TasksCorpus

    return [example for path in data for example in TasksCorpus(path, limit, encoding)(nlp)]


def read_trees(
    nlp: "Language", data: list[str], settings: dict[str, Any], given: list[str] | None = None
) -> list["Example"]:
    """Examples of all files of dependency trees. given: the input columns that the user named; if None, columns that the pipeline predicts are not
    input. Raises ValueError (M501-M559) for what is wrong with a file.
    """
    from spacy_mtl.corpora.conllu import GIVEN, ConlluCorpus

    hidden = predicted_columns(nlp)
    shown = [column for column in settings.get("given", GIVEN) if column not in hidden] if given is None else given
    borders = not any("token.is_sent_start" in nlp.get_pipe_meta(name).assigns for name in nlp.pipe_names)
    read = {"borders": borders, **settings, "given": shown}
    return [example for path in data for example in ConlluCorpus(path, **read)(nlp)]


def read_brackets(
    nlp: "Language", data: list[str], settings: dict[str, Any], given: list[str] | None = None
) -> list["Example"]:
    """Examples of all files of bracketed trees; as :func:`read_trees`. Raises ValueError (M501-M514, M558, M570-M572)."""
    from spacy_mtl.corpora.bracketed import GIVEN, BracketedCorpus

    hidden = predicted_columns(nlp)
    shown = [column for column in settings.get("given", GIVEN) if column not in hidden] if given is None else given
    return [example for path in data for example in BracketedCorpus(path, **{**settings, "given": shown})(nlp)]


def read_columns(
    nlp: "Language", data: list[str], settings: dict[str, Any], given: list[str] | None = None
) -> list["Example"]:
    """Examples of all column files; as :func:`read_trees`, but "given" is TAG if it is not in ``settings``. Raises ValueError (M501-M514)."""
    from spacy_mtl.corpora.conll import ConllCorpus

    hidden = predicted_columns(nlp) if given is None else []
    default = [column for column in ("TAG",) if column in settings["columns"]]
    shown = [column for column in settings.get("given", default) if column not in hidden]
    return [example for path in data for example in ConllCorpus(path, **{**settings, "given": shown})(nlp)]


def _warn_of_given(nlp: "Language", given: list[str]) -> None:
    """Warn of columns that are given although the pipeline predicts them: what is given usually stays."""
    both = sorted(set(given) & set(predicted_columns(nlp)))
    if both:
        typer.echo(Errors.M730.format(columns=", ".join(both)), err=True)


def predicted_columns(nlp: "Language") -> list[str]:
    """Columns that a component of the pipeline sets."""
    assigned = {name for pipe in nlp.pipe_names for name in nlp.get_pipe_meta(pipe).assigns}
    return [column for column in ("TAG", "POS", "MORPH", "LEMMA") if f"token.{column.lower()}" in assigned]


def evaluate(nlp: "Language", examples: list["Example"], lexicon: list[Path] | None = None) -> Scores:
    """Run ``nlp.evaluate``, after checking the attributes that templates read and processing one document to load compiled code.

    lexicon: files of known words, for which the scores of ``spacy_mtl.bakeoff_scorer.v1`` are added. Raises ValueError: M111 where a live template of
    the first component reads an attribute that no document has; M501, M502, M520 for the lexicon, M477 a threshold without a calibration.
    """
    from spacy.scorer import Scorer

    from spacy_mtl.components.confidence.untold import untold
    from spacy_mtl.training.segmentation import bakeoff_scorer

    _check_given(nlp, examples)
    score_words = bakeoff_scorer([str(path) for path in lexicon]) if lexicon else None

    class WordScorer(Scorer):
        def score(self, examples: Any, *, per_component: bool = False) -> Scores:
            more = score_words(examples) if score_words is not None else {}
            return {**self.score_tokenization(examples), **super().score(examples, per_component=per_component), **more}

    with untold(nlp, thresholds=False):  # scores need no probabilities
        nlp(examples[0].predicted.copy())
        return nlp.evaluate(examples, scorer=WordScorer(nlp))


def _check_given(nlp: "Language", examples: list["Example"]) -> None:
    import numpy as np

    from spacy_mtl.components.protocol.base import StructuredPipe
    from spacy_mtl.learning.chain import check_set

    name, pipe = nlp.pipeline[0] if nlp.pipeline else ("", None)
    if isinstance(pipe, StructuredPipe):  # attributes that later components read may come from earlier ones
        reader = pipe.make_reader()
        inputs = pipe.read_input(reader, [example.predicted for example in examples])
        given = np.concatenate([columns for columns, _ in inputs], axis=1)
        kept = {row["name"] for row in pipe.template_weights() if row["rows"]}  # the others do not affect prediction
        check_set(name, reader, given, [t for t in pipe.templates.templates if t.name in kept])


def _tables(scores: Scores, examples: list["Example"], shown: list[str]) -> list["RenderableType"]:
    from rich.table import Table

    spans = Table(box=None, pad_edge=False, header_style="bold")
    spans.add_column("")
    for name in ("P", "R", "F", "gold"):
        spans.add_column(name, justify="right")
    golds = {"ents": Counter(ent.label_ for example in examples for ent in example.reference.ents)}
    totals = {"ents": golds["ents"].total(), "token": sum(len(example.reference) for example in examples)}
    for key in shown:
        if f"{key}_f" in scores:
            spans.add_row(SPANS[key], *(_percent(scores[f"{key}_{part}"]) for part in "prf"), str(totals.get(key, "")))
        for label, figures in sorted((scores.get(f"{key}_per_type") or {}).items()):
            spans.add_row(
                f"  {label}",
                *(_percent(figures[part]) for part in "prf"),
                str(golds[key][label] if key in golds else ""),
            )
    lines = [f"{title} {_percent(scores[key])}" for key, title in FIGURES.items() if scores.get(key) is not None]
    lines.append(f"{scores['speed']:,.0f} words/s")
    return [*([spans] if spans.row_count else []), ", ".join(lines)]


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f}"
