"""`penstock top PID|SCRIPT`: the options. The implementation is in profiler/_top.py."""

from penstock._cli import options as _command_line

DESCRIPTION = """\
Shows what a program's memory is for while it runs: bytes by tag, the peak and the budget, and the
lines that hold the most. The program is a running process that records its memory (started with
PENSTOCK_PROFILE=1, `penstock run --profile` or tf.profiler.memory.start()), or a script to run."""


EXAMPLES = """\
  penstock top train.py                 # run it and watch
  penstock top --once train.py          # run it and print the last frame
  penstock top --interval 2 4711        # watch the process 4711"""


def _top(options) -> int:
    from penstock.profiler import _top

    return _top.top(options)


def add_to(commands):
    command = _command_line.parser(
        commands.add_parser,
        "top",
        help="a program's memory while it runs",
        description=DESCRIPTION,
        examples=EXAMPLES,
    )
    command.add_argument(
        "--once", action="store_true", help="print one frame; of a script, the last"
    )
    command.add_argument(
        "--interval",
        type=float,
        default=0.5,
        metavar="SECONDS",
        help="between frames; default: 0.5",
    )
    _command_line.add_version(command)
    command.add_argument("program", metavar="PID|SCRIPT", help="a process's number, or a script")
    command.add_argument("arguments", nargs="...", help="the script's own arguments")
    command.set_defaults(function=_top)
