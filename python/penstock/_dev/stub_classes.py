"""Stubs of functions and classes written in Python, from their signatures (stubs.py)."""

from __future__ import annotations

import ast
import enum
import inspect
import math
import re
import textwrap
import types
from collections.abc import Iterator

from penstock import _core

# Words allowed in annotations; an annotation with any other word becomes Any.
_WORDS = {
    "Any", "DType", "Generator", "GradientTape", "IndexedSlices", "None", "Tensor", "TensorShape",
    "Variable", "bool", "bytes", "dict", "float", "int", "list", "object", "str", "tuple", "type",
}  # fmt: skip
_GENERIC = {
    "dict": "builtins.dict[typing.Any, typing.Any]",
    "list": "builtins.list[typing.Any]",
    "tuple": "builtins.tuple[typing.Any, ...]",
}
# Arguments without an annotation, by name.
_ARGUMENTS = {
    "dtype": "_typing.DTypeLike",
    "name": "builtins.str | None",
    "output_dtype": "_typing.DTypeLike",
    "shape": "_typing.ShapeLike",
    "trainable": "builtins.bool",
}
_BINARY = ("add", "and", "floordiv", "matmul", "mod", "mul", "or", "pow", "sub", "truediv", "xor")
_SLOTS = {
    **{f"__{name}__": ("other: _typing.TensorLike", "Tensor") for name in _BINARY},
    **{f"__r{name}__": ("other: _typing.TensorLike", "Tensor") for name in _BINARY},
    **{f"__{name}__": ("other: _typing.TensorLike", "Tensor") for name in ("ge", "gt", "le", "lt")},
    **{f"__{name}__": ("other: builtins.object", "typing.Any") for name in ("eq", "ne")},
    **{f"__{name}__": ("", "Tensor") for name in ("abs", "invert", "neg", "pos")},
    "__bool__": ("", "builtins.bool"),
    "__float__": ("", "builtins.float"),
    "__getitem__": ("index: typing.Any", "Tensor"),
    "__index__": ("", "builtins.int"),
    "__int__": ("", "builtins.int"),
    "__len__": ("", "builtins.int"),
    "__iter__": ("", "typing.Iterator[Tensor]"),
    "__dlpack__": ("**options: typing.Any", "typing.Any"),
    "__dlpack_device__": ("", "builtins.tuple[builtins.int, builtins.int]"),
    "__array__": (
        "dtype: typing.Any = None, copy: builtins.bool | None = None",
        "npt.NDArray[typing.Any]",
    ),
    "numpy": ("", "npt.NDArray[typing.Any]"),
    "value": ("", "Tensor"),
}
_ATTRIBUTES = {
    "device": "builtins.str",
    "dtype": "DType",
    "name": "builtins.str",
    "ndim": "builtins.int",
    "shape": "TensorShape",
    "trainable": "builtins.bool",
}
# For a type checker, a class with __setattr__ accepts any attribute.
_NOT_SHOWN = {
    "__class_getitem__", "__del__", "__format__", "__reduce__", "__repr__", "__setattr__",
    "__str__",
}  # fmt: skip


def annotation(text) -> str:
    """An annotation of the sources, in the words of a stub."""
    if text is inspect.Parameter.empty or text is inspect.Signature.empty:
        return "typing.Any"
    text = text if isinstance(text, str) else inspect.formatannotation(text)
    text = re.sub(r"\b(?:penstock\.)?(?:_\w+\.)*(?=[A-Z])", "", text)  # whichever module it is from
    if not set(re.findall(r"[A-Za-z_]\w*", text)) <= _WORDS:
        return "typing.Any"
    # TensorFlow has a tf.bool and a tf.tuple.
    text = re.sub(r"\b[a-z]+\b", r"builtins.\g<0>", text).replace("Any", "typing.Any")
    return re.sub(r"builtins\.(list|tuple|dict)\b(?!\[)", lambda match: _GENERIC[match[1]], text)


