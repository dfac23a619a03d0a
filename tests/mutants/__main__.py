"""Run the tests of every mutant: ``python -m tests.mutants [--only PATTERN] [--jobs N]``."""

import argparse
import hashlib
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import Queue

from .checkout import alone, applied, copy_checkout, home, link_kernels
from .mutant import ROOT, Mutant, function_lines, read_mutants
from .worker import Worker

#: Failures that say that the mutant is no program, rather than that a test has noticed it.
NO_PROGRAM = re.compile(
    r"^E +(?:numba\.core\.errors\.\w*(?:Typing|Lowering)Error|SyntaxError|IndentationError|NameError)", re.MULTILINE
)
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


OPTIONS = (
    "-p", "tests.mutants.stamps", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-n", "0", "-q", "--tb=short", "--assert=plain",
)  # fmt: skip


def judge(code: int, output: str) -> str:
    """killed, ALIVE or BROKEN, by what pytest says of a mutant. code: below 0 where a signal ended it."""
    if code == 0:
        return "ALIVE"
    return "killed" if code < 0 or (code == 1 and not NO_PROGRAM.search(output)) else "BROKEN"


def try_mutant(mutant: Mutant, copy: Path, worker: Worker, warm: Path, limit: float) -> tuple[str, str]:
    """The verdict on a mutant, and the test that noticed it or what is wrong with the mutant."""
    own = copy.with_name(f"{copy.name}-kernels")
    try:
        with applied(mutant, copy):
            link_kernels(warm, own)
            code, output = worker.run([*OPTIONS, "-x", *mutant.tests], own, limit)
    except (ValueError, OSError) as error:
        return "STALE", str(error)
    verdict, noticed = judge(code, output), FAILED.search(output)
    if verdict == "killed":
        (home() / "killed").open("a").write(state_of(mutant) + "\n")
    if verdict == "BROKEN":
        return verdict, output[-2000:]
    return verdict, f"by signal {-code}" if code < 0 else noticed.group(1) if noticed else ""


def state_of(mutant: Mutant) -> str:
    """A hash of a mutant, its file and its tests."""
    texts = [(ROOT / mutant.file).read_text(encoding="utf8"), *map(text_of_test, mutant.tests)]
    return hashlib.sha256(repr((mutant, texts)).encode()).hexdigest()


def text_of_test(test: str) -> str:
    """The source of a test function, or of a whole file of tests; empty for a folder."""
    file, _, name = test.partition("::")
    text = (ROOT / file).read_text(encoding="utf8") if (ROOT / file).is_file() else ""
    begin, end = function_lines(text, name.partition("[")[0]) if name else (0, None)
    return "".join(text.splitlines(keepends=True)[begin:end])


def not_killed_before(mutants: list[Mutant]) -> list[Mutant]:
    """Those that no earlier run has killed in the same state."""
    record = home() / "killed"
    before = set(record.read_text().split()) if record.exists() else set()
    return [mutant for mutant in mutants if state_of(mutant) not in before]


def check_tests(mutants: list[Mutant], worker: Worker, warm: Path) -> bool:
    """Whether the tests of these mutants pass without a fault. Compiles what they need into the warm folder of kernels."""
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    code, output = worker.run([*OPTIONS, *tests], warm, 3600)
    if code:
        print(output[-6000:], "\nThese tests do not pass without mutants.", sep="")
    return code == 0


def run(mutants: list[Mutant], jobs: int, limit: float) -> int:
    """Try all mutants, say what became of each; return the exit code."""
    folder = home()
    warm = folder / "kernels"
    warm.mkdir(exist_ok=True)
    copies = [folder / f"copy-{job}" for job in range(jobs)]
    free: Queue[tuple[Path, Worker]] = Queue()
    with ExitStack() as stack:
        stack.enter_context(alone(folder))
        for copy in copies:
            copy_checkout(copy)
            free.put((copy, Worker(copy)))
            stack.callback(free.queue[-1][1].close)
        if not check_tests(mutants, free.queue[0][1], warm):
            return 2

        def attempt(mutant: Mutant) -> tuple[Mutant, str, str, float]:
            begin, (copy, worker) = time.monotonic(), free.get()
            verdict, note = try_mutant(mutant, copy, worker, warm, limit)
            free.put((copy, worker))
            return mutant, verdict, note, time.monotonic() - begin

        counts: Counter[str] = Counter()
        with ThreadPoolExecutor(jobs) as pool:
            for mutant, verdict, note, seconds in pool.map(attempt, mutants):
                counts[verdict] += 1
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
    parser.add_argument(
        "--resume",
        action="store_true",
        help="leave out those killed before, if neither their file nor their tests have changed",
    )
    parser.add_argument("--list", action="store_true", help="say which mutants there are")
    arguments = parser.parse_args()
    mutants = [
        mutant for mutant in read_mutants() if re.search(arguments.only, f"{mutant} {mutant.function} {mutant.why}")
    ]
    if not mutants:
        parser.error("no mutant matches")
    if arguments.list:
        print(*(f"{mutant}\n  {mutant.why}" for mutant in mutants), f"{len(mutants)} mutants", sep="\n")
        return 0
    if arguments.resume:
        mutants = not_killed_before(mutants)
    return run(mutants, arguments.jobs, arguments.limit) if mutants else 0


if __name__ == "__main__":
    raise SystemExit(main())
