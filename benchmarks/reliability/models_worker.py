"""A process that loads mutants of model files, one after another, and may crash of it: ``python -m benchmarks.reliability.models_worker CASE``.

It reads seeds from standard input and answers each with a line of JSON: what was done, how it ended, CPU seconds, megabytes.
"""

import json
import re
import resource
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

from benchmarks.common.measure import forget_peak, peak_megabytes, resident_megabytes

from .formats import Stored, take_apart
from .loading import MODELS, Try, opened
from .mutants import mutant

#: CPU seconds that loading and predicting may take. The system ends the process then, since compiled code listens to nobody.
SECONDS = 5.0
#: Address space beyond what the process has when it begins, in bytes: more is a crash of this process, not of the machine.
_SPACE = 6 << 30
_CODED = re.compile(r"\[[ME]\d{3}\] [^\n]+")


class Case:
    """A component with the models of it that are changed. files: of all components, since parts of others take the places of its own."""

    def __init__(self, case: str) -> None:
        every = [(other, name) for other, names in MODELS.items() for name in names]
        self._files: list[Stored] = []
        self._own: list[int] = []
        self._tries: list[Try] = []
        for k, (other, name) in enumerate(every):
            data, attempt = opened(other, name)
            self._files.append(take_apart(data))
            if other == case:
                attempt(data)  # compiles, or reads from the cache, whatever prediction needs
                self._own.append(k)
                self._tries.append(attempt)

    def run(self, seed: int) -> dict[str, Any]:
        """Try the mutant of a seed."""
        which = seed % len(self._own)
        data, done, declared = mutant(self._files, self._own[which], seed)
        allowed = 2 * declared / 1e6 + 200
        forget_peak()
        before, began = resident_megabytes() or 0.0, time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        outcome, detail = outcome_of(self._tries[which], data)
        signal.setitimer(signal.ITIMER_PROF, 0)
        megabytes = (peak_megabytes() or 0.0) - before
        if megabytes > allowed:
            outcome, detail = "memory", f"{megabytes:.0f} MB where {allowed:.0f} are allowed; {outcome}: {detail}"
        found = {"seconds": time.process_time() - began, "megabytes": megabytes}
        return {"seed": seed, "done": done, "outcome": outcome, "detail": detail, **found}


def outcome_of(attempt: Try, data: bytes) -> tuple[str, str]:
    """refused (one coded sentence), valid (a prediction), uncoded (another exception), invalid (a prediction that is none)."""
    try:
        attempt(data)
    except AssertionError as error:
        return "invalid", str(error)
    except ValueError as error:
        coded = _CODED.fullmatch(str(error))
        return ("refused", str(error)[:6]) if coded else ("uncoded", told(error))
    except BaseException as error:
        return "uncoded", told(error)
    return "valid", ""


def told(error: BaseException) -> str:
    """An exception and where it was raised, in a line."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    text = str(error).replace("\n", " ")[:200]
    return f"{type(error).__name__}: {text} ({place.filename.rpartition('spacy_mtl/')[2]}:{place.lineno})"


def _address_space() -> int:
    """Bytes of address space of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def main() -> None:
    warnings.simplefilter("ignore")  # of spaCy, about models of other versions
    case = Case(sys.argv[1])
    limit = _address_space() + _SPACE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(case.run(int(line))), flush=True)


if __name__ == "__main__":
    main()
