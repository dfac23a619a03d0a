"""Several threads at one piece of work; kernels release Python's lock, so they run at the same time."""
