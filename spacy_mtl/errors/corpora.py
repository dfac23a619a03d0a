"""M5xx, M756, and M955 to M957: corpora and training support."""


class CorpusErrors:
    # fmt: off
    M501 = "Cannot read '{path}': {reason}. Check the path (a relative one starts at '{cwd}')."
    M502 = ("Line {line} of '{path}' cannot be decoded as {encoding}: {reason}. Set 'encoding' to the one the file was "
            "written in: for example \"cp1252\" for Western European languages, \"gb18030\" or \"big5\" for Chinese, \"shift_jis\" for Japanese, \"euc_kr\" for Korean.")
    M503 = ("Line {line} of '{path}' has {got} column(s), but {expected} are named ({columns}). Correct the line, or "
            "name the columns the file really has ('_' for one to ignore) and check 'separator'.")
    M504 = "'{path}' contains no sentences. A corpus file has one token per line and an empty line after each sentence."
    M505 = ("The columns {columns} cannot be read: name the word column 'ORTH' exactly once, and every other name at "
            "most once ('_' as often as needed).")
    M506 = "Unknown column '{column}' in {columns}. A ConllCorpus can read {known}, and '_' for a column to ignore."
    M507 = ("'given' names the column '{column}', which is not an input column of {columns}. Add it to 'columns', or "
            "remove it from 'given'.")
    M508 = ("Line {line} of '{path}': '{tag}' is not an entity tag of the scheme '{scheme}'. Expected O, {prefixes}, or "
            "'-' where gold is missing; check which of 'columns' is ENT (option --columns), and 'scheme'.")
    M509 = "Unknown tag scheme '{scheme}'. Choose one of {known}."
    M510 = ("Line {line} of '{path}': '{pos}' is not a universal part-of-speech tag. Name the column 'TAG' to read tags of "
            "any other set.")
    M511 = "The corpus has no path. Set 'path' of the reader, for example on the command line with --paths.train FILE."
    M512 = "Line {line} of '{path}' has an empty word. Correct the line, or check 'separator' and 'columns'."
    M513 = "Unknown encoding '{encoding}' for '{path}'. Use a name Python knows, such as \"utf8\" or \"latin-1\"."
    M514 = "'{setting}' of the corpus must be {expected}, but it is {value}."
    M515 = ("Unknown language '{lang}' ({reason}). Use a code that spaCy knows, such as \"es\", or \"xx\" for any "
            "language.")
    M516 = ("The output '{path}' must end in '.spacy', the only ending that spaCy's own readers look for, or in '.conllu', to write the trees of a "
            ".spacy file as CoNLL-U.")
    M517 = ("The training log '{path}' cannot be written: {reason}. Set 'path' of the logger to a file that you may "
            "write, or to null.")
    M518 = ("'{path}' is a CoNLL-U treebank by its name, but {n} columns are named ({columns}), so that its numbers of words would be read as words. "
            "Use the reader 'spacy_mtl.ConlluCorpus.v1' for it, in commands --format conllu, or name all ten columns.")
    M520 = "'{path}' contains no words. A segmented text has one sentence per line, with spaces between words."
    M521 = ("The segmentation of '{text}' cannot be scored: the predicted words belong to another text, '{other}'. Predict on the text of the gold "
            "words; only white space may differ.")
    M580 = ("'{gold}' and '{system}' do not have the same text, white space aside: the first has '{gold_text}' ({gold_place}) where the second has '{system_text}' "
            "({system_place}). Give two files of the same raw text.")
    M581 = ("Sentence {sentence}, line {line} of gold: multiword tokens of the two files that overlap cover {gold:,} and {system:,} words from here on, which are too many to "
            "be aligned. Correct the ranges.")
    M590 = "The setting '{setting}' of {name} must be {expected}, but is {value}."
    M550 = ("Line {line} of '{path}' (sentence {sentence}) has {got} column(s), but CoNLL-U and CoNLL-X have 10, separated by tabs. Correct the line, or check "
            "that the file is in one of these formats.")
    M551 = ("Line {line} of '{path}' (sentence {sentence}): expected {expected}, but found the id '{id}'. Words are numbered from 1 within their "
            "sentence; ranges (1-2) come before their first word, empty nodes (1.1) after word 1.")
    M552 = ("Line {line} of '{path}' (sentence {sentence}): '{head}' is not a head. Expected 0 for the root, or the id of another word of the sentence, 1 to {n}.")
    M553 = ("Line {line} of '{path}' (sentence {sentence}): the heads above the word '{word}' form a cycle. Correct the tree: every word must reach a root.")
    M554 = ("Line {line} of '{path}' (sentence {sentence}): no word is the root. Give at least one word of the sentence the head 0, or every word the head '_' "
            "if there is no gold tree.")
    M555 = ("Line {line} of '{path}' (sentence {sentence}): the word '{word}' has no head, but other words of the sentence do. Give every word a head, or "
            "every word the head '_' if there is no gold tree.")
    M556 = "Sentence {sentence} of the document has no root. Give at least one word of each sentence the head 0."
    M557 = ("Line {line} of '{path}' (sentence {sentence}): the word '{word}' is labelled ROOT, but has the head {head}. This label is reserved for roots: use "
            "another label, or give the word the head 0.")
    M558 = "'{setting}' of the corpus cannot be '{value}'. Choose one of {known}."
    M559 = "Line {line} of '{path}' (sentence {sentence}) has an empty word. Give it a form, or '_' if the form is unknown."
    M561 = ("Line {line} of '{path}' has {got} column(s), but the lines before have {expected}. Correct the line, or name the columns with --columns.")
    M577 = ("The first line of '{path}' looks like the names of its columns ({line}), not like a token. Delete it.")
    M568 = ("'{path}' has {got} column(s), but --columns names {expected} ({columns}). Name those that it has, with '_' for one to ignore.")
    M564 = ("Line {line} of '{path}' (sentence {sentence}): the range {id} overlaps the range before it, which ends at word {end}. A word belongs to one multiword "
            "token at most: correct the ranges.")
    M570 = ("Line {line} of '{path}' has no bracketed tree: {fault}. Correct the tree; one looks like ((S (NP (PRP It)) (VP (VBZ rains)) (. .))).")
    M571 = ("Line {line} of '{path}': '{label}' cannot be the label of a constituent, since labels must not be empty or the name of a root, contain + or ^, or begin with @ or /. "
            "Rename it.")
    M572 = "'{path}' contains no trees. A file of bracketed trees has one like ((S (NP (PRP It)) (VP (VBZ rains)) (. .))) for each sentence."
    M573 = ("{place} of '{path}' is no text with entities: {fault}. Give what Prodigy (db-out) or Label Studio (JSON) has exported, or spacy mtl suggest has written.")
    M574 = ("'{path}' contains no annotated texts. Accept tasks in Prodigy, or submit annotations in Label Studio, and export them again.")
    M576 = ("The {kind} '{text}' cannot be written in brackets: words and tags must not be empty, and neither they nor labels may have blanks. Correct the words of the document, "
            "or put a component that sets tags before.")
    M957 = "'{path}' is empty. Give a corpus file with at least one sentence."
    M955 = ("'{path}' has JSON, not columns. Texts with marked entities are read with the reader 'spacy_mtl.TasksCorpus.v1', in commands with --format tasks; 'spacy mtl convert' "
            "with that option writes a .spacy file of them.")
    # fmt: on


