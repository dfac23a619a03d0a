"""Models of dependency trees."""
