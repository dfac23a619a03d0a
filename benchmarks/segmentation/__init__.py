"""Chinese words."""
