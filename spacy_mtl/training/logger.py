"""The logger ``spacy_mtl.ConsoleLogger.v1``: objectives, templates and dev scores as a table and as JSON lines."""

import json
import math
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

from spacy.language import Language
from tqdm import tqdm

from spacy_mtl.errors import Errors
from spacy_mtl.files.disk import disk_errors
from spacy_mtl.registry import registry
from spacy_mtl.settings import is_path, is_switch, shown

from .table import REPORT_FIELDS, Info, header, reporting_pipes, row, table_columns

FIRST_PASS = "First pass: features are indexed, and kernels compiled where no run has done so yet (half a minute)"

SetupLogger = Callable[..., tuple[Callable[[Info | None], None], Callable[[], None]]]


@registry.loggers("spacy_mtl.ConsoleLogger.v1")
def console_logger(progress_bar: bool = True, path: str | Path | None = None) -> SetupLogger:
    """Make a logger that prints one row per evaluation.

    For each component that reports on its training, a row shows the primal and dual objectives, the relative duality gap in
    percent, and the number of live templates out of all; for other trainable components, the loss. Then come the dev scores
    with a weight in ``[training.score_weights]``.

    progress_bar: show the updates until the next evaluation as a progress bar on stderr, if that is a terminal.
    path: a file of JSON lines, overwritten by each training. It gets one row per evaluation, with unrounded numbers (null for
        what is not a number): epoch, step, score, other_scores, losses, seconds, words and ``reports`` by component.

    Raises ValueError: M590 for other settings; at the start of training, M517 if the file cannot be written, and OSError (M650-M652) if that is so
    later.
    """

    if not is_switch(progress_bar):
        raise ValueError(_bad("progress_bar", "true or false", progress_bar))
    if path is not None and path != "" and not is_path(path):
        raise ValueError(_bad("path", "the path of a file, or null", path))

    def setup_logger(
        nlp: Language, stdout: IO[str] = sys.stdout, stderr: IO[str] = sys.stderr
    ) -> tuple[Callable[[Info | None], None], Callable[[], None]]:
        log = _Log(nlp, stdout, stderr, progress_bar, path)
        return log.step, log.finalize

    return setup_logger


def _bad(setting: str, expected: str, value: object) -> str:
    return Errors.M590.format(setting=setting, name="spacy_mtl.ConsoleLogger.v1", expected=expected, value=shown(value))


class _Log:
    def __init__(self, nlp: Language, stdout: IO[str], stderr: IO[str], progress_bar: bool, path: str | Path | None):
        training = nlp.config.interpolate()["training"]
        self._stdout, self._stderr = stdout, stderr
        self._every, self._last_step = training["eval_frequency"], training["max_steps"]
        self._pipes = reporting_pipes(nlp)
        self._columns = table_columns(nlp)
        self._with_bar = progress_bar
        self._bar: tqdm | None = None
        self._file = _open(Path(path)) if path else None
        self._write(header(self._columns))
        if self._with_bar:  # show the bar at once: the first pass is the slow one
            self._bar = tqdm(desc=FIRST_PASS, bar_format="{desc}", disable=None, leave=False, file=self._stderr)
            self._watch(self._show_pass)

    def _watch(self, show: Callable[[str, int, int], None] | None) -> None:
        """Have components that make several passes an update tell of each; None for no longer."""
        for name, pipe in self._pipes.items():
            if hasattr(pipe, "after_pass"):
                pipe.after_pass = None if show is None else partial(show, name)

    def _show_pass(self, name: str, done: int, passes: int) -> None:
        if self._bar is not None and passes > 1:
            self._bar.set_description_str(f"{name}: pass {done} of {passes}")

    def step(self, info: Info | None) -> None:
        """Called after each update, with the results of an evaluation or None."""
        if info is None:
            if self._bar is not None:
                self._bar.update(1)
            return
        for pipe in self._pipes.values():
            if hasattr(pipe, "evaluated"):
                pipe.evaluated(info.get("score"))
        self._close_bar()  # a bar still on its line would run into the row
        self._write(row(self._columns, info))
        if self._file is not None:
            self._log(json.dumps(json_row(info, self._pipes), ensure_ascii=False, allow_nan=False) + "\n")
        if self._with_bar:
            self._bar = self._new_bar(info)

    def _log(self, line: str) -> None:
        """Add a line to the file. Raises OSError (M650-M652); the file is then given up, so that the training can end and save its model."""
        assert self._file is not None
        try:
            with disk_errors(Path(self._file.name)):
                self._file.write(line)
                self._file.flush()
        except OSError:
            with suppress(OSError):
                self._file.close()
            self._file = None
            raise

    def finalize(self) -> None:
        """Called once when training ends, in whatever way."""
        self._watch(None)
        self._close_bar()
        if self._file is not None:
            self._file.close()

    def _new_bar(self, info: Info) -> tqdm:
        left = self._last_step - info["step"] if self._last_step else self._every
        # disable=None: no bar if stderr is not a terminal
        bar = tqdm(total=max(1, min(self._every, left)), disable=None, leave=False, file=self._stderr)
        bar.set_description(f"Epoch {info['epoch'] + 1}")
        return bar

    def _close_bar(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _write(self, text: str) -> None:
        self._stdout.write(text + "\n")
        self._stdout.flush()


def _open(path: Path) -> IO[str]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("w", encoding="utf8")
    except OSError as error:
        raise ValueError(Errors.M517.format(path=path, reason=error.strerror)) from None


def json_row(info: Info, pipes: Mapping[str, Any]) -> dict[str, Any]:
    """The results of an evaluation and the reports of these components, as plain JSON values."""
    reports = {
        name: None if pipe.report is None else {field: getattr(pipe.report, field) for field in REPORT_FIELDS}
        for name, pipe in pipes.items()
    }
    names = ("epoch", "step", "score", "other_scores", "losses", "seconds", "words")
    return _plain({**{name: info.get(name) for name in names}, "reports": reports})


def _plain(value: Any) -> Any:
    """A value in the types of JSON: numpy scalars become Python numbers, and nan and infinity, which JSON lacks, become None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return number if math.isfinite(number) else None
