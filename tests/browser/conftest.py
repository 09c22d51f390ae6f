"""The browser, and pages of profiles opened in it. Nothing here uses the network."""

import shutil
import sys
from pathlib import Path

import pytest
from penstock.profiler import _report
from playwright.sync_api import sync_playwright

# The profiles are made up where the quick tests of the report make theirs.
sys.path.insert(0, str(Path(__file__).parents[1] / "python" / "front"))


@pytest.fixture(scope="session")
def browser():
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        # Without the sandbox, which a root user, as in a container, cannot have.
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def open_report(browser, tmp_path):
    """Opens a profile's report; at the end there must have been no error and no request."""
    complaints, requests, pages = [], set(), {}

    def open_it(profile, **options):
        path = tmp_path / f"report{len(pages)}.html"
        _report.write(profile, path)
        options = {"viewport": {"width": 1280, "height": 1000}} | options
        page = browser.new_page(**options)
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.add(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", state="attached")
        pages[page] = path.as_uri()
        return page

    yield open_it
    for page in pages:
        page.close()
    assert complaints == []
    assert requests == set(pages.values())  # each its own file, and nothing else
