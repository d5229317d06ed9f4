"""Live explorers: change a number, and see what Python computes for it."""

from tensorlab.explore.strides import StrideExplorer

__all__ = ["StrideExplorer"]
