"""Multiple template learning; at p = 2, the structural SVM."""

from .trainer import MTLStruct, mtl_struct, ssvm

__all__ = ["MTLStruct", "mtl_struct", "ssvm"]
