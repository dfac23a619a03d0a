"""Models of linear chains."""
