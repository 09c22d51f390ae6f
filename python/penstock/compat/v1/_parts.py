"""Registers the parts of TensorFlow 1 that the rest of penstock uses (_base/version_1.py)."""

import importlib

from penstock._base.version_1 import version_1

_PLACE = "penstock.compat.v1"
_PARTS = {
    "default_graph": "_default.get_default_graph",
    "gradients": "_gradients.gradients",
    "growth": "_growth",
    "make_variable": "_graph_variable.make_variable",
    "names": "_names",
    "nodes": "_nodes",
    "sessions": "_session",
    "tape_names": "_tape_names",
    "tape_reads": "_tape_reads",
}


def _namespace(name: str):
    """tf.compat.v1.<name>; None where there is none."""
    try:
        return importlib.import_module(f"{_PLACE}.{name}".rstrip("."))
    except ImportError:
        return None


def _find(part: str):
    if part == "api":
        return _namespace("")
    if part == "namespace":
        return _namespace
    if part not in _PARTS:
        raise AttributeError(part)
    file, _, name = _PARTS[part].partition(".")
    module = importlib.import_module(f"{_PLACE}.{file}")
    return getattr(module, name) if name else module


version_1.register(_find)
