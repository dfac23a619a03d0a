"""How commands speak of bad input: one sentence on stderr, exit code 1, no traceback."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer


@contextmanager
def clear_errors() -> Iterator[None]:
    """Turn the package's own coded errors into a message and exit code 1; any other exception is a bug and passes."""
    try:
        yield
    except ValueError as error:
        if not str(error).startswith("[M"):
            raise
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
