"""What ``spacy train`` costs, the whole process, beside the training in memory and beside python-crfsuite's whole process."""
