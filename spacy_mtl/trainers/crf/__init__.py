"""Conditional random fields with an l2, an l1 or a re-weighted penalty."""

from .trainer import CRF, crf

__all__ = ["CRF", "crf"]
