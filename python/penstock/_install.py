"""Penstock in TensorFlow's place: `import tensorflow` then gives penstock."""

import importlib
import importlib.abc
import importlib.machinery
import sys


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds tensorflow.x, and tensorflow.compat.v2.x, as penstock.x."""

    def find_spec(self, fullname, path=None, target=None):
        if not fullname.startswith("tensorflow."):
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def create_module(self, spec):
        name = spec.name.removeprefix("tensorflow").removeprefix(".compat.v2")
        name = "penstock" + name
        try:
            self._module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"No module named '{spec.name}': penstock does not have {error.name} (yet)",
                name=spec.name,
            ) from None
        return  # a fresh module, which exec_module replaces

    def exec_module(self, module):
        sys.modules[module.__name__] = self._module


def install_as_tensorflow():
    """From here on `import tensorflow` gives penstock. Refuses when the real one is loaded.

    `__version__` then is that of the TensorFlow whose names these are: programs ask for it.
    """
    import penstock
    from penstock.version import VERSION

    loaded = sys.modules.get("tensorflow")
    if loaded is penstock:
        return
    if loaded is not None:
        raise RuntimeError("the real tensorflow is already imported in this process")
    sys.modules["tensorflow"] = penstock
    penstock.__version__ = VERSION
    sys.meta_path.insert(0, _Alias())
