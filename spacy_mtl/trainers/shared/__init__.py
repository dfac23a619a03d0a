"""Parts that trainers of several families use."""
