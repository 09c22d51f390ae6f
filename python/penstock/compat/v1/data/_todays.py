"""Today's functions and classes that make datasets, as TensorFlow 1 has them: what they make has
its methods."""

from __future__ import annotations

import importlib
import inspect

from penstock.compat.v1.data._dataset import DatasetV1, as_method, as_v1


def as_version_1(namespace: str, name: str):
    """tf.<namespace>.<name>, which makes datasets of TensorFlow 1."""
    found = getattr(importlib.import_module(f"penstock.{namespace}"), name)
    made = _class(found) if inspect.isclass(found) else as_method(found)
    made.__module__ = f"penstock.compat.v1.{namespace}"
    return made


def _class(found):
    def make(cls, *args, **kwargs):
        return as_v1(found(*args, **kwargs), cls)

    members = {
        "__doc__": found.__doc__,
        "__init__": lambda self, *args, **kwargs: None,
        "__module__": __name__.rpartition(".")[0],
        "__new__": make,
        "__signature__": inspect.signature(found),
    }
    return type(found.__name__, (DatasetV1,), members)
