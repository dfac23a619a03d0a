"""Two checkouts of this package side by side: does a change make anything slower or worse?"""
