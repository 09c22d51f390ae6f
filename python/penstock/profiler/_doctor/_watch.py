"""Watch: follows the user's lines and counts, for every loop, what its iterations leave behind.

Only code of the user's files is followed, in every thread. At each line the ledger is read: what
has changed since the line before belongs to that one. At the head of each loop, a sample of the
whole is kept. What one of several busy threads allocates may count for the line of another.
"""

from __future__ import annotations

import gc
import inspect
import opcode
import os
import sys
import threading
import tracemalloc

from penstock import _core
from penstock.profiler._doctor import _containers
from penstock.profiler._doctor._growth import Series
from penstock.profiler._doctor._source import Site, is_user_file, loops_of
from penstock.profiler._doctor._suspect import Suspect

_FIRST_CHECKS = (3, 6, 10, 16, 24, 32, 48)
_MOST_SEARCHES = 6  # for containers, per loop
_LONG, _ONE_IN = 2048, 32  # from there on, one in so many iterations is followed
_YIELD = opcode.opmap["YIELD_VALUE"]
_PAGE = os.sysconf("SC_PAGE_SIZE")


def elsewhere() -> tuple[int, int]:
    """Resident bytes of the process that are not penstock's, and bytes that the process has
    reserved but may not have touched. Penstock's own bytes are those in use and those cached for
    reuse."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = file.read().split()
    except OSError:
        return 0, 0
    own = tracemalloc.get_tracemalloc_memory()
    ours = _core.memory_info(0)["current"] + _core.cached_bytes() + own
    return int(pages[1]) * _PAGE - ours, int(pages[5]) * _PAGE - _core.mapped_bytes() - own


def _ends(frame, event) -> bool:
    """Whether a function is left for good: not where a generator yields."""
    if event != "return" or not frame.f_code.co_flags & inspect.CO_GENERATOR:
        return event == "return"
    return frame.f_code.co_code[frame.f_lasti] != _YIELD


def _is_expression(code) -> bool:
    """Generator expressions and lambdas on the line of a loop's head are no part of the loop."""
    return code.co_name[0] == "<" and code.co_name != "<module>"


class LineCount:
    """What a line has done to the ledger so far."""

    __slots__ = ("allocated", "bytes", "python")

    def __init__(self):
        self.bytes = 0  # that are still there
        self.python = 0  # the same of Python's objects and arrays, while those are traced
        self.allocated = 0  # in all


class LoopRun:
    """All iterations of one loop of the source, however often it was entered."""

    def __init__(self, loop):
        self.loop = loop
        self.count = 0
        self.code = None  # that it is a part of, once it has run for long
        self.held = Series()  # bytes of the ledger
        self.elsewhere = Series()  # resident bytes that are not penstock's
        self.reserved = Series()  # and those that need not be resident
        self.python = None  # bytes of Python's objects and arrays that lines left, for a while
        self.traced = None  # and of all that are there, whoever made them
        self.python_lines = {}  # and of the lines, in the last iteration that was traced
        self.has_tape = False  # inside of its iterations
        self.is_building = False  # nodes of a graph
        self.highest = 0  # over what an iteration began with
        self.lengths = None  # of all containers, early on
        self.suspects = []
        self.num_searches = 0  # for them
        self.lines = {}  # what the lines had done, early on: in iteration `lines_from`
        self.lines_from = 0
        self.next_check = _FIRST_CHECKS[0]
        self.is_at_head = False  # and has not come to its body yet
        self._at_head = 0

    def is_growing(self) -> bool:
        return self.held.is_growing()

    def growth(self):
        """(bytes, bytes per iteration, iterations)."""
        return self.held.growth()

    def after(self, count):
        """The iteration of the next check."""
        later = [check for check in _FIRST_CHECKS if check > count]
        return later[0] if later else int(count * 1.5)


class _Here(threading.local):
    """The state of the current thread."""

    def __init__(self):
        self.site = None  # the line that it is at
        self.passed = None  # the loop whose iterations are passed over
        self.heads = {}  # frame: the loop at whose head it is


