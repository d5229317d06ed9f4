"""The live figures' scripts travel deflated, and the deflated ones that are kept are those of the sources."""

import json

import pytest

from tensorlab.figures.pack import kept, packed, unpacked
from tests.pack_figures import PACKED, programs


def test_the_kept_scripts_are_those_of_the_sources():
    table = json.loads(PACKED.read_text(encoding="utf-8"))
    stale = [kind for kind, script in programs().items() if kind not in table or unpacked(table[kind]) != script]
    assert not stale, "run `python -m tests.pack_figures`, then `make notebooks`"
    assert table.keys() == programs().keys()


@pytest.mark.parametrize("script", ["", "let a = '…';", "x" * 100_000])
def test_a_script_that_is_not_kept_is_packed_anew(script):
    assert script not in kept()
    assert unpacked(packed(script)) == script


def test_a_kept_script_is_not_deflated_again():
    for script, text in kept().items():
        assert packed(script) is text
