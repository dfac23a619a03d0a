"""Online multiple kernel learning."""

from .trainer import OnlineMKL, online_mkl

__all__ = ["OnlineMKL", "online_mkl"]
