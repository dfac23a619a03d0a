"""M90x-M94x: clusters of machines, and what runs on them."""


class ClusterErrors:
    # fmt: off
    M901 = ("Working on a cluster needs Ray, which is not installed. Install it with: pip install \"spacy-mtl[ray]\"")
    M902 = ("'{address}' is no address of a cluster. Give local for a cluster on this machine, auto for the one that runs here, or HOST:PORT.")
    M903 = ("No Ray cluster answers at '{address}' within {seconds:g} seconds: {reason}. Check the address, and that the cluster runs; 'ray start --head' starts one.")
    M904 = ("The cluster at '{address}' cannot be joined: {reason}. Install the same versions of Python and Ray here and there.")
    M905 = ("{worker} has {found}, but this machine has {expected}. Install the same versions on all machines.")
    M906 = ("{worker} cannot say which versions it has: {reason}. See that spacy_mtl is installed there.")
    M910 = ("{worker} could not annotate partition {number} ('{path}'): {reason}. What is done is kept; the same command goes on from there.")
    M911 = ("The worker's process ended {n} times on this document alone: {reason}")
    M912 = ("Partition {number} ('{path}') ends the worker's process each time ({reason}), but none of its documents does so alone. What is done is kept; "
            "give the workers more memory, or a smaller --partition-size in another folder.")
    M913 = ("'{path}' is no folder that annotations were written to before, and is not empty. Give the name of a new folder, or of that of the same command.")
    M914 = ("'{path}' was begun with another {what}. Give the same again to go on, or the name of another folder.")
    M915 = ("'{path}' is in use by {holder}. Wait until it has ended, or give another folder.")
    M916 = ("The model '{model}' is not the same on this worker as where the command was given. Copy it to all machines, or to a folder that they share.")
    M917 = ("{option} does not go with{out} --ray. Leave it out{hint}.")
    M918 = ("'{path}' is given twice. Give each input once.")
    M919 = ("'{path}' has no files ending in {endings}. Give files, or a folder with some.")
    M920 = ("This line is no JSON object: {reason}. Write one object on each line.")
    M921 = ("There is no text in '{column}', but {found}. Name the column of the texts with --text-column.")
    M922 = ("The document has {n:,} characters, more than the pipeline's max_length, {most:,}. Split it.")
    M923 = ("'{path}' has no column '{column}' of strings; its columns are {known}. Name the column of the texts with --text-column.")
    M924 = ("'{path}' has the columns {found}, but '{first}' has {expected}. Give shards with the same columns, or annotate them one after the other.")
    M925 = ("'{path}' already has a column '{column}', which the annotation would replace. Rename it.")
    M926 = ("'{path}' cannot be read as Parquet: {reason}. Give a complete file.")
    M927 = ("Parquet needs pyarrow, which is not installed. Install it with: pip install \"spacy-mtl[ray]\"")
    M928 = ("The pipeline fails on this document: {reason}")
    M929 = ("A line or block of more than {most:,} bytes is no document. Split it.")
    M930 = ("The bytes of this document are not {encoding}: {reason}. Give another --encoding.")
    M931 = ("'{path}' has changed since the command began. Annotate it again, to another folder.")
    M934 = ("The pipeline fails on each of {n} documents, as in: {reason} Correct the pipeline, or give another.")
    M935 = ("The inputs are of several formats: {kinds}. Say with --output-format which one to write.")
    M936 = ("The {worker} has written partition {number}, but '{path}' is not on this machine. Give an output folder that all machines share.")
    M932 = ("A frame has no column '{column}' of texts; its columns are {known}. Name the column with text=...")
    # fmt: on
