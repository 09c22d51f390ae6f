"""Performance seen from Python: calls, imports, conversions, training steps, and memory.

    python from_python.py LIBRARY CASE      LIBRARY: penstock, numpy, torch, tensorflow or jax

prints one line of JSON:

    {"version": "2.21.0", "seconds": 1.9e-05, "check": 3.0, "peak_bytes": 0}

Every case runs in its own process, so that import and memory are measured from scratch. Penstock
and TensorFlow run the same source. peak_bytes is the growth of the process during the first call,
according to the operating system; it is omitted if meaningless. check is as in peers.py.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import peers
from libraries import LIBRARIES as PEERS
from libraries import Library, TensorFlow, check_sum, values

CHAIN_SIZE = 8_000_000
LARGE = 25_000_000  # floats: 100 MB

SECONDS_PER_REPETITION = 0.002
REPETITIONS, SECONDS_IN_ALL = 5, 0.3  # at least, and as many as take that long
SECONDS_AT_MOST = 3  # then no further repetition


class Penstock(TensorFlow):
    module = "penstock"


LIBRARIES: dict[str, type[Library]] = {"penstock": Penstock, **PEERS}


# --- Memory, by the operating system's account --------------------------------------------------


def memory(field: str) -> int:
    """VmRSS: bytes in memory now; VmHWM: the most there were."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no {field} in /proc/self/status")


def peak_of(call: Callable) -> int:
    """The peak growth of the process during the call, in bytes."""
    time.sleep(0.1)  # lets other threads finish freeing
    ctypes.CDLL(None).malloc_trim(0)  # free memory must not count as already present
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = memory("VmRSS")
    call()
    return max(0, memory("VmHWM") - before)


# --- The cases ----------------------------------------------------------------------------------
#
# As in peers.py: a case takes a library and gives the call to time.


def add_scalar(lib):
    a, b = lib.tensor(np.float32(1)), lib.tensor(np.float32(2))
    return lambda: a + b


def matmul_2x2(lib):
    a, b = (lib.tensor(values(2, 2, seed=s)) for s in (1, 2))
    matmul = lib.matmul
    return lambda: matmul(a, b)


def loop_matmul(lib):
    w, matmul = lib.tensor(values(256, 256, seed=1) * np.float32(0.1)), lib.matmul

    def loop():
        x = w
        for _ in range(200):
            x = matmul(x, w)
        return x

    return loop


def chain_of(lib):
    tanh, maximum, square, exp, absolute = lib.chain_functions()

    def chain(x, y):
        z = x * y + x
        z = tanh(z) * 0.5 + y
        z = maximum(z, 0.1) - square(x)
        return exp(-absolute(z)) + z * 0.25

    return chain


def chain(lib):
    x, y = (lib.tensor(values(CHAIN_SIZE, seed=s)) for s in (1, 2))
    return lib.calling(chain_of(lib), x, y)


def deep_step(layers, batch, width):
    """A step through many layers, for the memory that a tape keeps."""
    scale = np.float32(1.8 / width**0.5)  # neither fades nor grows from layer to layer

    def case(lib):
        weights = [values(width, width, seed=s) * scale for s in range(layers)]
        return lib.deep_step(lib.variables(weights), lib.tensor(values(batch, width, seed=99)))

    return case


def numpy_in(lib):
    array = np.ones(LARGE, np.float32)
    copied = lib.copied
    return lambda: copied(array)


def numpy_out(lib):
    """For a tensor that stays alive."""
    result, array = lib.tensor(np.ones(LARGE, np.float32)) + 1.0, lib.array
    return lambda: array(result)


def numpy_of_next(lib):
    """For an op's result that nobody else holds: the op is part of the call."""
    x, array_of_next = lib.tensor(np.ones(LARGE, np.float32)), lib.array_of_next
    return lambda: array_of_next(x)


@dataclass(frozen=True)
class Case:
    make: Callable
    needs: str = "tensor"  # the function a library must have
    has_peak: bool = False
    num_checked: int | None = None  # how many elements of the result are looked at; None: all
    without: str = ""  # a library for which the case is meaningless
    gives_array: bool = False  # the call's result is already a NumPy array


CASES = {
    "py_import": Case(add_scalar, has_peak=True, without="numpy"),
    "py_add_scalar": Case(add_scalar, "add"),
    "py_add_4x4": Case(peers.add(4, 4), "add"),
    "py_matmul_2x2": Case(matmul_2x2, "matmul"),
    "py_add_4m": Case(peers.add(4_000_000), "add"),
    "py_loop_matmul_256": Case(loop_matmul, "matmul"),
    "py_chain_8m": Case(chain, "chain_functions", has_peak=True),
    "py_mlp_step": Case(peers.mlp_step, "mlp_step"),
    "py_deep_step": Case(deep_step(24, 1024, 512), "deep_step", has_peak=True),
    "py_numpy_in_100mb": Case(numpy_in, num_checked=1000, without="numpy"),
    "py_numpy_out_100mb": Case(numpy_out, num_checked=1000, without="numpy", gives_array=True),
    "py_numpy_next_100mb": Case(numpy_of_next, num_checked=1000, without="numpy", gives_array=True),
}


# --- Measuring ----------------------------------------------------------------------------------


def seconds_per_call(call: Callable) -> float:
    """The best of many short repetitions: at least one is undisturbed."""
    timer, calls, start = timeit.Timer(call), 1, time.perf_counter()
    while (best := timer.timeit(calls) / calls) * calls < SECONDS_PER_REPETITION:
        calls *= 2
    repetitions = 1
    while (spent := time.perf_counter() - start) < SECONDS_IN_ALL or (
        repetitions < REPETITIONS and spent < SECONDS_AT_MOST
    ):
        best = min(best, timer.timeit(calls) / calls)
        repetitions += 1
    return best


def measure_import(library: str, case: Case) -> dict:
    """The import and a first call, which triggers deferred initialisation."""
    before, start = memory("VmRSS"), time.perf_counter()
    made = LIBRARIES[library]()
    result = made.finished(case.make(made))()
    figures = {
        "seconds": time.perf_counter() - start,
        "peak_bytes": max(0, memory("VmRSS") - before),
    }
    return {"version": made.version, **figures, "check": check_sum(np.asarray(made.array(result)))}


def measure(library: str, case: Case) -> dict:
    made = LIBRARIES[library]()
    figures: dict = {"version": made.version}
    if not hasattr(made, case.needs) or case.without == library:
        return figures
    call = case.make(made)
    if not case.gives_array:
        call = made.finished(call)
    if case.has_peak:
        figures["peak_bytes"] = peak_of(call)
    result = call() if case.gives_array else np.asarray(made.array(call()))
    figures["check"] = check_sum(np.atleast_1d(result)[: case.num_checked])
    del result
    return {**figures, "seconds": seconds_per_call(call)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("case", choices=CASES)
    options = parser.parse_args()
    case = CASES[options.case]
    try:
        is_import = options.case == "py_import" and options.library != case.without
        figures = (measure_import if is_import else measure)(options.library, case)
    except Exception as error:
        figures = {"error": f"{type(error).__name__}: {error}"[:200]}
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
