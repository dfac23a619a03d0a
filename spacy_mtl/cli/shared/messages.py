"""How commands report bad input: one sentence on stderr, exit code 1, no traceback."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import typer
from thinc.api import ConfigValidationError

from .visible import visible

#: The exit code of a command that was interrupted (Ctrl-C), as shells have it.
INTERRUPTED = 130


@contextmanager
def clear_errors() -> Iterator[None]:
    """Turn the package's own coded errors into a message and exit code 1; other exceptions are bugs, and pass."""
    try:
        yield
    except ValueError as error:
        if not str(error).startswith("[M"):
            raise
        typer.echo(visible(str(error)), err=True)
        raise typer.Exit(1) from None


def interruptible(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same command, which an interrupt ends with a message at any time: also while it imports what it needs."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, **options)
        except KeyboardInterrupt:
            typer.echo("Interrupted.", err=True)
            raise typer.Exit(INTERRUPTED) from None

    return run


def number_of(n: int, thing: str) -> str:
    """A number of things in words: "1 document", "2,000 documents"."""
    things = f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}s"
    return f"{n:,} {thing if n == 1 else things}"


def reason_of(error: Exception) -> str:
    """The message of another package's exception, as one line without a full stop; for a config, which settings are wrong and why."""
    if isinstance(error, ConfigValidationError) and error.errors:
        told = [(".".join(map(str, fault["loc"])), fault["msg"].removeprefix("at root: ")) for fault in error.errors]
        text = "; ".join(f"{place}: {fault}" for place, fault in told)
    else:
        text = next((part for part in str(error).split("\n\n") if part.strip()), type(error).__name__)
    return " ".join(re.sub(r"<class '([^']*)'>", r"\1", text).split()).rstrip(".")
