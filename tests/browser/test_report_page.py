"""The report as a reader meets it: in a browser, with the pointer and with the keyboard."""

import re

import numpy as np
import pytest
from penstock.profiler import Profile, _report
from playwright.sync_api import expect
from synthetic_profiles import training

LONG_FILE = "/srv/" + "a_very_long_name_" * 20 + ".py"


def two_blocks(**more):
    """A large block for the whole time, and a smaller one on top of it in the second half."""
    columns = {
        "start": [0, 500_000],
        "end": [-1, 900_000],
        "bytes": [3 << 20, 1 << 20],
        "tag": [1, 0],
        "site": [0, 1],
        "op": [0, 1],
        "owner": [2, -1],
        "dtype": [3, 3],
        "shape": [0, 1],
    }
    about = {
        "sites": [("/home/user/train.py", 3, "<module>"), ("/home/user/model.py", 17, "forward")],
        "names": ["RandomUniform", "MatMul", "dense/kernel:0", "float32"],
        "shapes": ["(1024, 768)", "(512, 512)"],
        "meta": {"program": "/home/user/train.py", "duration_ns": 1_000_000},
    }
    return Profile(columns, **about | more)


def point_at(page, across, up):
    """Moves the pointer to a share of the map's width and height."""
    page.locator("#map").scroll_into_view_if_needed()
    box = page.locator("#map").bounding_box()
    left, right, top, bottom = 68, 12, 10, 24  # the axes' margins
    x = box["x"] + left + across * (box["width"] - left - right)
    y = box["y"] + top + (1 - up) * (box["height"] - top - bottom)
    page.mouse.move(x, y)


def tooltip_at(page, across, up, text):
    """The tooltip there, as soon as it says that text: what follows a range takes a moment."""
    tip = page.locator("#tooltip")
    for _ in range(50):
        point_at(page, across, up)
        if tip.is_visible() and text in tip.inner_text():
            break
        page.mouse.move(0, 0)
        page.wait_for_timeout(100)
    assert text in tip.inner_text()
    return tip.inner_text()


def shows(page, place, text):
    """Waits until a part of the page has a text."""
    expect(page.locator(place)).to_contain_text(text)


def drag_timeline(page, start, stop):
    box = page.locator(".range-layer").bounding_box()
    y = box["y"] + box["height"] / 4
    page.mouse.move(box["x"] + start * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + stop * box["width"], y, steps=8)
    page.mouse.up()


def test_hover_shows_what_is_known_of_a_block(open_report):
    page = open_report(two_blocks())
    tip = tooltip_at(page, 0.7, 0.85, "MatMul")
    for text in ("1 MiB", "float32 (512, 512)", "activation", "model.py:17", "forward"):
        assert text in tip
    assert "400 µs" in tip  # how long it lived
    tip = tooltip_at(page, 0.7, 0.3, "RandomUniform")
    for text in ("dense/kernel:0", "train.py:3", "held at the end"):
        assert text in tip
    point_at(page, 0.2, 0.9)  # nothing lies there
    expect(page.locator("#tooltip")).to_be_hidden()


def test_dragging_on_the_timeline_chooses_a_range(open_report):
    page = open_report(two_blocks())
    shows(page, "#peak-text", "4 MiB in 2 blocks")
    drag_timeline(page, 0.1, 0.4)
    shows(page, "#range-text", "100 µs to 400 µs")
    # Only the large block was held then.
    shows(page, "#peak-text", "3 MiB in 1 block ")
    expect(page.locator("#sites")).not_to_contain_text("model.py")
    tooltip_at(page, 0.5, 0.85, "RandomUniform")
    page.locator("#zoom-all").click()
    shows(page, "#peak-text", "2 blocks")


def test_dragging_on_the_map_zooms_in(open_report):
    page = open_report(two_blocks())
    point_at(page, 0.6, 0.5)
    page.mouse.down()
    point_at(page, 0.7, 0.5)
    point_at(page, 0.8, 0.5)
    page.mouse.up()
    shows(page, "#range-text", "600 µs to 800 µs")
    tooltip_at(page, 0.1, 0.85, "MatMul")


