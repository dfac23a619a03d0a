"""Components for the columns of a treebank: one label for each token, which stands for what a column says of it."""
