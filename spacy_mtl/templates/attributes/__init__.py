"""Attributes of tokens: one uint64 per token and attribute name, read from Docs."""

from .reader import AttributeReader, check_attributes, lexical

__all__ = ["AttributeReader", "check_attributes", "lexical"]
