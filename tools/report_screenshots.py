#!/usr/bin/env python3
"""Takes the pictures of docs/report.md: runs the page's own program and opens its report."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"


def write_report(folder: Path) -> Path:
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    (folder / "train.py").write_text(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1])
    for command in (["run", "--profile", "train.py"], ["report", "train.penprof"]):
        subprocess.run([sys.executable, "-m", "penstock", *command], cwd=folder, check=True)
    return folder / "train.html"


def take(browser, path: Path, theme: str, height: int, prepare) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": height}, color_scheme=theme)
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    prepare(page)
    page.wait_for_timeout(800)  # the page scrolls smoothly, and settles what follows the range
    page.screenshot(path=IMAGES / f"report-{theme}.png")
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
        path = write_report(Path(folder))
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        take(browser, path, "light", 1330, lambda page: None)
        take(browser, path, "dark", 1040, show_a_block)
        browser.close()


if __name__ == "__main__":
    main()
