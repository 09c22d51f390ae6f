"""Helpers shared by the commands: help with examples, and the options for running a script."""

import argparse


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of descriptions and examples."""

    def __init__(self, prog):
        super().__init__(prog, max_help_position=28)


def parser(make, *args, examples, description, **options):
    """A parser made by `make`, whose help ends with examples."""
    return make(
        *args,
        description=description,
        epilog=f"examples:\n{examples}",
        formatter_class=_Formatter,
        **options,
    )


def add_version(command):
    command.add_argument(
        "--tf1",
        action=argparse.BooleanOptionalAction,
        help="run the script with TensorFlow 1's names, graphs and sessions, or without them; "
        "default: what its source calls for",
    )


def add_script(command):
    """The options of a command that runs a program."""
    command.add_argument(
        "--profile",
        metavar="FILE.penprof",
        help="record the program's memory for `penstock report`; without FILE.penprof, "
        "in a file named after the script",
    )
    add_version(command)
    command.add_argument("script", help="the program to run")
    command.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own arguments")
