"""The end of a recorded program: an uncaught exception is noted in the recording with its line,
and a budget that was too small becomes a finding."""

import json
import os
import sys
import traceback

from penstock import _core, errors

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def _user_line(error):
    """The innermost line of the traceback that is the user's, or None."""
    lines = [
        entry
        for entry in traceback.extract_tb(error.__traceback__)
        if not entry.filename.startswith((_PACKAGE, "<frozen"))
    ]
    return lines[-1] if lines else None


def _budget_finding(error, line):
    text = str(error)
    return {
        "cause": "budget",
        "title": "The memory budget was too small",
        "file": os.path.abspath(line.filename) if line else "",
        "line": line.lineno if line else 0,
        "text": text,
        "growth_bytes": 0,
        "growth_per_step": 0,
        "steps": 0,
        "fix": "# Let go of what the lines above hold, use smaller batches, or allow more:\n"
        'tf.config.set_memory_budget("4GiB")',
    }


def note(error):
    """Notes in the recording that `error` ended it."""
    line = _user_line(error)
    text = f"{type(error).__name__}: {error}"
    if line is not None:
        text += f"\nat {os.path.abspath(line.filename)}:{line.lineno} in {line.name}"
    _core.note_in_recording("error", text)
    if isinstance(error, errors.ResourceExhaustedError):
        _core.note_in_recording("findings", json.dumps([_budget_finding(error, line)]))


def watch():
    """Notes uncaught exceptions until the function that it returns is called."""
    before = sys.excepthook

    def hook(kind, error, trace):
        if error is not None and not isinstance(error, KeyboardInterrupt):
            note(error.with_traceback(trace))
        before(kind, error, trace)

    def unwatch():
        if sys.excepthook is hook:  # what somebody set meanwhile stays, and calls this one
            sys.excepthook = before

    sys.excepthook = hook
    return unwatch
