"""What a trained component gains and keeps when it learns on, see :mod:`.program`."""
