"""Templates of arcs in dependency trees."""
