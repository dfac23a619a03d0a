"""The text of a config, in which settings are changed line by line, so that its comments and its order stay."""

import json
import re
from collections.abc import Mapping
from typing import Any

_HEADING = re.compile(r"\[([^\]]+)\]\s*$")
_SETTING = re.compile(r"([^\s#;\[=:][^=:]*?)\s*[=:]\s*(.*)$")

Block = Mapping[str, Any]


def written(value: Any) -> str:
    """A value as it stands in a config: JSON, but a reference to another setting as it is."""
    if isinstance(value, str) and re.fullmatch(r"\$\{[^}]*\}", value):
        return value
    return json.dumps(value, ensure_ascii=False)


class ConfigText:
    """A config as sections of lines. Each section has its heading, settings, comments and empty lines up to the next heading's comment."""

    def __init__(self, text: str):
        self._sections: list[tuple[str, list[str]]] = [("", [])]
        for line in text.split("\n"):  # other line breaks may be inside of a string
            heading = _HEADING.match(line)
            if heading:
                above = _taken_from_end(self._sections[-1][1])
                self._sections.append((heading[1], [*above, line]))
            else:
                self._sections[-1][1].append(line)

    def __str__(self) -> str:
        return "\n".join(line for _, lines in self._sections for line in lines).rstrip("\n") + "\n"

    @property
    def names(self) -> list[str]:
        """Names of the sections, in order."""
        return [name for name, _ in self._sections if name]

    def section(self, name: str) -> str:
        """The text of a section with its heading and comments."""
        return "\n".join(self._lines(name))

    def set(self, section: str, key: str, value: Any, comment: str | None = None) -> None:
        """Set a value in its line, or in a new line at the end of the section. comment: takes the place of the one above it; None keeps that."""
        lines = self._lines(section)
        place = _place(lines, key)
        new = [f"{key} = {written(value)}"]
        if place is None:
            end = len(lines)
            while end > 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("# ---")):
                end -= 1  # such a heading is that of what follows
            lines[end:end] = [*_comment(comment), *new]
            return
        begin, end = place
        if comment is not None:
            above = begin
            while lines[above - 1].startswith("#"):
                above -= 1
            lines[above:end] = [*_comment(comment), *new]
        else:
            lines[begin:end] = new

    def drop(self, section: str, key: str, value: str) -> None:
        """Take a value out of a setting that is a list in one line; nothing happens where there is no such setting or value."""
        lines = self._lines(section)
        place = _place(lines, key)
        if place is not None:
            found = json.loads(lines[place[0]].partition("=")[2])
            self.set(section, key, [each for each in found if each != value])

    def remove(self, section: str, key: str) -> None:
        """Remove a setting, and the comment right above it."""
        lines = self._lines(section)
        place = _place(lines, key)
        if place is not None:
            begin, end = place
            while lines[begin - 1].startswith("#"):
                begin -= 1
            del lines[begin:end]

    def remove_section(self, name: str) -> None:
        """Remove a section and those below it."""
        self._sections = [
            (other, lines) for other, lines in self._sections if other != name and not other.startswith(f"{name}.")
        ]

    def rename_section(self, name: str, new: str) -> None:
        """Rename a section and those below it."""
        for number, (other, lines) in enumerate(self._sections):
            if other == name or other.startswith(f"{name}."):
                renamed = new + other.removeprefix(name)
                self._sections[number] = (
                    renamed,
                    [f"[{renamed}]" if _HEADING.match(line) else line for line in lines],
                )

    def keys(self, section: str) -> list[str]:
        """The settings of a section, without those of sections below it."""
        return [found[1] for line in self._lines(section) if (found := _SETTING.match(line))]

    def clear(self, section: str) -> None:
        """Remove the settings of a section; its first comments stay."""
        lines = self._lines(section)
        heading = next(number for number, line in enumerate(lines) if _HEADING.match(line))
        end = heading + 1
        while end < len(lines) and lines[end].startswith("#"):
            end += 1
        lines[end:] = [""]

    def set_top(self, comment: str) -> None:
        """Set the comment at the top of the file."""
        first = self._sections[0][1]
        first[:] = [*_comment(comment), ""]
        following = self._sections[1][1]
        while following and following[0].startswith("#"):
            del following[0]

    def take_comment(self, beginning: str, other: "ConfigText") -> None:
        """Take the line of a comment that begins so from another config, in place of the one here."""
        taken = next(line for _, lines in other._sections for line in lines if line.startswith(beginning))
        for _, lines in self._sections:
            lines[:] = [taken if line.startswith(beginning) else line for line in lines]

    def add_section(self, text: str, after: str = "", before: str = "", at: str = "") -> None:
        """Add sections, as :meth:`section` gives them: behind another and all below that, before another, or right behind it (``at``)."""
        below = [number for number, (name, _) in enumerate(self._sections) if f"{name}.".startswith(f"{after}.")]
        place = self._number(before) if before else self._number(at) + 1 if at else below[-1] + 1
        parts = [(name, [*_without_end(lines), ""]) for name, lines in ConfigText(text)._sections if name]
        self._sections[place:place] = parts
        if place:
            name, lines = self._sections[place - 1]
            self._sections[place - 1] = (name, [*_without_end(lines), ""])

    def put(self, section: str, block: Block, old: Block) -> None:
        """Make a section say what ``block`` says, where it says ``old`` now; what is the same stays as it is written.

        Tables become sections of their own, unless they were written in one line.
        """
        for key in old:
            if key not in block:
                self._remove_any(section, key)
        for key, value in block.items():
            before = old.get(key)
            if key in old and before == value:
                continue
            below = f"{section}.{key}"
            if not isinstance(value, Mapping):
                if below in self.names:
                    self.remove_section(below)
                self.set(section, key, value)
            elif isinstance(before, Mapping) and below in self.names:
                self.put(below, value, before)
            else:
                self._remove_any(section, key)
                self.add_section(f"[{below}]", section)
                self.put(below, value, {})

    def _remove_any(self, section: str, key: str) -> None:
        self.remove(section, key)
        self.remove_section(f"{section}.{key}")

    def _lines(self, name: str) -> list[str]:
        return self._sections[self._number(name)][1]

    def _number(self, name: str) -> int:
        return next(number for number, (other, _) in enumerate(self._sections) if other == name)


def _taken_from_end(lines: list[str]) -> list[str]:
    """Take the comments right above a heading from the end of the section before it."""
    begin = len(lines)
    while begin and lines[begin - 1].startswith("#"):
        begin -= 1
    taken = lines[begin:]
    del lines[begin:]
    return taken


def _place(lines: list[str], key: str) -> tuple[int, int] | None:
    """First line of a setting and the line after its last; lines that begin with blanks go on with the value above."""
    for begin, line in enumerate(lines):
        found = _SETTING.match(line)
        if found and found[1] == key:
            end = begin + 1
            while end < len(lines) and lines[end].strip() and lines[end][0] in " \t":
                end += 1
            return begin, end
    return None


def _comment(text: str | None) -> list[str]:
    return [f"# {line}" for line in (text or "").splitlines()]


def _without_end(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]
