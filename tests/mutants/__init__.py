"""Faults put into the package on purpose, one line at a time, which the tests nearest to that line must notice.

``python -m tests.mutants`` copies the checkout to a temporary folder, checks that the tests named in ``data/`` pass there, and then for each mutant
changes one line, runs the mutant's tests and puts the line back. A mutant that no test notices is ALIVE: a test is missing. One whose line is no
longer there exactly once is stale: the list has to follow the code.

Why scripts of our own: what is most worth mutating are compiled kernels, and published tools do not reach them or do not see their effect. mutmut
(3.8) leaves out decorated functions, and so every ``@kernel``. mutatest (3.1) writes mutants as bytecode into ``__pycache__``, while numba judges by
the source file whether its cache is valid, and would run the kernel without the fault. cosmic-ray (8.7) rewrites sources, but has one test command
for all mutants of a module, and generates far more mutants than can be compiled. Here every mutant is chosen by hand, as a plausible slip, and named
with the few test functions that should notice it; a cache of kernels that is warm for everything but the mutant leaves seconds for each.
"""
