"""What users hear while kernels are compiled: how many are left, and about how long that takes.

The logger is ``spacy_mtl.compiling``. spaCy's commands show its messages on stderr (:func:`show_on_stderr`); elsewhere they appear where
``logging`` is told to show level INFO.
"""

import logging
import sys
import threading
import time
from collections.abc import Callable

from .expected import EXPECTED

logger = logging.getLogger("spacy_mtl.compiling")
#: Seconds between two messages.
EVERY = 3.0


class Progress:
    """Counts kernels that Python calls, by name. clock: seconds. aloud: speak again while a kernel takes long."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, aloud: bool = True):
        self._clock = clock
        self._aloud = aloud
        self._done = threading.Event()
        self._ready: set[str] = set()
        self._task = ""
        self._compiled, self._seconds, self._usual, self._found = 0, 0.0, 0.0, 0
        self._spoke = -EVERY
        self._name, self._since = "", 0.0
        self._first: float | None = None

    def ready(self, name: str) -> None:
        """A kernel was found in the cache."""
        self._ready.add(name)
        self._found += 1

    def counts(self) -> tuple[int, int]:
        """How many kernels have been compiled, and how many found in the cache; each for every type of its arguments."""
        return self._compiled, self._found

    def begin(self, name: str) -> None:
        """A kernel is not in the cache: it is compiled from now on."""
        self._name, self._since = name, self._clock()
        self._first = self._since if self._first is None else self._first
        tasks = [task for task, kernels in EXPECTED.items() if name in kernels]
        self._task = max(tasks, key=lambda task: len(self._ready & {*EXPECTED[task]}), default="")
        self.speak()
        if self._aloud:
            self._done = threading.Event()
            threading.Thread(target=self._repeat, args=(self._done,), daemon=True).start()

    def _repeat(self, done: threading.Event) -> None:
        while not done.wait(EVERY / 3):  # a kernel may begin soon after something was said
            self.speak()

    def stop(self) -> None:
        """Nothing is compiled any more, with or without success."""
        self._done.set()

    def end(self, name: str) -> None:
        """It has been compiled."""
        self._ready.add(name)
        self._compiled += 1
        usual = max((kernels.get(name, 0.0) for kernels in EXPECTED.values()), default=0.0)
        if usual:
            self._usual += usual
            self._seconds += self._clock() - self._since

    def speak(self) -> None:
        """Say how things are, unless something was said a moment ago."""
        now = self._clock()
        if now - self._spoke >= EVERY:
            self._spoke = now
            logger.info("Compiling kernels, once on this machine: %s.", self.state())

    def state(self) -> str:
        """Such as ``14 left, about 20 s``; of kernels that nothing is known of, ``2 so far, 6 s``."""
        left = self.left()
        if not left:
            taken = round(self._clock() - (self._since if self._first is None else self._first))
            return f"{self._compiled + 1} so far" + (f", {taken} s" if taken else "")
        pace = self._seconds / self._usual if self._usual else 1.0
        gone = min(self._clock() - self._since, pace * left.get(self._name, 0.0))
        return f"{len(left)} left, about {max(1, round(pace * sum(left.values()) - gone))} s"

    def left(self) -> dict[str, float]:
        """The kernels that are not there yet, with the seconds that they usually take, of what is probably under way."""
        return {name: usual for name, usual in EXPECTED.get(self._task, {}).items() if name not in self._ready}


#: Of this process.
progress = Progress()


class _Stderr(logging.Handler):
    """Writes messages to whatever ``sys.stderr`` is at the time."""

    def emit(self, record: logging.LogRecord) -> None:
        print(self.format(record), file=sys.stderr, flush=True)


def show_on_stderr() -> None:
    """Have the messages of this file shown; for commands."""
    if not any(isinstance(handler, _Stderr) for handler in logger.handlers):
        logger.addHandler(_Stderr())
        logger.setLevel(logging.INFO)
        logger.propagate = False
