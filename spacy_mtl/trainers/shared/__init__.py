"""What trainers of several families use."""
