"""What is done on a Ray cluster: how fast, and what kills of workers and of the command change."""
