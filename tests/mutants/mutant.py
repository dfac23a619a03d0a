"""The list of mutants, and how one is applied to a source text."""

import ast
from dataclasses import dataclass
from pathlib import Path

import srsly

ROOT = Path(__file__).parents[2]
DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Mutant:
    """One line of a file, changed.

    file: path from the root of the checkout. function: the function or ``Class.method`` to look in, "" for the whole file. old: a part of a line,
    which occurs there exactly once. new: what replaces it. why: what is wrong then. tests: node ids or files of the tests that should notice.
    """

    file: str
    function: str
    old: str
    new: str
    why: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.file}: {self.old.strip()}  ->  {self.new.strip()}"


def read_mutants(folder: Path = DATA) -> list[Mutant]:
    """All mutants of ``folder/*.yaml``: a list for each file of the package."""
    found = []
    for path in sorted(folder.glob("*.yaml")):
        for file, entries in srsly.read_yaml(path).items():
            for entry in entries:
                function, tests = entry.pop("function", ""), tuple(entry.pop("tests"))
                found.append(Mutant(file, function, tests=tests, **entry))
    return found


def function_lines(source: str, name: str) -> tuple[int, int]:
    """First line (from 0) of a function or ``Class.method``, and the line after its last. ValueError if there is not exactly one of that name."""
    level, body = [], [ast.parse(source)]
    for part in name.split("."):
        level = [node for parent in body for node in parent.body if getattr(node, "name", None) == part]
        body = level
    if len(level) != 1:
        raise ValueError(f"{len(level)} functions called {name}")
    return level[0].lineno - 1, level[0].end_lineno


def mutate(mutant: Mutant, source: str) -> str:
    """The source text with the fault. ValueError if the mutant is stale: if ``old`` does not occur exactly once."""
    lines = source.splitlines(keepends=True)
    begin, end = function_lines(source, mutant.function) if mutant.function else (0, len(lines))
    text = "".join(lines[begin:end])
    if text.count(mutant.old) != 1:
        raise ValueError(f"{text.count(mutant.old)} times in {mutant.function or 'the file'}: {mutant.old}")
    return "".join([*lines[:begin], text.replace(mutant.old, mutant.new), *lines[end:]])
