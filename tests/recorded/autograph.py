"""Functions whose control flow is converted, and the ways in which they are run.

autograph_cases/<topic>.py holds functions and CASES, pairs of a function and its arguments.
autograph_data/<topic>.json holds what TensorFlow gives for each; record_autograph.py writes it.
tests/python/front/test_autograph.py runs the same functions with penstock.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import traceback
from pathlib import Path

import front

HERE = Path(__file__).resolve().parent
CASES, DATA = HERE / "autograph_cases", HERE / "autograph_data"
# The ways to run a function on tensors: unconverted, converted and run at once, traced.
MODES = ("python", "operators", "function")


def topics() -> list[str]:
    return sorted(path.stem for path in CASES.glob("*.py"))


def load(tf, topic: str) -> dict:
    """The cases of a topic, by name; its `import tensorflow` gives `tf`."""
    name = f"autograph_{topic}"
    spec = importlib.util.spec_from_file_location(name, CASES / f"{topic}.py")
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get("tensorflow")
    sys.modules["tensorflow"] = tf
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules["tensorflow"]
        if before is not None:
            sys.modules["tensorflow"] = before
    return {f"{function.__name__}{args}": (function, args) for function, args in module.CASES}


def recorded(topic: str) -> dict:
    return json.loads((DATA / f"{topic}.json").read_text())


def run(tf, mode: str, function, args):
    """The result of a function. "values" traces it with Python's numbers instead of tensors."""
    if mode == "values":
        return tf.function(function)(*args)
    tensors = [tf.constant(each) for each in args]
    if mode == "operators":
        return tf.autograph.to_graph(function)(*tensors)
    return (tf.function(function) if mode == "function" else function)(*tensors)


def answer(tf, mode: str, function, args) -> dict:
    """What a run gives, as data: an error by its class and by the line of the function."""
    try:
        return front.describe(tf, run(tf, mode, function, args))
    except Exception as error:
        line = line_of(error, function.__code__.co_filename)
        where = None if line is None else line - function.__code__.co_firstlineno
        return {"kind": "error", "class": front.error_class(error), "line": where}


def line_of(error, path) -> int | None:
    """The innermost line of a file that an error came through."""
    named = re.findall(rf'File "{re.escape(path)}", line (\d+), in', str(error))
    if named:  # TensorFlow has it in the message, and its own code in the traceback
        return int(named[-1])
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == path]
    return lines[-1] if lines else None


def plain(described) -> object:
    """An answer without its types: where Python gives lists of numbers there may be tensors."""
    kind = described["kind"]
    if kind in ("list", "tuple"):
        return [leaf for each in described["items"] for leaf in _leaves(plain(each))]
    if kind == "dict":
        return {key: plain(each) for key, each in described["items"].items()}
    if "values" in described:
        return [int(x) if isinstance(x, bool) else x for x in described["values"]]
    return described


def _leaves(found):
    return found if isinstance(found, list) else [found]
