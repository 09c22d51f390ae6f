"""The penstock command: `penstock run SCRIPT`, `top PID|SCRIPT`, `plan FILE.csv`, `report PROFILE`,
`info`."""

import argparse
import itertools
import os
import runpy
import sys

from penstock import __version__, _plan_command, _report_command, _top_command


def _record(path):
    """Records the program that is about to run, if it was asked for; False when it cannot."""
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
    """Runs a script whose `import tensorflow` gives penstock."""
    import penstock

    if not os.path.exists(options.script):
        print(f"penstock: no such file: {options.script}", file=sys.stderr)
        return 2
    penstock.install_as_tensorflow(tf1=options.tf1)
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    if not _record(options.profile):
        return 2
    try:
        runpy.run_path(options.script, run_name="__main__")
    except Exception as error:
        # As Python itself shows it: from the script on, without the frames of this command.
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != options.script:
            trace = trace.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return 1
    return 0


def info(options) -> int:
    """Prints the version, the threads, the budget and what is held."""
    import platform

    import numpy

    import penstock
    from penstock import _core

    print(f"penstock {penstock.__version__}, {len(_core.op_names())} ops")
    print(f"Python {platform.python_version()}, NumPy {numpy.__version__}")
    print(f"threads {_core.num_threads()}, budget {_core.budget(0) / 2**20:,.0f} MiB")
    print(_core.memory_table(0))
    return 0


def _with_default_profile(arguments):
    """`--profile` without a path must not take the script for one."""
    if arguments[:1] != ["run"]:
        return arguments
    options = [*itertools.takewhile(lambda text: text.startswith("-"), arguments[1:])]
    named = ["--profile=" if option == "--profile" else option for option in options]
    return ["run", *named, *arguments[1 + len(options) :]]


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="penstock", description="Tensors with exact memory.")
    parser.add_argument("--version", action="version", version=f"penstock {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")
    command = commands.add_parser("run", help="run a script with penstock as its tensorflow")
    command.add_argument(
        "--tf1", action="store_true", help="TensorFlow 1's names, graphs and sessions"
    )
    command.add_argument(
        "--profile",
        metavar="PATH",
        help="record the program's memory; without =PATH into a file named after the script",
    )
    command.add_argument("script")
    command.add_argument("arguments", nargs=argparse.REMAINDER)
    command.set_defaults(function=run)
    _plan_command.add_to(commands)
    _report_command.add_to(commands)
    _top_command.add_to(commands)
    command = commands.add_parser("info", help="what this installation is")
    command.set_defaults(function=info)
    options = parser.parse_args(_with_default_profile(arguments or sys.argv[1:]))
    return options.function(options)
