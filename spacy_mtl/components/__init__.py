"""The components that a pipeline sees."""
