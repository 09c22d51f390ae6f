"""Python-level calls whose TensorFlow answers are recorded, and how an answer becomes a line.

front_cases/<topic>.py holds CALLS, one to a line: a few statements, the last of them an expression,
over `tf`, `np` and the names that the topic's SETUP defines. front_data/<topic>.jsonl holds what
TensorFlow answered to each. record_front.py writes those files with the real package;
tests/python/front/test_answers.py makes the same calls with penstock and compares.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import math
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
CASES, DATA, OTHERWISE = HERE / "front_cases", HERE / "front_data", HERE / "otherwise"


def topics() -> list[str]:
    return sorted(path.stem for path in CASES.glob("*.py"))


def _module(topic: str):
    spec = importlib.util.spec_from_file_location(topic, CASES / f"{topic}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def can_record(topic: str) -> bool:
    """Whether the package that TensorFlow NEEDS for the topic, if any, is installed."""
    needed = getattr(_module(topic), "NEEDS", None)
    return needed is None or importlib.util.find_spec(needed) is not None


def load(topic: str) -> tuple[str, list[str]]:
    """The topic's setup and its calls."""
    module = _module(topic)
    lines = (line.strip() for line in module.CALLS.splitlines())
    return getattr(module, "SETUP", ""), [line for line in lines if line and line[0] != "#"]


def recorded(topic: str) -> dict[str, dict]:
    """TensorFlow's answer to each call of a topic."""
    lines = (DATA / f"{topic}.jsonl").read_text().splitlines()
    return {entry.pop("call"): entry for entry in map(json.loads, lines)}


def otherwise(mode: str, topic: str) -> dict[str, str]:
    """The calls of a topic that are not, in a mode, what they are elsewhere, and why: each by its
    whole text, under a heading that is the reason (otherwise/<mode>.txt)."""
    reasons, reason = {}, None
    for line in (OTHERWISE / f"{mode}.txt").read_text().splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            of, call = line.split(" | ", 1)
            if of == topic:
                reasons[call] = reason
    return reasons


def otherwise_entries(mode: str) -> list[tuple[str, str]]:
    """The (topic, call) of every line of that list."""
    lines = (OTHERWISE / f"{mode}.txt").read_text().splitlines()
    return [tuple(line.split(" | ", 1)) for line in lines if line and line[0] != "#"]


def is_tensors(answer: dict) -> bool:
    """Whether an answer is one that functions and graphs can give: tensors, in any structure."""
    if answer["kind"] in ("list", "tuple", "dict"):
        items = answer["items"]
        items = items.values() if isinstance(items, dict) else items
        return bool(items) and all(map(is_tensors, items))
    if answer["kind"] == "python":
        return answer["class"] == "NoneType"
    return answer["kind"] in ("tensor", "slices")


def run(tf, setup: str, call: str):
    """The value of a call. Nothing is left of its names afterwards."""
    names = {"tf": tf, "np": np}
    exec(setup, names)
    *statements, last = ast.parse(call).body
    exec(compile(ast.Module(statements, []), "<call>", "exec"), names)
    if not isinstance(last, ast.Expr):
        raise SyntaxError(f"{call}: the last statement must be an expression")
    return eval(compile(ast.Expression(last.value), "<call>", "eval"), names)


def answer(tf, setup: str, call: str) -> dict:
    """What a call gives, as data; an error by its class."""
    try:
        return describe(tf, run(tf, setup, call))
    except Exception as error:
        return {"kind": "error", "class": error_class(error)}


def error_class(error: Exception) -> str:
    """The public class: TensorFlow raises private ones below some of them."""
    for cls in type(error).__mro__:
        if not cls.__name__.startswith("_"):
            return cls.__name__
    raise AssertionError


def describe(tf, value) -> dict:
    if isinstance(value, (tf.Tensor, tf.Variable)):
        kind = "variable" if isinstance(value, tf.Variable) else "tensor"
        return {"kind": kind, **array(np.asarray(value.numpy()), value.dtype.name)}
    if isinstance(value, tf.IndexedSlices):
        parts = {"values": describe(tf, value.values), "indices": describe(tf, value.indices)}
        return {"kind": "slices", **parts}
    if isinstance(value, (np.ndarray, np.generic)):
        kind = "array" if isinstance(value, np.ndarray) else "numpy scalar"
        return {"kind": kind, **array(np.asarray(value), value.dtype.name)}
    if isinstance(value, dict):
        return {"kind": "dict", "items": {str(k): describe(tf, v) for k, v in value.items()}}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {"kind": kind, "items": [describe(tf, each) for each in value]}
    if isinstance(value, type):
        return {"kind": "class", "text": value.__name__}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"kind": "python", "class": type(value).__name__, "values": [value]}
    return {"kind": type(value).__name__, "text": repr(value)}


def array(values: np.ndarray, dtype: str) -> dict:
    return {"dtype": dtype, "shape": list(values.shape), "values": list(map(plain, values.flat))}


def plain(value):
    """An element as JSON has it, in as few digits as give it back."""
    if isinstance(value, (bytes, str)):
        return value if isinstance(value, str) else value.decode("latin-1")
    if isinstance(value, (complex, np.complexfloating)):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    return float(str(value))


def same(got, expected) -> bool:
    """Equal but for the last digits of a float."""
    if isinstance(got, dict):
        loose = 1e-5 if expected.get("dtype") not in ("float64", "complex128") else 1e-9
        loose = 4e-3 if expected.get("dtype") in ("float16", "bfloat16") else loose
        return got.keys() == expected.keys() and all(
            close(got[key], expected[key], loose) if key == "values" else same(got[key], value)
            for key, value in expected.items()
        )
    if isinstance(got, list):
        return len(got) == len(expected) and all(map(same, got, expected))
    return got == expected


def close(got, expected, loose: float) -> bool:
    if isinstance(got, list):
        return len(got) == len(expected) and all(
            close(a, b, loose) for a, b in zip(got, expected, strict=True)
        )
    if isinstance(got, float) and isinstance(expected, float):
        both_nan = math.isnan(got) and math.isnan(expected)
        return both_nan or math.isclose(got, expected, rel_tol=loose, abs_tol=loose / 10)
    return same(got, expected)
