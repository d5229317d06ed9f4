"""Where every number of a tensor lives.

`import tensorlab as tl` brings what every chapter uses, and imports nothing but NumPy. Figures, exercises and the
course's files are asked for by name: `from tensorlab import data, figures`. The three questions about any array,
`tl.show`, `tl.explain` and `tl.explain_reshape`, load what they need when they are first asked.
"""

from tensorlab import views
from tensorlab.checkpoint import open_checkpoint, save_checkpoint
from tensorlab.dtypes import (
    DType,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tensorlab.errors import (
    ArgumentError,
    AxisError,
    BoundsError,
    CheckpointError,
    CheckpointNameError,
    DataError,
    DTypeError,
    LayoutError,
    ReadOnlyError,
    ShapeError,
    TensorlabError,
)
from tensorlab.kernels import add, contiguous, copy, mean, multiply, subtract
from tensorlab.layout import Layout, Overlap
from tensorlab.matrix import Matrix
from tensorlab.tensor import Tensor, arange, from_numpy, tensor, zeros
from tensorlab.views import broadcast_shapes

__all__ = [
    "ArgumentError",
    "AxisError",
    "BoundsError",
    "CheckpointError",
    "CheckpointNameError",
    "DType",
    "DTypeError",
    "DataError",
    "Layout",
    "LayoutError",
    "Matrix",
    "Overlap",
    "ReadOnlyError",
    "ShapeError",
    "Tensor",
    "TensorlabError",
    "add",
    "arange",
    "bfloat16",
    "bool_",
    "broadcast_shapes",
    "contiguous",
    "copy",
    "explain",
    "explain_reshape",
    "float16",
    "float32",
    "float64",
    "from_numpy",
    "int8",
    "int16",
    "int32",
    "int64",
    "mean",
    "multiply",
    "open_checkpoint",
    "save_checkpoint",
    "show",
    "subtract",
    "tensor",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "views",
    "zeros",
]


def __getattr__(name):
    if name == "__version__":
        from importlib.metadata import version

        return version("tensorlab-course")
    if name in ("explain", "explain_reshape", "show"):
        from tensorlab import inspect

        return getattr(inspect, name)
    raise AttributeError(f"module 'tensorlab' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
