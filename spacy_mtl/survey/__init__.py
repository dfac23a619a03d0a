"""What is in the files of a corpus, and which settings of a reader and of components suit it."""
