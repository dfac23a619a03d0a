"""Solvers of the cutting plane method's working-set subproblem (Mao and Tsang, Algorithm 1)."""
