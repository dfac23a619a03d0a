"""Trainings in shards whose workers take turns in this process, for tests."""

from functools import partial
from pathlib import Path

from thinc.api import Config

from spacy_mtl.sharded.crew import LocalCrew
from spacy_mtl.sharded.pipeline import make
from spacy_mtl.sharded.session import Session
from spacy_mtl.sharded.spec import Spec, sources
from spacy_mtl.sharded.worker import ShardWorker
from spacy_mtl.training.safe_save import save

ROOT = Path(__file__).parents[2]


class Watched:
    """Keeps what it is told. on_round: called after each round."""

    def __init__(self, on_round=lambda _: None):
        self.phases, self.rounds, self.rows, self._on_round = [], [], [], on_round

    def phase(self, component, what):
        self.phases.append((component, what))

    def goes_on(self, component, rounds):
        self.phases.append((component, f"round {rounds}"))

    def round(self, done, total, promised):
        self.rounds.append(done)
        self._on_round(done)

    def row(self, row):
        self.rows.append(row)


def text_of(component, **changes):
    """A shipped config with its assets, and changes of settings by their names, in which ``__`` is a dot."""
    config = Config().from_disk(ROOT / "configs" / f"{component}.cfg", interpolate=False)
    for name, value in changes.items():
        *path, last = name.split("__")
        block = config
        for key in path:
            block = block[key]
        block[last] = value
    text = config.to_str()
    return text.replace("assets/", f"{ROOT}/assets/")


def crew_of(text, workers):
    parts = sources(make(text, None), workers, "the config")
    return LocalCrew([partial(ShardWorker, Spec(text, None, ROOT, part), k) for k, part in enumerate(parts)])


def session_of(text, output, watched=None, passes=1):
    session = Session(make(text, None), output, "the config", watched or Watched(), save, passes)
    session.prepare()
    return session


def run(text, output, workers=2, passes=1):
    """The rows of a training."""
    watched = Watched()
    session_of(text, output, watched, passes).run(crew_of(text, workers))
    return watched.rows
