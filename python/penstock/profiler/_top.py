"""`penstock top`: a live view of a recorded program's memory, from another process.

A recorded process maps the file that it writes (see _raw.py): that file is found by the process's
number, and read while it grows.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

from penstock.profiler import _raw, _tables
from penstock.profiler._profile import SUFFIX

_BAR = 24


def recording_of(pid):
    """The file that a process records its memory in, opened; None when it has none."""
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
            paths = dict.fromkeys(
                line.split(maxsplit=5)[5].rstrip("\n") for line in maps if "/" in line
            )
    except OSError:
        return None
    for path in paths:
        try:
            file = open(path, "rb")  # noqa: SIM115 - the caller's
        except OSError:
            continue
        if file.read(len(_raw.MAGIC)) == _raw.MAGIC:
            return file
        file.close()
    return None


class View:
    """Frames of a recording, with rates between one and the next."""

    def __init__(self, file, title, most=10):
        self._file, self._title, self._most = file, title, most
        self._before = None

    def _rates(self, raw):
        header, sites = raw.header, raw.records("sites")
        now = (header.duration, header.events, int(sites["total_bytes"].sum()))
        before, self._before = self._before or (0, 0, 0), now
        seconds = (now[0] - before[0]) / 1e9
        if seconds <= 0:
            return "no change"
        events, size = (now[i] - before[i] for i in (1, 2))
        return f"{events / seconds:,.0f} events/s, {_tables.human(size / seconds)}/s allocated"

    def frame(self):
        """The lines to show now, and whether the recording ended."""
        raw = _raw.Raw(self._file)
        header, names, human = raw.header, raw.names(), _tables.human
        tags = raw.tags(names)
        budget = human(header.limit) if header.limit < 2**62 else "none"
        lines = [
            f"{self._title}  pid {header.pid}  {header.duration / 1e9:,.1f} s  "
            f"RSS {human(header.rss)}",
            f"held {human(header.current)}  peak {human(header.peak)}  budget {budget}  "
            + self._rates(raw),
            "",
        ]
        most = max(1, *header.tag_peak)
        rows = [("tag", "now", "peak", "")]
        for tag, now, peak in zip(tags, header.tag_current, header.tag_peak, strict=True):
            if peak > 0:
                bar = "#" * round(_BAR * now / most) + "." * round(_BAR * (peak - now) / most)
                rows.append((tag, human(now), human(peak), bar.ljust(_BAR)))
        lines += _tables.aligned(rows)
        # A program that ended holds nothing any more: what its lines held at the most says more.
        key = "peak_bytes" if header.is_finished else "live_bytes"
        held = _raw.live_sites(raw, names, self._most, key)
        lines += [
            "",
            "lines that held the most" if header.is_finished else "lines that hold the most",
        ]
        lines += ["  " + line for line in _tables.sites(held)] or ["  (nothing is held)"]
        return lines, header.is_finished

    def has_begun(self):
        return _raw.Raw(self._file).header.duration > 0


def _show(lines, is_first):
    width, height = shutil.get_terminal_size()
    shown = [line[:width] + "\x1b[K" for line in lines[: height - 1]]
    start = "\x1b[2J\x1b[H" if is_first else "\x1b[H"
    sys.stdout.write(start + "\n".join(shown) + "\n\x1b[J")
    sys.stdout.flush()


def _watch(view, is_running, options):
    """Shows frames until the program ends."""
    is_first = True
    while True:
        runs = is_running()
        lines, is_finished = view.frame()
        if options.once:
            print("\n".join(lines))
            return
        if sys.stdout.isatty():
            _show(lines, is_first)
        else:
            print("\n".join(lines) + "\n", flush=True)
        is_first = False
        if is_finished or not runs:
            return
        time.sleep(options.interval)


def _is_alive(pid):
    return os.path.exists(f"/proc/{pid}")


def _top_process(pid, options):
    file = recording_of(pid)
    if file is None:
        why = "records no memory: start it with PENSTOCK_PROFILE=1" if _is_alive(pid) else "is none"
        print(f"penstock top: process {pid} {why}", file=sys.stderr)
        return 2
    with file:
        _watch(View(file, "penstock top"), lambda: _is_alive(pid), options)
    return 0


def _top_script(options):
    if not os.path.exists(options.program):
        print(f"penstock top: no such file: {options.program}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="penstock-top-") as folder:
        path = os.path.join(folder, "top" + SUFFIX)
        command = [sys.executable, "-m", "penstock", "run", f"--profile={path}"]
        if options.tf1 is not None:
            command.append("--tf1" if options.tf1 else "--no-tf1")
        command += [options.program, *options.arguments]
        # What the program prints would be drawn over: it is shown at the end.
        with open(os.path.join(folder, "output"), "w+b") as output:
            raw = os.environ | {"PENSTOCK_PROFILE_RAW": "1"}
            child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=raw)
            try:
                _follow(child, path, options)
            finally:
                if child.poll() is None:
                    child.terminate()
                status = child.wait()
                output.seek(0)
                shutil.copyfileobj(output, sys.stdout.buffer)
                sys.stdout.flush()
    return status


def _follow(child, path, options):
    """Shows the program's frames: all of them, or only the last."""
    has_ended = False
    while not os.path.exists(path) or os.path.getsize(path) < 2**18:
        if has_ended:
            return
        has_ended = child.poll() is not None
        time.sleep(0.02)
    with open(path, "rb") as file:
        view = View(file, os.path.basename(options.program))
        while not view.has_begun() and child.poll() is None:
            time.sleep(0.02)
        if options.once:
            child.wait()
        _watch(view, lambda: child.poll() is None, options)


def top(options) -> int:
    """Shows a process or runs a script."""
    if "--once" in options.arguments:  # as it is easily written
        options.arguments.remove("--once")
        options.once = True
    try:
        if options.program.isdigit() and not os.path.exists(options.program):
            return _top_process(int(options.program), options)
        return _top_script(options)
    except KeyboardInterrupt:
        return 130
    except (OSError, ValueError) as error:  # a recording of another version, or one that was cut
        print(f"penstock top: {error}", file=sys.stderr)
        return 2
