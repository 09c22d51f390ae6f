"""tf.test: testing of programs, and what this installation supports."""

from penstock import _api


def is_built_with_cuda():
    """False: there are no kernels for GPUs."""
    return False


def is_built_with_rocm():
    """False: there are no kernels for GPUs."""
    return False


def is_built_with_gpu_support():
    """False: there are no kernels for GPUs."""
    return False


def is_built_with_xla():
    """False: functions are planned, not compiled."""
    return False


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    """False: ops run on the CPU."""
    return False


def gpu_device_name():
    """The name of a GPU: there is none."""
    return ""


__getattr__, __dir__ = _api.surface("test")
