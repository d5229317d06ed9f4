"""Checkpoint files: bytes -> checked safetensors header -> named entries -> byte ranges -> rows, and back.

    byte 0   8 bytes   N, the header's length, lowest byte first
    byte 8   N bytes   the header: JSON that gives each tensor a dtype, a shape and its bytes [start, stop)
    byte 8+N           the data; start and stop count from here

The format is that of safetensors. `header` checks, `reader` reads exactly the bytes it needs, `writer` packs.
"""

from tensorlab.checkpoint.header import Entry
from tensorlab.checkpoint.reader import Checkpoint, open_checkpoint
from tensorlab.checkpoint.writer import replaced_file, save_checkpoint

__all__ = ["Checkpoint", "Entry", "open_checkpoint", "replaced_file", "save_checkpoint"]
