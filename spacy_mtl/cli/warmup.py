"""``python -m spacy mtl warmup``: compile before the first use, for images, continuous integration and demonstrations."""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Annotated

import typer

from spacy_mtl.errors import Errors

from .shared.messages import clear_errors

COMPONENTS = ("ner", "senter", "tagger", "morphologizer", "lemmatizer", "segmenter", "parser", "constituents")


class For(str, Enum):
    """What to compile for."""

    both = "both"
    training = "training"
    prediction = "prediction"


def warmup_cli(
    components: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COMPONENT]...",
            help="Of ner, senter, tagger, morphologizer, lemmatizer, segmenter, parser, constituents; default: all.",
        ),
    ] = None,
    purpose: Annotated[
        For, typer.Option("--for", help="Compile what training needs, what loading and annotating need, or both.")
    ] = For.both,
    trainer: Annotated[
        str, typer.Option(help="The trainer that will train; 'spacy_mtl.' and '.v1' may be left out.")
    ] = ("MTLStruct"),
) -> None:
    """Compile the code of components now, so that their first training or document does not wait.

    The compiled code is kept in the folder NUMBA_CACHE_DIR, or where numba keeps it by default, and is for this kind of processor.
    """
    with clear_errors():
        for line in warm_up(components or COMPONENTS, purpose.value, trainer):
            typer.echo(line)


def warm_up(components: Sequence[str], purpose: str, trainer: str) -> Iterator[str]:
    """Compile, and yield a line for each component. Raises ValueError: M719 the cache cannot be written, M720 or M710 an unknown name."""
    from spacy_mtl.compiling.cache import check_cache

    from .shared.tiny import registered_trainer, use

    names = [name.removeprefix("mtl_") for name in components]
    for name in names:
        if name not in COMPONENTS:
            raise ValueError(Errors.M720.format(name=name, known=", ".join(COMPONENTS)))
    registered = registered_trainer(trainer)
    folder = check_cache()
    for name in names:
        yield f"{name}: {use(name, purpose, registered)}"
    yield f"Kept in {folder}"
