"""From raw text to treebanks: scores of whole pipelines as in the CoNLL 2018 shared task."""
