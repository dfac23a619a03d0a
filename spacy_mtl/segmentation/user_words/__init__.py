"""The words of the user: a dictionary that changes at any time, and what it does to a text."""
