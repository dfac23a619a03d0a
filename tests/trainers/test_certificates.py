"""Certificates of random problems are true: no negative gap, no dual above the optimum, no false ``converged``, for C from 1e-4 to 1e6."""

import numpy as np
import pytest

from .certificates import KINDS, chain_case, tree_case, try_out

#: Random problems of each way to train.
CHAINS, TREES = 6, 2


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(("case_of", "count"), [(chain_case, CHAINS), (tree_case, TREES)], ids=["chains", "trees"])
def test_certificates_are_true(name, case_of, count):
    told = []
    for seed in range(count):
        rng = np.random.default_rng([seed, list(KINDS).index(name)])
        C, tol = 10 ** rng.uniform(-4, 6), 10 ** rng.uniform(-4, -2)
        found, became = try_out(case_of(seed), name, C, tol)
        assert not found, f"seed {seed}, C = {C:g}, tol = {tol:g}: {found}"
        told.append(became)
    assert any(one["sharp"] for one in told)
