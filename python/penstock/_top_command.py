"""`penstock top PID|SCRIPT`: its options. What it does is in profiler/_top.py."""

DESCRIPTION = """\
Shows what a program's memory is for while it runs: bytes by tag, the peak and the budget, and the
lines that hold the most. The program is a running process that records its memory (started with
PENSTOCK_PROFILE=1, `penstock run --profile` or tf.profiler.memory.start()), or a script to run."""


def _top(options) -> int:
    from penstock.profiler import _top

    return _top.top(options)


def add_to(commands):
    command = commands.add_parser(
        "top", help="a program's memory while it runs", description=DESCRIPTION
    )
    command.add_argument(
        "--once", action="store_true", help="print one frame; of a script, the last"
    )
    command.add_argument(
        "--interval", type=float, default=0.5, metavar="SECONDS", help="between frames"
    )
    command.add_argument("--tf1", action="store_true", help="run the script as TensorFlow 1's")
    command.add_argument("program", metavar="PID|SCRIPT", help="a process's number, or a script")
    command.add_argument("arguments", nargs="...", help="the script's")
    command.set_defaults(function=_top)
