"""Whole files as string tensors, and tensors as TensorFlow's TensorProto messages."""

from __future__ import annotations

import os
from contextlib import ExitStack

from penstock import _core, dtypes, errors
from penstock._api import public
from penstock._base.files import system_errors, whole, write_all
from penstock._core import Tensor
from penstock._memory.host import booked

_PIECE = 1 << 20  # read at once from files of unknown length


def _scalar_text(value, refusal) -> bytes:
    tensor = _core.to_tensor(value, dtypes.string)
    if tensor.shape.rank != 0:
        raise errors.InvalidArgumentError(None, None, refusal.format(list(tensor.shape)))
    return tensor.numpy()


def _path(filename):
    if isinstance(filename, os.PathLike):
        filename = os.fspath(filename)
    text = _scalar_text(filename, "Input filename tensor must be scalar, but had shape: {}")
    return os.fsdecode(text)


@public("io.read_file", "v1.read_file")
def read_file(filename, name=None) -> Tensor:
    """The contents of a file as a string tensor.

    Args:
      filename: The file's name.
      name: The name of the operation in a graph.

    Returns:
      A tensor.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(path, "w").write("text")
    >>> tf.io.read_file(path)
    <tf.Tensor: shape=(), dtype=string, numpy=b'text'>
    """
    path = _path(filename)
    with system_errors(path), open(path, "rb", buffering=0) as file, ExitStack() as stack:
        # Each piece is booked before it is read and, if there are several, the whole.
        left, pieces = os.fstat(file.fileno()).st_size, []
        while True:
            count = max(left, _PIECE)
            stack.enter_context(booked(count, "ReadFile"))
            piece = file.read(count)
            if not piece:
                break
            pieces.append(piece)
            left -= len(piece)
        if len(pieces) != 1:
            stack.enter_context(booked(sum(map(len, pieces)), "ReadFile"))
            pieces = [b"".join(pieces)]
        return _core.to_tensor(pieces[0], dtypes.string)


@public("io.write_file", "v1.write_file")
def write_file(filename, contents, name=None) -> None:
    """Writes a string tensor to a file, and creates its parent folders."""
    from penstock.io import gfile

    path = _path(filename)
    data = _scalar_text(contents, "Contents tensor must be scalar, but had shape: {}")
    gfile.makedirs(os.path.dirname(path) or ".")
    with system_errors(path), whole(path, is_durable=False) as file:
        write_all(file, data)


@public("io.matching_files", "v1.matching_files")
def matching_files(pattern, name=None) -> Tensor:
    """The paths that match one or several patterns, sorted, as a tensor."""
    from penstock.io import gfile

    patterns = _core.to_tensor(pattern, dtypes.string)
    if patterns.shape.rank > 1:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Input patterns tensor must be scalar or vector, but had shape: {patterns.shape}",
        )
    paths = [
        os.fsencode(path)
        for pattern in patterns._read_only_array().reshape(-1)
        for path in gfile.glob(pattern)
    ]
    return _core.to_tensor(sorted(paths), dtypes.string)


@public("io.serialize_tensor", "v1.serialize_tensor")
def serialize_tensor(tensor, name=None) -> Tensor:
    """The tensor as a serialized TensorProto, which TensorFlow can read."""
    from penstock._proto import tensor_proto as _tensor_proto

    tensor = _core.to_tensor(tensor)
    return _core.to_tensor(_tensor_proto.encode(tensor), dtypes.string)


@public("io.parse_tensor", "v1.parse_tensor")
def parse_tensor(serialized, out_type, name=None) -> Tensor:
    """The tensor in a serialized TensorProto, which must be of dtype `out_type`."""
    from penstock._proto import tensor_proto as _tensor_proto

    data = _scalar_text(serialized, "Expected `serialized` to be a scalar, got shape: {}")
    tensor = _tensor_proto.decode(data)
    out_type = dtypes.as_dtype(out_type)
    if tensor.dtype is not out_type:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Type mismatch between parsed tensor ({tensor.dtype.name}) and dtype "
            f"({out_type.name})",
        )
    return tensor
