"""tf.debugging: checks of values, shapes and dtypes that raise when they do not hold."""

from penstock import _api

_log_placement = False
_filter_tracebacks = True


def set_log_device_placement(enabled):
    """Remembered only: there is one device, and every op is placed there.

    Args:
      enabled: True or False.

    >>> tf.debugging.set_log_device_placement(False)
    """
    global _log_placement
    _log_placement = bool(enabled)


def get_log_device_placement():
    """What set_log_device_placement was told."""
    return _log_placement


def enable_traceback_filtering():
    """Remembered only: ops are C++, and leave nothing in a traceback that hides the program."""
    global _filter_tracebacks
    _filter_tracebacks = True


def disable_traceback_filtering():
    """Remembered only, as enable_traceback_filtering is."""
    global _filter_tracebacks
    _filter_tracebacks = False


def is_traceback_filtering_enabled():
    """What was last told."""
    return _filter_tracebacks


__getattr__, __dir__ = _api.surface("debugging")
