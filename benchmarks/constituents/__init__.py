"""Benchmarks of constituency trees."""
