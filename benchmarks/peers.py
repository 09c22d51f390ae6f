"""The cases of benchmarks/cpp in the peers' own APIs, eager, from Python.

    python peers.py LIBRARY [CASE ...]        LIBRARY: numpy, torch, tensorflow or jax

prints a line of JSON for the library, then one for each case:

    {"library": "numpy", "version": "2.4.6"}
    {"case": "eager_add_4m", "seconds": 0.0021, "check": -844.2}

seconds is the best of a few repetitions, and check the weighted sum of the result as defined in
bench.h: every library starts from the same numbers, so the sums must agree. A failed case has an
error instead of figures.
"""

from __future__ import annotations

import argparse
import json
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from libraries import LIBRARIES, Library, check_sum, values
from training import MLP_SIZES

# The C++ side passes the same to Google Benchmark; see run.py.
REPETITIONS = 5
SECONDS_PER_REPETITION = 0.05

MLP_BATCH = 128
MLP_STEPS_BEFORE_CHECK = 3


# --- The cases --------------------------------------------------------------------------------
#
# A case takes a library and gives the call to time.


def add(*shape):
    def case(lib):
        add, a, b = lib.add, lib.tensor(values(*shape, seed=1)), lib.tensor(values(*shape, seed=2))
        return lambda: add(a, b)

    return case


def matmul(n):
    def case(lib):
        a, b = lib.tensor(values(n, n, seed=1)), lib.tensor(values(n, n, seed=2))
        matmul = lib.matmul
        return lambda: matmul(a, b)

    return case


def chain(lib):
    a, b, c = (lib.tensor(values(4_000_000, seed=s)) for s in (1, 2, 3))
    return lambda: a * b + c


def softmax(lib):
    softmax, x = lib.softmax, lib.tensor(values(4096, 1000, seed=1))
    return lambda: softmax(x)


def log_softmax(lib):
    log_softmax, x = lib.log_softmax, lib.tensor(values(4096, 1000, seed=1))
    return lambda: log_softmax(x)


def norm(name, *shape):
    def case(lib):
        x = lib.tensor(values(*shape, seed=1))
        gamma, beta = (lib.tensor(values(shape[-1], seed=s)) for s in (2, 3))
        return getattr(lib, name)(x, gamma, beta)

    return case


def norm_grad(name, *shape):
    def case(lib):
        x, dy = (lib.tensor(values(*shape, seed=s)) for s in (1, 4))
        gamma, beta = (lib.tensor(values(shape[-1], seed=s)) for s in (2, 3))
        return lib.gradient(getattr(lib, name), dy, x, gamma, beta)

    return case


def reduce_sum(*shape, axis):
    def case(lib):
        reduce_sum, x = lib.reduce_sum, lib.tensor(values(*shape, seed=1))
        return lambda: reduce_sum(x, axis)

    return case


def transpose(lib):
    transpose, x = lib.transpose, lib.tensor(values(4096, 4096, seed=1))
    return lambda: transpose(x)


def gather(lib):
    rows = np.arange(1_000_000, dtype=np.int64) * 614_657 % 1_000_000
    table = lib.tensor(values(1_000_000, 16, seed=1))
    gather, rows = lib.gather, lib.tensor(rows.astype(np.int32))
    return lambda: gather(table, rows)


def sort(lib):
    sort, x = lib.sort, lib.tensor(values(1_000_000, seed=1))
    return lambda: sort(x)


def argsort(lib):
    argsort, x = lib.argsort, lib.tensor(values(1_000_000, seed=1))
    return lambda: argsort(x)


def top_k(*shape, k):
    def case(lib):
        top_k, x = lib.top_k, lib.tensor(values(*shape, seed=1))
        return lambda: top_k(x, k)

    return case


def conv2d(lib):
    return lib.conv2d(
        lib.tensor(values(8, 56, 56, 64, seed=1)), lib.tensor(values(3, 3, 64, 64, seed=2))
    )


def conv2d_input_grad(lib):
    dy = lib.tensor(values(8, 56, 56, 64, seed=1))
    return lib.conv2d_grads(dy, lib.tensor(values(3, 3, 64, 64, seed=2)), dy)[0]


def conv2d_filter_grad(lib):
    images, dy = (lib.tensor(values(8, 56, 56, 64, seed=s)) for s in (1, 2))
    return lib.conv2d_grads(images, lib.tensor(values(3, 3, 64, 64, seed=2)), dy)[1]


def pool(name):
    return lambda lib: getattr(lib, name)(lib.tensor(values(8, 56, 56, 64, seed=1)))


