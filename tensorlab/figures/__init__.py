"""Still and live figures as free functions: they paint what the package computed, and compute nothing themselves."""

from tensorlab.figures.broadcast import broadcast
from tensorlab.figures.file import file
from tensorlab.figures.linked import linked

__all__ = ["broadcast", "file", "linked"]
