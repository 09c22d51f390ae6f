"""tf.debugging: checks of values, shapes and dtypes that raise if they fail."""

from penstock import _api

_log_placement = False
_filter_tracebacks = True


def set_log_device_placement(enabled):
    """Stored only: there is one device, which runs every op.

    Args:
      enabled: True or False.

    >>> tf.debugging.set_log_device_placement(False)
    """
    global _log_placement
    _log_placement = bool(enabled)


def get_log_device_placement():
    """The setting of set_log_device_placement."""
    return _log_placement


def enable_traceback_filtering():
    """Stored only: ops are C++, and add no frames to a traceback."""
    global _filter_tracebacks
    _filter_tracebacks = True


def disable_traceback_filtering():
    """Stored only, like enable_traceback_filtering."""
    global _filter_tracebacks
    _filter_tracebacks = False


def is_traceback_filtering_enabled():
    """The last setting."""
    return _filter_tracebacks


__getattr__, __dir__ = _api.surface("debugging")
