"""Blocks that differ only in their times are of one kind. A loop has few kinds, however long it
runs, and most of what is said of blocks is the same for a whole kind."""

import numpy as np

WITHOUT_SIZE = ("tag", "site", "op", "owner", "dtype", "shape")


def kinds(profile, names=("bytes", *WITHOUT_SIZE)):
    """(the kind of every block, the first block of every kind), by those columns."""
    code, size = np.zeros(len(profile), np.int64), 1
    for name in names:
        column = getattr(profile, name).astype(np.int64) + 1  # an index may be -1
        if name == "bytes":
            column = _numbered(column)
        width = int(column.max(initial=0)) + 1
        if size > 2**62 // width:
            code = _numbered(code)
            size = int(code.max(initial=0)) + 1
        code = code * width + column
        size *= width
    _, first, code = np.unique(code, return_index=True, return_inverse=True)
    return code.reshape(-1), first


def _numbered(values):
    """The values as numbers from 0 on."""
    return np.unique(values, return_inverse=True)[1].reshape(-1)
