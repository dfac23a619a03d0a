"""The template language, and observations from documents."""
