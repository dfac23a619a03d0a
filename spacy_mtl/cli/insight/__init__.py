"""Commands that show what a trained pipeline relies on."""
