"""Lists and dictionaries that report additions to a restore.

They replace plain ones for whose elements a checkpoint still has values, and only if the plain one
has a single owner: for anybody else it would no longer be the same object.
"""

from __future__ import annotations

import functools
import sys

from penstock._variables.track import Trackable, await_more, stop_waiting

_ONE_OWNER = 2  # references: the owner's, and the counter's


def replace(owner, place, restore, number, references=_ONE_OWNER) -> None:
    """Replaces a plain list or dictionary, recursively, by one that reports to `restore`."""
    try:
        kind = type(owner[place])
    except (KeyError, IndexError):
        return
    if kind in _KINDS and sys.getrefcount(owner[place]) <= references:
        plain = dict if isinstance(owner, dict) else list  # an owner that is watched needs no word
        plain.__setitem__(owner, place, _KINDS[kind](owner[place]))
    watched = owner[place]
    if not isinstance(watched, (_WatchedList, _WatchedDict)):
        return
    watched._restore, watched._number = restore, number
    for name, child in restore.names(number).items():
        if isinstance(watched, dict):
            replace(watched, name, restore, child)
        elif name.isdecimal():
            replace(watched, int(name), restore, child)


class _Counter(Trackable):
    """Counts the references to what is set as its attribute `x`."""

    def arrived(self, target, name):
        object.__setattr__(self, "count", sys.getrefcount(vars(self)["x"]))


@functools.cache
def references_while_set() -> int:
    """The number of references to a new list while it becomes an attribute.

    0 where one that has another owner looks the same: then none counts as new.
    """
    counter = _Counter()
    await_more(counter, counter)
    counter.x = []
    alone = counter.count
    other = []
    counter.x = other
    stop_waiting(counter, counter)
    return alone if counter.count > alone else 0


def _telling(kind, name):
    method = getattr(kind, name)

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        result = method(self, *args, **kwargs)
        if self._restore is not None:
            self._restore.added(self, self._number)
        return result

    return call


def _subclass(kind, methods):
    members = {name: _telling(kind, name) for name in methods.split()}
    members |= {
        "_restore": None,
        "_number": 0,
        "__module__": __name__,
        # Copies and pickles are plain.
        "__reduce_ex__": lambda self, protocol: (kind, (kind(self),)),
    }
    return type(f"_Watched{kind.__name__.title()}", (kind,), members)


_WatchedList = _subclass(list, "append extend insert __setitem__ __iadd__")
_WatchedDict = _subclass(dict, "__setitem__ update setdefault __ior__")
_KINDS = {list: _WatchedList, dict: _WatchedDict}
