"""Look at a segmented text."""

from pathlib import Path

from spacy_mtl.corpora.segmented import read_segmented

from .found import Survey


def survey_segmented(path: Path, encoding: str = "utf8") -> Survey:
    """What is in a segmented text. Raises ValueError: M501, M502, M513, M520."""
    found = Survey(path, "segmented")
    characters = 0
    for words in read_segmented(path, encoding):
        found.sentences += 1
        found.words += len(words)
        found.longest = max(found.longest, len(words))
        characters += sum(map(len, words))
    found.lines.append(f"{characters / found.words:.1f} characters a word")
    if found.words == found.sentences:
        found.warnings.append("no line has a space: these may not be segmented texts")
    return found