def mlp_step(lib):
    layers = enumerate(pairwise(MLP_SIZES), start=1)
    weights = lib.variables([values(*shape, seed=s) * np.float32(0.05) for s, shape in layers])
    biases = lib.variables([np.zeros(n, np.float32) for n in MLP_SIZES[1:]])
    x = lib.tensor(values(MLP_BATCH, MLP_SIZES[0], seed=4))
    labels = lib.tensor((np.arange(MLP_BATCH) * 7 % MLP_SIZES[-1]).astype(np.int32))
    step = lib.mlp_step(weights, biases, x, labels)
    for _ in range(MLP_STEPS_BEFORE_CHECK):
        step()
    return step


@dataclass(frozen=True)
class Case:
    make: Callable
    needs: str  # the function a library must have


K = 1024
CASES = {
    "eager_add_scalar": Case(add(), "add"),
    "eager_tf_add_4x4": Case(add(4, 4), "add"),
    "eager_matmul_2x2": Case(matmul(2), "matmul"),
    "eager_add_4m": Case(add(4_000_000), "add"),
    "chain_4m": Case(chain, "add"),
    "matmul_64": Case(matmul(64), "matmul"),
    "matmul_512": Case(matmul(512), "matmul"),
    "matmul_2048": Case(matmul(2048), "matmul"),
    "softmax_4096x1000": Case(softmax, "softmax"),
    "log_softmax_4096x1000": Case(log_softmax, "log_softmax"),
    "layer_norm_4096x768": Case(norm("layer_norm", 4096, 768), "layer_norm"),
    "layer_norm_grad_4096x768": Case(norm_grad("layer_norm", 4096, 768), "gradient"),
    "batch_norm_56x56x64": Case(norm("batch_norm", 8, 56, 56, 64), "batch_norm"),
    "batch_norm_grad_56x56x64": Case(norm_grad("batch_norm", 8, 56, 56, 64), "gradient"),
    "reduce_sum_axis0": Case(reduce_sum(4096, 4096, axis=0), "reduce_sum"),
    "reduce_sum_axis1": Case(reduce_sum(4096, 4096, axis=1), "reduce_sum"),
    "transpose_4096": Case(transpose, "transpose"),
    "gather_1m_rows": Case(gather, "gather"),
    "sort_1m": Case(sort, "sort"),
    "argsort_1m": Case(argsort, "argsort"),
    "top_k_100_of_1m": Case(top_k(1_000_000, k=100), "top_k"),
    "top_k_10_of_4096x1000": Case(top_k(4096, 1000, k=10), "top_k"),
    "conv2d_56x56x64": Case(conv2d, "conv2d"),
    "conv2d_input_grad": Case(conv2d_input_grad, "conv2d_grads"),
    "conv2d_filter_grad": Case(conv2d_filter_grad, "conv2d_grads"),
    "max_pool_56x56x64": Case(pool("max_pool"), "max_pool"),
    "avg_pool_56x56x64": Case(pool("avg_pool"), "avg_pool"),
    "mlp_step_eager": Case(mlp_step, "mlp_step"),
    "scale_add_256k": Case(add(256 * K), "add"),
    "scale_add_1m": Case(add(1024 * K), "add"),
    "scale_add_4m": Case(add(4096 * K), "add"),
    "scale_reduce_sum_256k": Case(reduce_sum(256 * K, axis=0), "reduce_sum"),
    "scale_reduce_sum_1m": Case(reduce_sum(1024 * K, axis=0), "reduce_sum"),
    "scale_reduce_sum_4m": Case(reduce_sum(4096 * K, axis=0), "reduce_sum"),
    "scale_matmul_128": Case(matmul(128), "matmul"),
    "scale_matmul_512": Case(matmul(512), "matmul"),
    "scale_matmul_2048": Case(matmul(2048), "matmul"),
}


# --- Measuring --------------------------------------------------------------------------------


def seconds_per_call(call: Callable) -> float:
    """The best of REPETITIONS means, each over at least SECONDS_PER_REPETITION."""
    timer = timeit.Timer(call)
    calls = 1
    while (spent := timer.timeit(calls)) < SECONDS_PER_REPETITION:
        missing = SECONDS_PER_REPETITION / max(spent, 1e-9)
        calls = int(calls * min(10, 1.4 * missing)) + 1
    return min(timer.repeat(REPETITIONS, calls)) / calls


def measure(library: Library, case: Case) -> dict:
    call = library.finished(case.make(library))
    check = check_sum(np.asarray(library.array(call())))
    return {"seconds": seconds_per_call(call), "check": check}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("cases", nargs="*", metavar="case", help="all when none is named")
    options = parser.parse_args()

    library = LIBRARIES[options.library]()
    print(json.dumps({"library": options.library, "version": library.version}), flush=True)
    for name in options.cases or CASES:
        if name not in CASES:
            parser.error(f"no case {name!r}; there are {', '.join(CASES)}")
        if not hasattr(library, CASES[name].needs):
            continue
        try:
            figures = measure(library, CASES[name])
        except Exception as error:  # one failing case must not affect the others
            figures = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps({"case": name, **figures}), flush=True)


if __name__ == "__main__":
    main()
