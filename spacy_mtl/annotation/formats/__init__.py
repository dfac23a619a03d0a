"""The formats of partitions, a file each: what is read from one, and how annotated documents are written to it."""
