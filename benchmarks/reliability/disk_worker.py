"""A process whose children save under faults of the disk: ``python -m benchmarks.reliability.disk_worker full FOLDER``, ``limited`` or ``read-only``.

full: writing fails with ENOSPC after a random number of bytes of all files together. limited: the system lets no file grow above a random size, so
that it really ends amid a file. read-only: the child gives up the right to write, if it has the rights of root.

It reads seeds from standard input and answers each with a line of JSON: "refused", "saved", or what was wrong.
"""

import errno
import io
import json
import os
import random
import re
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spacy_mtl.files import write_atomically
from spacy_mtl.sequences.store import load
from spacy_mtl.sequences.store import save as save_sequences
from spacy_mtl.training.safe_save import save

from .loading import SAVED
from .pipelines import make_pipeline
from .victims import ask_child, contents

NOBODY = 65534
#: The codes of faults of the disk, and the start of the sentence.
SENTENCE = r"\[Errno \d+\] \[M65[012]\] '{path}' cannot be written: [^\n]+"


def out_of_room(generator: random.Random, size: int) -> None:
    """Let all writing fail after a random number of bytes up to ``size``."""
    left = generator.randrange(size)
    write = io.FileIO.write

    class Full(io.FileIO):
        def write(self, data: Any) -> int:
            nonlocal left
            left -= len(data)
            if left < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(self, data)

    def opened(path: Any, mode: str = "r", *arguments: Any, **settings: Any) -> Any:
        if "w" not in mode:
            return plain(path, mode, *arguments, **settings)
        raw = io.BufferedWriter(Full(path, "w"))
        return raw if "b" in mode else io.TextIOWrapper(raw, encoding=settings.get("encoding", "utf8"))

    plain, io.open = io.open, opened  # type: ignore[assignment]


def limited(generator: random.Random, size: int) -> None:
    limit = generator.randrange(size)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def read_only(_: random.Random, __: int) -> None:
    """A child without the rights of root cannot write to a folder of root's; other users have it from :func:`main`."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresuid(NOBODY, NOBODY, NOBODY)


FAULTS: dict[str, Callable[[random.Random, int], None]] = {
    "full": out_of_room,
    "limited": limited,
    "read-only": read_only,
}


class Saves:
    """Ways to save over what is there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        nlp = make_pipeline("tagger and ner")
        model = load(SAVED / "sequences" / "model.npz")
        self._ways: list[tuple[Path, Callable[[Path], object]]] = [
            (folder / "pipeline", lambda path: save(nlp, path)),
            (folder / "model.npz", lambda path: save_sequences(model, path)),
            (folder / "file", lambda path: write_atomically(path, bytes(100_000))),
        ]
        for path, way in self._ways:
            way(path)
        self._before = contents(folder)
        nlp.meta["name"] = "another"

    def run(self, case: str, seed: int) -> str:
        """Save in one way under a fault."""
        path, way = self._ways[seed % len(self._ways)]
        sizes = [len(data) for name, data in self._before.items() if name.startswith(path.name)]
        size = max(sizes) if case == "limited" else sum(sizes)

        def attempt() -> str:
            FAULTS[case](random.Random(seed), size)
            try:
                way(path)
            except OSError as error:
                return (
                    "refused"
                    if re.fullmatch(SENTENCE.format(path=re.escape(str(path))), str(error))
                    else f"said: {error}"
                )
            return "saved"

        outcome = ask_child(attempt)
        if outcome == "saved":
            self._before = contents(self.folder)
        elif contents(self.folder) != self._before:
            return f"{outcome}, but what was there has changed"
        return outcome


def main() -> None:
    case, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True)
    for parent in (folder, *folder.parents[:2]):  # so that another user gets there
        parent.chmod(0o755)
    saves = Saves(folder)
    if case == "read-only":
        folder.chmod(0o555)
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps({"outcome": saves.run(case, int(line))}), flush=True)


if __name__ == "__main__":
    main()
