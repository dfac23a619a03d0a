"""Names of the universal parts of speech."""

from spacy.parts_of_speech import IDS

#: As spaCy knows them, without those of blanks and ends of lines. CONJ is what the first version of Universal Dependencies calls CCONJ.
UNIVERSAL = tuple(name for name in IDS if name and name.isupper() and name not in ("EOL", "SPACE"))
