"""The parts that all components share: how spaCy trains, saves and copies them."""
