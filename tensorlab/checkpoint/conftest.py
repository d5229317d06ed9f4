"""The examples of this room run in a folder of their own that holds one small file."""

import numpy as np
import pytest

from tensorlab.checkpoint import save_checkpoint


@pytest.fixture(autouse=True)
def small_file(tmp_path, monkeypatch):
    """Give each example small.safetensors: weight, F32 [2, 3], holding 0 to 5."""
    monkeypatch.chdir(tmp_path)
    save_checkpoint("small.safetensors", {"weight": np.arange(6, dtype=np.float32).reshape(2, 3)})
