"""When two answers to a program differ.

Against TensorFlow, in the same mode: the same class of error; or the same results, by structure,
dtype, shape and value. Text and whole numbers are equal, floating ones within TOLERANCE of the
largest of the tensor; "not finite" is the kind where only what is nan, inf or close to it differs,
"unconnected" where one has None for the other's zeros.
Static shapes may say more than TensorFlow's, never less, and never what the result is not.

Nothing is asked where TensorFlow has no kernel for a dtype, has no gradient, or stumbles (it raises
an AttributeError). What it answers to eager calls is right in all modes, though it fails in some.

Among penstock's modes: the bits of the eager run, unless TensorFlow raises in that mode. After each
run the ledger holds what it held, and a plan that is exact is what happened.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

TOLERANCE = {"float32": 5e-5, "float64": 1e-9, "float16": 1e-2, "bfloat16": 6e-2,
             "complex64": 5e-5, "complex128": 1e-9}  # fmt: skip
NO_KERNEL = re.compile(
    "gradient registry has no entry|do not yet support|Could not find device for node|No OpKernel was registered|not in the list of allowed values"
    "|not in list of allowed values|No registered|is neither supported|NotImplementedError"
)


@dataclass
class Difference:
    kind: str
    mode: str
    name: str
    detail: str
    line: int = 0


def numbers(dtype, shape, data) -> np.ndarray:
    if dtype == "bfloat16":
        bits = np.frombuffer(data, np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32).reshape(shape)
    return np.frombuffer(data, np.dtype(dtype)).reshape(shape)


def show(value) -> str:
    kind, *rest = value
    if kind == "tensor":
        dtype, shape, data = rest
        text = data if isinstance(data, list) else numbers(dtype, shape, data).tolist()
        return f"{dtype}{list(shape)} {text}"[:300]
    if kind == "list":
        return f"[{', '.join(map(show, rest[0]))}]"
    if kind == "dict":
        return f"{{{', '.join(f'{k}: {show(v)}' for k, v in rest[0].items())}}}"
    if kind == "slices":
        return f"IndexedSlices({show(rest[0])}, {show(rest[1])})"
    return str(rest[0])


def is_close(got, expected, tolerance) -> bool:
    with np.errstate(all="ignore"):
        if np.iscomplexobj(expected):
            finite = np.isfinite(expected)
            if np.isfinite(got)[~finite].any():
                return False
            got, expected = got[finite], expected[finite]  # nan and inf go from part to part
            return is_close(got.real, expected.real, tolerance) and is_close(
                got.imag, expected.imag, tolerance
            )
        got, expected = got.astype(np.float64), expected.astype(np.float64)
        finite = np.isfinite(expected)
        if not np.array_equal(got[~finite], expected[~finite], equal_nan=True):
            return False
        scale = max(1.0, np.abs(expected[finite]).max(initial=0.0))
        scale = scale if scale < 1e6 else np.maximum(np.abs(expected[finite]), 1e-3)
        return bool(np.all(np.abs(got[finite] - expected[finite]) <= tolerance * scale))


def is_usual(values) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.isfinite(values) & (np.abs(values) < 1e38)


def is_none_for_zeros(a, b) -> bool:
    """Whether one is None and the other zeros: a gradient that is not there, in both its forms."""
    none, other = (a, b) if a == ("py", "None") else (b, a)
    if none != ("py", "None") or other[0] != "tensor" or isinstance(other[3], list):
        return False
    return not numbers(*other[1:]).any()


def unlike(got, expected, exact=False) -> str | None:
    """What kind of difference is between two values, if there is one."""
    if got[0] != expected[0]:
        return "unconnected" if is_none_for_zeros(got, expected) else "structure"
    if got[0] == "tensor":
        (_, dtype, shape, data), (_, *other) = got, expected
        if dtype != other[0]:
            return "dtype"
        if shape != other[1]:
            return "shape"
        if data == other[2]:
            return None
        if isinstance(data, list) or dtype == "bool" or "int" in dtype:
            return "value"
        a, b = numbers(dtype, shape, data), numbers(*other)
        if exact:
            return None if np.array_equal(a, b, equal_nan=True) else "value"
        if is_close(a, b, TOLERANCE[dtype]):
            return None
        usual = is_usual(a) & is_usual(b)
        return "value" if not is_close(a[usual], b[usual], TOLERANCE[dtype]) else "not finite"
    if got[0] == "py":
        return None if got[1] == expected[1] else "value"
    pairs = [(got[1], expected[1]), (got[2], expected[2])] if got[0] == "slices" else []
    if got[0] == "list":
        if len(got[1]) != len(expected[1]):
            return "structure"
        pairs = zip(got[1], expected[1], strict=True)
    if got[0] == "dict":
        if got[1].keys() != expected[1].keys():
            return "structure"
        pairs = [(got[1][key], expected[1][key]) for key in got[1]]
    kinds = [found for a, b in pairs if (found := unlike(a, b, exact))]
    return next((kind for kind in kinds if kind != "unconnected"), kinds[0] if kinds else None)


def results(answer) -> dict:
    """All values of an answer, by name and call."""
    found = {f"{key} #{i}" if i else key: value
             for i, call in enumerate(answer["calls"]) for key, value in call.items()}  # fmt: skip
    return found | {f"state {key}": value for key, value in answer["state"].items()}


def is_refused_by_jit(answer) -> bool:
    """What has no plan of the whole is refused (docs/functions.md)."""
    return bool(answer["error"]) and "Detected unsupported" in answer["error"][1]


def values_differ(got, expected) -> bool:
    a, b = results(got), results(expected)
    return any(name not in a or unlike(a[name], b[name]) for name in b)


def against(got, expected, mode, eager=None) -> list[Difference]:
    """What penstock answered, next to TensorFlow."""
    theirs, ours = expected["error"], got["error"]
    if mode == "jit" and is_refused_by_jit(got):
        return []
    if theirs and (NO_KERNEL.search(theirs[1]) or theirs[0] == "AttributeError"):
        return []
    if theirs and not ours and eager and not eager["error"] and not values_differ(got, eager):
        return []  # TensorFlow's own eager answer
    line = got.get("where") or expected.get("where") or 0
    found = []
    if theirs and not ours:
        return [
            Difference("lenient", mode, "", f"TensorFlow: {theirs[0]}: {theirs[1][:300]}", line)
        ]
    if ours and not theirs:
        return [Difference("refused", mode, "", f"penstock: {ours[0]}: {ours[1][:300]}", line)]
    if ours and theirs and ours[0] != theirs[0]:
        detail = f"TensorFlow: {theirs[0]}: {theirs[1][:200]}\npenstock: {ours[0]}: {ours[1][:200]}"
        return [Difference("class", mode, "", detail, line)]
    a, b = results(got), results(expected)
    for name in b:
        kind = unlike(a[name], b[name]) if name in a else "structure"
        if kind and not (mode.startswith("v1") and ("py", "None") in (a.get(name), b[name])):
            kind = "name" if name.endswith(" name") or name == "variables" else kind
            if name.endswith(" is"):
                if name in a and knows_all(a[name], b[name]):
                    continue
                kind = "static"
            ours_text = show(a[name]) if name in a else "nothing"
            detail = f"TensorFlow: {show(b[name])}\npenstock:   {ours_text}"
            found.append(Difference(kind, mode, name, detail))
    return found + facts(got, expected, mode)


def knows_all(ours, theirs) -> bool:
    """Whether static sizes, in lists, are as TensorFlow has them where it knows them."""
    if theirs == ("py", "None"):
        return True
    if ours[0] != "list" or theirs[0] != "list":
        return ours == theirs
    return len(ours[1]) == len(theirs[1]) and all(map(knows_all, ours[1], theirs[1]))


def facts(got, expected, mode) -> list[Difference]:
    found = []
    for name, (theirs, their_name) in expected["facts"].items():
        ours, our_name = got["facts"].get(name, (None, ""))
        detail = f"TensorFlow: {theirs}\npenstock:   {ours}"
        if theirs is not None and (ours is None or len(ours) != len(theirs) or any(
                a is None and b is not None for a, b in zip(ours, theirs, strict=True))):  # fmt: skip
            found.append(Difference("static", mode, name, detail))
        if mode.startswith("v1") and our_name != their_name:
            detail = f"TensorFlow: {their_name}\npenstock:   {our_name}"
            found.append(Difference("name", mode, name, detail))
    return found


def alone(answer, mode) -> list[Difference]:
    """What is wrong with an answer of penstock by itself."""
    found = []
    if "held" in answer:
        found.append(Difference("held", mode, "", f"{answer['held']} bytes are held afterwards"))
    if "plan" in answer:
        detail = "planned {} bytes, held {}".format(*answer["plan"])
        found.append(Difference("plan", mode, "", detail))
    if answer["error"] and answer["error"][0] in ("SystemError", "RuntimeError", "InternalError"):
        found.append(Difference("internal", mode, "", str(answer["error"]), answer.get("where", 0)))
    for call in answer["calls"]:
        for name, (static, _) in answer["facts"].items():
            value = call.get(name)
            if static is None or not value or value[0] != "tensor":
                continue
            shape = value[2]
            if len(static) != len(shape) or any(
                a is not None and a != b for a, b in zip(static, shape, strict=True)
            ):
                detail = f"traced as {static}, is {list(shape)}"
                found.append(Difference("static wrong", mode, name, detail))
    return found


def among(answer, eager, mode) -> list[Difference]:
    """A mode of penstock, next to its eager run."""
    if eager["error"] and answer["error"]:
        return []
    if eager["error"]:
        return []  # what a trace does not run cannot fail
    if mode == "jit" and is_refused_by_jit(answer):
        return []
    if answer["error"]:
        detail = f"{answer['error'][0]}: {answer['error'][1][:300]}"
        return [Difference("modes", mode, "", detail, answer.get("where", 0))]
    a, b = results(answer), results(eager)
    for name in b:
        if mode.startswith("v1") and name in a and a[name] == ("py", "None"):
            continue  # a session fetches tensors
        kind = unlike(a[name], b[name], exact=True) if name in a else "structure"
        if kind and not (mode.startswith("v1") and kind == "structure"):
            detail = f"eager: {show(b[name])}\n{mode}: {show(a[name]) if name in a else 'nothing'}"
            return [Difference("modes", mode, name, detail)]
    return []
