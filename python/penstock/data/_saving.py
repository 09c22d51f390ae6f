"""Datasets in files: save, load and snapshot."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from penstock import _core, dtypes, errors
from penstock._api import public
from penstock._ops.convert import cast
from penstock._tensors.spec import TensorSpec
from penstock.data import _functions, _structure
from penstock.data._stage import make, number, text

_COMPRESSIONS = (None, "", "AUTO", "GZIP", "SNAPPY", "NONE")
_LEAF = 0


def _form(spec):
    """A structure as JSON has it: leaves are numbers."""
    if isinstance(spec, tuple):
        names = getattr(spec, "_fields", None)
        return {"tuple": [_form(item) for item in spec], "names": names and list(names)}
    if isinstance(spec, Mapping):
        return {"dict": [[key, _form(spec[key])] for key in spec]}
    return None if isinstance(spec, _structure.NoneTensorSpec) else _LEAF


def _spec(form, parts):
    """The element spec of a form, with the specs of the leaves in the runtime's order."""
    if form is None:
        return _structure.NoneTensorSpec()
    if form == _LEAF:
        dtype, shape = next(parts)
        return TensorSpec(shape, dtype)
    if "tuple" in form:
        return tuple([_spec(item, parts) for item in form["tuple"]])
    items = dict(form["dict"])
    specs = {key: _spec(items[key], parts) for key in sorted(items)}
    return {key: specs[key] for key in items}


def _path(path) -> str:
    if isinstance(path, bytes):
        return os.fsdecode(path)
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"Expected binary or unicode string, got {path!r}")
    return os.fspath(path)


def _compression(compression) -> str:
    if compression not in _COMPRESSIONS:
        raise ValueError(f"Unsupported compression: {compression}")
    return "GZIP" if compression == "GZIP" else ""


def save(dataset, path, compression, shard_func, checkpoint_args):
    path, compression = _path(path), _compression(compression)
    if checkpoint_args is not None:
        raise errors.UnimplementedError(
            None, None, "Dataset.save continues no interrupted save: checkpoint_args is not there"
        )
    shard = None
    if shard_func is not None:
        shard = _functions.trace(
            lambda *element: cast(shard_func(*element), dtypes.int64), dataset.element_spec
        )
    structure = json.dumps(_form(dataset.element_spec)).encode()
    _core.write_dataset(
        dataset._core, path, compression, structure, None if shard is None else shard.core
    )


def load(path, element_spec, compression, reader_func):
    path, compression = _path(path), _compression(compression)
    _, parts, structure, shards = _core.saved_dataset(path)
    spec = element_spec
    if spec is None:
        spec = _spec(json.loads(structure), iter(parts))

    def shard(i):
        return make("Load", (), [text(path), text(compression), number(i)], spec=spec)

    if reader_func is None:
        return make("Load", (), [text(path), text(compression), number(-1)], spec=spec)
    numbers = _structure.dataset_class().range(len(shards))
    datasets = numbers.map(shard)
    dataset = reader_func(datasets)
    return make("AssertCardinality", [dataset], [number(sum(shards))])


def snapshot(dataset, path, compression, reader_func, shard_func):
    if reader_func is not None or shard_func is not None:
        raise errors.UnimplementedError(
            None, None, "Dataset.snapshot has one shard: reader_func and shard_func are not there"
        )
    compression = "GZIP" if compression == "GZIP" else ""
    kept = make("Snapshot", [dataset], [text(_path(path)), text(compression)])
    kept._name = "_MapDataset"
    return kept


@public("data.experimental.save")
def save_dataset(dataset, path, compression=None, shard_func=None, checkpoint_args=None):
    """Writes the elements of a dataset to a folder."""
    return dataset.save(path, compression, shard_func, checkpoint_args)


@public("data.experimental.load")
def load_dataset(path, element_spec=None, compression=None, reader_func=None):
    """The dataset that `save` wrote."""
    return _structure.dataset_class().load(path, element_spec, compression, reader_func)
