"""Changed model files again, with kernels that check indices: an index out of range is an IndexError, and so a failure."""

from collections.abc import Iterator

from benchmarks.common.rows import Row

from .loading import MODELS
from .models import mutants
from .plan import Plan

#: Compiling kernels that check takes minutes, so the quick part leaves this to ``--only bounds``.
QUICK, FULL = 0, 1000
CHECKED = {"NUMBA_BOUNDSCHECK": "1"}


def run(plan: Plan) -> Iterator[Row]:
    count = plan.size(QUICK, FULL)
    for case in MODELS:
        if count and plan.wants(case):
            yield mutants(plan, case, count, "bounds", CHECKED)
