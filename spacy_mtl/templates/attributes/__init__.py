"""Attributes: one uint64 for each token and name, read from Docs."""

from .reader import AttributeReader, check_attributes, lexical

__all__ = ["AttributeReader", "check_attributes", "lexical"]
