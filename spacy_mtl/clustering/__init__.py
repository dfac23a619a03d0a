"""Clusters of words learned from raw text."""
