"""Settings that every test shares."""

import os

from hypothesis import settings

settings.register_profile("tensorlab", deadline=None, derandomize=bool(os.environ.get("CI")), print_blob=True)
settings.load_profile("tensorlab")
