"""Names of files."""

from __future__ import annotations

import os

import numpy as np

from penstock import _core, dtypes, errors
from penstock.data import _structure
from penstock.data._stage import constant
from penstock.io._contents import matching_files


def as_names(value):
    """Names with paths as strings."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (list, tuple)):
        return [os.fspath(each) if isinstance(each, os.PathLike) else each for each in value]
    return value


def matching(patterns: _core.Tensor) -> list[bytes]:
    """The names of the files that match, sorted, each once."""
    return sorted({*matching_files(patterns).numpy().tolist()})


def list_files(file_pattern, shuffle, seed):
    shuffle = True if shuffle is None else shuffle
    patterns = constant(as_names(file_pattern), dtypes.string)
    names = matching(patterns)
    if not names:
        shown = b", ".join(np.atleast_1d(patterns.numpy()).tolist()).decode()
        raise errors.InvalidArgumentError(
            None,
            None,
            "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
            f"b'No files matched pattern: {shown}'",
        )
    dataset = _structure.dataset_class().from_tensor_slices(constant(names, dtypes.string))
    return dataset.shuffle(len(names), seed) if shuffle else dataset
