"""tf.config: devices, threads and memory."""

from penstock import _api, _core
from penstock._context import scope as _scope
from penstock.config import _devices, experimental, optimizer, threading


def set_memory_budget(budget, device="CPU:0"):
    """Sets the most bytes that a device may hold: a number, or a string such as "512MiB"."""
    size = _core.parse_bytes(budget) if isinstance(budget, str) else int(budget)
    _core.set_budget(size, _devices.device_index(device))


def get_memory_budget(device="CPU:0") -> int:
    """The budget in bytes."""
    return _core.budget(_devices.device_index(device))


def set_trace_cache_limit(limit):
    """The most bytes that the traces of one tf.function may take: a number, or a text such as
    "16MiB". The least recently used go first."""
    from penstock._tracing import trace_cache as _trace_cache

    _trace_cache.limit = _core.parse_bytes(limit) if isinstance(limit, str) else int(limit)


def get_trace_cache_limit():
    """The limit in bytes."""
    from penstock._tracing import trace_cache as _trace_cache

    return _trace_cache.limit


_run_eagerly = False


def run_functions_eagerly(run_eagerly):
    """Whether a tf.function runs its Python code each time instead of its graph.

    Args:
      run_eagerly: True or False.

    >>> tf.config.run_functions_eagerly(True)
    >>> tf.config.functions_run_eagerly()
    True
    >>> tf.config.run_functions_eagerly(False)
    """
    global _run_eagerly
    _run_eagerly = bool(run_eagerly)
    _core.set_fast_calls(not _run_eagerly)


def functions_run_eagerly() -> bool:
    """The setting of run_functions_eagerly."""
    return _run_eagerly


experimental_run_functions_eagerly = run_functions_eagerly
experimental_functions_run_eagerly = functions_run_eagerly


def set_soft_device_placement(enabled):
    """Whether `tf.device` with a missing device means the CPU, or an error.

    Args:
      enabled: True or False.

    >>> tf.config.set_soft_device_placement(True)
    >>> tf.config.get_soft_device_placement()
    True
    """
    _scope.soft_placement = bool(enabled)


def get_soft_device_placement() -> bool:
    """Whether a missing device means the CPU."""
    return _scope.soft_placement


__getattr__, __dir__ = _api.surface("config")
