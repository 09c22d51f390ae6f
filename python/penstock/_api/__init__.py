"""Public functions that are ops under TensorFlow's public names: one line each in ops.txt.

    math.reduce_sum reduce_sum | Sum | input_tensor:input, axis=None, keepdims=False

First the public names, then the op, then the parameters in their public order: `public:own` if the
op's own name differs, `=default` if it may be omitted (None is the op's own default), `public:` for
an argument that is accepted and ignored (a hint, or TensorFlow's `name` if it is not the last one).
A second op handles the dtypes that the first does not have. An op marked `~` does not force
conversions: a number that cannot take the other input's dtype keeps its own, and the op rejects it.
Every function also takes TensorFlow's `name=`. `-> 0` at the end selects one of several outputs. If
a parameter marked `!` is given (an input, or a parameter without a default: as anything but a
number), or if the first argument is IndexedSlices, `=> module.function` of _ops/ is called instead,
with all arguments.

A function that is more than an op is a Python function, mostly in _ops/, which declares its public
names:

    @public("math.add_n", "add_n")

("v1.…" is tf.compat.v1.) From these `make names` generates names.txt, which says where each name
is. Functions are created, and modules imported, on first use: `surface("math")` returns the
`__getattr__` and `__dir__` of a module.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import sys
import types
from pathlib import Path

from penstock import _core
from penstock._base import near as _near


def _parameters(text: str) -> list[tuple]:
    specs = []
    for item in filter(None, map(str.strip, text.split(","))):
        names, has_default, default = item.partition("=")
        public, is_renamed, own = names.partition(":")
        is_rare, public = public.strip().endswith("!"), public.strip().rstrip("!")
        spec = (public, "!" * is_rare + (own if is_renamed else public).strip())
        specs.append((*spec, ast.literal_eval(default)) if has_default else spec)
    has_name = any(spec[0] == "name" for spec in specs)
    return specs if has_name else [*specs, ("name", "", None)]


def make_function(
    op: str,
    parameters: list[tuple],
    public: str,
    output: int = -1,
    lax=False,
    other=None,
    otherwise=None,
):
    """A Python callable around an op, with a name, a doc string and a signature."""
    name = public.rpartition(".")[2]
    function = _core.OpFunction(op, parameters, output, lax, other, name, otherwise)
    _set_home(function, public)
    function._op, function._parameters, function._output = op, parameters, output
    function._first = public
    return function


def _doc(function) -> str:
    from penstock._api import docs as _docs

    return _docs.of_function(function)


_core.OpFunction.__doc__ = property(_doc)


def _signature(function) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    dtypes = {
        name: value
        for name, kind, _, value in _core.describe_op(function._op)[2]
        if kind == "dtype"
    }
    parameters = []
    for public, own, *default in function._parameters:
        own = own.lstrip("!")
        value = default[0] if default else inspect.Parameter.empty
        # If a dtype may be omitted, the signature shows the default.
        value = dtypes.get(own) if value is None else value
        parameters.append(inspect.Parameter(public, kind, default=value))
    return inspect.Signature(parameters)


_core.OpFunction.__signature__ = property(_signature)
# With this, help() treats it as a function and shows its signature. As a class attribute it is not
# bound, like a built-in function.
_core.OpFunction.__get__ = lambda self, instance, owner=None: self
_core.OpFunction.__repr__ = lambda self: f"<function {self.__qualname__}>"
_core.OpFunction.__reduce__ = lambda self: self.__qualname__  # pickled by its name, as a function


def raw_parameters(op: str) -> list[tuple]:
    """The parameters of a raw op: its inputs and attributes under their own names."""
    _, inputs, attrs, _ = _core.describe_op(op)
    specs = [(name, name) for name in inputs]
    required = [(name, name) for name, _, has_default, _ in attrs if not has_default]
    optional = [(name, name, value) for name, _, has_default, value in attrs if has_default]
    return [*specs, *required, *optional, ("name", "", None)]


def _read_table() -> dict[str, tuple[str, str, int, str, str]]:
    table = {}
    for line in (Path(__file__).parent / "ops.txt").read_text(encoding="utf-8").splitlines():
        line = line.partition("#")[0]
        if not line.strip():
            continue
        line, _, otherwise = line.partition("=>")
        line, _, output = line.partition("->")
        names, op, parameters = (part.strip() for part in (line + " | | ").split("|")[:3])
        names = names.split()
        entry = (
            op,
            parameters,
            int(output) if output.strip() else -1,
            otherwise.strip(),
            names[0],
        )
        table.update(dict.fromkeys(names, entry))
    return table


def _module_of(namespace: str) -> str:
    """The module of a namespace in the tables: "" is penstock, "v1.nn" is penstock.compat.v1.nn."""
    root, _, rest = namespace.partition(".")
    parts = ["compat", "v1", rest] if root == "v1" else [namespace]
    return ".".join(["penstock", *filter(None, parts)])


def _set_home(value, public: str):
    """Makes repr(), help() and pickle show an object under a public name."""
    namespace, _, name = public.rpartition(".")
    value.__module__ = _module_of(namespace)
    value.__name__ = value.__qualname__ = name


def public(*names: str):
    """Declares the public names of a function, a class or a value; they are read from the
    source. A function or class shows the one that is its own name, or the first."""

    def declare(value):
        if isinstance(value, (type, types.FunctionType)):
            own = (name for name in names if name.rpartition(".")[2] == value.__name__)
            _set_home(value, next(own, names[0]))
        return value

    return declare


@functools.cache
def _places() -> dict[str, str]:
    """The modules of public names, and the names there."""
    places = {}
    for line in (Path(__file__).parent / "names.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            names, _, place = line.partition(" | ")
            places.update(dict.fromkeys(names.split(), place))
    return places


def find_public(public: str):
    """The object that declared this public name; None if there is none."""
    place = _places().get(public)
    if place is None:
        return None
    module, _, name = place.rpartition(".")
    return getattr(importlib.import_module("penstock." + module), name)


def todays_name(public: str) -> str:
    """The current name of an object with a public name of TensorFlow 1: the first one; "" for
    none."""
    place = _places().get(public)
    names = (name for name, other in _places().items() if other == place)
    return next((name for name in names if not name.startswith("v1.")), "") if place else ""


_table = _read_table()
_made = {}  # functions by their lines: all names of a line are the same object


def names_in(namespace: str) -> list[str]:
    """The public names of a namespace ("" is the top level) in the tables."""
    start = namespace + "." if namespace else ""
    names = (*_table, *_places())
    inner = (name[len(start) :] for name in names if name.startswith(start))
    return [name for name in inner if "." not in name]


def _python_function(name: str):
    """module.function of _ops/, or None."""
    if not name:
        return None
    module, _, function = name.partition(".")
    return getattr(importlib.import_module(f"penstock._ops.{module}"), function)


def find(namespace: str, name: str):
    """The function of that public name, or None."""
    public = f"{namespace}.{name}" if namespace else name
    function = find_public(public)
    if function is not None or public not in _table:
        return function
    entry = _table[public]
    if entry not in _made:
        ops, parameters, output, otherwise, first = entry
        op, *other = ops.split()
        lax, op = op.endswith("~"), op.rstrip("~")
        if _core.describe_op(op) is None:
            return None
        other = other[0] if other else None
        _made[entry] = make_function(
            op, _parameters(parameters), first, output, lax, other, _python_function(otherwise)
        )
    return _made[entry]


def surface(namespace: str):
    """`__getattr__` and `__dir__` of the module penstock.<namespace>."""
    module = sys.modules["penstock." + namespace]

    def __getattr__(name):
        if name == "__all__":
            return __dir__()
        function = find(namespace, name)
        if function is None:
            if name.startswith("__"):
                raise AttributeError(name)
            raise _near.missing(f"penstock.{namespace}", name, __dir__())
        setattr(module, name, function)
        return function

    def __dir__():
        own = vars(module).get("__all__", vars(module))
        return sorted({*(name for name in own if not name.startswith("_")), *names_in(namespace)})

    return __getattr__, __dir__
