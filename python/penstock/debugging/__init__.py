"""tf.debugging: checks of values, shapes and dtypes that raise when they do not hold."""

from penstock import _api
from penstock._memory.plan import assert_peak
from penstock.debugging._static import (
    assert_integer,
    assert_proper_iterable,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_same_float_dtype,
    assert_scalar,
    assert_shapes,
    assert_type,
    is_numeric_tensor,
)
from penstock.debugging._values import (
    Assert,
    assert_all_finite,
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    check_numerics,
)

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
