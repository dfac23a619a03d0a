"""Structure regularization."""
