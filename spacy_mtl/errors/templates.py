"""M1xx: templates."""


class TemplateErrors:
    # fmt: off
    M101 = ("Bad template at {place}: expected a name (U... for a template that scores single labels, B... for one "
            "that scores label pairs), but found {found}.{snippet}")
    M102 = ("Bad template at {place}: expected ':' after the name '{name}', as in {name}:%x[0,ORTH], but found "
            "{found}; names are made of letters, digits, '_' and '-'.{snippet}")
    M103 = ("Bad template at {place}: expected {expected}, as in %x[-1,LOWER]/%x[0,TAG], but found {found}.{snippet}")
    M104 = ("Bad template at {place}: expected an integer offset, as in %x[-1,LOWER], but found {found}.{snippet}")
    M105 = ("Bad template at {place}: the offset {found} is too far from the token; use one between -{limit} and "
            "{limit}.{snippet}")
    M106 = ("Bad template at {place}: expected the name of an attribute, as in %x[0,ORTH], but found {found}; columns "
            "are named here, not numbered.{snippet}")
    M107 = ("Bad template at {place}: the U template '{name}' observes nothing; add at least one observation, as in "
            "U00:%x[0,ORTH].{snippet}")
    M108 = ("Bad template at {place}: constant text {found} is not allowed, since it says nothing about the token; "
            "keep only %x[offset,ATTRIBUTE], joined by '/'.{snippet}")
    M109 = ("Bad template at {place}: expected the end of the template, but found {found}; put a comment on a line of "
            "its own.{snippet}")
    M110 = ("Unknown attribute '{attr}' in template '{template}'. Use a spaCy token attribute ({known}), PREFIXn or SUFFIXn, "
            "CHAR_TYPE, or register a function of that name in the 'mtl_attributes' registry (commands import your file with --code; in Python, import it before spacy.load).")
    M111 = ("Template '{template}' reads the attribute '{attr}', which no input document carries. Provide it on the predicted "
            "Docs: let the corpus reader set it as a given column, or put a component that sets it before '{name}' and list that component in "
            "[training] annotating_components, or in Python: nlp.update(..., annotates=[...]).")
    M112 = ("The function registered as '{attr}' in 'mtl_attributes' returned {got} values for a document of {expected} tokens; it "
            "must return one str, int or bool per token.")
    M113 = ("The function registered as '{attr}' in 'mtl_attributes' returned {value!r}; make it return a str, int or bool.")
    M114 = ("The function registered as '{attr}' in 'mtl_attributes' returned {value} for a document; make it return a list with one str, int or bool per token.")
    M120 = "The template name '{name}' is used twice ({place}). Give each template a name of its own."
    M121 = "There is no template in {place}. Give at least one, such as U00:%x[0,ORTH]."
    M122 = "The observation cut-off {setting} must be an integer of at least 1, but it is {value}."
    M123 = ("spacy_mtl.patterns.v1 takes its templates either from 'patterns' (a list) or from 'path' (a file), but "
            "{got}. Set exactly one of the two.")
    M124 = "Cannot read the template file '{path}': {reason}. Check the setting 'path' of spacy_mtl.patterns.v1."
    M125 = "Template '{template}' reads the attribute '{attr}', but the only columns available are {known}."
    M126 = ("The templates '{first}' and '{second}' observe the same thing ({pattern}). Keep one of the two.")
    M127 = ("The attribute '{attr}' describes the words of the training corpus, which only mtl_segmenter knows. Remove the templates that read it (seg.v1: "
            "dictionary = false), or use mtl_segmenter.")
    M128 = ("Bad template at {place}: expected one of the distances {bins} (the smallest of each bin) for %d, but found {found}.{snippet}")
    M129 = ("Template '{template}' looks at {found}, but '{name}' scores {scores}: use {use}.")
    M130 = ("Template '{template}' {fault}.")
    M131 = ("The setting 'variants' of spacy_mtl.mst.v1 must be one of {known}, but is {value}.")
    M132 = ("The attribute '{attr}' is learnt from the training corpus by {component} alone. Remove the templates that read it ({setting}), "
            "or use them there.")
    M133 = "The setting '{setting}' of the templates must be {expected}, but is {value}."
    M135 = ("Bad template at {place}: {found} cannot be read there. A template V:%v[0] reads the vector of one token (or %t[0] its row of doc.tensor), and "
            "nothing else; U and B read attributes, such as %x[0,ORTH].{snippet}")
    M134 = ("Bad template at {place}: a template makes at most {limit} observations, but here is one more; divide them among "
            "several templates.{snippet}")
    # fmt: on