def test_a_click_keeps_the_details(open_report):
    page = open_report(two_blocks())
    point_at(page, 0.7, 0.85)
    page.mouse.down()
    page.mouse.up()
    shows(page, "#block-details", "MatMul")
    page.get_by_role("button", name="Zoom to its lifetime").click()
    shows(page, "#range-text", "480 µs to 920 µs")


def test_dragging_the_ends_and_the_body_of_the_range(open_report):
    page = open_report(two_blocks())
    drag_timeline(page, 0.2, 0.4)
    drag_timeline(page, 0.4, 0.6)  # its end
    shows(page, "#range-text", "200 µs to 600 µs")
    drag_timeline(page, 0.4, 0.6)  # its body
    shows(page, "#range-text", "400 µs to 800 µs")


def test_the_range_moves_with_the_keyboard(open_report):
    page = open_report(two_blocks())
    page.locator(".range-to").focus()
    for _ in range(6):
        page.keyboard.press("Shift+ArrowLeft")
    shows(page, "#range-text", "0 ns to 700 µs")
    assert page.locator(".range-to").get_attribute("aria-valuetext") == "700 µs"
    page.locator(".range-body").focus()
    page.keyboard.press("End")
    shows(page, "#range-text", "300 µs to 1 ms")
    page.keyboard.press("+")
    shows(page, "#range-text", "475 µs to 825 µs")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Home")
    shows(page, "#peak-text", "3 MiB in 1 block ")
    page.keyboard.press("Escape")
    expect(page.locator("#range-text")).to_have_text("all 1 ms")
    shows(page, "#peak-text", "4 MiB in 2 blocks")


def test_the_map_is_read_with_the_keyboard(open_report):
    page = open_report(two_blocks())
    page.locator("#map").focus()
    status = page.locator("#map-status")
    assert "RandomUniform, 3 MiB, float32 (1024, 768), variable" in status.inner_text()
    page.keyboard.press("ArrowUp")
    assert "MatMul, 1 MiB" in status.inner_text()
    assert "model.py line 17" in status.inner_text()
    for _ in range(2):
        page.keyboard.press("Shift+ArrowLeft")
    assert "RandomUniform" in status.inner_text()  # the smaller block had not begun
    assert "RandomUniform" in page.locator("#block-details").inner_text()


def test_everything_is_reached_with_the_tab_key(open_report):
    page = open_report(two_blocks())
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        name = "document.activeElement.id || document.activeElement.className"
        reached.append(page.evaluate(name))
    wanted = ("theme", "zoom-peak", "range-body", "range-from", "range-to", "map", "cell")
    assert [each for each in wanted if each not in reached] == []
    assert "site-search" in reached


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes(open_report, theme):
    page = open_report(training(2000), color_scheme=theme)
    colour = "getComputedStyle(document.body).backgroundColor"
    timeline = page.locator("#timeline")
    before, picture = page.evaluate(colour), timeline.screenshot()
    red = int(re.findall(r"\d+", before)[0])
    assert red > 200 if theme == "light" else red < 60
    page.locator("#theme").click()
    page.wait_for_timeout(200)
    assert page.evaluate(colour) != before
    assert timeline.screenshot() != picture  # the canvases change with it


def test_tags_can_be_hidden(open_report):
    page = open_report(two_blocks())
    page.get_by_role("button", name="variable").click()
    shows(page, "#peak-text", "1 MiB in 1 block ")
    tooltip_at(page, 0.7, 0.3, "MatMul")


def test_lines_are_sorted_and_searched(open_report):
    page = open_report(training(5000))
    first = page.locator("#sites tbody tr").first
    assert "train.py:64" in first.inner_text()
    page.get_by_role("button", name="Asked for").click()
    assert "train.py:71" in first.inner_text()
    heading = page.locator("#sites th", has_text="Asked for")
    assert heading.get_attribute("aria-sort") == "descending"
    page.locator("#site-search").fill("attention")
    assert page.locator("#sites tbody tr").count() == 2


