#!/usr/bin/env python3
"""Runs programs under one implementation of TensorFlow's API, until its input ends.

python worker.py penstock|tensorflow    # pickled requests on stdin, pickled answers on stdout

A program is Python text over `tf` and `np`. Either it defines a function `f`, the arguments of its
CALLS and the variables that f changes (STATE): the modes below run it. Or it is a script that fills
`out` and has one mode, "script".
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import itertools
import linecache
import os
import pickle
import signal
import struct
import sys
import traceback
import types
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
MODES = ("eager", "function", "jit", "open", "first", "v1", "v1open")
numbers = itertools.count()


class Program:
    """A program's text, run from its beginning once for every mode."""

    def __init__(self, tf, text: str):
        self.tf = tf
        self.file = f"<program {next(numbers)}>"
        self.text = text
        self.code = compile(text, self.file, "exec")
        # AutoGraph reads the source of functions that it converts.
        linecache.cache[self.file] = (len(text), None, text.splitlines(True), self.file)

    def names(self) -> dict:
        tf = self.tf
        names = {"tf": tf, "np": np, "nan": np.nan, "inf": np.inf, "out": {}, "__name__": "program"}
        tf.random.set_seed(1234)
        exec(self.code, names)
        return names

    def close(self) -> None:
        linecache.cache.pop(self.file, None)


def array(tf, given, shift=0.0):
    dtype, shape, values = given
    made = np.array(values, tf.as_dtype(dtype).as_numpy_dtype).reshape(shape)
    if shift and np.issubdtype(made.dtype, np.inexact):
        made = made * (1 + shift * np.cos(np.arange(made.size)).reshape(made.shape))
        made = made.astype(tf.as_dtype(dtype).as_numpy_dtype)
    return made


def specs(tf, call, mode):
    for dtype, shape, _ in call:
        known = list(shape)
        if mode.endswith("open"):
            known = [None] * len(known)
        elif mode == "first":
            known[:1] = [None] * len(known[:1])
        yield tf.TensorSpec(known, dtype)


def encode(tf, value):
    """What a value is, without the implementation's types."""
    if isinstance(value, tf.IndexedSlices) or hasattr(value, "dense_shape"):  # a session's, too
        return ("slices", encode(tf, value.values), encode(tf, value.indices))
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return ("tensor", value.dtype.name, *plain(np.asarray(value.numpy())))
    if isinstance(value, (np.ndarray, np.generic)):
        # What a session answers: text as objects, or a single one as bytes.
        kind = "string" if value.dtype.kind in "OSU" else value.dtype.name
        return ("tensor", kind, *plain(np.asarray(value)))
    if isinstance(value, bytes):
        return ("tensor", "string", (), [value])
    if isinstance(value, dict):
        return ("dict", {str(key): encode(tf, each) for key, each in value.items()})
    if isinstance(value, (list, tuple)):
        return ("list", [encode(tf, each) for each in value])
    if isinstance(value, Exception):
        return ("py", error_of(value)[0])
    if isinstance(value, tf.TensorShape):
        return ("py", str(value))
    return ("py", repr(value) if value is None or isinstance(value, (bool, int, float, str))
            else type(value).__name__)  # fmt: skip


def plain(values: np.ndarray):
    if values.dtype.kind in "OSU":
        flat = [each if isinstance(each, bytes) else str(each).encode() for each in values.flat]
        return values.shape, flat
    return values.shape, np.ascontiguousarray(values).tobytes()


def is_tensor(tf, value) -> bool:
    return isinstance(value, (tf.Tensor, tf.IndexedSlices))


def facts(tf, results) -> dict:
    """Static shapes and names of the results of a trace."""
    found = {}
    for key, value in results.items():
        if isinstance(value, tf.Tensor):
            rank = value.shape.rank
            known = None if rank is None else tuple(value.shape.as_list())
            found[key] = known, getattr(value, "name", "")
    return found


def error_of(error: BaseException) -> tuple[str, str]:
    for cls in type(error).__mro__:
        if not cls.__name__.startswith("_"):
            return cls.__name__, f"{error}"[-2000:]
    raise AssertionError


