"""Docstrings as Markdown, for the pages made by mkdocstrings.

Roles such as :func:`~a.b.c` become code, examples with >>> and tables blocks of code, and what a docstring says of each
argument ("path: a file. encoding: ...") a list.
"""

import re
from typing import Any

import griffe

ROLE = re.compile(r":\w+:`~?([^`]+)`")
TABLE = re.compile(r"^=+ +=+$.*?^=+ +=+$", re.MULTILINE | re.DOTALL)
DOCTEST = re.compile(r"(?:^ *(?:>>>|\.\.\.).*\n?)+", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Rewrites every docstring of the package once all of it is read."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        rewrite(pkg)


def rewrite(obj: griffe.Object) -> None:
    """The docstrings of an object and of all that is defined in it."""
    if obj.docstring:
        obj.docstring.value = as_markdown(obj.docstring.value, names_in(obj))
    for member in obj.members.values():
        if not member.is_alias:
            rewrite(member)


def names_in(obj: griffe.Object) -> list[str]:
    """Arguments of a function, and of a class those of its constructor and its fields."""
    if obj.is_function:
        return [parameter.name for parameter in obj.parameters]
    if not obj.is_class:
        return []
    own = [name for name, member in obj.members.items() if member.is_attribute]
    init = obj.members.get("__init__")
    return own + ([parameter.name for parameter in init.parameters] if init and init.is_function else [])


def as_markdown(text: str, names: list[str]) -> str:
    """The docstring in Markdown; ``names`` are those that it may explain."""
    text = ROLE.sub(lambda match: f"`{match[1].rpartition('.')[2]}`", text)
    text = DOCTEST.sub(lambda match: f"\n```python\n{match[0].rstrip()}\n```\n", text)
    text = TABLE.sub(lambda match: f"```text\n{match[0]}\n```", text)
    text = re.sub(r"::$", ":", text, flags=re.MULTILINE)
    if names:
        name = "(?:" + "|".join(map(re.escape, names)) + ")"
        explained = re.compile(rf"(?:^|(?<=[.;)] )){name}(?:, {name})*(?=: )", re.MULTILINE)
        text = explained.sub(lambda match: f"\n\n- **{match[0]}**", text)
    return text