def test_the_peak_adds_up(open_report):
    profile = training(5000)
    page = open_report(profile)
    time, held = profile.peak()
    live = profile.live_at(time)
    text = page.locator("#peak-text").inner_text()
    assert f"{held / 2**20:.1f} MiB in {len(live)} blocks" in text
    page.get_by_role("radio", name="Owner").last.click()
    assert "mlp/dense_1/kernel:0" in page.locator("#treemap").inner_text()
    page.get_by_role("radio", name="End").click()
    assert f"in {np.sum(profile.end < 0)} blocks" in page.locator("#peak-text").inner_text()


def test_findings_functions_and_the_process_are_shown(open_report):
    page = open_report(training(2000))
    finding = page.locator(".finding").inner_text()
    for text in ("growing list", "train.py:71", "24 MiB", "losses.append(float(loss))"):
        assert text in finding
    functions = page.locator("#functions").inner_text()
    assert "exact" in functions
    assert "+256 KiB" in functions
    process = page.locator("#process").inner_text()
    assert "allocator slack" in process
    assert "Python, libraries and the rest" in process


def test_the_account_of_the_whole_process(open_report):
    meta = {
        "account_before": {"activation": 0, "Python objects": 10 << 20, "unexplained": 0},
        "account": {"activation": 5 << 20, "Python objects": 12 << 20, "unexplained": 1 << 20},
    }
    page = open_report(Profile({"start": [5], "bytes": [12]}, meta=meta))
    rows = [row.inner_text() for row in page.locator("#process-table tbody tr").all()]
    assert [" ".join(row.split()) for row in rows] == [
        "resident size 18 MiB 100 % +8 MiB",
        "activation 5 MiB 28 % +5 MiB",
        "Python objects 12 MiB 67 % +2 MiB",
        "unexplained 1 MiB 5.6 % +1 MiB",
    ]


def test_a_program_that_ended_with_an_error(open_report):
    meta = {"error": "ResourceExhaustedError: [MatMul] needs 4 GiB\nthe table", "duration_ns": 10}
    page = open_report(Profile({"start": [5], "bytes": [12]}, meta=meta))
    assert "ResourceExhaustedError: [MatMul] needs 4 GiB" in page.locator("#error").inner_text()


def test_an_empty_profile(open_report):
    page = open_report(Profile())
    assert "Nothing was held" in page.locator("#map-section").inner_text()
    assert "No functions ran" in page.locator("#functions").inner_text()
    page.locator("#zoom-peak").click()
    page.locator("#map").focus()
    page.keyboard.press("ArrowUp")
    expect(page.locator("#map-status")).to_contain_text("Nothing held")


def test_a_browser_that_is_too_old_is_told(browser, tmp_path):
    path = tmp_path / "report.html"
    _report.write(two_blocks(), path)
    page = browser.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto(path.as_uri())
    shows(page, "#error", "DecompressionStream is not defined")
    page.close()


def test_names_are_never_markup(open_report):
    evil = "</script><img src=x onerror=alert(1)>"
    profile = two_blocks(
        sites=[(f"/{evil}.py", 1, evil), (LONG_FILE, 2, "f")],
        names=[evil, "MatMul", evil, "float32"],
        findings=[{"cause": evil, "title": evil, "text": evil, "fix": evil, "file": evil}],
        meta={"program": f"/{evil}.py", "argv": [evil], "error": evil, "duration_ns": 1_000_000},
    )
    page = open_report(profile)
    assert page.locator("img").count() == 0
    tooltip_at(page, 0.7, 0.3, evil)
    # A long name makes nothing wider than the window.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [380, 800, 2400])
def test_no_window_is_too_narrow(open_report, width):
    page = open_report(training(2000), viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_million_blocks_load_within_three_seconds(open_report):
    page = open_report(training(1_000_000))
    ready = []
    for _ in range(3):  # the best of three: others may be using the machine
        ready.append(page.evaluate("performance.getEntriesByName('ready')[0].startTime") / 1000)
        if ready[-1] < 3:
            break
        page.reload()
        page.wait_for_selector("html[data-ready]", state="attached")
    print(f"\n1,000,000 blocks are shown after {min(ready):.2f} s")
    assert min(ready) < 3
    drag_timeline(page, 0.30, 0.31)
    shows(page, "#peak-text", "within the chosen range")
    tooltip_at(page, 0.5, 0.02, "kernel")
