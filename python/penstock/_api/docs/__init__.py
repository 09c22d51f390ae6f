"""Docstrings of the functions that are ops, composed on demand.

The inputs and outputs of an op are in its definition. `parameters.txt` describes parameters, one
line per name; a line `Op.name:` applies to one op only. `examples.txt` has an example under each
function's first public name; a test runs them all.
"""

from __future__ import annotations

import functools
import textwrap
from pathlib import Path

from penstock import _core

_KINDS = {
    "int": "An integer.",
    "float": "A number.",
    "bool": "True or False.",
    "dtype": "A dtype.",
    "string": "A string.",
    "ints": "An integer or a list of integers.",
}
_REAL_FLOATS = ["float16", "bfloat16", "float32", "float64"]
_INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
_COMPLEX = ["complex64", "complex128"]
# Dtypes with a collective name. Larger groups come first.
_GROUPS = [
    ("any dtype", ["bool", *_INTS, *_REAL_FLOATS, *_COMPLEX, "string"]),
    ("any dtype but string", ["bool", *_INTS, *_REAL_FLOATS, *_COMPLEX]),
    ("any numeric dtype", [*_INTS, *_REAL_FLOATS, *_COMPLEX]),
    ("any real dtype", [*_INTS, *_REAL_FLOATS]),
    ("any floating-point or complex dtype", [*_REAL_FLOATS, *_COMPLEX]),
    ("any floating-point dtype", _REAL_FLOATS),
    ("any integer dtype", _INTS),
    ("any complex dtype", _COMPLEX),
]


def dtypes_in_words(names: list[str]) -> str:
    """The dtypes, grouped where a group has a name: "any floating-point dtype, int32 or int64"."""
    left, words = list(names), []
    for group, members in _GROUPS:
        if set(members) <= set(left):
            words.append(group)
            left = [name for name in left if name not in members]
    words += left
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _sections(file: str) -> dict[str, str]:
    """The parts of a text file: each begins with a line `name:`, its text follows indented."""
    sections, name = {}, ""
    for line in (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines():
        if line[:1].strip() and not line.startswith("#"):
            name, _, rest = line.partition(":")
            sections[name] = rest.strip()
        elif line.strip() and name:
            sections[name] += "\n" + line
    return {name: textwrap.dedent(text).strip() for name, text in sections.items()}


@functools.cache
def _parameter_texts() -> dict[str, str]:
    return _sections("parameters.txt")


@functools.cache
def examples() -> dict[str, str]:
    """By public name: an example, as it looks in an interactive session."""
    return _sections("examples.txt")


def _default(value) -> str:
    return "" if value is None else f" Default: {value!r}."


def _argument(op: str, public: str, own: str, *default) -> str:
    texts, own = _parameter_texts(), own.lstrip("!")
    if public == "name":
        return texts["name"]
    if not own:
        return texts.get(f"{op}.{public}", "Taken as in TensorFlow, and not used.")
    meaning = texts.get(f"{op}.{own}") or texts.get(f"{op}.{public}") or texts.get(public, "")
    for name, dtypes, is_many in _core.op_details(op)[0]:
        if name == own:
            noun = "A list of tensors" if is_many else "A tensor"
            return f"{noun} of {dtypes_in_words(dtypes)}. {meaning}".strip()
    kinds = {name: (kind, value) for name, kind, _, value in _core.describe_op(op)[2]}
    kind, fallback = kinds[own]
    value = fallback if default and default[0] is None else default[0] if default else None
    return (meaning or _KINDS[kind]) + (_default(value) if default else "")


def _result(op: str, output: int) -> str:
    inputs, is_elementwise, is_list, has_gradient = _core.op_details(op)
    outputs = _core.describe_op(op)[3]
    if is_list:
        text = "A list of tensors."
    elif output >= 0 or len(outputs) == 1:
        text = "A tensor."
        if is_elementwise and len(inputs) > 1:
            text = "A tensor of the shape that the inputs broadcast to."
        elif is_elementwise:
            text = "A tensor of the same shape."
    else:
        text = f"A named tuple of tensors: {', '.join(outputs)}."
    return text if has_gradient else text + " It has no gradient."


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(text, 88, initial_indent="  ", subsequent_indent=indent)


def of_function(function) -> str:
    """The doc string of an OpFunction."""
    op = function._op
    parts = [_core.describe_op(op)[0]]
    arguments = [
        _wrapped(f"{public}: {_argument(op, public, own, *default)}", "    ")
        for public, own, *default in function._parameters
    ]
    parts.append("\n".join(["Args:", *arguments]))
    parts.append("Returns:\n" + _wrapped(_result(op, function._output), "  "))
    if example := examples().get(function._first):
        parts.append(example)
    return "\n\n".join(parts) + "\n"
