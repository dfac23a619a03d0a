"""Handwritten letters."""
