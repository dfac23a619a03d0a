"""For people who bring a structure of their own: does it do what the contract says?"""

from .check import check_structure
from .failure import StructureError

__all__ = ["StructureError", "check_structure"]
