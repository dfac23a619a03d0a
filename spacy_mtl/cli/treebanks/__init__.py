"""Commands for treebanks of Universal Dependencies."""
