"""M8xx, and M960 to M969: clusters of words, and lists of phrases."""


class TableErrors:
    # fmt: off
    M801 = ("Cannot read '{path}': {reason}. Give a UTF-8 file of clusters or of phrases.")
    M802 = ("'{path}', line {line}: the line has more than {most} characters. Give one word or phrase a line.")
    M803 = ("'{path}', line {line}: expected a bit path, a word and its count, separated by tabs, as in \"0110<TAB>word<TAB>12\", but found '{found}'. Give a file in "
            "the format of Brown clusters; 'spacy mtl clusters' makes one.")
    M804 = ("'{path}' has no word that occurs at least {min_count} times. Give a file with words, or a smaller min_count.")
    M805 = ("'{path}' has {n} words in {clusters} clusters, and at most {most} clusters are possible. Give a file with fewer.")
    M806 = ("The tables of spaCy's lookups are not installed. Install them with: pip install \"spacy-mtl[lookups]\"")
    M807 = ("spaCy's lookups have no table {name} for the language {lang}. They have clusters for de, en and es; for others, 'spacy mtl clusters' learns some from text.")
    M808 = ("The table {name} of spaCy's lookups for '{lang}' does not have clusters. Choose \"lexeme_cluster\".")
    M809 = ("'{name}': the templates read {attr}, for which there is no table. Give one in the config, in [initialize.components.{name}.tables.{table}], such as "
            "@mtl_tables = \"{example}\".")
    M810 = ("'{name}': {table} in [initialize.components.{name}.tables] is read by none of the templates. Take it out, or let templates read it{hint}.")
    M811 = ("'{name}': {table} in [initialize.components.{name}.tables] must be {expected}, but is {found}. Give it a block of its own with @mtl_tables.")
    M812 = ("'{name}': {table} cannot be the name of a table. Name it CLUSTER or CLUSTER_name for clusters, and LIST_name for phrases.")
    M813 = ("{where} was saved with the tables {expected}, but those beside it are {found}. Save the pipeline again as a whole, or copy all of its files.")
    M814 = ("{phrase} cannot be in a list: phrases are text of 1 to {words} words and at most {most} characters. Shorten it, or leave it out.")
    M815 = ("A list can have at most {most} phrases. Divide it, or leave out rare ones.")
    M816 = ("'{path}' has no phrases. Give a file with a phrase a line.")
    M817 = ("'{path}', line {line}: {words} words are too many for a phrase; at most {most} are possible. Shorten it, or leave it out.")
    M818 = ("'{name}': {table} is a list of entities of the training corpus, which has no {kind}. Choose one of its labels, or take out the list.")
    M960 = ("The setting '{setting}' of a table must be {expected}, but is {value}.")
    M961 = ("{n:,} entities or aliases are left out, since phrases of a list have at most {words} words and {most:,} characters, all of them valid Unicode.")
    M962 = ("All entities of {paths} that were asked for are too long for a list, whose phrases have at most {words} words and {most:,} characters. Give other files or labels.")
    # fmt: on


class TableWarnings:
    # fmt: off
    M850 = ("'{path}': {n} empty lines are left out.")
    M963 = ("'{name}': {table} is a list of entities of the training corpus, each part of which is to know what the other parts have; but it is a single document, or copies of "
            "few, and so has one part, which finds nothing of the list in training. Divide the corpus into more documents, such as with 'group' of the reader, or take out the list.")
    # fmt: on
