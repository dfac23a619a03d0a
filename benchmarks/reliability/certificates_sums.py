"""Certificates of the trainers other than MTLStruct on random small problems: chains and trees, C from 1e-4 to 1e6, against enumeration.

No gap may be negative, no dual above the optimum by more than 1e-9 relative, no training ``converged`` above its ``tol``. The problems and their
references are those of the tests, in tests/trainers/certificates.py. Alone: ``python -m benchmarks.reliability.certificates_sums [COUNT]``.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir

import numpy as np

from benchmarks.common.rows import Row

from .plan import Plan

#: Problems of each way to train and each structure: together 36, or 2,016.
QUICK, FULL = 2, 112


def run(plan: Plan) -> Iterator[Row]:
    """A row for each way to train and structure. note: how many converged, and at which C the others were."""
    from tests.trainers.certificates import KINDS, chain_case, tree_case

    for name in KINDS:
        for structure, case_of in (("chains", chain_case), ("trees", tree_case)):
            if plan.wants(name) or plan.wants(f"{name}, {structure}"):
                yield tried(plan, name, structure, case_of)


def tried(plan: Plan, name: str, structure: str, case_of) -> Row:
    from tests.trainers.certificates import try_out

    count, failures, became, began = plan.size(QUICK, FULL), [], Counter(), time.process_time()
    for seed in range(plan.seed, plan.seed + count):
        rng = np.random.default_rng([seed, 7])
        C, tol = 10 ** rng.uniform(-4, 6), 10 ** rng.uniform(-4, -2)
        found, kinds = try_out(case_of(seed), name, C, tol)
        failures += [f"seed {seed}, C = {C:g}, tol = {tol:g}: {fault}" for fault in found]
        became.update({kind: int(is_so) for kind, is_so in kinds.items()})
        became[f"not converged, C {'above' if C > 1e3 else 'up to'} 1000"] += not kinds["converged"]
    cpu = time.process_time() - began
    note = f"{became['converged']} converged, {became['not converged, C up to 1000']} of the others at C <= 1000; {cpu:.0f} CPU s"
    return plan.row(
        "certificates", f"{name}, {structure}", count, failures, became=dict(became), cpu=round(cpu, 1), note=note
    )


if __name__ == "__main__":
    asked = Plan(True, Path(gettempdir()), count=int(sys.argv[1]) if len(sys.argv) > 1 else None)
    for row in run(asked):
        print(row["case"], row["tried"], "tried,", row["failed"], "failed;", row["note"], *row["failures"], sep="  ", flush=True)  # fmt: skip
