"""`penstock doctor script.py`: runs a program and reports why its memory grows."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import threading

from penstock._base import source_version as _source_version
from penstock._cli import options as _command_line
from penstock._cli.script import run

DESCRIPTION = """\
Runs a program as `penstock run` does and watches its loops: what every iteration leaves behind,
and at which line. Each finding has the cause, the line, how fast memory grows, and a fix. A loop
needs about 50 iterations. Ctrl-C ends a program that takes too long; what was found by then is
printed."""
EXAMPLES = """\
  penstock doctor train.py --epochs 1
  penstock doctor --json train.py > findings.json
  penstock doctor --fail-on-growth 1MiB train.py      # in a CI job
  penstock doctor --profile train.py                  # also makes train.penprof, for a report

exit status:
  0  nothing was found
  1  something was found (with --fail-on-growth: a loop grew by more than that)
  2  the program failed, or there is no such file; what was found is printed all the same

docs/why_memory_grows.md has a page for every cause."""


def _run(options) -> int:
    """The program's own status: 0, or 2 when it failed."""
    pid = os.getpid()
    # Keeps its output apart from the JSON object.
    out = contextlib.redirect_stdout(sys.stderr) if options.json else contextlib.nullcontext()
    with out:
        try:
            status = 2 if run(options) else 0
            if os.getpid() != pid:  # a child of the program has no findings of its own
                sys.exit(1 if status else 0)
            _wait_for_threads()
            return status
        except SystemExit as end:
            if os.getpid() != pid:
                raise
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
            return 2 if end.code else 0
        except KeyboardInterrupt:
            print("penstock doctor: interrupted", file=sys.stderr)
            return 0


def _add_to_profile(doctor):
    """Adds the findings to the recorded profile."""
    from penstock import errors
    from penstock.profiler import _recording

    path = _recording.current_file()
    if path is not None:
        try:
            profile = _recording.stop()
            profile.findings = [finding.as_dict() for finding in doctor]
            profile.save(path)
        except (OSError, errors.OpError) as error:
            print(f"penstock doctor: {path}: {error}", file=sys.stderr)


def _wait_for_threads():
    """Waits for all threads except daemons, as Python does at exit."""
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.current_thread():
            thread.join()


@contextlib.contextmanager
def _before_exit(tell):
    """os._exit ends a process at once. Inside this context it ends the process with the result of
    tell(status). A child process has no findings of its own."""
    leave, pid = os._exit, os.getpid()

    def telling(status):
        if os.getpid() != pid:
            leave(status)
        try:
            status = tell(2 if status else 0)
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            leave(status)

    os._exit = telling
    try:
        yield
    finally:
        os._exit = leave


def examine(options) -> int:
    """Runs the program under a doctor and prints the findings."""
    from penstock.profiler._doctor._doctor import Doctor

    _source_version.choose_version(options, options.script)
    doctor, out = Doctor(), sys.stdout

    def tell(status):
        doctor.__exit__()
        return _told(doctor, options, status, out)

    with _before_exit(tell):
        doctor.__enter__()
        try:
            status = _run(options)
        except SystemExit:  # of a child
            raise
        except BaseException:
            doctor.__exit__()
            raise
    return tell(status)


def _told(doctor, options, status, out) -> int:
    """Prints the findings about a program that ended with that status; returns the command's
    status."""
    from penstock import _core
    from penstock.profiler._doctor._findings import report

    peak = _core.memory_info(0)["peak"]
    _add_to_profile(doctor)
    if options.json:
        findings = [finding.as_dict() for finding in doctor]
        print(
            json.dumps(
                {
                    "program": options.script,
                    "status": status,
                    "growth_bytes": doctor.growth_bytes,
                    "peak_bytes": peak,
                    "findings": findings,
                },
                indent=2,
            ),
            file=out,
        )
    else:
        sys.stdout.flush()
        if status and not doctor.findings:
            text = f"penstock doctor: {options.script} failed before anything was found"
        else:
            text = report(doctor.findings, options.script)
        print(text, file=out)
    out.flush()
    if status:
        return status
    if options.fail_on_growth is not None:
        return int(doctor.growth_bytes > options.fail_on_growth)
    return int(len(doctor) > 0)


def _bytes(text):
    from penstock import _core, errors

    try:
        return _core.parse_bytes(text)
    except errors.OpError as error:
        raise argparse.ArgumentTypeError(error.message) from None


def add_to(commands):
    command = _command_line.parser(
        commands.add_parser,
        "doctor",
        help="run a script and say why its memory grows",
        description=DESCRIPTION,
        examples=EXAMPLES,
    )
    command.add_argument(
        "--json", action="store_true", help="print one JSON object; the script's output is stderr"
    )
    command.add_argument(
        "--fail-on-growth",
        type=_bytes,
        metavar="BYTES",
        help="status 1 only when a loop grew by more than this (1000000, 1MiB)",
    )
    _command_line.add_script(command)
    command.set_defaults(function=examine)
