"""Templates of arcs."""
