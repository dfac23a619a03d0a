"""M90x-M94x: clusters of machines, and what runs on them."""


class ClusterErrors:
    # fmt: off
    M901 = ("Working on a cluster needs Ray, which is not installed. Install it with: pip install \"spacy-mtl[ray]\"")
    M902 = ("'{address}' is no address of a cluster. Give local for a cluster on this machine, auto for the one that runs here, or HOST:PORT.")
    M903 = ("No Ray cluster answers at '{address}' within {seconds:g} seconds: {reason}. Check the address, and that the cluster runs; 'ray start --head' starts one.")
    M904 = ("The cluster at '{address}' cannot be joined: {reason}. Install the same versions of Python and Ray here and there.")
    M905 = ("{worker} has {found}, but this machine has {expected}. Install the same versions on all machines.")
    M906 = ("{worker} cannot say which versions it has: {reason}. See that spacy_mtl is installed there.")
    # fmt: on