class Watch:
    """What is known of all loops and lines; tells detectors of checks and allocations."""

    def __init__(self):
        self.loops = {}  # by file: LoopRuns by head line
        self.lines = {}  # Site: LineCount
        self.runs = []
        self.num_iterations = 0  # of all loops
        self.on_check = []  # called with a LoopRun and the frame
        self.on_allocation = []  # called with a site, bytes, and the frame
        self.traced_lines = {}  # Site: bytes that lines of functions being traced left
        self.error = None  # of the doctor's own
        self._lock = threading.RLock()  # around all that events change
        self._here = _Here()
        self._is_on = False
        self._info = None
        self._highest = 0
        self._suspects = []
        self.python = 0  # bytes of Python's objects that lines have left, while they are traced
        self._python = None  # and of all of them
        self._outer = None  # what followed the lines before, here and in new threads
        self._outer_of_threads = None
        self._frames = []  # that were under way then, and what followed theirs

    def start(self, frame):
        """Follows the frames that run already, from `frame` outwards, and all new ones."""
        self._info = _core.memory_info(0)
        self._outer = sys.gettrace()
        while frame is not None:
            if is_user_file(frame.f_code.co_filename):
                self._frames.append((frame, frame.f_trace))
                frame.f_trace = self._local
            frame = frame.f_back
        self._is_on = True
        self._outer_of_threads = threading.gettrace()
        threading.settrace(self._call)
        sys.settrace(self._call)

    def stop(self):
        with self._lock:
            self._is_on = False  # for threads that go on
        threading.settrace(self._outer_of_threads)
        sys.settrace(self._outer)
        for frame, trace in self._frames:
            frame.f_trace = trace
        self._frames.clear()
        for run in self.runs:
            for suspect in run.suspects:
                suspect.let_go()
        self._suspects = []
        _containers.is_users_class.cache_clear()

    def loops_at(self, frame) -> list[tuple[LoopRun, int]]:
        """The loops that are under way in a frame and those that called it, innermost first, each
        with the line of its frame that is being run."""
        loops = []
        while frame is not None:
            file, line = frame.f_code.co_filename, frame.f_lineno
            if is_user_file(file):
                inside = [run for run in self._in_file(file).values() if line in run.loop]
                inside.sort(key=lambda run: -run.loop.line)
                loops += [(run, line) for run in inside if run.count]
            frame = frame.f_back
        return loops

    def _in_file(self, file):
        loops = self.loops.get(file)
        if loops is None:
            loops = {head: LoopRun(loop) for head, loop in loops_of(file).items()}
            self.loops[file] = loops
        return loops

    def _call(self, frame, event, arg):
        if not self._is_on:
            sys.settrace(None)
            return None
        if not is_user_file(frame.f_code.co_filename):
            return None
        with self._lock:
            self._settle(frame)
        if _core.is_tracing() and not _core.is_building():
            return self._traced
        return self._local

    def _traced(self, frame, event, arg):
        """Lines of a function that is being traced: what stays is a part of its graph."""
        if not self._is_on:
            return None
        with self._lock:
            site, before = self._here.site, self._info["current"]
            self._settle(frame)
            more = self._info["current"] - before
            if more > 0 and site is not None:
                self.traced_lines[site] = self.traced_lines.get(site, 0) + more
            self._move(frame, event)
        return self._traced

    def guard(self, function, *args):
        """Calls a function. A mistake of ours must not be one of the program that is looked at:
        it ends the watch, and is told afterwards."""
        if self.error is not None:
            return None
        try:
            return function(*args)
        except Exception as error:
            self.error = error
            return None

    def _local(self, frame, event, arg):
        if not self._is_on:
            return None
        with self._lock:
            return self._event(frame, event)

    def _event(self, frame, event):
        if self._here.passed is not None and self._passes(frame, event):
            return self._local
        try:
            self._follow(frame, event)
        except Exception as error:
            self.error = error
            sys.settrace(self._outer)
            return None
        if self._python is not None:
            # What the doctor itself has made does not count; what went meanwhile does.
            self._python = max(self._python, tracemalloc.get_traced_memory()[0])
        return self._local

    def _passes(self, frame, event) -> bool:
        """Of a loop that has run for long, most iterations are passed over: these are counted."""
        run = self._here.passed
        if frame.f_code is not run.code or not (event == "line" or _ends(frame, event)):
            return True
        line = frame.f_lineno
        if event == "line" and line in run.loop:
            run.is_at_head = line == run.loop.head
            if not run.is_at_head:
                return True
            if (run.count + 1) % _ONE_IN:
                run.count += 1
                self.num_iterations += 1
                return True
        # The bodies of other loops were passed over too, and heads may have been.
        self._here.heads = {frame: run} if run.is_at_head else {}
        self._here.passed, self._here.site = None, None
        self._info = _core.memory_info(0)
        return False

    def _follow(self, frame, event):
        self._settle(frame)
        self._move(frame, event)
        at_head = None if event == "exception" else self._here.heads.pop(frame, None)
        if at_head is not None and (frame.f_lineno not in at_head.loop or _ends(frame, event)):
            at_head.count -= 1  # the head was passed once more, to find that there is no more
            self.num_iterations -= 1
        if event == "line" and not _is_expression(frame.f_code):
            file = frame.f_code.co_filename
            runs = self.loops.get(file)
            if runs is None:
                runs = self._in_file(file)
            run = runs.get(frame.f_lineno)
            if run is not None:
                self._iterate(run, frame)

    def _move(self, frame, event):
        if event == "return":
            frame = frame.f_back
            while frame is not None and not is_user_file(frame.f_code.co_filename):
                frame = frame.f_back
            if frame is None:
                return
        self._here.site = (frame.f_code.co_filename, frame.f_lineno)

    def _settle(self, frame):
        """Books what happened since the last event to the line that was being run."""
        info = _core.memory_info(0)
        before, self._info = self._info, info
        if self._suspects:
            self._look_at_suspects()
        if self._python is not None:
            self._settle_python()
        if info["count"] == before["count"] and info["current"] == before["current"]:
            return
        if info["current"] > self._highest:
            self._highest = info["current"]
        line = self._line()
        line.bytes += info["current"] - before["current"]
        allocated = info["total"] - before["total"]
        line.allocated += allocated
        if allocated and self._here.site is not None:
            for tell in self.on_allocation:
                self.guard(tell, Site(*self._here.site), allocated, frame)

    def trace_python(self, is_on):
        """From here on, lines and loops know of Python's objects and arrays too, or no more."""
        if is_on:
            tracemalloc.start(1)
            self._python = tracemalloc.get_traced_memory()[0]
        else:
            self._python = None
            tracemalloc.stop()

    def _settle_python(self):
        held, before = tracemalloc.get_traced_memory()[0], self._python
        self._python = held
        if held != before:
            self._line().python += held - before
            self.python += held - before

    def _line(self) -> LineCount:
        line = self.lines.get(self._here.site)
        if line is None:
            line = self.lines[self._here.site] = LineCount()
        return line

    def _look_at_suspects(self):
        for suspect in self._suspects:
            suspect.look(self._here.site)
            if suspect.is_known():
                suspect.let_go()
        self._suspects = [suspect for suspect in self._suspects if suspect.container is not None]

    def _iterate(self, run, frame):
        current = self._info["current"]
        if run.count == 0:
            if run not in self.runs:
                self.runs.append(run)
        else:
            run.highest = max(run.highest, self._highest - run._at_head)
        run.count += 1
        self.num_iterations += 1
        if run.loop.head == run.loop.line:
            self._here.heads[frame], run.is_at_head = run, True
        run._at_head = self._highest = current
        run.held.add(run.count, current)
        if self._python is not None and run.python is not None:
            run.python.add(run.count, self.python)
            run.traced.add(run.count, self._python)
            run.python_lines = {site: line.python for site, line in self.lines.items()}
        if run.count >= run.next_check:
            self._check(run, frame)
            run.next_check = run.after(run.count)
        if run.count > _LONG and self._python is None and not self._suspects:
            self._here.passed, run.code = run, frame.f_code

    def _check(self, run, frame):
        resident, reserved = elsewhere()
        run.elsewhere.add(run.count, resident)
        run.reserved.add(run.count, reserved)
        run.is_building = run.is_building or _core.is_building()
        if run.lengths is None:
            run.lengths = _containers.census(frame)
            run.lines = {site: (line.bytes, line.allocated) for site, line in self.lines.items()}
            run.lines_from = run.count
        elif run.is_growing():
            gc.collect()  # what only waits for the collector is not kept
            self._settle(frame)
            run.held.set_last(self._info["current"])
            if run.is_growing():
                self._suspect(run, frame)
        for tell in self.on_check:
            tell(run, frame)

    def _suspect(self, run, frame):
        """Asks the suspects of a loop whether they still grow; looks for some where none does."""
        if run.suspects:
            lengths = _containers.census(frame)
            run.suspects = [suspect for suspect in run.suspects if suspect.still_grows(lengths)]
        if run.suspects or run.num_searches >= _MOST_SEARCHES:
            return
        run.num_searches += 1
        run.suspects = [
            Suspect(container, frame)
            for container in _containers.grown(run.lengths, frame)
            if container is not self._suspects
        ]
        self._suspects = [*self._suspects, *run.suspects]

    def allocated_in(self, run) -> dict[Site, float]:
        """What the lines of a loop's body allocate in an iteration."""
        iterations = max(1, run.count - run.lines_from)
        return {
            Site(*site): (line.allocated - run.lines.get(site, (0, 0))[1]) / iterations
            for site, line in self.lines.items()
            if site is not None and site[0] == run.loop.file and site[1] in run.loop
        }

    def line_growth(self, run) -> dict[Site, int]:
        """The bytes that lines have left since early in a loop, those with most first."""
        growth = {}
        for site, line in self.lines.items():
            more = line.bytes - run.lines.get(site, (0, 0))[0]
            if site is not None and more > 0:
                growth[Site(*site)] = more
        return dict(sorted(growth.items(), key=lambda item: -item[1]))
