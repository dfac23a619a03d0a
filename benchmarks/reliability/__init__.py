"""What the package promises about hostile text and files, kills and sizes, tried out: one command for the whole table."""
