"""Children that are killed, or that may not write: forks of a process that has loaded everything, so that they do nothing but what is tried."""

import os
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path


def kill_after(seconds: float, action: Callable[[], object]) -> bool:
    """Run ``action`` in a child and kill it after some seconds; whether it was killed before its end. Raises RuntimeError where it fails."""
    child = _fork(lambda: action() and None)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and status:
        raise RuntimeError("what was to be killed has failed before; its message is above")
    return os.WIFSIGNALED(status)


def ask_child(question: Callable[[], str]) -> str:
    """What ``question`` returns in a child, or its exception; "crash" where it does not come back."""
    reading, writing = os.pipe()

    def answer() -> None:
        try:
            text = question()
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writing, text.encode())

    child = _fork(answer)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return "crash" if status else text


def _fork(action: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        action()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder, by their places in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
