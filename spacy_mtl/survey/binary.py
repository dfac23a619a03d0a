"""Look at a corpus in spaCy's binary format."""

from pathlib import Path

from spacy.vocab import Vocab

from spacy_mtl.corpora.binary import stored_docs

from .found import Survey, most_common

_ANNOTATION = ("TAG", "POS", "MORPH", "LEMMA", "ENT_IOB", "DEP", "SENT_START")


def survey_binary(path: Path) -> Survey:
    """What is in a ``.spacy`` file. Raises ValueError: M501, M705."""
    found = Survey(path, "binary")
    kinds: dict[str, int] = dict.fromkeys(_ANNOTATION, 0)
    for doc in stored_docs(path, Vocab()):
        found.documents += 1
        found.words += len(doc)
        spans = list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]]
        found.sentences += len(spans)
        found.longest = max(found.longest, *map(len, spans)) if len(doc) else found.longest
        for ent in doc.ents:
            found.entities[ent.label_] += 1
            words = [token.text for token in ent if not token.is_space]
            found.phrases.setdefault(ent.label_, set()).add(" ".join(words))
        found.tags.update(token.tag_ for token in doc if token.tag)
        found.trees += len(doc) > 0 and doc.has_annotation("DEP")
        for name in _ANNOTATION:
            least = 1 if name == "SENT_START" else 0  # a single word always has borders, says spaCy
            kinds[name] += len(doc) > least and doc.has_annotation(name)
    seen = [f"{name} {count:,}" for name, count in kinds.items() if count]
    found.lines.append(f"documents with annotation: {', '.join(seen) or 'none'}")
    if found.entities:
        found.lines.append(f"entities: {most_common(found.entities)}")
    if found.tags:
        found.lines.append(f"{len(found.tags):,} tags: {most_common(found.tags)}")
    return found
