"""What ``[initialize]`` of a config gives a component that is trained by itself: tables, and vectors of the vocabulary."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacy_mtl.errors import Errors

from ..shared.messages import reason_of

if TYPE_CHECKING:
    from spacy.language import Language


def given_tables(nlp: "Language", component: str, path: Path) -> dict[str, Any]:
    """The tables of a component of an untrained pipeline, by name, whose vocabulary is given its vectors and lookups on the way.

    path: of the config, for messages. Raises ValueError: what is wrong with a table or vectors, M731 where nothing can be made of the block.
    """
    from spacy.training.initialize import init_vocab
    from spacy.util import registry

    config: Any = nlp.config.interpolate()
    block = config["initialize"]
    tables = (block.get("components") or {}).get(component, {}).get("tables") or {}
    try:  # of the block only what the component needs: corpora of tokenizers, say, may have no path
        given = registry.resolve(
            {"tables": tables, **{key: block.get(key) for key in ("vocab_data", "lookups", "vectors")}}
        )
        init_vocab(nlp, data=given["vocab_data"], lookups=given["lookups"], vectors=given["vectors"])
    except Exception as error:
        if str(error).startswith("[M"):
            raise
        raise ValueError(Errors.M731.format(path=path, reason=reason_of(error))) from None
    return dict(given["tables"])
