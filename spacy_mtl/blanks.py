"""Where words end: at blanks and tabs, and never at a no-break or ideographic space, which belongs to its word."""

import re

#: Control characters at which str.split() would also split, though they belong to their words.
_CONTROLS = re.compile("[\v\f\x1c-\x1f]")


def split_blanks(line: str) -> list[str]:
    """The words of a line of text: ``"10\\u00a0000 euros"`` -> ``["10\\u00a0000", "euros"]``. A line of such control characters alone has none."""
    if line.isascii() and (not _CONTROLS.search(line) or line.isspace()):
        return line.split()
    # str.split() would also split at no-break and ideographic spaces
    values = line.strip(" \t\n").replace("\t", " ").split(" ")
    return [value for value in values if value] if "" in values else values
