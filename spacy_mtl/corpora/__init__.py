"""Readers and converters of corpora."""
