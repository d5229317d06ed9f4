"""Questions about the reader's own arrays: where they live, who shares their memory, view or copy.

Whatever shares its memory is understood: `Tensor`, `Matrix`, NumPy arrays, and every object with the buffer protocol,
`__array_interface__`, `__dlpack__` or `__array__`, torch's CPU tensors among them. Nothing is ever copied.
"""

from tensorlab.inspect.explaining import Explanation, explain, explain_reshape
from tensorlab.inspect.memory import as_tensor
from tensorlab.inspect.showing import show

__all__ = ["Explanation", "as_tensor", "explain", "explain_reshape", "show"]