class CorpusWarnings:
    # fmt: off
    M562 = ("'{path}' has {got} columns, of which the first {expected} are named ({columns}). The last is ignored, though it looks like entities ('{tag}'): "
            "if these are the ones to learn, name all columns, with '_' for those to ignore; 'spacy mtl init-config' does.")
    M563 = ("{n} word(s) of '{path}' have features that are not written as in Universal Dependencies, and are read as words without known features. The "
            "first: line {line}, sentence {sentence}, '{value}'. Write them as Key=Value, separated by '|', each key once; '_' for none.")
    M565 = ("What {n} sentence(s) of a CoNLL-U file said beyond a document is not written, since it does not fit the words of the document any longer: '{text}'. Change words "
            "before reading the file, or leave out of doc.user_data what was kept.")
    M566 = ("{n} sentence(s) of '{path}' have a text comment that is not the text of their tokens. The first: line {line}, sentence {sentence}, '{value}'. "
            "Correct the comment, or the words, ranges and SpaceAfter.")
    M567 = ("{n} sentence(s) of '{path}' are read without a tree, since their heads do not form one. The first: {reason}")
    M956 = ("No line of '{path}' has a space, so each of its {n} lines is a single word, and nothing is learnt about borders of words. Check whether it is a "
            "segmented text, which has spaces between words.")
    M575 = ("'{path}' has entities that begin or end within a token, {n} in all; nothing is learnt about their tokens. The first: {first}. Mark whole tokens, or "
            "change the tokenizer.")
    M756 = ("The training ended before its first evaluation, so '{path}' is still the pipeline of an earlier training.")
    M560 = ("{n} sentence(s) of '{path}' were left out because their heads do not form a tree. The first: {reason}")
    # fmt: on
