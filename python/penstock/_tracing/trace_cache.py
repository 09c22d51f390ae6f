"""The traces of a function, limited in bytes; the least recently used are evicted."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict, deque

limit = 64 << 20  # of functions without their own limit


class TraceCache:
    """Concrete functions by the key of their arguments. Thread-safe."""

    def __init__(self, own_limit=None):
        self._own_limit = own_limit
        self._found = OrderedDict()  # key -> (concrete function, its bytes); the latest last
        self._bytes = 0
        self._lock = threading.RLock()
        self._depth = 0  # of calls in progress here
        self._dead = deque()  # (key, callback for its trace), to be dropped after them

    def __len__(self):
        return len(self._found)

    def bytes(self) -> int:
        return self._bytes

    @contextlib.contextmanager
    def _alone(self):
        with self._lock:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
        self._drop_dead()

    def values(self) -> list:
        with self._alone():
            return [concrete for concrete, _ in self._found.values()]

    def get(self, key):
        with self._alone():
            entry = self._found.get(key)
            if entry is None:
                return None
            self._found.move_to_end(key)
            return entry[0]

    def put(self, key, concrete):
        """Adds a trace, or updates the size of one that has grown."""
        size = concrete.bytes()
        with self._alone():
            self.drop(key)
            self._found[key] = concrete, size
            self._bytes += size

    def drop(self, key):
        """Removes a trace; returns the concrete function, or None."""
        with self._lock:
            concrete, size = self._found.pop(key, (None, 0))
            self._bytes -= size
        return concrete

    def drop_dead(self, key, forget):
        """Drops a trace whose argument is no more and hands it to `forget`: at once, or after what
        is under way. The collector finds such arguments at any moment, inside of a call too."""
        self._dead.append((key, forget))
        self._drop_dead()

    def _drop_dead(self):
        while self._dead and self._lock.acquire(blocking=False):
            dropped = []
            try:
                if self._depth > 0:
                    return
                with contextlib.suppress(IndexError):
                    while True:
                        key, forget = self._dead.popleft()
                        dropped.append((self.drop(key), forget))
            finally:
                self._lock.release()
            for concrete, forget in dropped:
                if concrete is not None:
                    forget(concrete)

    def shrink(self, recent) -> list:
        """The traces that had to go for the bound; the latest one always stays. `recent` are
        those that were used without asking here, the latest first."""
        most = limit if self._own_limit is None else self._own_limit
        if self._bytes <= most:
            return []
        dropped = []
        with self._alone():
            keys = {id(concrete): key for key, (concrete, _) in self._found.items()}
            newest = next(reversed(self._found))
            for concrete in reversed(recent):
                if id(concrete) in keys:  # unless another thread has dropped it
                    self._found.move_to_end(keys[id(concrete)])
            self._found.move_to_end(newest)
            while self._bytes > most and len(self._found) > 1:
                dropped.append(self.drop(next(iter(self._found))))
        return dropped
