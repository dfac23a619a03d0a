"""Trainers side by side."""
