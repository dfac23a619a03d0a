"""The scanner of the template language: reads a line symbol by symbol, and points at the column of a fault."""

import re
from typing import NoReturn

_SPACE = re.compile(r"\s*")


class Scanner:
    """Reads one template from left to right, allowing spaces between its symbols; knows the column of any fault."""

    def __init__(self, text: str, where: str):
        self.text, self.where, self.at = text.rstrip(), where, 0
        self._skip_space()

    @property
    def rest(self) -> str:
        """A copy of the text from here to its end: for messages, since copies at every symbol would take quadratic time."""
        return self.text[self.at :]

    @property
    def ended(self) -> bool:
        return self.at >= len(self.text)

    def sees(self, literal: str) -> bool:
        """Whether ``literal`` comes next."""
        return self.text.startswith(literal, self.at)

    def take(self, literal: str) -> bool:
        """Step over ``literal`` if it comes next."""
        taken = self.sees(literal)
        if taken:
            self.at += len(literal)
            self._skip_space()
        return taken

    def match(self, pattern: re.Pattern[str]) -> str:
        """Step over the text that ``pattern`` matches here and return it; empty if it does not match."""
        match = pattern.match(self.text, self.at)
        if match is None:
            return ""
        self.at = match.end()
        self._skip_space()
        return match.group()

    def fail(self, message: str, at: int | None = None, found: str = "", **parts: object) -> NoReturn:
        """Raise ValueError with ``message``, about ``found`` (by default the next symbol) at index ``at`` (by default here)."""
        at = self.at if at is None else at
        found = found or self.text[at : at + 1]
        quoted = f"'{found}'" if len(found) <= 40 else f"'{found[:40]}...'"
        parts["found"] = quoted if found else "the end"
        place = f"{self.where}, column {at + 1}" if self.where else f"column {at + 1}"
        raise ValueError(message.format(place=place, snippet=self._point(at), **parts))

    def _point(self, at: int) -> str:
        """Two lines: the text around column ``at``, and a caret under it."""
        start = max(0, at - 60)
        shown = re.sub(r"\s", " ", self.text[start : at + 60])
        return f"\n    {shown}\n    {' ' * (at - start)}^"

    def _skip_space(self) -> None:
        space = _SPACE.match(self.text, self.at)
        assert space is not None  # it matches anywhere
        self.at = space.end()
