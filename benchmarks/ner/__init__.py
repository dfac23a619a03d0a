"""Entities on CoNLL-2002."""
