"""Input pipelines whose TensorFlow answers are recorded, and how an answer becomes a line.

pipeline_cases/<topic>.py holds CALLS, one to a line: a few statements, the last of them an
expression, over the names of that module, whose `import tensorflow` gives the package under test.
A call runs in an empty folder of its own, without a global seed. pipeline_data/<topic>.jsonl holds
what TensorFlow answered to each; record_pipelines.py writes those files with the real package.

The answer to a call, as data:

  a dataset    {"dataset": spec, "cardinality": n, "epochs": […]}: each epoch is the list of the
               elements that a new iterator gives, or the number of an earlier epoch that is equal.
               Of an infinite dataset, or a long one, an epoch is the beginning; then comes "…".
  an error     {"error": class, "message": its significant part}. Among the elements of an epoch it
               stands where the iterator raised it; the iterator is then asked for the next one.
  a tensor     {"tensor": nested lists, "dtype": name}, "array" for NumPy's; "shape" comes with it
               where the lists do not show it. As (part of) an element it is the lists alone, since
               the spec has the dtype.
  others       a list and a Python value are themselves, a tuple is {"tuple": […]}, a dict
               {"dict": {…}}, a class {"class": name}, the rest {"text": repr}.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import json
import math
import os
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
CASES, DATA = HERE / "pipeline_cases", HERE / "pipeline_data"
INFINITE = -1
# Elements of an epoch that are recorded, at most; errors after which its iterator is given up.
LONGEST, LONGEST_INFINITE, MOST_ERRORS = 200, 24, 2


def topics() -> list[str]:
    return sorted(path.stem for path in CASES.glob("*.py"))


def load(tf, topic: str):
    """The module of a topic; its `import tensorflow` gives `tf`."""
    name = f"pipelines_{topic}"
    spec = importlib.util.spec_from_file_location(name, CASES / f"{topic}.py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # AutoGraph looks it up
    before = sys.modules.get("tensorflow")
    sys.modules["tensorflow"] = tf
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules["tensorflow"]
        if before is not None:
            sys.modules["tensorflow"] = before
    return module


def calls(module) -> list[str]:
    """The calls of a topic: a line that begins with four more spaces continues the one before."""
    lines = []
    for line in module.CALLS.splitlines():
        if line.startswith("    "):
            lines[-1] += " " + line.strip()
        elif line and line[0] != "#":
            lines.append(line.rstrip())
    return list(dict.fromkeys(lines))


def recorded(topic: str) -> dict[str, dict]:
    """TensorFlow's answer to each call of a topic."""
    lines = (DATA / f"{topic}.jsonl").read_text().splitlines()
    return {entry["call"]: entry["answer"] for entry in map(json.loads, lines)}


