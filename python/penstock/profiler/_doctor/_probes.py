"""Probes: how penstock's own classes report events to the doctor.

A probe replaces a method by one that calls it and notifies a detector. Without a doctor there are
no probes, so they cost nothing.
"""

from __future__ import annotations

import functools


class Probes:
    """The methods that were replaced, to be put back."""

    def __init__(self, guard):
        self._replaced = []
        self._guard = guard  # calls a function and catches its exceptions

    def after(self, owner, name, tell):
        """Calls tell(object, result, *args) after each call of a method."""
        original, guard = getattr(owner, name), self._guard

        @functools.wraps(original)
        def probed(self, *args, **kwargs):
            result = original(self, *args, **kwargs)
            guard(tell, self, result, *args)
            return result

        self._put(owner, name, probed)

    def around(self, owner, name, begin, end):
        """Calls begin(object, *args) before each call, and end(object, what that gave) after it,
        whether it fails or not."""
        original, guard = getattr(owner, name), self._guard

        @functools.wraps(original)
        def probed(self, *args, **kwargs):
            begun = guard(begin, self, *args)
            try:
                return original(self, *args, **kwargs)
            finally:
                guard(end, self, begun)

        self._put(owner, name, probed)

    def replace(self, owner, name, value):
        """Another value of an attribute meanwhile."""
        self._put(owner, name, value)

    def _put(self, owner, name, method):
        self._replaced.append((owner, name, vars(owner).get(name)))
        setattr(owner, name, method)

    def remove(self):
        """Puts the methods back."""
        for owner, name, own in reversed(self._replaced):
            if own is None:
                delattr(owner, name)
            else:
                setattr(owner, name, own)
        self._replaced.clear()
