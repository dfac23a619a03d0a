"""Texts with entities that annotation tools have written: Prodigy and Label Studio."""
