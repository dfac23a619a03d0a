"""``python -m spacy mtl validate``: what a config would make of a corpus, before any training."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief

from .shared.languages import check_language
from .shared.messages import clear_errors, reason_of
from .shared.options import Code

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Token
    from spacy.training import Example

    from spacy_mtl.components.protocol.dry_run import DryRun

_MOST_SHOWN = 12


def validate_cli(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="Corpus file, in the format of the config.")],
    config: Annotated[Path, typer.Option("--config", "-c", metavar="FILE", help="Config of the training.")],
    every: Annotated[bool, typer.Option("--all", help="Show every template.")] = False,
    code: Code = None,
) -> None:
    """Say what a config would make of a corpus: documents, labels, gold that cannot be used, observations of templates, and memory.

    The corpus is read as [corpora.train] of the config says. Everything that training would refuse is refused here, and nothing is trained.
    """
    from spacy_mtl.components.protocol.base import StructuredPipe
    from spacy_mtl.components.protocol.dry_run import dry_run
    from spacy_mtl.components.segmenter import MTLSegmenter

    with clear_errors():
        nlp = make_pipeline(config, code)
        examples = read_examples(nlp, config, corpus)
        sentences = sum(
            len(list(each.reference.sents)) if each.reference.has_annotation("SENT_START") else 1 for each in examples
        )
        words = sum(len(example.reference) for example in examples)
        typer.echo(f"{corpus}: {len(examples):,} documents, {sentences:,} sentences, {words:,} words")
        pipes = {name: pipe for name, pipe in nlp.pipeline if isinstance(pipe, StructuredPipe)}
        if not any(isinstance(pipe, MTLSegmenter) for pipe in pipes.values()):
            _say_misaligned(examples)
        for name, pipe in pipes.items():
            _say(name, dry_run(pipe, nlp, examples), every)


def make_pipeline(
    path: Path, code: Path | None = None, lang: str | None = None, changes: Mapping[str, Any] | None = None
) -> "Language":
    """The untrained pipeline of a config. lang: in place of its own language. changes: of settings, by their names with dots.

    Raises ValueError: M709 it cannot be read, M731 it makes no pipeline, M515 its language is unknown, M717, or a component's own.
    """
    from spacy.util import import_file, load_config, load_model_from_config

    try:
        config = load_config(path, overrides=dict(changes or {}))
    except Exception as error:  # configparser and confection each complain in their own way
        raise ValueError(Errors.M709.format(path=path, reason=reason_of(error))) from None
    try:
        if code is not None:
            import_file("python_code", code)
        if lang is not None:
            config["nlp"]["lang"] = lang
        check_language(str(config["nlp"]["lang"]))
        return load_model_from_config(config, auto_fill=True)
    except Exception as error:
        if str(error).startswith("[M"):
            raise
        raise ValueError(Errors.M731.format(path=path, reason=reason_of(error))) from None


def read_examples(nlp: "Language", path: Path, corpus: Path) -> list["Example"]:
    """The examples of a corpus, read as ``[corpora.train]`` of the pipeline's config says. Raises ValueError: M731, and the reader's own."""
    from spacy_mtl.choosing.corpora import read_block

    config: Any = nlp.config.interpolate()
    block = {**config["corpora"].get("train", {}), "path": str(corpus)}
    try:
        return read_block(nlp, block)
    except Exception as error:
        if str(error).startswith("[M"):
            raise
        raise ValueError(Errors.M731.format(path=path, reason=reason_of(error))) from None


def _say_misaligned(examples: "Sequence[Example]") -> None:
    """Say how many tokens of the pipeline are not those of the corpus, with the first of them."""
    found = [token for example in examples for token in misaligned(example)]
    if found:
        typer.echo(
            f"  ! {len(found):,} tokens of the pipeline are not those of the corpus, and what is annotated there is not learnt, "
            f"such as '{brief(found[0])}' in '{brief(found[0].doc.text)}'"
        )


def misaligned(example: "Example") -> "list[Token]":
    """The tokens of the predicted Doc that are not tokens of the reference Doc, too."""
    to, back = example.alignment.x2y, example.alignment.y2x
    lengths = to.lengths
    alone = [n == 1 and back.lengths[to[i][0]] == 1 for i, n in enumerate(lengths)]
    return [token for token, same in zip(example.predicted, alone, strict=True) if not same]


def _say(name: str, found: "DryRun", every: bool) -> None:
    unknown = (
        f"; {found.unknown:,} have no gold that can be used (missing, misaligned or impossible)"
        if found.unknown
        else ""
    )
    typer.echo(f"{name}: {found.labels:,} labels; {found.positions:,} positions{unknown}")
    typer.echo(f"  learns {', '.join(found.names[:_MOST_SHOWN])}{', ...' * (len(found.names) > _MOST_SHOWN)}")
    total = sum(found.observations.values())
    typer.echo(
        f"  {total:,} observations, {found.features:,} features; training takes about {found.megabytes:,.0f} MB beside the documents"
    )
    rows = sorted(found.observations.items(), key=lambda row: -row[1])
    for template, count in rows if every else rows[:_MOST_SHOWN]:
        typer.echo(f"  {count:>10,}  {template}")
    if len(rows) > _MOST_SHOWN and not every:
        typer.echo(f"  ... and {len(rows) - _MOST_SHOWN} more (--all)")
    idle = [template for template, count in rows if not count]
    if idle:
        typer.echo(f"  ! {len(idle)} templates have no observation: {', '.join(idle[:8])}")