def parameter(name: str, kind: str, *default) -> str:
    """`name: kind = default`; a default that is not a literal is omitted from the stub."""
    if not default:
        return f"{name}: {kind}"
    if (
        default[0] is None
        and kind not in ("_typing.TensorLike", "typing.Any")
        and "None" not in kind
    ):
        kind += " | None"
    is_literal = isinstance(default[0], (bool, int, str, type(None))) or (
        isinstance(default[0], float) and math.isfinite(default[0])
    )
    return f"{name}: {kind} = " + (repr(default[0]) if is_literal else "...")


def function(name: str, items: list[str], result: str, doc: str | None = None) -> str:
    head = f"def {name}({', '.join(items)}) -> {result}:"
    if not doc:
        return f"{head} ...\n"
    text = inspect.cleandoc(doc).replace("\\", "\\\\").replace('"""', "'''")
    return f'{head}\n    """{textwrap.indent(text, "    ").strip()}"""\n    ...\n'


def _argument_kind(argument: inspect.Parameter) -> str:
    if argument.annotation is not argument.empty:
        return annotation(argument.annotation)
    if argument.name in _ARGUMENTS:
        return _ARGUMENTS[argument.name]
    if isinstance(argument.default, bool):
        return "builtins.bool"
    return "builtins.str" if isinstance(argument.default, str) else "typing.Any"


def _items(signature: inspect.Signature) -> list[str]:
    items, is_open = [], True
    for argument in signature.parameters.values():
        kind = _argument_kind(argument)
        if argument.kind is argument.VAR_POSITIONAL:
            items.append(f"*{argument.name}: typing.Any")
            is_open = False
        elif argument.kind is argument.VAR_KEYWORD:
            items.append(f"**{argument.name}: typing.Any")
        else:
            if argument.kind is argument.KEYWORD_ONLY and is_open:
                items.append("*")
                is_open = False
            has_default = argument.default is not argument.empty
            default = (argument.default,) if has_default else ()
            items.append(parameter(argument.name, kind, *default))
    return items


def _result(value) -> str:
    """The result type of a function: its annotation, or None if nothing is returned."""
    result = annotation(inspect.signature(value).return_annotation)
    if result != "typing.Any":
        return result
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
    except (OSError, TypeError, SyntaxError):
        return result
    gives = any(
        isinstance(node, (ast.Yield, ast.YieldFrom, ast.Lambda))
        or (isinstance(node, ast.Return) and node.value is not None)
        for node in ast.walk(body)
    )
    # A method that only raises is meant to be overridden.
    is_none = isinstance(body, ast.FunctionDef) and not isinstance(body.body[-1], ast.Raise)
    return "None" if is_none and not gives else result


def _overloads(value, own: list[str]) -> str:
    """The stubs of a function whose result depends on its arguments: one for each line of its
    `__overloads__`, which is `arguments -> result`. The other arguments are as in its signature."""
    texts = []
    for line in value.__overloads__.strip().splitlines():
        parameters, _, result = line.strip().rpartition(" -> ")
        names = [
            parameter_text.partition(":")[0].strip()
            for parameter_text in re.split(r",\s*(?=\w+:)", parameters)
        ]
        others = [
            argument
            for argument in inspect.signature(value).parameters.values()
            if argument.name not in (*names, *own)
        ]
        items = [*own, parameters, *_items(inspect.Signature(others))]
        texts.append("@typing.overload\n" + function(value.__name__, items, result))
    return "".join(texts)


def function_text(name: str, value) -> str:
    """The stub of a function written in Python."""
    if hasattr(value, "__overloads__"):
        return _overloads(value, [])
    return function(name, _items(inspect.signature(value)), _result(value), value.__doc__)


def _method(name: str, value) -> str:
    if hasattr(value, "__overloads__"):
        return _overloads(value, ["self"])
    signature = inspect.signature(value)
    own, *others = signature.parameters.values()
    items = [own.name, *_items(signature.replace(parameters=others))]
    result = "None" if name == "__init__" else _result(value)
    if name == "__exit__":  # Any could mean that it swallows exceptions
        result = "None"
    return function(name, items, result, value.__doc__)


