"""The fenced blocks of the pages, in order."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>```+)(?P<info>[^`\n]*)\n(?P<text>.*?)^(?P=indent)(?P=ticks) *$", re.M | re.S
)
#: the reason why a block is not checked, on the line before it
_REASON = re.compile(r"<!-- not run: (.+?) -->\s*\Z", re.S)
#: a file of the repository in place of the block's own text
_SNIPPET = re.compile(r"--8<--\n(.+)\n--8<--")
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """A fenced block.

    line: of the page, where the fence opens. title: a file that the page has the reader write. source: the file of the repository that the text
    is. reason: why it is not checked.
    """

    page: str
    line: int
    language: str
    text: str
    title: str | None = None
    source: Path | None = None
    reason: str | None = None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks_of(page: str, text: str | None = None) -> list[Block]:
    """The blocks of a page, named by its path below the root."""
    text = (ROOT / page).read_text(encoding="utf8") if text is None else text
    found = []
    for match in _FENCE.finditer(text):
        reason, title = _REASON.search(text[: match.start()]), _TITLE.search(match["info"])
        snippet = _SNIPPET.fullmatch(match["text"].strip())
        source = ROOT / snippet[1] if snippet else None
        body = source.read_text(encoding="utf8") if source else textwrap.dedent(match["text"])
        line, language = text.count("\n", 0, match.start()) + 1, match["info"].partition(" ")[0].strip()
        found.append(Block(page, line, language, body, title and title[1], source, reason and reason[1]))
    return found


def fence_lines(page: str) -> int:
    """Lines that look like the begin or end of a block, found or not."""
    return len(re.findall(r"^\s*(?:```|~~~)", (ROOT / page).read_text(encoding="utf8"), re.M))
