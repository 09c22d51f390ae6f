"""The traces of a function, bounded in bytes: the least recently used go first."""

from __future__ import annotations

from collections import OrderedDict

limit = 64 << 20  # of functions that have none of their own


class TraceCache:
    """Concrete functions by the key of their arguments."""

    def __init__(self, own_limit=None):
        self._own_limit = own_limit
        self._found = OrderedDict()  # key -> (concrete function, its bytes); the latest last
        self._bytes = 0

    def __len__(self):
        return len(self._found)

    def bytes(self) -> int:
        return self._bytes

    def values(self) -> list:
        return [concrete for concrete, _ in self._found.values()]

    def get(self, key):
        entry = self._found.get(key)
        if entry is None:
            return None
        self._found.move_to_end(key)
        return entry[0]

    def put(self, key, concrete):
        """Adds a trace, or counts one anew that has grown by running."""
        size = concrete.bytes()
        self.drop(key)
        self._found[key] = concrete, size
        self._bytes += size

    def drop(self, key):
        """Takes a trace out: the concrete function, or None."""
        concrete, size = self._found.pop(key, (None, 0))
        self._bytes -= size
        return concrete

    def shrink(self, recent) -> list:
        """The traces that had to go for the bound; the latest one always stays. `recent` are
        those that were used without asking here, the latest first."""
        most = limit if self._own_limit is None else self._own_limit
        if self._bytes <= most:
            return []
        keys = {id(concrete): key for key, (concrete, _) in self._found.items()}
        newest = next(reversed(self._found))
        for concrete in reversed(recent):
            self._found.move_to_end(keys[id(concrete)])
        self._found.move_to_end(newest)
        dropped = []
        while self._bytes > most and len(self._found) > 1:
            dropped.append(self.drop(next(iter(self._found))))
        return dropped