def _member(name: str, value, is_core: bool) -> str:
    is_written = inspect.isfunction(value) or isinstance(value, property)
    if name in _SLOTS and (is_core or not is_written):
        arguments, result = _SLOTS[name]
        return function(name, ["self", *filter(None, [arguments])], result)
    if isinstance(value, classmethod):
        return "@classmethod\n" + _method(name, value.__func__)
    if isinstance(value, staticmethod):
        return "@staticmethod\n" + function_text(name, value.__func__)
    if inspect.isfunction(value):
        return _method(name, value)
    kind = _ATTRIBUTES.get(name, "typing.Any")
    if isinstance(value, property):
        own_kind = annotation(inspect.signature(value.fget).return_annotation)
        kind = kind if own_kind == "typing.Any" else own_kind
        text = "@property\n" + function(name, ["self"], kind, value.fget.__doc__)
        if value.fset:
            text += f"@{name}.setter\n" + function(name, ["self", "value: typing.Any"], "None")
        return text
    if inspect.isdatadescriptor(value):
        return "@property\n" + function(name, ["self"], kind)
    return f"{name}: {kind}\n"


def _methods(cls: type) -> Iterator[types.FunctionType]:
    for value in vars(cls).values():
        if isinstance(value, property):
            yield from filter(None, (value.fget, value.fset))
        elif inspect.isfunction(value := getattr(value, "__func__", value)):
            yield value


def _instance_attributes(cls: type) -> list[str]:
    """The public names that the methods of a class assign on `self`."""
    names = []
    for method in _methods(cls):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
        except (OSError, TypeError, SyntaxError):
            continue
        names += [
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
            and not node.attr.startswith("_")
        ]
    return names


def _bases(cls: type, homes: dict[type, str]) -> list[str]:
    """The public classes nearest above a class."""
    bases = []
    for base in cls.__bases__:
        if base in homes:
            bases.append(homes[base].rpartition(".")[2])
        elif base.__module__ == "builtins" and base is not object:
            bases.append(_GENERIC.get(base.__name__, "builtins." + base.__name__))
        elif base.__module__.startswith("penstock"):
            bases += _bases(base, homes)
    return bases


def _members(cls: type, homes: dict[type, str]) -> dict[str, tuple]:
    """What a class and its private bases define: name → (value, whether the C++ side does)."""
    members = {}
    for base in reversed(cls.__mro__):
        if (base in homes and base is not cls) or not base.__module__.startswith("penstock"):
            continue
        is_core = base.__name__ in ("EagerTensor", "VariableHandle")
        members |= {name: (value, is_core) for name, value in vars(base).items()}
    if "__init__" in members:
        members.pop("__new__", None)
    return {
        name: value
        for name, value in sorted(members.items())
        if not name.startswith("_") or _is_shown(name, value[0])
    }


def _is_shown(name: str, value) -> bool:
    return (
        name.startswith("__")
        and name not in _NOT_SHOWN
        and (name in _SLOTS or inspect.isfunction(value))
    )


def class_text(cls: type, name: str, homes: dict[type, str]) -> str:
    """The stub of a class."""
    if issubclass(cls, enum.Enum):
        body = "".join(f"{member.name} = {member.value!r}\n" for member in cls)
        return f"class {name}(enum.Enum):\n" + textwrap.indent(body, "    ")
    bases = _bases(cls, homes)
    cls = _core.EagerTensor if cls is _core.Tensor else cls
    members = _members(cls, homes)
    parts = [_member(member, *members[member]) for member in members]
    for base in cls.__mro__:
        if base in homes and base is not cls:
            break
        attributes = [
            attribute for attribute in _instance_attributes(base) if attribute not in members
        ]
        parts += [
            f"{attribute}: {_ATTRIBUTES.get(attribute, 'typing.Any')}\n"
            for attribute in dict.fromkeys(attributes)
        ]
    head = f"class {name}({', '.join(bases)}):" if bases else f"class {name}:"
    doc = f'"""{inspect.getdoc(cls)}"""\n' if cls.__doc__ else ""
    return f"{head}\n" + textwrap.indent(doc + ("\n".join(parts) or "...\n"), "    ")
