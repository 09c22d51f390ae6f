#!/usr/bin/env python3
"""Runs a build or tests with their output in a log, and says how far they are.

    tools/progress.py --label "build: release" --log build/release/build.log cmake --build …

On a terminal one line is kept up to date, elsewhere a line appears every half a minute:

    build: release: 123/494 (25 %), 3 min

The counts are those that Ninja, make, ctest and googletest print. At the end come the warnings, or
for a command that fails all that it had to say, without the lines that only count. The exit status
is the command's.
"""

from __future__ import annotations

import argparse
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path

EVERY = 30  # seconds between two lines in a log

_NINJA = re.compile(r"\[(\d+)/(\d+)\] ")
_MAKE = re.compile(r"\[ *(\d+)%\] ")
_CTEST = re.compile(r" *(\d+)/(\d+) Test +#\d+: ")
_GTEST = re.compile(r"\[ +(?:OK|SKIPPED|FAILED) +\] .* \(\d+ ms\)")
_GTEST_TOTAL = re.compile(r"\[=+\] Running (\d+) tests? from ")
# Lines of make, ctest and googletest that say nothing.
_NOISE = re.compile(
    r"g?make(\[\d+\])?: (Entering|Leaving) directory |Consolidate compiler generated dependencies "
    r"|Scanning dependencies of target | +Start +\d+: |\[( RUN      |-{10})\]"
)
_WARNING = re.compile(r"warning:|CMake (Deprecation )?Warning")


class Counter:
    """How far the command is, by the lines that it prints."""

    def __init__(self):
        self._done = self._total = 0
        self._percent = None

    def read(self, line: str) -> bool:
        """Takes a line; True for one that only counts, or says nothing."""
        is_good = True
        if match := _NINJA.match(line) or _CTEST.match(line):
            self._done, self._total = int(match[1]), int(match[2])
            is_good = line.startswith("[") or " Passed " in line
        elif match := _MAKE.match(line):
            self._percent = int(match[1])
        elif match := _GTEST_TOTAL.match(line):
            self._done, self._total = 0, int(match[1])
        elif _GTEST.match(line):
            self._done += 1
            is_good = "FAILED" not in line
        else:
            return bool(_NOISE.match(line))
        if self._total:
            self._percent = 100 * self._done // self._total
        return is_good

    def text(self) -> str:
        """123/494 (25 %); without counts, the percentage or nothing."""
        if not self._total:
            return "" if self._percent is None else f"{self._percent} %"
        return f"{self._done}/{self._total} ({self._percent} %)"


def duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.0f} min"


class Display:
    """Shows how far the command is: one line on a terminal, one now and then elsewhere."""

    def __init__(self, label: str, out, is_terminal: bool, every: float = EVERY):
        self._label, self._out, self._is_terminal = label, out, is_terminal
        self._start = self._last = time.monotonic()
        self._every = 0.2 if is_terminal else every
        self._is_shown = False

    def seconds(self) -> float:
        return time.monotonic() - self._start

    def update(self, counter: Counter) -> None:
        now = time.monotonic()
        if now - self._last < self._every:
            return
        self._last = now
        parts = [counter.text(), duration(self.seconds())]
        line = f"{self._label}: " + ", ".join(filter(None, parts))
        if self._is_terminal:
            self._out.write(f"\r{line}\x1b[K")
            self._is_shown = True
        else:
            self._out.write(line + "\n")
        self._out.flush()

    def clear(self) -> None:
        if self._is_shown:
            self._out.write("\r\x1b[K")
            self._out.flush()
            self._is_shown = False


def lines_of(process, log, tick):
    """The lines that a process writes, which also go to the log. `tick()` is called in between."""
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if selector.select(timeout=0.5):
                chunk = os.read(process.stdout.fileno(), 1 << 16)
                if not chunk:
                    break
                log.write(chunk)
                *lines, rest = (rest + chunk).split(b"\n")
                yield from (line.decode(errors="replace") for line in lines)
            tick()
    if rest:
        yield rest.decode(errors="replace")


def run(command, log_path: Path, display: Display, out) -> int:
    """Runs the command; returns its exit status."""
    counter, blocks = Counter(), [[]]
    log_path.parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    with (
        log_path.open("wb") as log,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
        ) as process,
    ):
        try:
            for line in lines_of(process, log, lambda: display.update(counter)):
                if counter.read(line):
                    blocks.append([])  # what follows is of the next step
                else:
                    blocks[-1].append(line)
            status = process.wait()
        except KeyboardInterrupt:
            process.wait()  # it has been interrupted too
            status = 128 + signal.SIGINT
    display.clear()
    if status < 0:
        out.write(f"{command[0]} was ended by signal {-status}\n")
        status = 128 - status
    for block in blocks:
        if status or any(map(_WARNING.search, block)):
            out.writelines(line + "\n" for line in block)
    out.flush()
    return status


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], usage="%(prog)s --label TEXT --log FILE COMMAND …"
    )
    parser.add_argument("--label", required=True, help="what the lines begin with")
    parser.add_argument("--log", type=Path, required=True, help="where the output goes")
    parser.add_argument("--done", default="", help="what is said at the end, with the time it took")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    is_terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    display = Display(options.label, sys.stdout, is_terminal)
    try:
        status = run(options.command, options.log, display, sys.stdout)
    except OSError as error:
        print(f"{options.label}: {error}", file=sys.stderr)
        return 127
    if not status and options.done:
        print(f"{options.label} {options.done} ({display.seconds():.0f} s)")
    return status


if __name__ == "__main__":
    sys.exit(main())
