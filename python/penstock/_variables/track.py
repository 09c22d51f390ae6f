"""The objects that checkpoints follow: objects with named children down to variables.

A checkpoint may be restored before a program has created all its variables. The missing children of
an object are registered here, and restored when an attribute of that name is set.
"""

from __future__ import annotations

import weakref

from penstock import _core

# id of an object: (weak reference to it, [the restores with values for it]).
_awaiting = {}


class Trackable:
    """The base of objects whose attributes checkpoints save and restore."""

    # Attributes that are not part of the object's state.
    _UNTRACKED = frozenset()
    # An object in whose place this one is saved.
    _stands_for = None

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if _awaiting:
            arrived(self, name)

    def _trackable_children(self):
        """(name, child) of everything to save, in order."""
        for name, value in list(vars(self).items()):
            if name not in self._UNTRACKED and is_trackable(value):
                yield name, value


class StateHolder(Trackable):
    """An object whose state, as bytes, checkpoints save and restore: an iterator."""

    _STATE = "OBJECT_STATE"  # its name in TensorFlow's checkpoints

    def _trackable_children(self):
        return iter(())

    def _save_state(self) -> bytes:
        raise NotImplementedError

    def _restore_state(self, state: bytes):
        """Restores the state, or raises and leaves it as it was."""
        raise NotImplementedError


def is_trackable(value) -> bool:
    """Whether it may contain variables."""
    return isinstance(value, (_core.VariableHandle, Trackable, list, tuple, dict))


def children(value):
    """(name, child) of an object or a container; a variable has none."""
    if isinstance(value, Trackable):
        yield from value._trackable_children()
        return
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        items = zip(value._fields, value, strict=True)
    elif isinstance(value, (list, tuple)):
        items = ((str(i), child) for i, child in enumerate(value))
    else:
        return
    for name, child in items:
        if is_trackable(child):
            yield name, child


def await_more(target, restore) -> None:
    """Calls `restore.arrived(target, name)` for every attribute that is set from now on."""
    key = id(target)
    if key not in _awaiting:
        gone = weakref.ref(target, lambda _: _awaiting.pop(key, None))
        _awaiting[key] = (gone, [])
    waiting = _awaiting[key][1]
    if restore not in waiting:
        waiting.append(restore)


def awaited(target) -> list:
    """The restores with values for the object, oldest first."""
    return list(_awaiting.get(id(target), (None, ()))[1])


def stop_waiting(target, restore) -> None:
    """Reverses await_more."""
    _, waiting = _awaiting.get(id(target), (None, []))
    if restore in waiting:
        waiting.remove(restore)
        if not waiting:
            del _awaiting[id(target)]


def arrived(target, name: str) -> None:
    """Called when an attribute was set: restores with values for it apply them."""
    for restore in awaited(target):
        restore.arrived(target, name)
