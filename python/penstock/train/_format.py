"""Checkpoint files: safetensors, with the graph of objects in the metadata.

The prefix "dir/ckpt-1" is the file dir/ckpt-1.safetensors. Tensors have TensorFlow's names for
them, as in "model/w/.ATTRIBUTES/VARIABLE_VALUE".
"""

from __future__ import annotations

import json
import os

import numpy as np

from penstock import dtypes, errors
from penstock._functions.basic import from_numpy
from penstock.io import gfile, safetensors
from penstock.io._header import lost

SUFFIX = ".safetensors"
_GRAPH = "penstock.checkpoint"


def file_of(prefix: str) -> str:
    """The file of a checkpoint."""
    return prefix if prefix.endswith(SUFFIX) and os.path.isfile(prefix) else prefix + SUFFIX


def exists(prefix: str) -> bool:
    """Whether there is such a checkpoint."""
    return os.path.isfile(file_of(prefix))


def _pairs(variable):
    """A complex128 as pairs of float64, which the format has, over the same memory."""
    array = variable._read_only_array()
    return from_numpy(array.reshape(-1).view(np.float64).reshape(*array.shape, 2))


def write(prefix: str, nodes) -> None:
    """Writes the variables among the nodes, and the graph."""
    tensors, described = {}, []
    for node in nodes:
        entry = {"children": node.children} if node.children else {}
        if node.key is not None:
            entry["key"], tensors[node.key] = node.key, node.value
            if node.value.dtype is dtypes.complex128:
                entry["dtype"], tensors[node.key] = "complex128", _pairs(node.value)
        described.append(entry)
    folder = os.path.dirname(prefix)
    if folder:
        gfile.makedirs(folder)
    safetensors.save_file(tensors, prefix + SUFFIX, {_GRAPH: json.dumps(described)})


class CheckpointFile:
    """A checkpoint to read: `nodes` is its graph, [(children, key or None), …]."""

    def __init__(self, prefix: str):
        try:
            self._file = safetensors.safe_open(file_of(prefix))
        except errors.NotFoundError as error:
            other = " (there is one of TensorFlow's own format, which is not supported)"
            raise errors.NotFoundError(
                None,
                None,
                f"Failed to find any matching files for {prefix}: there is no {prefix}{SUFFIX}"
                + (other if os.path.exists(prefix + ".index") else ""),
            ) from error
        self._complex = set()
        try:
            self.nodes = self._graph()
        except BaseException:
            self.close()
            raise

    def _graph(self):
        text = self._file.metadata().get(_GRAPH)
        if text is None:
            raise lost(f"{self._file.path} is no checkpoint: it has no graph of objects")
        try:
            table = json.loads(text)
            if not isinstance(table, list) or not table:
                raise ValueError("there are no objects")
            return [self._node(entry, len(table)) for entry in table]
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            raise lost(f"{self._file.path}: the graph of objects is damaged: {error}") from error

    def _node(self, entry, count):
        children, key = entry.get("children", {}), entry.get("key")
        for number in children.values():
            if type(number) is not int or not 0 <= number < count:
                raise ValueError(f"there is no object {number}")
        if key is None:
            return children, None
        if key not in self._file:
            raise ValueError(f"there is no tensor {key}")
        if entry.get("dtype") == "complex128":
            stored = self._file.entry(key)
            if stored.dtype is not dtypes.float64 or stored.shape[-1:] != (2,):
                raise ValueError(f"{key} is not complex128")
            self._complex.add(key)
        return children, key

    def keys(self):
        """The names of the tensors."""
        return self._file.keys()

    def describe(self, key):
        """The (dtype, shape) of a tensor."""
        if key not in self._file:
            raise errors.NotFoundError(None, None, f"Key {key} not found in checkpoint")
        entry = self._file.entry(key)
        if key in self._complex:
            return dtypes.complex128, entry.shape[:-1]
        return entry.dtype, entry.shape

    def view(self, key):
        """A tensor over the file's pages, to copy from at once."""
        _, shape = self.describe(key)
        tensor = self._file.view(key)
        if key not in self._complex:
            return tensor
        array = tensor._read_only_array().reshape(-1).view(np.complex128)
        return from_numpy(array.reshape(shape))

    def close(self):
        """Closes the file."""
        self._file.close()
