"""Suspect: a container that may be what keeps a loop's tensors."""

from __future__ import annotations

from penstock.profiler._doctor import _containers

_ENOUGH = 3  # times that a line was seen to make a container longer


class Suspect:
    """A container that grows while a loop runs, and the lines at which it does."""

    def __init__(self, container, frame):
        self.container = container
        self.kind = _containers.KINDS[type(container)]
        self.is_bounded = getattr(container, "maxlen", None) is not None
        self.name = _containers.name_of(container, frame)
        self.id = id(container)
        self.length = self.checked_length = len(container)
        self.sites = {}
        self.confirmed = 0  # how often it was longer at a later check
        leaves = _containers.leaves_in(_containers.newest(container))
        self.leaf = type(leaves[-1]) if leaves else None
        self.leaf_bytes = max(map(_containers.bytes_of, leaves), default=0)
        self.leaf_size = max(map(_containers.size_of, leaves), default=0)
        self.is_direct = any(
            isinstance(item, _containers.LEAVES) for item in _containers.newest(container)
        )

    def look(self, site):
        """Called after each line, until the lines are known."""
        length = len(self.container)
        if length > self.length:
            self.sites[site] = self.sites.get(site, 0) + 1
        self.length = length

    def is_known(self) -> bool:
        return sum(self.sites.values()) >= _ENOUGH

    def still_grows(self, lengths) -> bool:
        """Whether the container still exists and is longer than at the last check."""
        length = lengths.get(self.id, 0)
        is_longer, self.checked_length = length > self.checked_length, length
        self.confirmed += is_longer
        self.length = max(self.length, length)
        return is_longer

    def let_go(self):
        self.container = None
