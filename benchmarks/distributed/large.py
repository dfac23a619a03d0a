"""A training on a corpus that is much larger than the ones there are: the memory of all its processes together."""

import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psutil

from benchmarks.common.origin import ROOT

#: Only words of more characters than this have a letter changed.
SHORT = 3
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
#: Seconds from one look at the memory to the next.
_EVERY = 0.5
_GAP = re.compile(r"(\d+\.\d+)%")


def write_corpus(source: Path, outputs: Sequence[Path], words: int = 0, changed: float = 0.0) -> dict[str, int]:
    """Repeat a corpus of entities, in another order each time, until it has so many words, each with its entity tag. Without a number, once.

    outputs: files that get a sentence each in turn. changed: the share of the longer words in which a letter is replaced, so that there are new
    words and new features all the time, as in new texts.
    """
    rng, forms = random.Random(0), set[str]()
    written = n = 0
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("w", encoding="utf8")) for path in outputs]
        for sentence in _repeated(_sentences(source), rng, words):
            changing = (len(word) > SHORT and rng.random() < changed for word, _ in sentence)
            lines = [
                (_changed(word, rng) if do else word, tag) for (word, tag), do in zip(sentence, changing, strict=True)
            ]
            forms.update(form for form, _ in lines)
            files[n % len(files)].write("".join(f"{form} {tag}\n" for form, tag in lines) + "\n")
            written, n = written + len(sentence), n + 1
    return {"words": written, "sentences": n, "forms": len(forms)}


def _repeated(
    sentences: list[list[tuple[str, str]]], rng: random.Random, words: int
) -> Iterator[list[tuple[str, str]]]:
    if not sentences:
        raise ValueError("The corpus has no sentences.")
    left = words or sum(map(len, sentences))
    while left > 0:
        rng.shuffle(sentences)
        for sentence in sentences:
            if left > 0:
                yield sentence
            left -= len(sentence)


def _sentences(source: Path) -> list[list[tuple[str, str]]]:
    blocks = source.read_text(encoding="utf8").split("\n\n")
    lines = [[line.split(" ") for line in block.splitlines() if line.strip()] for block in blocks]
    return [[(fields[0], fields[-1]) for fields in block] for block in lines if block]


def _changed(word: str, rng: random.Random) -> str:
    place = rng.randrange(1, len(word))
    return word[:place] + rng.choice(_LETTERS) + word[place + 1 :]


def trained(command: list[str]) -> dict[str, Any]:
    """Run a training to its end: wall seconds, the largest memory of its processes together in bytes, and the last gap that it told, if it did.

    Memory that processes share counts once (PSS, Linux).
    """
    begin, peak = time.monotonic(), 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT) as process:
        while True:
            peak = max(peak, _memory(psutil.Process(process.pid)))
            try:
                told, _ = process.communicate(timeout=_EVERY)
            except subprocess.TimeoutExpired:
                continue
            break
    if process.returncode:
        raise RuntimeError(told)
    gaps = _GAP.findall(told)
    return {"wall_s": time.monotonic() - begin, "peak_bytes": peak, "gap": float(gaps[-1]) / 100 if gaps else None}


def command_of(config: str, train: Path, dev: Path, output: Path, workers: int) -> list[str]:
    """workers: of a Ray cluster on this machine; 1 is ``spacy mtl train`` without one, 0 is ``spacy train``."""
    reader = ["--corpora.train.columns", '["ORTH","ENT"]', "--corpora.train.given", "[]"]
    how = [*(["mtl"] if workers else []), "train", config]
    how += ["--ray", "local", "--workers", str(workers)] if workers > 1 else []
    paths = ["--output", str(output), "--paths.train", str(train), "--paths.dev", str(dev)]
    return [sys.executable, "-m", "spacy", *how, *paths, *reader]


def _memory(process: psutil.Process) -> int:
    """PSS of a process and all that come from it, in bytes."""
    with suppress(psutil.Error):
        return sum(map(_own, [process, *process.children(recursive=True)]))
    return 0


def _own(process: psutil.Process) -> int:
    with suppress(psutil.Error):  # it has ended
        return process.memory_full_info().pss
    return 0
