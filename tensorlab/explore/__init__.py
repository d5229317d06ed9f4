"""Live explorers: change a number, and see what Python computes for it."""

from tensorlab.explore.broadcast import BroadcastExplorer
from tensorlab.explore.strides import StrideExplorer

__all__ = ["BroadcastExplorer", "StrideExplorer"]
