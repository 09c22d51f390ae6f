"""tf.config.experimental: memory statistics, and older names of tf.config's functions."""

from penstock import _api, _core
from penstock.config import _devices


def get_memory_info(device="CPU:0") -> dict[str, int]:
    """Bytes held now and at the peak: {"current": …, "peak": …}."""
    info = _core.memory_info(_devices.device_index(device))
    return {"current": info["current"], "peak": info["peak"]}


def get_memory_usage(device="CPU:0") -> int:
    """Bytes held now."""
    return get_memory_info(device)["current"]


def reset_memory_stats(device="CPU:0"):
    """Resets the peak to the current bytes."""
    _core.reset_peak(_devices.device_index(device))


def trim_memory():
    """Returns memory kept for reuse to the system."""
    _core.trim()


def get_memory_by_tag(device="CPU:0") -> dict[str, dict[str, int]]:
    """The counters of every tag."""
    return _core.memory_by_tag(_devices.device_index(device))


def get_device_details(device):
    """Empty: nothing is known of a CPU beyond its name."""
    if not isinstance(device, _devices.PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device}")
    return {}


def set_memory_growth(device, enable):
    """Does nothing: memory is always allocated on demand.

    Args:
      device: One of tf.config.list_physical_devices().
      enable: True or False.

    >>> tf.config.experimental.set_memory_growth(tf.config.list_physical_devices("CPU")[0], True)
    """
    _devices.checked(device)


def get_memory_growth(device) -> bool:
    """True: memory is always allocated on demand."""
    _devices.checked(device)
    return True


def enable_op_determinism():
    """Does nothing: ops are deterministic for any number of threads."""


def get_synchronous_execution() -> bool:
    """True: an op is complete when its call returns."""
    return True


def set_synchronous_execution(enable):
    """Does nothing: execution is synchronous."""


_float_32 = True


def enable_tensor_float_32_execution(enabled):
    """Stored only: a CPU multiplies in full float32 precision."""
    global _float_32
    _float_32 = bool(enabled)


def tensor_float_32_execution_enabled() -> bool:
    """The setting of enable_tensor_float_32_execution."""
    return _float_32


__getattr__, __dir__ = _api.surface("config.experimental")
