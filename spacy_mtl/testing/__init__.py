"""Conformance tests for structures: check whether a structure of your own does what the contract says."""

from .check import check_structure
from .failure import StructureError

__all__ = ["StructureError", "check_structure"]