class Runner:
    def __init__(self, tf, is_penstock: bool):
        self.tf = tf
        self.is_penstock = is_penstock

    def run(self, text: str, modes, shift=0.0) -> dict:
        program = Program(self.tf, text)
        try:
            return {mode: self.run_mode(program, mode, shift) for mode in modes}
        finally:
            program.close()

    def run_mode(self, program, mode, shift) -> dict:
        before = self.held()
        answer = self.answer(program, mode, shift)
        after = self.held()
        if after != before:
            answer["held"] = after - before
        return answer

    def held(self) -> int:
        if not self.is_penstock:
            return 0
        gc.collect()
        return self.tf.config.experimental.get_memory_info()["current"]

    def answer(self, program, mode, shift) -> dict:
        answer = {"calls": [], "state": {}, "facts": {}, "error": None}
        run = {"script": self.script, "eager": self.eager}.get(mode)
        run = run or (self.graph if mode.startswith("v1") else self.function)
        try:
            run(program, mode, shift, answer)
        except Exception as error:
            answer["error"] = error_of(error)
            answer["where"] = place_of(error, program.file)
            # A frame holds tensors; so does the error.
            traceback.clear_frames(error.__traceback__)
        return answer

    def script(self, program, mode, shift, answer) -> None:
        names = {"tf": self.tf, "np": np, "nan": np.nan, "inf": np.inf, "out": {}}
        names["__name__"] = "program"
        self.tf.random.set_seed(1234)
        try:
            exec(program.code, names)
        finally:
            answer["calls"].append({k: encode(self.tf, v) for k, v in names["out"].items()})
            names.clear()

    def eager(self, program, mode, shift, answer) -> None:
        tf, names = self.tf, program.names()
        if shift:
            for value in names.get("STATE", {}).values():
                value.assign(value * (1 + shift))
        for call in names["CALLS"]:
            args = [tf.constant(array(tf, given, shift), given[0]) for given in call]
            results = names["f"](*args)
            answer["calls"].append({k: encode(tf, v) for k, v in results.items()})
        answer["state"] = self.state(names)

    def state(self, names) -> dict:
        return {key: encode(self.tf, value) for key, value in names.get("STATE", {}).items()}

    def function(self, program, mode, shift, answer) -> None:
        tf, names = self.tf, program.names()
        traced, known = names["f"], answer["facts"]

        def wrapper(*args):
            results = traced(*args)
            known.update(facts(tf, results))
            return {k: v if is_tensor(tf, v) else pack(tf, v) for k, v in results.items()}

        options = {"autograph": "AUTOGRAPH" in names, "reduce_retracing": False}
        if mode == "jit":
            options["jit_compile"] = True
        if mode in ("open", "first"):
            options["input_signature"] = list(specs(tf, names["CALLS"][0], mode))
        f = tf.function(wrapper, **options)
        for call in names["CALLS"]:
            args = [tf.constant(array(tf, given, shift), given[0]) for given in call]
            results = f(*args)
            answer["calls"].append({k: encode(tf, v) for k, v in results.items()})
            del results
        answer["state"] = self.state(names)
        if self.is_penstock:
            self.check_plan(f, args, answer)

    def check_plan(self, f, args, answer) -> None:
        """What a call holds at most is what its plan said."""
        info, experimental = (
            self.tf.config.experimental.get_memory_info,
            self.tf.config.experimental,
        )
        plan = f.memory_plan(*args)
        if not plan.is_exact:
            return
        experimental.reset_memory_stats()
        before = info()["current"]
        f(*args)
        peak = info()["peak"] - before
        if peak != plan.peak_bytes:
            answer["plan"] = plan.peak_bytes, peak

    def graph(self, program, mode, shift, answer) -> None:
        tf, v1 = self.tf, self.tf.compat.v1
        with tf.Graph().as_default():
            names = program.names()
            first = names["CALLS"][0]
            inputs = [v1.placeholder(s.dtype, s.shape) for s in specs(tf, first, mode)]
            results = names["f"](*inputs)
            answer["facts"].update(facts(tf, results))
            state = names.get("STATE", {})
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                for call in names["CALLS"]:
                    feeds = {p: array(tf, g, shift) for p, g in zip(inputs, call, strict=True)}
                    found = session.run(fetched(tf, results), feeds)
                    made = {k: encode(tf, found.get(k)) for k in results}
                    answer["calls"].append(made)
                answer["state"] = {k: encode(tf, v) for k, v in session.run(state).items()}


def pack(tf, value):
    """A structure as a function may return it."""
    return tf.nest.map_structure(lambda x: x, value) if isinstance(value, (list, tuple)) else value


def fetched(tf, results) -> dict:
    """What a session can fetch: lists without None, and no numbers."""

    def keep(value):
        if isinstance(value, (list, tuple)):
            return all(keep(each) for each in value)
        return is_tensor(tf, value)

    return {key: value for key, value in results.items() if keep(value)}


def place_of(error, file) -> int:
    """The line of the program that raised."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    return lines[-1] if lines else 0


def read(stream):
    head = stream.read(4)
    return None if len(head) < 4 else pickle.loads(stream.read(struct.unpack("<I", head)[0]))


def write(stream, value) -> None:
    data = pickle.dumps(value, protocol=4)
    stream.write(struct.pack("<I", len(data)) + data)
    stream.flush()


def end_with_parent() -> None:
    """Ends this process with its parent, even if a program never ends."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def main() -> None:
    end_with_parent()
    name = sys.argv[1]
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_RDWR)
    os.dup2(silence, 0), os.dup2(silence, 1)
    if len(sys.argv) < 3:
        os.dup2(silence, 2)
    os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    tf = importlib.import_module(name)
    if name == "tensorflow":
        import logging

        tf.get_logger().setLevel(logging.ERROR)
        tf.autograph.set_verbosity(0)
    sys.modules["program"] = types.ModuleType("program")  # AutoGraph looks up a function's module
    sys.path.insert(0, str(HERE))
    import families

    runner = Runner(tf, name == "penstock")
    gc.collect()
    gc.freeze()
    while (request := read(requests)) is not None:
        what, *args = request
        if what == "make":
            write(answers, families.make(tf, *args))
        else:
            write(answers, runner.run(*args))


if __name__ == "__main__":
    main()
