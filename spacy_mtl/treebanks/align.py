"""Align the words of two files of the same raw text, as in the CoNLL 2018 shared task.

Both files are walked through side by side. Words that are tokens of their own are aligned if they have the same span. Where either file comes to a
multiword token, all words of both are taken up to the end of the stretch that multiword tokens cover which overlap, and the longest common
subsequence of their forms is aligned, upper and lower case being the same.

Zeman et al. (2018), CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal Dependencies. What the task leaves open, namely which
words before a stretch belong to it and which of several common subsequences counts, is as its figures were made.
"""

from collections.abc import Sequence

from spacy_mtl.errors import Errors

from .words import Words

#: The largest product of the numbers of words in a stretch, since time and memory grow with it.
MOST_CELLS = 1 << 22


def align(gold: Words, system: Words) -> list[tuple[int, int]]:
    """Pairs of aligned words, indices in gold and in system, both ascending. The files must have the same raw text.

    Raises ValueError (M581) where multiword tokens that overlap cover thousands of words.
    """
    pairs = []
    i = j = 0
    while i < len(gold) and j < len(system):
        if gold.multiword[i] or system.multiword[j]:
            (i, after_i), (j, after_j) = _stretch(gold, i, system, j)
            ours, theirs = gold.forms[i:after_i], system.forms[j:after_j]
            if len(ours) * len(theirs) > MOST_CELLS:
                sentence, line = gold.places[gold.sentence_of(i)]
                raise ValueError(Errors.M581.format(sentence=sentence, line=line, gold=len(ours), system=len(theirs)))
            found = common_subsequence([form.lower() for form in ours], [form.lower() for form in theirs])
            pairs += [(i + a, j + b) for a, b in found]
            i, j = after_i, after_j
        elif gold.spans[i] == system.spans[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif gold.spans[i][0] <= system.spans[j][0]:
            i += 1
        else:
            j += 1
    return pairs


def _stretch(gold: Words, i: int, system: Words, j: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """First word and word after the last of a stretch, in gold and in system. Word i of gold or word j of the system is of a multiword token.

    One word of the other file is passed over that begins before the stretch; if there are more, which can be where tokens differ just before, they
    belong to it.
    """
    if gold.multiword[i]:
        end = gold.spans[i][1]
        j += not system.multiword[j] and system.spans[j][0] < gold.spans[i][0]
    else:
        end = system.spans[j][1]
        i += gold.spans[i][0] < system.spans[j][0]
    first_i, first_j = i, j
    while not (_is_past(gold, i, end) and _is_past(system, j, end)):
        ours = j == len(system) or (i < len(gold) and gold.spans[i][0] <= system.spans[j][0])
        words, k = (gold, i) if ours else (system, j)
        if words.multiword[k]:
            end = max(end, words.spans[k][1])
        i, j = i + ours, j + (not ours)
    return (first_i, i), (first_j, j)


def _is_past(words: Words, i: int, end: int) -> bool:
    """Whether word i is past a stretch that ends there: a multiword token that does not overlap it, or a word that is not wholly within."""
    if i == len(words):
        return True
    return words.spans[i][0] >= end if words.multiword[i] else words.spans[i][1] > end


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Indices of a longest common subsequence in both. Of several, the one that takes equal strings as soon as they meet, and passes over one of
    ``a`` rather than one of ``b``.
    """
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            same = a[i] == b[j]
            longest[i][j] = 1 + longest[i + 1][j + 1] if same else max(longest[i + 1][j], longest[i][j + 1])
    pairs = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
