"""The arithmetic, one file per family.

Every kernel takes a Tensor, a Matrix or a NumPy array of any layout, reads it where it lies, and writes only a new
tensor or `out`.
"""

from tensorlab.kernels.elementwise import add, contiguous, copy, multiply, subtract
from tensorlab.kernels.reductions import mean

__all__ = ["add", "contiguous", "copy", "mean", "multiply", "subtract"]
