"""One restore of a checkpoint: matches objects of the program with nodes of the file, by name.

Existing objects are restored at once: all of them or, if something does not fit, none. Missing ones
wait: an object gets the rest when its attributes are set, a list or dictionary when something is
added to it.
"""

from __future__ import annotations

import collections
import warnings
import weakref

from penstock import _core, dtypes, errors
from penstock._variables.track import (
    StateHolder,
    Trackable,
    await_more,
    awaited,
    children,
    stop_waiting,
)
from penstock.train import _watch
from penstock.train._graph import identity


def _has_identity(value) -> bool:
    """True for objects and variables; a container is identified by its current elements."""
    return isinstance(value, (Trackable, _core.VariableHandle))


class Restore:
    """A checkpoint file being restored into the objects under `root`."""

    def __init__(self, file, root):
        self._file = file
        self._nodes = file.nodes
        self._count = sum(key is not None for _, key in self._nodes)
        self._bound = {}  # node: weak reference to its object, or None for a container
        self._done = set()  # nodes that have been restored
        self._missing = {}  # id of an object: {name: node} still missing
        self.restored = set()  # identities of variables
        self._follow([(root, 0)], warn=True)

    def __del__(self):
        self._file.close()

    def _follow(self, pairs, warn=False) -> None:
        """Restores the common part of the (object, node) pairs and everything below them."""
        bound = dict(self._bound)
        variables, waiting = self._matched(pairs, bound, warn)
        for variable, number in variables:
            self._check(variable, self._nodes[number][1])
        # All checks come first: damage found half-way would leave a mixture.
        self._file.check(self._nodes[number][1] for _, number in variables)
        # First what may refuse its state.
        variables.sort(key=lambda pair: not isinstance(pair[0], StateHolder))
        for variable, number in variables:
            self._read(variable, self._nodes[number][1])
            self.restored.add(identity(variable))
            self._done.add(number)
        self._bound = bound
        for target, number in waiting:
            self._await(target, number)
        if len(self._done) == self._count:
            self._file.close()

    def _read(self, variable, key):
        if isinstance(variable, StateHolder):
            variable._restore_state(self._file.read(key).numpy().tobytes())
        else:
            self._file.read_into(variable, key)

    def _matched(self, pairs, bound, warn):
        """([(variable, node)] to restore, [(object, node)] that may get more later)."""
        variables, waiting, seen = [], [], set()
        queue = collections.deque(pairs)
        while queue:
            target, number = queue.popleft()
            if (identity(target), number) in seen:
                continue
            seen.add((identity(target), number))
            if not self._bind(bound, target, number, warn):
                continue
            if isinstance(target, (_core.VariableHandle, StateHolder)):
                if self._nodes[number][1] is not None and number not in self._done:
                    variables.append((target, number))
                continue
            parts, names = dict(children(target)), self._nodes[number][0]
            queue.extend((parts[name], child) for name, child in names.items() if name in parts)
            if isinstance(target, Trackable):
                waiting.append((target, number))
                if target._stands_for is not None:
                    queue.append((target._stands_for, number))
        return variables, waiting

    def _bind(self, bound, target, number, warn) -> bool:
        """Binds the object to the node; False if the node has another one."""
        if not _has_identity(target):
            bound[number] = None
            return True
        other = bound[number]() if bound.get(number) is not None else None
        if other is None:
            bound[number] = weakref.ref(target)
            return True
        if identity(other) == identity(target) or getattr(other, "_stands_for", None) is target:
            return True
        if warn:
            warnings.warn(
                "Inconsistent references when loading the checkpoint into this object graph: "
                "what is one object in the checkpoint is two in the program, of which the first "
                f"is restored. They are {other!r} and {target!r}.",
                stacklevel=6,
            )
        return False

    def _check(self, variable, key):
        dtype, shape = self._file.describe(key)
        if isinstance(variable, StateHolder):
            if dtype is not dtypes.uint8 or not key.endswith("/" + variable._STATE):
                raise errors.NotFoundError(
                    None, None, f"{key} is not the state of {variable!r}: it is another object's"
                )
            return
        if dtype is not variable.dtype:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"tensor_name = {key}; expected dtype {variable.dtype.name} does not equal "
                f"original dtype {dtype.name}",
            )
        if shape != tuple(variable.shape):
            raise ValueError(
                f"Received incompatible tensor with shape {shape} when attempting to restore "
                f"variable with shape {tuple(variable.shape)} and name {variable.name}."
            )

    def _await(self, target, number):
        """Registers the missing children of the object."""
        for older in awaited(target):
            if older is not self:
                older._give_up(target, self._nodes[number][0])
        parts = dict(children(target))
        missing = {
            name: child
            for name, child in self._nodes[number][0].items()
            if name not in parts or not self._is_whole(parts[name], child)
        }
        del parts  # so that the container's reference count shows its owners
        self._missing[id(target)] = missing
        if not missing:
            stop_waiting(target, self)
            return
        await_more(target, self)
        for name, child in missing.items():
            _watch.replace(vars(target), name, self, child)

    def _give_up(self, target, names):
        """Leaves those names to a newer checkpoint, and closes the file if nothing else is
        awaited."""
        missing = self._missing.get(id(target), {})
        for name in names:
            missing.pop(name, None)
        if not missing:
            stop_waiting(target, self)

    def _is_whole(self, value, number, outer=()) -> bool:
        """Whether a container has everything in the node. Objects register themselves."""
        if _has_identity(value) or id(value) in outer:
            return True
        parts = dict(children(value))
        return all(
            name in parts and self._is_whole(parts[name], child, (*outer, id(value)))
            for name, child in self._nodes[number][0].items()
        )

    def names(self, number):
        """{name: node} of a node's children."""
        return self._nodes[number][0]

    def arrived(self, target, name) -> None:
        """Called when the object has a new attribute."""
        missing = self._missing.get(id(target), {})
        value = dict(children(target)).get(name) if name in missing else None
        if value is None:
            return
        number = missing[name]
        self._follow([(value, number)])
        is_whole = self._is_whole(value, number)
        del value
        if is_whole:
            del missing[name]
        else:
            _watch.replace(vars(target), name, self, number, _watch.references_while_set())
        if not missing:
            stop_waiting(target, self)

    def added(self, container, number) -> None:
        """Called when something was added to a watched container."""
        self._follow([(container, number)])

    def unresolved(self):
        """The (path, key) of the first variable of the file without an object, or None."""
        reached, paths = [0], {0: "(root)"}
        for number in reached:
            names, key = self._nodes[number]
            if key is not None and number not in self._bound:
                return paths[number], key
            for name, child in names.items():
                if child not in paths:
                    paths[child] = f"{paths[number]}.{name}"
                    reached.append(child)
        return None
