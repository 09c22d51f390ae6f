"""tf.autograph.set_verbosity: how much of the conversion is logged."""

from __future__ import annotations

import sys

from penstock._api import public
from penstock._base import environment as _environment

_level = [_environment.number("AUTOGRAPH_VERBOSITY", 0), False]


@public("autograph.set_verbosity")
def set_verbosity(level, alsologtostdout=False):
    """From level 1 on it is logged which functions are converted and which are not; to stdout too
    where that is asked. At first the level is that of the variable AUTOGRAPH_VERBOSITY."""
    _level[:] = [level, alsologtostdout]


def say(function, what):
    """Logs what happens to a function."""
    level, to_stdout = _level
    if level < 1:
        return
    from penstock._ops.logger import get_logger

    text = f"AutoGraph: {function.__qualname__} of {function.__module__} {what}"
    get_logger().info(text)
    if to_stdout:
        print(text, file=sys.stdout)
