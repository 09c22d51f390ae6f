"""The columns of a profile, and the lines that its blocks come from."""

from typing import NamedTuple

import numpy as np

from penstock._api import public

# The columns and their types; `tag`, `site` and so on are indices into the tables.
COLUMNS = {
    "start": np.int64,  # ns since the recording began
    "end": np.int64,  # ns; -1: still held when it ended
    "bytes": np.int64,
    "tag": np.uint8,  # of tags: the last one that the block had
    "site": np.int32,  # of sites: the user's innermost frame
    "op": np.int32,  # of names
    "owner": np.int32,  # of names: the variable or function that it belongs to
    "dtype": np.int32,  # of names
    "shape": np.int32,  # of shapes
}


@public("profiler.Site")
class Site(NamedTuple):
    """A line of the user's program."""

    file: str
    line: int
    function: str

    def __str__(self):
        return f"{self.file}:{self.line}"
