#!/usr/bin/env python3
"""Takes the screenshots for README.md and docs/report.md: records each page's own program and
opens its report."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"


def write_report(page: Path, folder: Path, *command: str) -> Path:
    """The report of a page's train.py, recorded by a command."""
    text = page.read_text(encoding="utf-8")
    program = re.search(r"<!-- file: train.py -->\n```python\n(.*?)```", text, re.DOTALL)[1]
    (folder / "train.py").write_text(program)
    penstock = [sys.executable, "-m", "penstock"]
    record = [*penstock, *command, "--profile", "train.py"]
    subprocess.run(record, cwd=folder)  # the doctor's status says that it found something
    subprocess.run([*penstock, "report", "train.penprof"], cwd=folder, check=True)
    return folder / "train.html"


def take(browser, path: Path, name: str, height: int, prepare=None, theme="light") -> None:
    page = browser.new_page(viewport={"width": 1280, "height": height}, color_scheme=theme)
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    if prepare is not None:
        prepare(page)
    page.wait_for_timeout(800)  # the page scrolls smoothly, and settles what follows the range
    page.screenshot(path=IMAGES / name)
    page.close()


def show_a_block(page) -> None:
    page.locator("#zoom-peak").click()
    page.evaluate("scrollTo({top: document.querySelector('#map-section').offsetTop - 64})")
    page.wait_for_timeout(800)
    box = page.locator("#map").bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.3 * box["height"])


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        path = write_report(ROOT / "README.md", Path(folder), "doctor")
        take(browser, path, "report-findings.png", 960)
        path = write_report(ROOT / "docs" / "report.md", Path(folder), "run")
        take(browser, path, "report-light.png", 1330)
        take(browser, path, "report-dark.png", 1040, show_a_block, theme="dark")
        browser.close()


if __name__ == "__main__":
    main()
