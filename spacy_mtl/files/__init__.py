"""Writing that nothing interrupts halfway: files, folders, and the locks that tell living processes from dead ones."""

from .atomic import write_atomically, writing_atomically
from .swap import write_folder

__all__ = ["write_atomically", "write_folder", "writing_atomically"]
