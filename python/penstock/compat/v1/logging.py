"""tf.compat.v1.logging: Python's logging with TensorFlow's logger."""

from __future__ import annotations as _annotations

import itertools as _itertools
import logging as _logging
import sys as _sys

from penstock._ops.logger import get_logger as _get_logger

DEBUG, INFO, WARN = _logging.DEBUG, _logging.INFO, _logging.WARN
ERROR, FATAL = _logging.ERROR, _logging.FATAL

_logger = _get_logger()
debug, info, error, fatal, log = (
    _logger.debug,
    _logger.info,
    _logger.error,
    _logger.critical,
    _logger.log,
)
warn = warning = _logger.warning
vlog = log
get_verbosity = _logger.getEffectiveLevel
_counts = {}


def set_verbosity(v) -> None:
    """Hides messages below this level."""
    _logger.setLevel(v)


def _count() -> int:
    """The number of calls from the caller's line."""
    frame = _sys._getframe(2)
    place = (frame.f_code.co_filename, frame.f_lineno)
    return next(_counts.setdefault(place, _itertools.count()))


def log_every_n(level, msg, n, *args) -> None:
    """Logs the first of every n calls of a line."""
    if _count() % n == 0:
        log(level, msg, *args)


def log_first_n(level, msg, n, *args) -> None:
    """Logs the first n calls of a line."""
    if _count() < n:
        log(level, msg, *args)


def log_if(level, msg, condition, *args) -> None:
    """Logs if the condition holds."""
    if condition:
        log(level, msg, *args)


def flush() -> None:
    """Flushes the log handlers."""
    for handler in _logger.handlers:
        handler.flush()


def TaskLevelStatusMessage(msg) -> None:
    """Logs as an error, as TensorFlow does."""
    error(msg)
