"""Set any setting of a config by its full name, if there is such a setting."""

import inspect
from collections.abc import Mapping
from typing import Any

from spacy_mtl.errors import Errors

Block = dict[str, Any]


def set_any(config: Block, name: str, value: Any) -> None:
    """Set a setting by its full name, such as ``components.ner.costs``; one that the config leaves at its default is added.

    Raises ValueError (M725) for a section that the config does not have, and for a name that its section does not take.
    """
    *sections, key = name.split(".")
    block: Any = config
    for number, section in enumerate(sections):
        if not isinstance(block.get(section), Mapping):
            where = ".".join(sections[:number])
            raise ValueError(
                Errors.M726.format(name=name, section=".".join(sections[: number + 1]), known=_sections(block, where))
            )
        block = block[section]
    known = known_settings(sections, block)
    if known is not None and key not in known and key not in block:
        raise ValueError(Errors.M725.format(name=key, section=".".join(sections), known=", ".join(sorted(known))))
    block[key] = value


def known_settings(sections: list[str], block: Block) -> set[str] | None:
    """The settings that a section takes; None if it takes any name, or is of code that is not at hand."""
    from spacy.language import Language
    from spacy.schemas import ConfigSchemaInit, ConfigSchemaNlp, ConfigSchemaTraining

    from spacy_mtl.registry import registry

    schemas: dict[str, Any] = {"nlp": ConfigSchemaNlp, "training": ConfigSchemaTraining, "initialize": ConfigSchemaInit}
    if len(sections) == 1 and sections[0] in schemas:
        return set(schemas[sections[0]].model_fields)
    if len(sections) == 2 and sections[0] == "components" and "factory" in block:
        import spacy

        factories = spacy.blank("xx")  # knows the factories of all packages
        if factories.has_factory(block["factory"]):
            return {"factory", *(Language.get_factory_meta(block["factory"]).default_config or {})}
    for key, name in block.items():
        if key.startswith("@"):
            functions: Any = getattr(registry, key[1:], ())
            if name not in functions:
                return None
            parameters = inspect.signature(functions.get(name)).parameters.values()
            if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
                return None
            return {key, *(p.name for p in parameters)}
    return None


def _sections(block: Block, where: str) -> str:
    found = [f"{where}.{key}".lstrip(".") for key, value in block.items() if isinstance(value, Mapping)]
    return ", ".join(found) or "none"
