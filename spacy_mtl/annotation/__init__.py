"""Annotation of collections that are too large for one file or one machine: partition by partition, each document exactly once."""
