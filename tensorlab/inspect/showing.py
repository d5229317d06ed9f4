"""`show`: the linked figure of any array in the reader's own notebook."""

from tensorlab import figures
from tensorlab.inspect.explaining import reach_text
from tensorlab.inspect.memory import as_tensor, locate, over_base
from tensorlab.layout import Layout
from tensorlab.tensor import Tensor


def show(x, *, title="", select=None, note=None, values=True, show_bytes=True):
    """Draw any array above the memory it lives in: where it starts, which slots it reaches, skips and shares.

    Parameters
    ----------
    x : Tensor, Matrix, Layout, NumPy array, or whatever `as_tensor` takes
        Strides set by hand may leave the memory; the figure crosses out the cells that do, and does not read them.
    title : str
        The heading.
    select : sequence of int, optional
        The index whose cell is selected at first.
    note : str, optional
        A line below the figure. Left out, it says how much of the memory is reached and how much stays alive.
    values : bool
        False draws slot numbers in place of the values.
    show_bytes : bool
        False leaves out the bytes.

    Returns
    -------
    Figure
        See `figures.linked`. A large array is drawn as a window that says what it leaves out.

    Raises
    ------
    ArgumentError, DTypeError, LayoutError
        If `x` cannot be shown; the message says why.

    Examples
    --------
    >>> import numpy as np
    >>> show(np.arange(6, dtype=np.int8)[::-2], show_bytes=False)
    shape (3,) · strides (−2,) · offset 5 · int8
    <BLANKLINE>
    grid     0  1  2
             5 [3] 1
    <BLANKLINE>
    buffer   0  1  2 [3] 4  5
             0  1  2  3  4  5
             .     .     .
                            ^offset
    <BLANKLINE>
    position(1) = 5 + 1×(−2) = 3
    hops: from 5, −2 to 3
    [1] is slot 3: value 3.
    '.': no index reaches it.
    3 of 6 slots are reached; the whole 6 bytes stay alive for these 3.
    """
    options = {"title": title, "select": select, "values": values, "show_bytes": show_bytes}
    if isinstance(x, Layout):
        return figures.linked(x, note=note or "", **options)
    place = locate(x, operation="show")
    note = f"{reach_text(place)}." if note is None else note
    if not any(place.bytes_outside):
        return figures.linked(place.tensor, note=note, **options)
    wide = over_base(place)
    if wide is None:
        return figures.linked(as_tensor(x, operation="show"), note=note, **options)
    layout, words = wide
    buffer = Tensor(words, Layout.row_major(words.size), place.tensor.dtype)
    return figures.linked(layout, buffer=buffer, note=note, **options)
