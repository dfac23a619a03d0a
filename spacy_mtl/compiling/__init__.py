"""How kernels are compiled with little work, and how users hear of it."""
