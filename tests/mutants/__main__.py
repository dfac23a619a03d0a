"""Run the tests of every mutant: ``python -m tests.mutants [--only PATTERN] [--jobs N]``."""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import Queue

from .checkout import applied, copy_checkout, home, link_kernels
from .mutant import Mutant, read_mutants

#: Failures that say that the mutant is no program, rather than that a test has noticed it.
NO_PROGRAM = re.compile(
    r"^E +(?:numba\.core\.errors\.\w*(?:Typing|Lowering)Error|SyntaxError|IndentationError|NameError)", re.MULTILINE
)
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


def run_tests(
    copy: Path, kernels: Path, tests: Iterable[str], *options: str, limit: float | None = None
) -> tuple[int, str]:
    """Exit code and output of pytest in a copy; code -1 if it took longer than ``limit`` seconds."""
    environment = {
        "NUMBA_OPT": "1",
        **os.environ,
        "NUMBA_CACHE_DIR": str(kernels),
        "SPACY_MTL_TEST_KERNELS": str(kernels),
        "PYTHONPATH": str(copy),
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.mutants.stamps",
        "-p",
        "no:cacheprovider",
        "--hypothesis-seed=0",
        "-n",
        "0",
        "-q",
        "--tb=short",
    ]
    try:
        done = subprocess.run(
            [*command, *options, *tests], cwd=copy, env=environment, capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return -1, ""
    return done.returncode, done.stdout + done.stderr


def judge(code: int, output: str) -> str:
    """killed, ALIVE or BROKEN, by what pytest says of a mutant."""
    if code == 0:
        return "ALIVE"
    if code == -1 or (code == 1 and not NO_PROGRAM.search(output)):
        return "killed"
    return "killed" if code < -1 else "BROKEN"


def try_mutant(mutant: Mutant, copy: Path, warm: Path, limit: float) -> tuple[str, str]:
    """The verdict on a mutant, and the test that noticed it or what is wrong with the mutant."""
    own = copy.with_name(f"{copy.name}-kernels")
    try:
        with applied(mutant, copy):
            link_kernels(warm, own)
            code, output = run_tests(copy, own, mutant.tests, "-x", limit=limit)
    except (ValueError, OSError) as error:
        return "STALE", str(error)
    verdict = judge(code, output)
    noticed = FAILED.search(output)
    return verdict, output[-2000:] if verdict == "BROKEN" else noticed.group(
        1
    ) if noticed else f"after {limit:.0f} s" * (code == -1)


def check_tests(mutants: list[Mutant], copy: Path, warm: Path) -> bool:
    """Whether the tests of these mutants pass without a fault. Compiles what they need into the warm folder of kernels."""
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    code, output = run_tests(copy, warm, tests)
    if code:
        print(output[-6000:], "\nThese tests do not pass without mutants.", sep="")
    return code == 0


def run(mutants: list[Mutant], jobs: int, limit: float) -> int:
    """Try all mutants, say what became of each; return the exit code."""
    folder = home()
    warm = folder / "kernels"
    warm.mkdir(exist_ok=True)
    copies = [folder / f"copy-{job}" for job in range(jobs)]
    for copy in copies:
        copy_checkout(copy)
    if not check_tests(mutants, copies[0], warm):
        return 2
    free: Queue[Path] = Queue()
    for copy in copies:
        free.put(copy)

    def attempt(mutant: Mutant) -> tuple[Mutant, str, str, float]:
        begin, copy = time.monotonic(), free.get()
        with ExitStack() as stack:
            stack.callback(free.put, copy)
            return mutant, *try_mutant(mutant, copy, warm, limit), time.monotonic() - begin

    counts: dict[str, int] = {}
    with ThreadPoolExecutor(jobs) as pool:
        for mutant, verdict, note, seconds in pool.map(attempt, mutants):
            counts[verdict] = counts.get(verdict, 0) + 1
            print(f"{verdict:6} {seconds:6.1f} s  {mutant}", f"  {note}", sep="\n", flush=True)
            if verdict == "ALIVE":
                print(f"  {mutant.why}", *(f"  {test}" for test in mutant.tests), sep="\n", flush=True)
    print(f"{len(mutants)} mutants:", ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return int(set(counts) != {"killed"})


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument(
        "--only",
        default="",
        metavar="PATTERN",
        help="mutants whose file, lines or reason match this regular expression",
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="mutants tried at the same time")
    parser.add_argument(
        "--limit", type=float, default=600.0, metavar="SECONDS", help="tests that take longer than this have failed"
    )
    parser.add_argument("--list", action="store_true", help="say which mutants there are")
    arguments = parser.parse_args()
    mutants = [
        mutant for mutant in read_mutants() if re.search(arguments.only, f"{mutant} {mutant.function} {mutant.why}")
    ]
    if arguments.list:
        print(*(f"{mutant}\n  {mutant.why}" for mutant in mutants), f"{len(mutants)} mutants", sep="\n")
        return 0
    return run(mutants, arguments.jobs, arguments.limit) if mutants else 2


if __name__ == "__main__":
    raise SystemExit(main())
