"""Containers that grow: which lists, dictionaries, sets and deques have more in them than before,
and whether that is tensors."""

from __future__ import annotations

import functools
import gc
import types
from collections import OrderedDict, defaultdict, deque

import numpy as np

from penstock import _core
from penstock._autodiff.tape import GradientTape
from penstock.profiler._doctor._source import is_user_file

KINDS = {
    list: "list",
    dict: "dictionary",
    OrderedDict: "dictionary",
    defaultdict: "dictionary",
    set: "set",
    deque: "deque",
}
LEAVES = (_core.EagerTensor, np.ndarray, GradientTape, _core.VariableHandle)
_PASSED_BY = (type, types.ModuleType, types.FrameType, types.CodeType, types.BuiltinFunctionType)
_DEPTH, _MOST = 4, 200  # how far to look for a leaf, and at how many objects
_FEW = 6


def containers(frame):
    """Every container that can be found. Dictionaries of tensors are no objects of the garbage
    collector, so those are looked for in what refers to them."""
    seen = set()
    for value in _locals(frame):
        if type(value) is dict and not gc.is_tracked(value) and id(value) not in seen:
            seen.add(id(value))
            yield value
    for obj in gc.get_objects():
        kind = type(obj)
        if kind in KINDS:
            seen.add(id(obj))
            yield obj
        if kind is dict:
            inside = list(obj.values())
        elif kind is types.CellType or is_users_class(kind):
            inside = gc.get_referents(obj)
        else:
            continue
        for item in inside:
            if type(item) is dict and not gc.is_tracked(item) and id(item) not in seen:
                seen.add(id(item))
                yield item


def _locals(frame) -> list:
    """What the names of the functions under way mean."""
    values = []
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            values += frame.f_locals.values()
        frame = frame.f_back
    return values


@functools.cache
def is_users_class(kind) -> bool:
    """Whether a class is one that programs define: those have the flag of heap types."""
    home = kind.__module__
    if not kind.__flags__ & (1 << 9) or not isinstance(home, str):
        return False
    return home.partition(".")[0] not in ("penstock", "numpy")


def census(frame) -> dict[int, int]:
    """The lengths of all containers by their ids."""
    return {id(container): len(container) for container in containers(frame)}


def grown(before, frame) -> list:
    """The containers that have at least a few more items than `before`, with leaves in them."""
    grown_ones = []
    for container in containers(frame):
        more = len(container) - before.get(id(container), 0)
        if container is not before and more >= 3 and leaves_in(newest(container)):
            grown_ones.append(container)
    return grown_ones


def newest(container) -> list:
    """A few items from where new ones are added."""
    if isinstance(container, dict):
        values = list(container.values())
        return values[-_FEW:]
    items = list(container)
    return items if len(items) <= 2 * _FEW else items[:2] + items[-_FEW:]


def leaves_in(items) -> list:
    """The tensors, arrays and tapes that the items are or hold."""
    leaves, seen, level = [], set(), list(items)
    for _ in range(_DEPTH):
        below = []
        for obj in level:
            if id(obj) in seen or isinstance(obj, _PASSED_BY):
                continue
            seen.add(id(obj))
            if isinstance(obj, LEAVES):
                leaves.append(obj)
            elif isinstance(obj, types.FunctionType):
                below += [obj.__closure__, obj.__defaults__, obj.__kwdefaults__]
            elif not isinstance(obj, (str, bytes, int, float)):
                below += gc.get_referents(obj)
        level = below[:_MOST]
    return leaves


def bytes_of(leaf) -> int:
    """What a tensor or array holds."""
    if isinstance(leaf, np.ndarray):
        return leaf.nbytes
    if isinstance(leaf, _core.EagerTensor):
        return leaf.dtype.size * leaf.shape.num_elements()
    return 0


def size_of(leaf) -> int:
    """The number of elements of a tensor or array."""
    if isinstance(leaf, np.ndarray):
        return leaf.size
    return leaf.shape.num_elements() if isinstance(leaf, _core.EagerTensor) else 0


def name_of(container, frame) -> str:
    """As the program calls a container: "losses", "self.history"; "" where that is not known."""
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            for space in (frame.f_locals, frame.f_globals):
                name = _name_in(container, space)
                if name:
                    return name
        frame = frame.f_back
    return ""


def _name_in(container, space):
    for name, value in list(space.items()):
        if value is container and not name.startswith("__"):
            return name
    for name, value in list(space.items()):
        if is_users_class(type(value)):
            for attribute, inside in list(getattr(value, "__dict__", {}).items()):
                if inside is container:
                    return f"{name}.{attribute}"
    return ""
