#!/usr/bin/env python3
"""Compares what `op_check --mode dump` wrote with the NumPy references, sample by sample.

    op_reference.py build/release/op_samples

Prints a line per failing sample and a closing `N passed, N failed`; the exit status is 1 if any
failed. An op without samples or without a reference is a failure.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import ml_dtypes
import numpy as np
import references

STRING = np.dtype(object)
# Relative and absolute; the other dtypes must be equal.
TOLERANCES = {
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float32": 2e-5,
    "float64": 1e-10,
    "complex64": 2e-5,
    "complex128": 1e-10,
}


class Failure(NamedTuple):
    call: str
    problem: str


def dtype_named(name: str) -> np.dtype:
    if name == "string":
        return STRING
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def name_of(dtype: np.dtype) -> str:
    return "string" if dtype == STRING else dtype.name


def read_strings(data: memoryview) -> Iterator[bytes]:
    while data:
        length = int.from_bytes(data[:8], "little")
        yield bytes(data[8 : 8 + length])
        data = data[8 + length :]


def read_tensor(entry: dict, blob: memoryview) -> np.ndarray:
    data = blob[entry["offset"] : entry["offset"] + entry["bytes"]]
    dtype = dtype_named(entry["dtype"])
    if dtype != STRING:
        return np.frombuffer(data, dtype).reshape(entry["shape"])
    array = np.empty(int(np.prod(entry["shape"], dtype=np.int64)), object)
    array[:] = list(read_strings(data))
    return array.reshape(entry["shape"])


def read_attr(value):
    return dtype_named(value["dtype"]) if isinstance(value, dict) else value


def to_dtype(value, dtype: np.dtype) -> np.ndarray:
    """A reference's result in the op's dtype; unchanged if it cannot be converted."""
    array = np.asarray(value)
    if array.dtype == dtype:
        return array
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return array.astype(dtype)


def is_close(found: np.ndarray, expected: np.ndarray, tolerance: float) -> np.ndarray:
    name = name_of(found.dtype)
    if name not in TOLERANCES:
        return np.asarray(found == expected)
    wide = np.complex128 if found.dtype.kind == "c" else np.float64
    limit = tolerance or TOLERANCES[name]
    with np.errstate(all="ignore"):
        return np.isclose(
            found.astype(wide), expected.astype(wide), rtol=limit, atol=limit, equal_nan=True
        )


def compare(index: int, found: np.ndarray, expected, tolerance: float) -> str | None:
    """What is wrong with output `index`; None when nothing is."""
    if isinstance(expected, references.Like):
        wanted = tuple(int(dim) for dim in expected.shape)
        return None if found.shape == wanted else f"output {index} is {found.shape}, not {wanted}"
    wanted = to_dtype(expected, found.dtype)
    kinds = (found.dtype == bool, np.asarray(expected).dtype == bool)
    if kinds[0] != kinds[1]:
        return f"output {index} is {name_of(found.dtype)}, but NumPy's is {wanted.dtype.name}"
    if found.shape != wanted.shape:
        return f"output {index} has shape {found.shape}, but NumPy's has {wanted.shape}"
    close = is_close(found, wanted, tolerance)
    if close.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~close)[0])
    count = f"{int((~close).sum())} of {close.size} values differ"
    return f"output {index}: {count}; at {list(at)} {found[at]!r}, but NumPy says {wanted[at]!r}"


def check_sample(line: dict, blob: memoryview, known: dict) -> str | None:
    """What is wrong with a sample; None when nothing is."""
    if line["sample"] is None:
        return "no samples"
    if "error" in line:
        return f"the op failed: {line['error']}"
    reference = known.get(line["op"])
    if reference is None:
        return "no reference in tests/python/references"
    inputs = [read_tensor(entry, blob) for entry in line["inputs"]]
    outputs = [read_tensor(entry, blob) for entry in line["outputs"]]
    attrs = {name: read_attr(value) for name, value in line["attrs"].items()}
    try:
        with np.errstate(all="ignore"):
            if reference.check is not None:
                reference.check(inputs, outputs, **attrs)
                return None
            expected = reference.compute(*inputs, **attrs)
    except AssertionError as problem:
        return f"the check failed: {problem}"
    except Exception as error:
        return f"the reference failed: {type(error).__name__}: {error}"
    is_many = isinstance(expected, (tuple, list)) and not isinstance(expected, references.Like)
    expected = list(expected) if is_many else [expected]
    if len(outputs) != len(expected):
        return f"{len(outputs)} outputs, but NumPy has {len(expected)}"
    pairs = zip(outputs, expected, strict=True)
    problems = (compare(i, out, want, line["tolerance"]) for i, (out, want) in enumerate(pairs))
    return next((problem for problem in problems if problem), None)


def read_lines(folder: Path) -> list[dict]:
    return [json.loads(text) for text in (folder / "samples.jsonl").read_text().splitlines()]


def check_lines(lines: list[dict], folder: Path) -> list[Failure]:
    """The failures among these lines of samples.jsonl."""
    blob = memoryview((folder / "samples.bin").read_bytes())
    known = references.load()
    failures = []
    for line in lines:
        problem = check_sample(line, blob, known)
        if problem is not None:
            failures.append(Failure(line.get("call", line["op"]), problem))
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="what op_check --mode dump --out wrote")
    folder = parser.parse_args().folder
    lines = read_lines(folder)
    failures = check_lines(lines, folder)
    for call, problem in failures:
        print(f"FAILED {call}: {problem}")
    print(f"op_reference: {len(lines) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
