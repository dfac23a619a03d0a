"""Look at a segmented text."""

import re
from pathlib import Path

from spacy_mtl.corpora.segmented import read_segmented

from .found import Survey

#: A word with a tag behind it, and the share of such words from which on they are no accident.
_TAGGED = re.compile(r"\S+[/_][A-Za-z][A-Za-z0-9]{0,4}")
_MOST = 0.9


def survey_segmented(path: Path, encoding: str = "utf8") -> Survey:
    """What is in a segmented text. Raises ValueError: M501, M502, M513, M520."""
    found = Survey(path, "segmented")
    characters, tagged = 0, list[str]()
    for words in read_segmented(path, encoding):
        found.sentences += 1
        found.words += len(words)
        found.longest = max(found.longest, len(words))
        characters += sum(map(len, words))
        tagged += filter(_TAGGED.fullmatch, words)
    found.lines.append(f"{characters / found.words:.1f} characters a word")
    if len(tagged) > _MOST * found.words:
        found.warnings.append(
            f"the words look like words with tags, such as {tagged[0]}, and tags would be parts of words. "
            "Leave them out, or write columns: a word and its tag on each line, and an empty line after each sentence"
        )
    if found.words == found.sentences:
        found.warnings.append("no line has a space: these may not be segmented texts")
    return found
