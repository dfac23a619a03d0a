"""Control characters as pictures: a text or a label from elsewhere must not clear the screen, or break a row of a table."""

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

#: Pictures of the characters below the space and of DEL; the others are C1 controls, which some terminals obey, too.
_PICTURES = {code: 0x2400 + code for code in range(32)} | {127: 0x2421} | dict.fromkeys(range(128, 160), 0xFFFD)
_OF_LINES = {code: picture for code, picture in _PICTURES.items() if chr(code) not in "\n\t"}


def visible(text: str, lines: bool = True) -> str:
    """A text of as many characters, in which those that control the terminal are pictures. lines: line breaks and tabs stay as they are."""
    return text.translate(_OF_LINES if lines else _PICTURES)


class VisibleConsole(Console):
    """Prints the control characters of strings, and of the cells of tables, as pictures."""

    def print(self, *objects: Any, **settings: Any) -> None:
        super().print(*map(_made_visible, objects), **settings)


def _made_visible(shown: Any, lines: bool = True) -> Any:
    if isinstance(shown, str):
        return visible(shown, lines)
    if isinstance(shown, Text):
        shown.plain = visible(shown.plain, lines)  # styles stay where they are, since the length does
    elif isinstance(shown, Table):
        shown.title = _made_visible(shown.title, False)
        for column in shown.columns:
            column._cells = [_made_visible(cell, False) for cell in column.cells]
    return shown
