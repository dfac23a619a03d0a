"""The template language, and the extraction of observations from documents."""
