"""tf.config: devices, threads and memory."""

from penstock import _api, _core
from penstock.config import experimental, threading

__all__ = [
    "experimental",
    "functions_run_eagerly",
    "get_memory_budget",
    "list_logical_devices",
    "list_physical_devices",
    "run_functions_eagerly",
    "set_memory_budget",
    "threading",
]


class PhysicalDevice(tuple):
    """A device of the machine."""

    __slots__ = ()

    def __new__(cls, name, device_type):
        return super().__new__(cls, (name, device_type))

    name = property(lambda self: self[0])
    device_type = property(lambda self: self[1])

    def __repr__(self):
        return f"{type(self).__name__}(name={self.name!r}, device_type={self.device_type!r})"


class LogicalDevice(PhysicalDevice):
    """A device that programs use."""

    __slots__ = ()


def list_physical_devices(device_type=None):
    """The devices of the machine: the CPU."""
    return [PhysicalDevice("/physical_device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


def list_logical_devices(device_type=None):
    """The devices that programs use."""
    return [LogicalDevice("/device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


def set_memory_budget(budget, device="CPU:0"):
    """The most bytes that a device may hold: a number, or a text such as "512MiB"."""
    size = _core.parse_bytes(budget) if isinstance(budget, str) else int(budget)
    _core.set_budget(size, experimental.device_index(device))


def get_memory_budget(device="CPU:0"):
    """The budget in bytes."""
    return _core.budget(experimental.device_index(device))


_run_eagerly = False


def run_functions_eagerly(run_eagerly):
    """Whether a tf.function runs its Python code each time instead of its graph."""
    global _run_eagerly
    _run_eagerly = bool(run_eagerly)


def functions_run_eagerly():
    """What run_functions_eagerly was told."""
    return _run_eagerly


__getattr__, __dir__ = _api.surface("config")
