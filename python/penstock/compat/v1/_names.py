"""TensorFlow 1's names and arguments of functions that have changed since: one line each in
_names.txt.

    reduce_sum math.reduce_sum | reduce_sum | input_tensor, axis=None, …, keep_dims:keepdims=None

First the names within tf.compat.v1, then the current name, then the parameters in TensorFlow 1's
order, if they differ: `old:new` for a renamed parameter, `old:` for one that is accepted and
ignored. An argument of None takes the current default. Passing one argument under two names is an
error.

`surface("nn", "nn")` returns the `__getattr__` and `__dir__` of a namespace's module: the names of
the table, then those of the current namespace, without names that TensorFlow 1 never had.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import sys
from pathlib import Path

from penstock import _api

_PLACE = "penstock.compat.v1"


@functools.cache
def _table() -> dict[str, tuple[str, str]]:
    table = {}
    for line in (Path(__file__).parent / "_names.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        names, target, parameters = (part.strip() for part in (line + " | ").split("|")[:3])
        table.update(dict.fromkeys(names.split(), (target, parameters)))
    return table


def names_in(namespace: str) -> list[str]:
    """The names of TensorFlow 1 in a namespace ("" is the top level)."""
    start = namespace + "." if namespace else ""
    names = (name[len(start) :] for name in _table() if name.startswith(start))
    own = _api.names_in(f"v1.{namespace}".rstrip("."))
    return [*own, *(name for name in names if "." not in name)]


def todays_name(namespace: str, name: str) -> str:
    """The current name of a TensorFlow 1 function ("math.log"); empty if it has none."""
    public = f"{namespace}.{name}" if namespace else name
    return _table().get(public, ("", ""))[0] or _api.todays_name("v1." + public)


def find(namespace: str, name: str):
    """The object with a TensorFlow 1 name, its own or from the table; None if there is none."""
    public = f"{namespace}.{name}" if namespace else name
    value = _api.find_public("v1." + public)
    if value is None and public in _table():
        value = _made(public, *_table()[public])
    return value


def _made(public: str, target: str, parameters: str):
    where, _, name = ("penstock." + target).rpartition(".")
    function = getattr(importlib.import_module(where), name)
    return _renamed(function, _specs(parameters), public) if parameters else function


def _specs(text: str) -> list[tuple]:
    """(old name, new name, default) of every parameter."""
    specs = []
    for item in map(str.strip, text.split(",")):
        names, has_default, default = item.partition("=")
        old, is_renamed, new = names.partition(":")
        value = ast.literal_eval(default) if has_default else inspect.Parameter.empty
        specs.append((old, new if is_renamed else old, value))
    return specs


def _renamed(function, specs, public: str):
    """The function with other names for its arguments, in another order.

    It is written out as Python has it, since calls of it are many and are to cost little.
    """
    own = public.rpartition(".")[2]
    empty = inspect.Parameter.empty
    parameters = ", ".join(old if value is empty else f"{old}={value!r}" for old, _, value in specs)
    lines, seen = [f"def {own}({parameters}):", "    given = {}"], set()
    for old, new, _ in specs:
        if not new:
            continue
        lines.append(f"    if {old} is not None:")
        if new in seen:
            lines.append(f"        if {new!r} in given: refuse({old!r}, {new!r})")
        lines.append(f"        given[{new!r}] = {old}")
        seen.add(new)
    lines.append("    return function(**given)")
    place = f"{_PLACE}.{public}".rpartition(".")[0]
    names = {"function": function, "refuse": _refuse, "__name__": place}
    exec("\n".join(lines), names)
    renamed = names[own]
    renamed.__doc__ = function.__doc__
    return renamed


def _refuse(old, new):
    raise ValueError(f"Cannot specify both '{old}' and '{new}'.")


def surface(namespace: str, base: str | None = None, without: tuple = ()):
    """`__getattr__` and `__dir__` of tf.compat.v1.<namespace>, on top of a current module."""
    module = sys.modules[f"{_PLACE}.{namespace}"]
    today = None if base is None else importlib.import_module("penstock." + base)

    def __getattr__(name):
        if name == "__all__":
            return __dir__()
        if name.startswith("_"):  # modules of its own
            raise AttributeError(name)
        value = find(namespace, name)
        if value is None:
            value = getattr(today, name, None) if today and name not in without else None
        if value is None:
            from penstock._base import near as _near

            raise _near.missing(module.__name__, name, __dir__())
        setattr(module, name, value)
        return value

    def __dir__():
        own = vars(module).get("__all__", vars(module))
        old = {*dir(today)} - {*without} if today else {}
        names = {*own, *names_in(namespace), *old}
        return sorted(name for name in names if not name.startswith("_"))

    return __getattr__, __dir__
