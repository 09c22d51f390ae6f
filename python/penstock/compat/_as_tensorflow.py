"""Installs penstock as tensorflow: `import tensorflow` then loads penstock."""

import importlib
import importlib.abc
import importlib.machinery
import sys

from penstock._api import public

_VERSION_1 = "1.15.5"  # the last TensorFlow 1


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds tensorflow.x, and tensorflow.compat.v2.x, as penstock.x."""

    def __init__(self, roots):
        self._roots = roots  # where modules are searched, in order

    def find_spec(self, fullname, path=None, target=None):
        if not fullname.startswith("tensorflow."):
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def create_module(self, spec):
        name = spec.name.removeprefix("tensorflow").removeprefix(".compat.v2")
        for root in self._roots:
            try:
                self._module = importlib.import_module(root + name)
                break
            except ModuleNotFoundError as error:
                missing = error.name
        else:
            from penstock._base import near as _near

            hint = _near.version_1_hint(*missing.rpartition(".")[::2])
            raise ModuleNotFoundError(
                f"No module named '{spec.name}': "
                + (hint or f"penstock does not have {missing} (yet)"),
                name=spec.name,
            ) from None
        return  # a fresh module, which exec_module replaces

    def exec_module(self, module):
        sys.modules[module.__name__] = self._module


@public("install_as_tensorflow")
def install_as_tensorflow(tf1=False):
    """Makes `import tensorflow` load penstock. Raises if the real one is already loaded.

    `__version__` then is that of the TensorFlow whose names these are: programs ask for it. With
    `tf1` the names are TensorFlow 1's, and ops become nodes of the default graph.
    """
    from penstock.version import VERSION

    roots = ["penstock.compat.v1", "penstock"] if tf1 else ["penstock"]
    module = importlib.import_module(roots[0])
    loaded = sys.modules.get("tensorflow")
    if loaded is module:
        return
    if loaded not in (None, sys.modules["penstock"]):
        raise RuntimeError("the real tensorflow is already imported in this process")
    sys.modules["tensorflow"] = module
    module.__version__ = _VERSION_1 if tf1 else VERSION
    sys.meta_path.insert(0, _Alias(roots))
    if tf1:
        module.disable_v2_behavior()
