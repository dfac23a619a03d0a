"""Exponentiated gradient on the dual of the structural SVM."""

from .trainer import EG, eg

__all__ = ["EG", "eg"]
