"""The trainers, with one folder per family."""
