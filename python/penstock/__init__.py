"""Penstock: TensorFlow-shaped programs with their memory under control.

    import penstock as tf

Names are TensorFlow's. Submodules and op functions are loaded on first use.
"""

import importlib as _importlib
import os as _os
import sys as _sys

from penstock import _api, _core
from penstock._base.version_1 import version_1 as _version_1
from penstock._ops import core_hooks as _core_hooks
from penstock.dtypes import *  # noqa: F403 - tf.float32 and the other dtypes

_core_hooks.install()
_version_1.load_from("penstock.compat.v1._parts")

__version__ = _core.__version__
Tensor = _core.Tensor
newaxis = None

_MODULES = [
    "autodiff",
    "autograph",
    "bitwise",
    "compat",
    "config",
    "data",
    "debugging",
    "dtypes",
    "errors",
    "experimental",
    "initializers",
    "io",
    "linalg",
    "losses",
    "math",
    "metrics",
    "nest",
    "nn",
    "optimizers",
    "profiler",
    "quantization",
    "random",
    "raw_ops",
    "signal",
    "strings",
    "summary",
    "sysconfig",
    "test",
    "train",
    "types",
    "version",
]


def executing_eagerly():
    """True if ops run when called; False while a function is traced.

    >>> tf.executing_eagerly()
    True
    """
    return not _core.is_tracing()


def __getattr__(name):
    if name in _MODULES:
        return _importlib.import_module("penstock." + name)
    if name == "__all__":
        return [public for public in __dir__() if not public.startswith("_")]
    value = _api.find("", name)
    if value is None:
        if name.startswith("__"):
            raise AttributeError(name)
        from penstock._base import near as _near

        raise _near.missing("penstock", name, __dir__())
    globals()[name] = value
    return value


def __dir__():
    own = [name for name in [*globals()] if not name.startswith("_")]
    return sorted({*own, *_MODULES, *_api.names_in(""), "__version__"})


def _record_if_asked():
    """PENSTOCK_PROFILE: records the program's memory. The penstock command does so for scripts."""
    value = _os.environ.get("PENSTOCK_PROFILE", "0")
    program = _os.path.basename(_sys.argv[0]) if _sys.argv else ""
    if value not in ("", "0") and program not in ("-m", "penstock"):
        recording = _importlib.import_module("penstock.profiler._recording")
        recording.start_from_environment(value)


_record_if_asked()
