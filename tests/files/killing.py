"""Kill a process at each of its steps on the disk, and look at what it leaves.

Run as a program, as a process without threads is needed to fork: ``python killing.py WHAT FOLDER`` with ``save``, ``in-two-steps`` (as
where names cannot be exchanged), ``plain`` (spaCy's own ``to_disk``) or ``train``. It prints a JSON object.
"""

import builtins
import io
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from itertools import count
from pathlib import Path

EVENTS = {
    "open",
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.chmod",
    "os.truncate",
    "shutil.rmtree",
    "shutil.copytree",
}


class Killer:
    """Kills this process just before the step of that number: an event of Python's file system, fsync, or an exchange of names."""

    def __init__(self, at: int):
        self.left = at

    def step(self) -> None:
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch(self, within: Path) -> None:
        from spacy_mtl.files import swap

        def audit(event: str, arguments: tuple) -> None:
            # removing a tree names files without their folders
            if event in EVENTS and (event != "open" or str(within) in str(arguments[0])):
                self.step()

        sys.addaudithook(audit)
        os.fsync = self.around(lambda _: None)  # a kill leaves alone what the system has been given
        swap.exchange = self.around(swap.exchange)
        for module in (io, builtins):  # a file that has been opened to be written is empty until then
            module.open = self.around(open, lambda path, *_, **__: str(within) in str(path))

    def around(self, function: Callable, concerns: Callable[..., bool] = lambda *_: True) -> Callable:
        def stepped(*arguments, **settings):
            counts = concerns(*arguments, **settings)
            if counts:
                self.step()
            result = function(*arguments, **settings)
            if counts:
                self.step()
            return result

        return stepped


def contents(folder: Path) -> dict[str, str] | None:
    """The files of a folder, with their bytes in hexadecimal digits; None if there is none."""
    if not folder.exists():
        return None
    return {str(p.relative_to(folder)): p.read_bytes().hex() for p in sorted(folder.rglob("*")) if p.is_file()}


def kill_everywhere(action: Callable[[], object], within: Path, look: Callable[[], object], every: int = 1) -> list:
    """What ``look`` finds after kills at the first step, or at each so-manieth one; the last time nothing is killed."""
    found = []
    for at in count(1, every):
        child = os.fork()
        if not child:
            status = 1
            try:
                Killer(at).watch(within)
                action()
                status = 0
            except BaseException:
                traceback.print_exc()
            os._exit(status)
        _, status = os.waitpid(child, 0)
        found.append(look())
        if not os.WIFSIGNALED(status):
            if status:
                raise SystemExit("the action failed")
            return found


def pipeline(words: str):
    import spacy

    nlp = spacy.blank("es")
    nlp.add_pipe("sentencizer")
    for word in words.split():
        nlp.vocab.strings.add(word)
    return nlp


def saves(folder: Path, save: Callable[[object, Path], object]) -> dict:
    """Kills while a pipeline is saved over another and back, each time from what the kill before has left."""

    def look() -> dict[str, str] | None:
        from spacy_mtl.files.swap import recover

        recover(target)
        return contents(target)

    target = folder / "pipeline"
    both = [pipeline("one"), pipeline("another word")]
    for number, nlp in enumerate(both):
        nlp.to_disk(folder / str(number))
    known = [contents(folder / "0"), contents(folder / "1")]
    save(both[0], target)
    found = []
    for nlp in reversed(both):
        found += kill_everywhere(lambda nlp=nlp: save(nlp, target), target.parent, look)
    save(both[0], target)
    return {"found": [known.index(x) if x in known else -1 for x in found], "left": sorted(os.listdir(folder))}


def trainings(folder: Path) -> dict:
    """Kills during trainings by ``spacy.training.loop.train``, with two checkpoints and no updates, to the folder of an earlier training.

    Numbers of what is found: 0 and 1 the best and the last of one training, 2 and 3 those of another.
    """
    from spacy.training import loop

    def passes(nlp, *_, **__):
        for step, is_best in enumerate((True, False)):
            nlp.vocab.strings.add(f"pass {step}")
            yield [], {"other_scores": {}, "losses": {}, "step": step, "epoch": step, "score": 0.0}, is_best

    loop.train_while_improving = passes
    output = folder / "output"
    names = ("model-best", "model-last")
    known = []
    for words in ("another word", "one"):
        train(output, words)
        known += [contents(output / name) for name in names]
    found = kill_everywhere(
        lambda: train(output, "another word"), output, lambda: [contents(output / name) for name in names], 3
    )
    train(output, "one")
    places = [[known.index(x) if x in known else -1 for x in pair] for pair in found]
    return {
        "best": [best for best, _ in places],
        "last": [last for _, last in places],
        "left": sorted(os.listdir(output)),
    }


def train(output: Path, words: str) -> None:
    from spacy.training import loop

    nlp = pipeline(words)
    corpus = {"@readers": "spacy.Corpus.v1", "path": "nowhere", "gold_preproc": False}
    nlp.config["corpora"] = {"train": corpus, "dev": corpus}
    nlp.config["training"] |= {
        "before_to_disk": {"@callbacks": "spacy_mtl.safe_save.v1"},
        "logger": {"@loggers": "spacy.ConsoleLogger.v1"},
        "score_weights": {},
    }
    loop.train(nlp, output, stdout=io.StringIO(), stderr=io.StringIO())


def main(what: str, folder: Path) -> dict:
    from spacy_mtl.files import swap
    from spacy_mtl.training.safe_save import save

    if what == "train":
        return trainings(folder)
    if what == "in-two-steps":
        swap.exchange = lambda *_: False
    return saves(folder, (lambda nlp, path: nlp.to_disk(path)) if what == "plain" else save)


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]))))
