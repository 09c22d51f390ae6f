"""Runs a script with penstock as its tensorflow, for `penstock run` and `penstock doctor`."""

import os
import runpy
import sys

from penstock._base import source_version as _source_version


def _record(path):
    """Records the program that is about to run, if requested; False if that fails."""
    value = os.environ.get("PENSTOCK_PROFILE", "0")
    if path is None and value in ("", "0"):
        return True
    from penstock import errors
    from penstock.profiler import _recording

    if path is None:
        _recording.start_from_environment(value)
        return True
    try:
        _recording.start_for_program(path)
    except (OSError, errors.OpError) as error:
        print(f"penstock: {error}", file=sys.stderr)
        return False
    return True


def run(options) -> int:
    """Runs a script whose `import tensorflow` loads penstock."""
    import penstock

    if not os.path.exists(options.script):
        print(f"penstock: no such file: {options.script}", file=sys.stderr)
        return 2
    _source_version.choose_version(options, options.script)
    penstock.install_as_tensorflow(tf1=options.tf1)
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    if not _record(options.profile):
        return 2
    try:
        runpy.run_path(options.script, run_name="__main__")
    except Exception as error:
        # As Python itself shows it: without the frames of this command.
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != options.script:
            trace = trace.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return 1
    return 0
