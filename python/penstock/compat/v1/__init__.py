"""tf.compat.v1: TensorFlow 1's names, with its graphs and sessions.

A name is looked up among those that begin with "v1." in `@public`, then in the table of former
names of today's functions (_names.txt), then in penstock itself. Everything is imported on first
use.
"""

import importlib as _importlib

_MODULES = [
    *(
        "app",
        "data",
        "debugging",
        "dtypes",
        "flags",
        "gfile",
        "initializers",
        "io",
        "layers",
        "linalg",
    ),
    *("logging", "losses", "manip", "math", "metrics", "nn", "python_io", "random", "spectral"),
    *("strings", "summary", "train"),
]


def __getattr__(name):
    import penstock

    if name == "__all__":
        from penstock._base.source_version import only_in

        return sorted({*__dir__(), *penstock.__all__} - only_in(2)[""])
    if name.startswith("_"):  # the files themselves are requested before they are imported
        raise AttributeError(name)
    from penstock.compat.v1 import _names

    if name in _MODULES:
        return _importlib.import_module("penstock.compat.v1." + name)
    value = _names.find("", name)
    if value is None:
        try:
            value = getattr(penstock, name)
        except AttributeError:
            from penstock._base import near as _near

            raise _near.missing(__name__, name, [*__dir__(), *dir(penstock)]) from None
    globals()[name] = value
    return value


def __dir__():
    from penstock.compat.v1 import _names

    return sorted({*_MODULES, *_names.names_in("")})
