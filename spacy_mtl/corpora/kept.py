"""Examples that are read once in a training: what ``initialize`` has read is the loop's too, and what scores it stays while its files do.

spaCy makes a reader anew for the loop, and calls the one of the dev corpus at each evaluation. It copies predicted Docs before it writes to
them, and writes to no reference Doc. Outside of a training a reader reads whenever it is called.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol
from weakref import WeakKeyDictionary

from spacy.language import Language
from spacy.training import Example

from spacy_mtl.running import running_initialize, running_loop


class Reader(Protocol):
    """A corpus reader, whose attributes are its settings. gives_words: whether the words of predicted Docs are those of the reference Docs."""

    paths: list[Path]
    gives_words: ClassVar[bool]

    def read(self, nlp: Language) -> Iterator[Example]:
        """Stream the Examples."""


@dataclass
class _Kept:
    """Examples, and what was read: the kind and settings of the reader and the state of its files."""

    source: tuple[Any, ...]
    examples: list[Example]


#: By pipeline and name of the corpus ("train", "dev"), as long as the pipeline is needed. The training corpus leaves when the loop has it.
_KEPT: WeakKeyDictionary[Language, dict[str, _Kept]] = WeakKeyDictionary()


def kept_examples(reader: Reader, nlp: Language) -> Iterator[Example]:
    """The Examples of a corpus for whoever is running: those that were read before, or new ones.

    They are kept for spaCy alone: another reader, which reads through this one, may change them.
    """
    running = running_loop()
    if running is None:
        running = running_initialize()
        if running is None or running.get("train_corpus") is not reader or running["T"]["max_epochs"] < 0:
            return reader.read(nlp)
        return _collected(reader, nlp, "train")
    if running["nlp"] is nlp and running.get("train_corpus") is reader:
        return _handed_over(reader, nlp)
    if running["nlp"] is nlp and running.get("dev_corpus") is reader:
        return _without_token_scores(_collected(reader, nlp, "dev"), reader, running["T"]["score_weights"])
    return reader.read(nlp)


def _without_token_scores(
    examples: Iterator[Example], reader: Reader, weights: dict[str, float | None]
) -> Iterator[Example]:
    """The Examples, so marked that spaCy does not score their words where these are given and no such score is asked for.

    That score is then always 1, and took half of the time of an evaluation.
    """
    asked = any(name.startswith("token_") and weight is not None for name, weight in weights.items())
    for example in examples:
        if reader.gives_words and not asked:
            example.reference.has_unknown_spaces = True
        yield example


def _collected(reader: Reader, nlp: Language, name: str) -> Iterator[Example]:
    """The Examples kept under this name, or new ones, which are kept once all of them have been read."""
    source = _source(reader)
    kept = _KEPT.setdefault(nlp, {}).pop(name, None)
    if kept is not None and kept.source == source:
        _KEPT[nlp][name] = kept
        yield from kept.examples
        return
    examples = []
    for example in reader.read(nlp):
        examples.append(example)
        yield example
    _KEPT[nlp][name] = _Kept(source, examples)


def _handed_over(reader: Reader, nlp: Language) -> Iterator[Example]:
    """The Examples that ``initialize`` has read, which are not kept any longer, or new ones."""
    kept = _KEPT.get(nlp, {}).pop("train", None)
    return iter(kept.examples) if kept is not None and kept.source == _source(reader) else reader.read(nlp)


def _source(reader: Reader) -> tuple[Any, ...]:
    """What decides on the Examples, to be compared: kind and settings of the reader, and its files with their times and sizes."""
    return type(reader), dict(vars(reader)), [_state(path) for path in reader.paths]


def _state(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:  # reading says what is wrong
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size
