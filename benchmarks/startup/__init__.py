"""What the first minute costs: CPU seconds until the first result, where no kernel has been compiled yet, and which kernels they go to."""
