"""What is counted of a training corpus before training begins: words, their tags and stems, and its entities."""
