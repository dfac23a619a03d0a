"""``python -m spacy mtl tokenizer``: turn a pipeline's trained word segmenter into its tokenizer."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_mtl.errors import Errors

from .shared.messages import clear_errors
from .shared.options import Code
from .shared.pipelines import load_pipeline, save_pipeline


def tokenizer_cli(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="Pipeline whose first component is a trained mtl_segmenter.")
    ],
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="Directory for the new pipeline.")],
    code: Code = None,
) -> None:
    """Turn a pipeline's mtl_segmenter into its tokenizer: it runs faster, and other components can be trained on its words."""
    with clear_errors():
        convert_pipeline(model, output, code)
    typer.echo(f"{output}: tokenizer spacy_mtl.Segmenter.v1")


def convert_pipeline(model: str | Path, output: Path, code: Path | None = None) -> None:
    """Write the pipeline ``model`` to ``output`` with its first component as the tokenizer.

    Raises ValueError: M701 it cannot be loaded, M417 it does not begin with a trained mtl_segmenter, M704 ``output`` cannot be written,
    M654 it holds what is no pipeline's.
    """
    from spacy_mtl.components.tokenizer import with_tokenizer

    nlp = load_pipeline(model, code)
    try:
        converted = with_tokenizer(nlp)
    except ValueError as error:
        raise ValueError(Errors.M417.format(model=model, reason=error)) from None
    save_pipeline(converted, output)
