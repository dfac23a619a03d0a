"""Whether a file is JSON, judged by a line."""

import json
from pathlib import Path

#: Endings of files whose text may be spread over several lines.
_ENDINGS = (".json", ".jsonl")


def is_json(path: Path, line: str) -> bool:
    """Whether the first line of a file that is not empty is JSON: an object, or, as the ending says, the beginning of an object or a list."""
    line = line.strip()
    if path.suffix.lower() in _ENDINGS:
        return line.startswith(("{", "["))
    if not (line.startswith("{") and line.endswith("}")):
        return False
    try:
        found = json.loads(line)
        return isinstance(found, dict) and bool(found)  # an empty object may be a word
    except (ValueError, RecursionError):
        return False
