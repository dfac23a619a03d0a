"""The regions of the documentation that are filled from rows, and what must not stand outside of them."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.common.origin import ROOT

REGION = re.compile(r"(<!-- table: (?P<name>[\w-]+) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)
FIGURE = re.compile(r"[*~<>≈±\s]*\d[\d.,\s%×x±*]*")
#: Pages whose figures all come from rows. Other pages may have regions that are filled from elsewhere.
PAGES = ("README.md", "docs/benchmarks.md")


def pages() -> list[Path]:
    """All that may have a region."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def regions(text: str) -> dict[str, str]:
    """What stands in each region of a page."""
    return {found["name"]: found["body"] for found in REGION.finditer(text)}


def filled(text: str, make: Callable[[str], str | None]) -> str:
    """The page with every region made anew. make: a region's name to its Markdown; None: it stays as it is."""

    def region(found: re.Match[str]) -> str:
        body = make(found["name"])
        return found[0] if body is None else f"{found[1]}{body}{found[4]}"

    return REGION.sub(region, text)


def figure_tables(text: str) -> Iterator[str]:
    """Tables with two or more cells that are figures and nothing else, outside of regions: the first line of each."""
    lines: list[str] = []
    for line in [*REGION.sub("", text).splitlines(), ""]:
        if line.lstrip().startswith("|"):
            lines.append(line)
            continue
        cells = [cell for row in lines for cell in row.strip().strip("|").split("|")]
        if sum(bool(FIGURE.fullmatch(cell)) for cell in cells) > 1:
            yield lines[0]
        lines = []
