"""Settings that every test shares."""

import os

import pytest
from hypothesis import settings

settings.register_profile("tensorlab", deadline=None, derandomize=bool(os.environ.get("CI")), print_blob=True)
settings.load_profile("tensorlab")


@pytest.fixture(scope="package")
def browser():
    """One Chromium for all tests: two of Playwright's sessions cannot live in one thread."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright drives the browser: pip install playwright"
    )
    from tests.browser.lab import CHROMIUM_OPTIONS, HOW_TO_GET_ONE, find_chromium

    with sync_api.sync_playwright() as playwright:
        path = find_chromium(playwright)
        if path is None:
            pytest.skip(HOW_TO_GET_ONE)
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_OPTIONS)
        yield browser
        browser.close()
