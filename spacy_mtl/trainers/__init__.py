"""The trainers; each family is a folder of its own."""
