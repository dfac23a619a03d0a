"""What the benchmarks share: rows, measuring, spans."""
