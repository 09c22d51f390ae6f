"""tf.compat.v1.logging: Python's logging under TensorFlow's logger."""

from logging import DEBUG, ERROR, FATAL, INFO, WARN

from penstock._functions.running import get_logger

_logger = get_logger()
debug, info, error, fatal, log = (
    _logger.debug,
    _logger.info,
    _logger.error,
    _logger.critical,
    _logger.log,
)
warn = warning = _logger.warning
set_verbosity = _logger.setLevel
get_verbosity = _logger.getEffectiveLevel

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "debug",
    "error",
    "fatal",
    "get_verbosity",
    "info",
    "log",
    "set_verbosity",
    "warn",
    "warning",
]
