"""The penstock command: `penstock run SCRIPT`, `doctor SCRIPT`, `top PID|SCRIPT`, `plan FILE.csv`,
`report PROFILE`, `info`."""

import argparse
import sys

from penstock import __version__
from penstock._cli import doctor as _doctor_command
from penstock._cli import options as _command_line
from penstock._cli import plan as _plan_command
from penstock._cli import report as _report_command
from penstock._cli import top as _top_command
from penstock._cli.script import run

DESCRIPTION = """\
Runs TensorFlow programs on Penstock, whose memory is exact, and shows what they do with memory.
`penstock COMMAND --help` describes a command."""
EXAMPLES = """\
  penstock run train.py                 # with Penstock as its tensorflow
  penstock doctor train.py              # why does its memory grow?
  penstock run --profile train.py       # record every allocation in train.penprof
  penstock report train.penprof         # look at them: train.html"""
RUN_DESCRIPTION = """\
Runs a Python script. Its `import tensorflow` gives Penstock, and the script needs no change. A
program of TensorFlow 1 is recognised by the names that it uses (tf.placeholder, tf.Session)."""
RUN_EXAMPLES = """\
  penstock run train.py --epochs 3      # arguments after the script are the script's
  penstock run --profile train.py       # records its memory in train.penprof
  penstock run --profile=/tmp/a.penprof train.py
  penstock run --tf1 old.py             # as TensorFlow 1, in any case
  PENSTOCK_BUDGET=2GiB penstock run train.py      # more memory than that is refused"""
INFO_DESCRIPTION = """\
Prints the version, the number of ops, the threads, the memory budget and the ledger."""
INFO_EXAMPLES = """\
  penstock info
  PENSTOCK_THREADS=1 PENSTOCK_BUDGET=512MiB penstock info"""


def info(options) -> int:
    """Prints the version, the threads, the budget and the memory held."""
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
    if arguments[:1] not in (["run"], ["doctor"]):
        return arguments
    words = [*arguments]
    for i, word in enumerate(words[1:], 1):
        if word == "--profile":
            if not "".join(words[i + 1 : i + 2]).endswith(".penprof"):
                words[i] = "--profile="
        elif not word.startswith("-") and words[i - 1] not in ("--profile", "--fail-on-growth"):
            break  # the script; what follows is the script's
    return words


def make_parser() -> argparse.ArgumentParser:
    parser = _command_line.parser(
        argparse.ArgumentParser, prog="penstock", description=DESCRIPTION, examples=EXAMPLES
    )
    parser.add_argument("--version", action="version", version=f"penstock {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")
    command = _command_line.parser(
        commands.add_parser,
        "run",
        help="run a script with penstock as its tensorflow",
        description=RUN_DESCRIPTION,
        examples=RUN_EXAMPLES,
    )
    _command_line.add_script(command)
    command.set_defaults(function=run)
    _doctor_command.add_to(commands)
    _plan_command.add_to(commands)
    _report_command.add_to(commands)
    _top_command.add_to(commands)
    command = _command_line.parser(
        commands.add_parser,
        "info",
        help="what this installation is",
        description=INFO_DESCRIPTION,
        examples=INFO_EXAMPLES,
    )
    command.set_defaults(function=info)
    return parser


def main(arguments=None) -> int:
    options = make_parser().parse_args(_with_default_profile(arguments or sys.argv[1:]))
    return options.function(options)
