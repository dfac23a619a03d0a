"""Trained models: what they store and how they predict."""
