"""Benchmarks: a folder for each task, and the rows behind every published figure."""
