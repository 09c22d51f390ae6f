"""tf.config.experimental: what memory is held."""

from penstock import _core


def device_index(device) -> int:
    """The index in "CPU:0", "/device:CPU:0" and the like."""
    text = str(device).rpartition("/")[2].upper().removeprefix("DEVICE:")
    kind, _, index = text.partition(":")
    if kind != "CPU" or not (index or "0").isdigit() or int(index or 0) >= 8:
        raise ValueError(f"Failed parsing device name: '{device}'")
    return int(index or 0)


def get_memory_info(device="CPU:0"):
    """Bytes held now and at the peak: {"current": …, "peak": …}."""
    info = _core.memory_info(device_index(device))
    return {"current": info["current"], "peak": info["peak"]}


def get_memory_usage(device="CPU:0"):
    """Bytes held now."""
    return get_memory_info(device)["current"]


def reset_memory_stats(device="CPU:0"):
    """The peak becomes what is held now."""
    _core.reset_peak(device_index(device))


def trim_memory():
    """Gives back to the system what is kept for reuse."""
    _core.trim()


def get_memory_by_tag(device="CPU:0"):
    """The counters of every tag: what the bytes are for."""
    return _core.memory_by_tag(device_index(device))


def list_physical_devices(device_type=None):
    """The devices of the machine."""
    from penstock import config

    return config.list_physical_devices(device_type)


def set_memory_growth(device, enable):
    """Nothing to do: memory is always taken as it is needed."""
