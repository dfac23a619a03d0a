"""Constituency trees as plain data: brackets, cleaning, binarization, spans and scores."""
