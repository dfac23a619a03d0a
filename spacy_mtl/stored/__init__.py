"""What every format checks of a file before anything is believed: JSON, declared arrays, and the ranges of stored values.

A checksum protects from accidents, not from people. So every name, type, length, offset, index and number of a file is checked when it is read, and
what a file can ask for is bounded by its own size. All checks raise :class:`.StoredValueError`, which the reader of a format turns into a coded error
that names the file.
"""
