"""Every run of pytest, also on one notebook alone, starts from quiet surroundings and an empty reader's home."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.notebooks.surroundings import quiet


def pytest_configure(config: pytest.Config) -> None:
    folder = tempfile.TemporaryDirectory(prefix="tensorlab-tests-", ignore_cleanup_errors=True)
    config.add_cleanup(folder.cleanup)
    os.environ.update(quiet(Path(folder.name)))


@pytest.fixture(autouse=True)
def home_of_this_test() -> Iterator[Path]:
    """Give each test an empty home, so that no test and no chapter sees another's progress."""
    shared = os.environ["TENSORLAB_HOME"]
    own = tempfile.mkdtemp(dir=Path(shared).parent)
    os.environ["TENSORLAB_HOME"] = own
    yield Path(own)
    os.environ["TENSORLAB_HOME"] = shared
