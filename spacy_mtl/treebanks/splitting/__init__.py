"""Multiword tokens as they are learned and split."""
