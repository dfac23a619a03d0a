"""Learn from a treebank which tokens are several words: rules, and weights that tell for which forms they are right.

Each form counts once. For every rule that applies to it, the question is whether the form is split so; what is seen of the stem is what the tokens of
other forms say, as it is for a form that was not seen. The answers are learned by MTLStruct, with a block for each kind of observation.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from spacy_mtl.structures.chain.build import ChainFeatures, chain_problem
from spacy_mtl.structures.problem import Blocks, block_starts
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from .rules import LONGEST, NAMES, UNKNOWN, Rule, Rules, known_word, observed, rules_of
from .splitter import MOST_RULES, Splitter, is_split

#: Passes over all questions, a few thousand, which take less than a second; exponent of the block norm, and weight of the losses.
_PASSES, _P, _C = 10, 1.3333, 0.5

#: The form of a token, its words, and the tag of the first of them ("" if it has none).
Token = tuple[str, Sequence[str], str]
#: How often a word was seen, by the form of the token, in lower case, and its tag.
_Seen = dict[str, Counter[tuple[str, str]]]


def learn(tokens: Iterable[Token]) -> Splitter:
    """A splitter from the tokens of a corpus; the words of a token that is not split are its form alone.

    A token that a range of the file makes one word of another form, and one of very many or long words, is not split.
    """
    counts: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    seen: _Seen = defaultdict(Counter)
    for form, words, tag in tokens:
        usual_words = tuple(words) if is_split(form, list(words)) else (form,)
        counts[form][usual_words] += 1
        seen[usual_words[0].lower()][form.lower(), tag] += 1
    usual = {form: found.most_common(1)[0][0] for form, found in counts.items()}
    own = _own_rules(usual)
    for form, rule in own.items():
        if rule.beginning:
            seen[usual[form][len(rule.before)].lower()][form.lower(), ""] += 1
    rules = _frequent(own.values())
    splitter = Splitter.of(rules)
    if rules:
        splitter.known = {word: _known(seen, word) for word in seen}
        splitter.weights = _weights(usual, own, Rules(rules), seen)
    # forms that the rules get right need not be kept; the second time, those that are kept in lower case speak for others, too
    for _ in range(2):
        wrong = {form: list(words) for form, words in usual.items() if splitter.split(form) != list(words)}
        splitter = replace(splitter, forms=splitter.forms | wrong)
    return splitter


def _own_rules(usual: dict[str, tuple[str, ...]]) -> dict[str, Rule]:
    """The rule of each form that is split: of those that make its words, the one of the most forms, of equal ones that about the end."""
    found = {form: rules_of(form, words) for form, words in usual.items() if len(words) > 1 and _has_places(form)}
    counts = Counter(rule for rules in found.values() for rule in rules)
    return {form: max(rules, key=counts.__getitem__) for form, rules in found.items()}


def _frequent(own: Iterable[Rule]) -> list[Rule]:
    """The rules of all forms, those of many forms first."""
    kept: list[Rule] = []
    alike: Counter[tuple[bool, str]] = Counter()
    for rule, _ in Counter(own).most_common():
        if max(len(rule.ending), len(rule.beginning)) <= LONGEST and alike[rule.kind] < MOST_RULES:
            kept.append(rule)
            alike[rule.kind] += 1
    return kept


def _has_places(form: str) -> bool:
    return len(form.lower()) == len(form)


def _known(seen: _Seen, word: str, without: str = "") -> str:
    """What is known of a word by the tokens of other forms than ``without``, in lower case."""
    tags: Counter[str] = Counter()
    for (form, tag), n in seen[word].items() if word in seen else ():
        if form != without:
            tags[tag] += n
    return known_word(tags.total(), tags.most_common(1)[0][0]) if tags else UNKNOWN


def _weights(usual: Iterable[str], own: dict[str, Rule], rules: Rules, seen: _Seen) -> dict[str, dict[str, float]]:
    """Learn the weights of all values that are seen, by the name of what is seen."""
    values: list[dict[str, int]] = [{} for _ in NAMES]
    rows, right = [], []
    for form in usual:
        lower = form.lower()
        for rule in rules.of(lower) if _has_places(form) else ():
            found = observed(lower, rule, _known(seen, rule.stem(lower), lower))
            rows.append([numbers.setdefault(value, len(numbers)) for numbers, value in zip(values, found, strict=True)])
            right.append(rule == own.get(form))
    if not rows:
        return {}
    starts = block_starts(list(map(len, values)))
    node = (np.array(rows) + starts[:-1]).astype(np.int32)
    features = ChainFeatures(node, np.zeros((len(rows), 0), np.int32), False)
    blocks = Blocks(starts, np.zeros(1, np.int64), NAMES)
    problem = chain_problem(features, blocks, np.array(right, np.int32), np.arange(len(rows) + 1), ("one", "several"))
    learned = fit(MTLStruct(_P, _C), problem, _PASSES).weights.node
    ahead = (learned[:, 1] - learned[:, 0]).astype(float).round(4).tolist()
    return {
        name: {value: ahead[start + k] for value, k in numbers.items() if ahead[start + k]}
        for name, numbers, start in zip(NAMES, values, starts[:-1], strict=True)
    }
