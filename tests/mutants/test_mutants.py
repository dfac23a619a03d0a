"""The list of mutants fits the code, and the harness does what it says. No mutant is run here: ``python -m tests.mutants`` does."""

import ast
from collections import Counter

import pytest

from .__main__ import judge
from .checkout import applied, date_by_content
from .dependencies import closure, imports_of
from .mutant import ROOT, Mutant, function_lines, mutate, read_mutants

MUTANTS = read_mutants()


def functions_of(path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.FunctionDef)}


def in_kernel(mutant: Mutant) -> bool:
    source = (ROOT / mutant.file).read_text(encoding="utf8")
    begin, _ = function_lines(source, mutant.function)
    line = source.splitlines()[begin - 1] if begin else ""
    return line.startswith(("@kernel", "@subkernel", "@implements"))


def test_every_mutant_still_applies():
    stale = []
    for mutant in MUTANTS:
        try:
            ast.parse(mutate(mutant, (ROOT / mutant.file).read_text(encoding="utf8")))
        except (ValueError, OSError) as error:
            stale.append(f"{mutant.file}: {error}")
    assert stale == []


def test_every_mutant_names_tests_that_there_are():
    missing = []
    for test in {test for mutant in MUTANTS for test in mutant.tests}:
        file, _, name = test.partition("::")
        if not (ROOT / file).exists() or (name and name.partition("[")[0] not in functions_of(ROOT / file)):
            missing.append(test)
    assert missing == []
    assert all(mutant.tests for mutant in MUTANTS)


def test_mutants_change_one_line_and_say_what_is_wrong_then():
    for mutant in MUTANTS:
        assert "\n" not in mutant.old + mutant.new
        assert mutant.old != mutant.new
        assert mutant.why.endswith(".")
    assert [
        key for key, times in Counter((m.file, m.function, m.old, m.new) for m in MUTANTS).items() if times > 1
    ] == []


def test_there_are_enough_of_them_and_enough_in_kernels():
    assert len(MUTANTS) >= 200
    assert sum(in_kernel(mutant) for mutant in MUTANTS if mutant.function) >= 100


SOURCE = """\
def one(x):
    return x + 1


class Two:
    def add(self, x):
        return x + 1
"""


def mutant_of(function: str, old: str) -> Mutant:
    return Mutant("two.py", function, old, "x + 2", "Adds two.", ("tests",))


def test_a_mutant_is_looked_for_in_its_function_alone():
    assert mutate(mutant_of("Two.add", "x + 1"), SOURCE) == SOURCE[:-6] + "x + 2\n"
    assert mutate(mutant_of("one", "x + 1"), SOURCE) == SOURCE.replace("x + 1", "x + 2", 1)


@pytest.mark.parametrize(
    ("function", "old"), [("", "x + 1"), ("one", "x + 3"), ("three", "x + 1"), ("Two.one", "x + 1")]
)
def test_a_stale_mutant_is_refused(function, old):
    with pytest.raises(ValueError, match=r"x \+|functions called"):
        mutate(mutant_of(function, old), SOURCE)


def test_a_fault_is_there_only_for_a_while(tmp_path):
    path = tmp_path / "two.py"
    path.write_text(SOURCE)
    date_by_content(path)
    before = path.stat().st_mtime
    with applied(mutant_of("one", "x + 1"), tmp_path):
        assert path.read_text().count("x + 2") == 1
        assert path.stat().st_mtime != before  # or caches would not notice
    assert path.read_text() == SOURCE
    assert path.stat().st_mtime == before


@pytest.mark.parametrize(
    ("code", "output", "verdict"),
    [
        (0, "3 passed", "ALIVE"),
        (1, "E   AssertionError: assert 1 == 2", "killed"),
        (1, "E   numba.core.errors.TypingError: Failed in nopython mode pipeline", "BROKEN"),
        (2, "ERROR tests/test_x.py - SyntaxError", "BROKEN"),
        (4, "ERROR: not found: tests/test_x.py::test_y", "BROKEN"),
        (5, "no tests ran", "BROKEN"),
        (-1, "", "killed"),  # took too long
        (-11, "", "killed"),  # a segmentation fault
    ],
)
def test_what_pytest_says_of_a_mutant(code, output, verdict):
    assert judge(code, output) == verdict


def test_kernels_depend_on_what_their_modules_import():
    structures = ROOT / "spacy_mtl" / "structures"
    viterbi, kbest = structures / "chain" / "viterbi.py", structures / "chain" / "kbest.py"
    assert viterbi in imports_of(kbest)
    assert {kbest, viterbi, structures / "chain" / "problem.py", structures / "contract" / "__init__.py"} <= closure(
        kbest
    )
    assert kbest not in closure(viterbi)
    assert structures / "tree" / "algorithms" / "eisner.py" not in closure(kbest)
