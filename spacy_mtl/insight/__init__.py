"""What a trained pipeline relies on: its features by name."""
