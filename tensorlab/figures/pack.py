"""The scripts of the live figures, deflated once and kept: a figure has the same bytes on every machine.

A live figure carries its own painter. Deflated it takes a third of the room, and every browser can inflate it. zlib's
builds choose different bytes for the same text, and stored notebooks are compared byte for byte, so the deflated
painters stand in `packed.json`, which `python -m tests.pack_figures` writes.
"""

import base64
import json
import zlib
from functools import cache
from importlib import resources

TABLE = "packed.json"


def packed(script):
    """A script as base64 of its deflated text: the kept one, or for a script that was just edited a new one.

    Parameters
    ----------
    script : str

    Returns
    -------
    str
        ASCII text; `unpacked` gives the script back.

    Examples
    --------
    >>> unpacked(packed("let a = 1;"))
    'let a = 1;'
    """
    return kept().get(script) or base64.b64encode(zlib.compress(script.encode(), 9)).decode()


def unpacked(text):
    """The script inside a packed one.

    Examples
    --------
    >>> unpacked("eJwDAAAAAAE=")
    ''
    """
    return zlib.decompress(base64.b64decode(text)).decode()


@cache
def kept():
    """The packed scripts of `packed.json`, by the scripts themselves.

    Examples
    --------
    >>> all(script.startswith("(function(){") for script in kept())
    True
    """
    table = resources.files("tensorlab.figures").joinpath(TABLE)
    if not table.is_file():
        return {}
    return {unpacked(text): text for text in json.loads(table.read_text(encoding="utf-8")).values()}
