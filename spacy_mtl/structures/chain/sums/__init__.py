"""Linear chains, sum-product: log partition and marginals."""
