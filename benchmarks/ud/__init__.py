"""Benchmarks of whole pipelines on treebanks: ``python -m benchmarks.ud``."""
