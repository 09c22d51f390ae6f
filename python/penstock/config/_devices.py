"""Devices: the machine's one CPU, and its settings."""

import collections

from penstock import _core
from penstock._api import public


def device_index(device) -> int:
    """The index in "CPU:0", "/device:CPU:0" and the like."""
    text = str(device).rpartition("/")[2].upper().removeprefix("DEVICE:")
    kind, _, index = text.partition(":")
    if kind != "CPU" or not (index or "0").isdigit() or int(index or 0) >= 8:
        raise ValueError(f"Failed parsing device name: '{device}'")
    return int(index or 0)


@public("config.PhysicalDevice")
class PhysicalDevice(collections.namedtuple("PhysicalDevice", "name device_type")):
    """A device of the machine."""

    __slots__ = ()


@public("config.LogicalDevice")
class LogicalDevice(collections.namedtuple("LogicalDevice", "name device_type")):
    """A device that programs use."""

    __slots__ = ()


_FIELDS = "memory_limit experimental_priority experimental_device_ordinal"


@public("config.LogicalDeviceConfiguration", "config.experimental.VirtualDeviceConfiguration")
class LogicalDeviceConfiguration(
    collections.namedtuple("LogicalDeviceConfiguration", _FIELDS, defaults=[None] * 3)
):
    """What a logical device may use: memory_limit is in MiB.

    Args:
      memory_limit: In MiB.
      experimental_priority: Taken as in TensorFlow, and not used.
      experimental_device_ordinal: Taken as in TensorFlow, and not used.

    >>> tf.config.LogicalDeviceConfiguration(memory_limit=512).memory_limit
    512
    """

    __slots__ = ()


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")
_visible = [_CPU]
_configurations = None


def checked(device):
    """The device, if it is one of list_physical_devices()."""
    if device != _CPU or not isinstance(device, PhysicalDevice):
        raise ValueError(f"Unrecognized device: {device!r}")
    return device


def _of_type(devices, device_type):
    return [device for device in devices if device_type in (None, device.device_type)]


@public("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type=None):
    """The devices of the machine: the CPU.

    Args:
      device_type: "CPU", "GPU" or None for all.

    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return _of_type([_CPU], device_type)


@public("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type=None):
    """The devices that programs use.

    Args:
      device_type: "CPU", "GPU" or None for all.

    >>> [device.name for device in tf.config.list_logical_devices("CPU")]
    ['/device:CPU:0']
    """
    return _of_type([LogicalDevice("/device:CPU:0", "CPU")], device_type)


@public("config.get_visible_devices", "config.experimental.get_visible_devices")
def get_visible_devices(device_type=None):
    """The devices passed to set_visible_devices; initially all."""
    return _of_type(_visible, device_type)


@public("config.set_visible_devices", "config.experimental.set_visible_devices")
def set_visible_devices(devices, device_type=None):
    """Stored only: ops run on the CPU, the only device.

    Args:
      devices: One of tf.config.list_physical_devices(), or a list of them.
      device_type: "CPU", "GPU" or None for all.

    >>> tf.config.set_visible_devices(tf.config.list_physical_devices("CPU"))
    >>> len(tf.config.get_visible_devices())
    1
    """
    global _visible
    devices = devices if isinstance(devices, (list, tuple)) else [devices]
    for device in devices:
        if device_type not in (None, checked(device).device_type):
            raise ValueError(f"Unrecognized device: {device!r}")
    kept = [] if device_type is None else [d for d in _visible if d.device_type != device_type]
    _visible = [*kept, *devices]


@public(
    "config.get_logical_device_configuration",
    "config.experimental.get_virtual_device_configuration",
)
def get_logical_device_configuration(device):
    """The list passed to set_logical_device_configuration, or None."""
    checked(device)
    return _configurations


@public(
    "config.set_logical_device_configuration",
    "config.experimental.set_virtual_device_configuration",
)
def set_logical_device_configuration(device, logical_devices):
    """Limits the memory of the CPU: `memory_limit` becomes its budget. It stays one device.

    Args:
      device: One of tf.config.list_physical_devices().
      logical_devices: A list of one tf.config.LogicalDeviceConfiguration.
    """
    global _configurations
    checked(device)
    logical_devices = list(logical_devices)
    if len(logical_devices) != 1:
        raise ValueError(f"The CPU is one logical device, not {len(logical_devices)}.")
    limit = logical_devices[0].memory_limit
    if limit is not None:
        _core.set_budget(int(limit * 2**20), 0)
    _configurations = logical_devices
