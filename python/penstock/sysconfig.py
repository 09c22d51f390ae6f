"""tf.sysconfig: how this installation was built."""

from penstock import _api


def get_build_info():
    """The kernels beyond the CPU's: none."""
    return {"is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False}


__getattr__, __dir__ = _api.surface("sysconfig")
