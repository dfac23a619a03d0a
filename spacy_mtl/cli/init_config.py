"""``python -m spacy mtl init-config``: look at the files of a corpus and write a config for them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .shared.config_text import written
from .shared.languages import check_language
from .shared.messages import clear_errors
from .shared.options import Encoding, split_names
from .shared.output import check_files, write_file

if TYPE_CHECKING:
    from spacy_mtl.survey.found import Survey
    from spacy_mtl.survey.propose import Choice

    from .shared.own_tables import OwnTables

#: With fewer entities to learn from, the best trainer and chain of tags differ from corpus to corpus, see docs/benchmarks.md.
FEW_ENTITIES = 2000
SEARCHED = '--vary trainer=MTLStruct,CRF --vary scheme=biluo,iob2 --vary "costs.*>O=1,2"'


def init_config_cli(
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="Config to write.")],
    lang: Annotated[str, typer.Option(help='Language code, such as "es", or "xx" for any language.')],
    pipeline: Annotated[
        str,
        typer.Option(
            help="Components, separated by commas: ner, senter, tagger, morphologizer, lemmatizer, parser, constituents, segmenter, or several."
        ),
    ],
    train: Annotated[Path, typer.Option(metavar="FILE", help="The corpus to train on.")],
    dev: Annotated[Path, typer.Option(metavar="FILE", help="The corpus to score on while training.")],
    columns: Annotated[
        str | None, typer.Option(help="Columns from left to right, such as ORTH,_,ENT. Default: found out.")
    ] = None,
    tags: Annotated[
        bool | None, typer.Option(help="Whether entities are found with the help of part-of-speech tags.")
    ] = None,
    group: Annotated[
        int | None, typer.Option(help="Sentences per Doc. Default: the documents of the file, if any.")
    ] = None,
    clusters: Annotated[
        str | None,
        typer.Option(
            help='Clusters of words for ner: "lookups" for those of spaCy\'s lookups, or a file of "spacy mtl clusters".'
        ),
    ] = None,
    lists: Annotated[
        list[str] | None,
        typer.Option("--list", metavar="NAME=FILE", help="A list of phrases for ner, one a line. May be repeated."),
    ] = None,
    encoding: Encoding = "utf8",
) -> None:
    """Look at the files of a corpus, say what is in them, and write a config that suits them.

    The files may be columns of CoNLL (.conll, .iob), trees (.conllu), bracketed trees (.mrg), segmented texts, or .spacy files. Everything is
    written with the reason for it, and "spacy train" can use the config at once.
    """
    from spacy_mtl.survey.look import survey
    from spacy_mtl.survey.pair import check_dev
    from spacy_mtl.survey.propose import check_pipeline, propose

    from .shared.new_config import known_words
    from .shared.own_tables import fold_lists, own_tables

    with clear_errors():
        tables_read = [Path(path) for path in (clusters, *(text.partition("=")[2] for text in lists or ())) if path]
        check_files([output], [train, dev, *tables_read])
        lang = check_language(lang)
        components = split_names(pipeline)
        tables = own_tables(lang, components, clusters, lists or [])
        names = split_names(columns) if columns is not None else None
        found, other = (survey(path, encoding, names, entities="ner" in components) for path in (train, dev))
        order = check_pipeline(components, found)
        check_dev(found, other)
        choices = [*propose(order, found, tags, group), *tables.choices]
        if "morphologizer" in order and (fitting := known_words(found)) is not None:
            choices.append(fitting)
        folded = fold_lists(tables, found, other)
        write_file(output, _config_text(lang, order, found, other, choices, tables, encoding))
    for each in (found, other):
        typer.echo(each)
    _say_choices([*choices, *folded])
    _say_what_to_do(output, order, found)


def _say_what_to_do(output: Path, order: list[str], found: "Survey") -> None:
    typer.echo(f"\nWritten: {output}. Train with: python -m spacy train {output} --output training/{output.stem}")
    if "ner" in order and found.entities.total() < FEW_ENTITIES:
        typer.echo(_search(output, order))


def _search(config: Path, pipeline: list[str]) -> str:
    """A search that is worth its time where there are few entities, for people."""
    component = " --component ner" if len(pipeline) > 1 else ""
    search = f"python -m spacy mtl tune {config} {config.with_name(f'{config.stem}-tuned.cfg')}{component}"
    return f"With so few entities, a search of a minute may find better settings: {search} {SEARCHED}"


def _config_text(
    lang: str,
    order: list[str],
    found: "Survey",
    dev: "Survey",
    choices: "list[Choice]",
    tables: "OwnTables",
    encoding: str,
) -> bytes:
    """The config of these components and choices, with the tables that their templates read."""
    from .shared.new_config import new_config, no_weight
    from .shared.own_tables import add_tables

    text = new_config(lang, order, found.kind, {"train": str(found.path), "dev": str(dev.path)}, choices)
    add_tables(text, tables)
    if "morphologizer" in order:
        no_weight(text, found)
    if found.kind in ("columns", "trees", "bracketed", "segmented"):
        text.set("corpora.train", "encoding", encoding)
    if dev.broken:
        text.set("corpora.dev", "broken", dev.reader["broken"])
    return str(text).encode()


def _say_choices(choices: "list[Choice]") -> None:
    choices = [choice for choice in choices if choice.value != {}]
    typer.echo("Chosen:" if choices else "Chosen: nothing but the defaults.")
    for choice in choices:
        value = f"{len(choice.value)} tags" if choice.key == "pos_map" else written(choice.value)
        reason = " ".join(f" ({choice.reason})".splitlines()) if choice.reason else ""
        typer.echo(f"  [{choice.section}] {choice.key} = {value}{reason}")