@contextlib.contextmanager
def empty_folder():
    """A new folder as the current one, for the time of a call."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def run(tf, module, call: str):
    """The value of a call, described while its names live."""
    names = dict(vars(module))
    *statements, last = ast.parse(call).body
    exec(compile(ast.Module(statements, []), "<call>", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "<call>", "eval"), names)
    return describe(tf, value, getattr(module, "EPOCHS", 2))


def answer(tf, module, call: str):
    """What a call gives, as data."""
    tf.random.set_seed(None)
    with empty_folder():
        try:
            return run(tf, module, call)
        except Exception as error:
            return failure(error)


def failure(error: Exception) -> dict:
    """An error, by its public class and by the part of its message that is about the mistake."""
    public = next(cls for cls in type(error).__mro__ if not cls.__name__.startswith("_"))
    return {"error": public.__name__, "message": significant(str(error))}


def significant(message: str) -> str:
    """A message without the names of nodes and files, addresses and the stack of the caller."""
    if "in user code:" in message:
        message = message.split("in user code:", 1)[1].strip().splitlines()[-1].strip()
    message = re.split(r"\n\s*\[\[|\nTraceback|\n\nDetected at|\n\nFunction call stack", message)[0]
    message = re.sub(r"\s*; NodeDef:.*", "", message, flags=re.DOTALL)
    message = re.sub(r"^Length for attr '\w+'", "Length for attr", message)  # either of two
    message = re.sub(r"\{\{(function_)?node [^}]*\}\}:? ?", "", message)
    message = re.sub(r" ?\[Op:\w+\]( name:.*)?$", "", message.strip(), flags=re.DOTALL)
    message = re.sub(r"Error in user-defined function .*?: Iterator::[\w:]+: ", "", message)
    message = _without_address(message)
    message = re.sub(r"/[\w./-]*/(tmp\w+)", "…", message)
    return re.sub(r"\s+", " ", message).strip()[:300]


def _without_address(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+", "0x", text)


def describe(tf, value, epochs: int = 2):
    if isinstance(value, tf.data.Dataset):
        return dataset(tf, value, epochs)
    if isinstance(value, tf.Tensor):
        return {"tensor": _lists(value), "dtype": value.dtype.name, **_shape(value)}
    if isinstance(value, (np.ndarray, np.generic)):
        return {"array": _lists(value), "dtype": str(value.dtype), **_shape(value)}
    if isinstance(value, dict):
        return {"dict": {str(key): describe(tf, each, epochs) for key, each in value.items()}}
    if isinstance(value, list):
        return [describe(tf, each, epochs) for each in value]
    if isinstance(value, tuple):
        return {"tuple": [describe(tf, each, epochs) for each in value]}
    if isinstance(value, type):
        return {"class": value.__name__}
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    composite = _composite(tf, value)
    return composite if composite is not None else {"text": _without_address(repr(value))}


def dataset(tf, value, epochs: int) -> dict:
    """A dataset: what is known of it before it runs, and what its iterators give."""
    spec = value.element_spec
    cardinality = int(value.cardinality())
    found = []
    for _ in range(epochs):
        epoch = elements(tf, value, cardinality == INFINITE)
        found.append(found.index(epoch) if epoch in found else epoch)
    return {"dataset": repr(spec), "cardinality": cardinality, "epochs": found}


def elements(tf, value, is_infinite: bool) -> list:
    """What a new iterator of a dataset gives."""
    found, errors, iterator = [], 0, iter(value)
    longest = LONGEST_INFINITE if is_infinite else LONGEST
    while errors < MOST_ERRORS:
        if len(found) == longest:
            found.append("…")
            break
        try:
            found.append(element(tf, next(iterator), value.element_spec))
        except StopIteration:
            break
        except Exception as error:
            found.append(failure(error))
            errors += 1
    return found


def element(tf, value, spec):
    """An element, or a part of one, whose spec has its dtype and what is known of its shape."""
    if isinstance(value, tf.Tensor):
        assert value.dtype == spec.dtype, f"{value.dtype} is not the dtype of {spec}"
        assert spec.shape.is_compatible_with(value.shape), f"{value.shape} does not fit {spec}"
        shape = _shape(value)
        return {"tensor": _lists(value), **shape} if shape else _lists(value)
    if isinstance(value, dict):
        return {"dict": {str(key): element(tf, each, spec[key]) for key, each in value.items()}}
    if isinstance(value, tuple):
        kind = "tuple" if type(value) is tuple else type(value).__name__
        return {kind: [element(tf, *pair) for pair in zip(value, spec, strict=True)]}
    if isinstance(value, tf.data.Dataset):
        assert repr(value.element_spec) == repr(spec.element_spec)
        return {"elements": elements(tf, value, int(value.cardinality()) == INFINITE)}
    composite = _composite(tf, value)
    return composite if composite is not None else describe(tf, value)


def same(found, expected) -> bool:
    """Equal, but for the last digits of floats and the words of errors."""
    if isinstance(expected, dict) and "error" in expected:
        return isinstance(found, dict) and found.get("error") == expected["error"]
    if isinstance(expected, dict):
        return (
            isinstance(found, dict)
            and found.keys() == expected.keys()
            and all(same(found[key], each) for key, each in expected.items())
        )
    if isinstance(expected, list):
        return (
            isinstance(found, list)
            and len(found) == len(expected)
            and all(map(same, found, expected))
        )
    if isinstance(expected, float) and isinstance(found, float):
        return math.isclose(found, expected, rel_tol=1e-5, abs_tol=1e-6)
    return type(found) is type(expected) and found == expected


def _composite(tf, value):
    """A sparse or ragged tensor, an IndexedSlices or an optional; None for the rest."""
    sparse = getattr(tf, "SparseTensor", None)
    if sparse is not None and isinstance(value, sparse):
        names = ("indices", "values", "dense_shape")
        return {"sparse": {name: describe(tf, getattr(value, name)) for name in names}}
    ragged = getattr(tf, "RaggedTensor", None)
    if ragged is not None and isinstance(value, ragged):
        rows = _plain(value.to_list())
        return {"ragged": rows, "dtype": value.dtype.name, "shape": str(value.shape)}
    if isinstance(value, tf.experimental.Optional):
        inside = describe(tf, value.get_value()) if bool(value.has_value()) else None
        return {"optional": inside, "spec": repr(value.element_spec)}
    return None


def _lists(value):
    """The values as nested lists."""
    return _plain(np.asarray(value.numpy() if hasattr(value, "numpy") else value).tolist())


def _plain(value):
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, np.ndarray)):
        return [_plain(each) for each in value]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, complex):
        return [value.real, value.imag]
    return float(f"{value:.8g}") if isinstance(value, float) else value


def _shape(value) -> dict:
    """The shape, where nested lists do not show it."""
    return {} if all(value.shape) else {"shape": [int(size) for size in value.shape]}
