"""Functions: traced or compiled once, then called.

    python functions.py COLUMN CASE ...

prints a line of JSON for each case:

    {"case": "fn_call", "version": "2.21.0", "seconds": 1.9e-05, "check": 2.0}

A column is a library, or one of its ways to run a function: tensorflow is tf.function, and xla the
same with jit_compile=True; jax is jax.jit; torch is eager, and compiled is torch.compile.
peak_bytes is the growth of the process during a call, without tracing and compilation. For penstock
the output also has the planned figures, and an error if the ledger measured something else.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass

import loops
import numpy as np
import peers
from from_python import SECONDS_AT_MOST, chain_of, deep_step, peak_of, seconds_per_call
from libraries import Jax, TensorFlow, Torch, check_sum, values
from tables import OURS

SMALL_OPS = 300
STEP_OPS_PER_LAYER = 7  # forward: product, tanh; backward: three; scaling, update


# --- The columns --------------------------------------------------------------------------------


class Column:
    # The first call that shows the memory of a call: most libraries compile in their first.
    telling_call = 1

    def prepare(self) -> None:
        """Does what can be done before the first call."""


class Function(Column, loops.TensorFlow, TensorFlow):
    telling_call = 0  # later calls reuse what it freed

    def compiled(self, function, takes_over=None):
        return self.tf.function(function)

    def calling(self, function, *args):
        self.last = made, args = self.compiled(function), args
        return lambda: made(*args)

    def prepare(self):
        made, args = self.last
        made.get_concrete_function(*args)


class Xla(Function):
    def compiled(self, function, takes_over=None):
        return self.tf.function(function, jit_compile=True)

    def prepare(self):
        made, args = self.last
        made.experimental_get_compiler_ir(*args)(stage="optimized_hlo")

    def loop_options(self, num_steps, for_gradient=False, checkpoints=None):
        # XLA cannot differentiate a loop of unbounded length.
        return {"maximum_iterations": num_steps} if for_gradient else {}


class Penstock(Function):
    module = "penstock"

    def loop_options(self, num_steps, for_gradient=False, checkpoints=None):
        return {"checkpoints": checkpoints} if checkpoints else {}

    def checked_plan(self):
        """The planned figures of a call, verified against the ledger."""
        made, args = self.last
        plan, config = made.memory_plan(*args), self.tf.config.experimental
        config.reset_memory_stats()
        before = config.get_memory_info()["current"]
        made(*args)
        measured = config.get_memory_info()["peak"] - before
        if measured != plan.peak_bytes:
            raise AssertionError(f"planned {plan.peak_bytes} bytes, measured {measured}")
        return {"planned_bytes": measured, "beyond_bytes": measured - plan.output_bytes}


class Jit(Column, loops.Jax, Jax):
    def compiled(self, function, takes_over=None):
        # A new function: jit recognises those that it has seen.
        return self.jax.jit(lambda *args: function(*args), donate_argnums=takes_over)


class Eager(Column, loops.Torch, Torch):
    pass


class Compiled(Column, Torch):
    def compiled(self, function, takes_over=None):
        self.torch._dynamo.reset()  # it recognises code that it has seen
        return self.torch.compile(function, dynamic=False)

    def forget(self):
        """Discards the caches of compiled code from other processes."""
        self.torch._inductor.config.force_disable_caches = True


COLUMNS = {
    "penstock": Penstock,
    "tensorflow": Function,
    "xla": Xla,
    "jax": Jit,
    "torch": Eager,
    "compiled": Compiled,
}
COLUMNS_OF = {
    "penstock": ["penstock"],
    "tensorflow": ["tensorflow", "xla"],
    "jax": ["jax"],
    "torch": ["torch", "compiled"],
}


# --- The cases ----------------------------------------------------------------------------------


def call(lib):
    return lib.calling(lambda x: x + 1, lib.tensor(np.float32(1)))


def small_ops(lib):
    """Elementwise, of three tensors."""
    x, a, b = (lib.tensor(values(8, seed=s)) for s in (1, 2, 3))

    def function(x, a, b):
        for _ in range(SMALL_OPS // 2):
            x = x * a + b
        return x

    return lib.calling(function, x, a, b)


def small_layers(lib):
    """Alternating products and tanh, which cannot be fused. They approach a fixed point."""
    near_identity = np.eye(4) * 1.5 + values(4, 4, seed=2) / 8
    x, w = lib.tensor(values(4, 4, seed=1)), lib.tensor(near_identity.astype(np.float32))
    matmul, tanh = lib.matmul, lib.chain_functions()[0]

    def function(x, w):
        for _ in range(SMALL_OPS // 2):
            x = tanh(matmul(x, w))
        return x

    return lib.calling(function, x, w)


def first_calls(lib, make):
    """Calls of functions that make() creates anew each time."""
    if hasattr(lib, "forget"):
        lib.forget()
    lib.finished(call(lib))()  # one-time work is not counted
    return lambda: lib.finished(make())()


def trace(num_ops):
    def function(x):
        for _ in range(num_ops // 2):
            x = x * 1.01 + 0.5
        return x

    def case(lib):
        x = lib.tensor(np.float32(1))
        return first_calls(lib, lambda: lib.calling(function, x))

    return case


def trace_step(num_ops):
    """A training step of many small layers: long lifetimes, for a planner."""

    def case(lib):
        num_layers = num_ops // STEP_OPS_PER_LAYER
        weights = lib.variables([values(4, 4, seed=s) for s in range(num_layers)])
        x = lib.tensor(values(4, 4, seed=99))
        return first_calls(lib, lambda: lib.deep_step(weights, x))

    return case


def chain(size):
    def case(lib):
        x, y = (lib.tensor(values(size, seed=s)) for s in (1, 2))
        return lib.calling(chain_of(lib), x, y)

    return case


def chain_sum(size):
    def case(lib):
        x, y = (lib.tensor(values(size, seed=s)) for s in (1, 2))
        of, total = chain_of(lib), lib.reduce_sum
        return lib.calling(lambda x, y: total(of(x, y)), x, y)

    return case


@dataclass(frozen=True)
class Case:
    make: Callable
    num_ops: int = 1  # the time is that of one of them
    num_steps: int | None = None  # of a loop: the time of one step is shown too
    warm_up: Callable | None = None  # a smaller case, called before memory is measured
    is_first_call: bool = False  # every call is
    without: tuple[str, ...] = ()  # columns for which it is meaningless, or takes minutes


EAGER = ("torch",)  # has no first call that differs from others
CASES = {
    "fn_call": Case(call),
    "fn_small_op": Case(small_ops, SMALL_OPS),
    "fn_small_layer_op": Case(small_layers, SMALL_OPS),
    "fn_chain_500k": Case(chain(500_000)),
    "fn_chain_2m": Case(chain(2_000_000)),
    "fn_chain_8m": Case(chain(8_000_000), warm_up=chain(100_000)),
    "fn_chain_sum_8m": Case(chain_sum(8_000_000), warm_up=chain_sum(100_000)),
    "fn_mlp_step": Case(peers.mlp_step),
    "fn_deep_step": Case(deep_step(24, 4096, 512), warm_up=deep_step(2, 128, 512)),
    "fn_trace_100": Case(trace(100), is_first_call=True, without=EAGER),
    "fn_trace_1000": Case(trace(1000), is_first_call=True, without=EAGER),
    "fn_trace_10000": Case(trace(10_000), is_first_call=True, without=(*EAGER, "xla", "compiled")),
    "fn_trace_step_100": Case(trace_step(100), is_first_call=True, without=EAGER),
    "fn_trace_step_1000": Case(trace_step(1000), is_first_call=True, without=EAGER),
    "fn_trace_step_10000": Case(
        trace_step(10_000), is_first_call=True, without=(*EAGER, "tensorflow", "xla", "compiled")
    ),
}


def loop(make, num_steps, *sizes, warm_up=None):
    """A case of loops.py, of so many steps; warm_up is what its memory is looked at after. PyTorch
    compiles a loop as all of its steps, for minutes."""
    small = make(warm_up, *sizes) if warm_up else None
    return Case(make(num_steps, *sizes), num_steps=num_steps, warm_up=small, without=("compiled",))


for n, size in ((1000, "1k"), (10_000, "10k"), (100_000, "100k")):
    CASES[f"loop_while_{size}"] = loop(loops.decay, n)
CASES["loop_cond_10k"] = loop(loops.decay_in_branches, 10_000)
CASES["loop_lstm_10k"] = loop(loops.lstm, 10_000, 8, 64)
CASES["loop_lstm_wide_1k"] = loop(loops.lstm, 1000, 32, 256)
CASES["loop_lstm_grad_1k"] = loop(loops.lstm_gradient, 1000, 8, 64, warm_up=10)
CASES["loop_lstm_wide_grad_1k"] = loop(loops.lstm_gradient, 1000, 32, 256, warm_up=10)
CASES["loop_grad_2k"] = loop(loops.sine_gradient, 2000, warm_up=10)
for n, size in ((1000, "1k"), (10_000, "10k"), (100_000, "100k")):
    CASES[f"loop_pendulum_grad_{size}"] = loop(loops.pendulum_gradient, n, warm_up=10)


# --- Measuring ----------------------------------------------------------------------------------


def measure(column: str, case: Case) -> dict:
    lib = COLUMNS[column]()
    figures = {"version": lib.version}
    if case.warm_up:
        lib.finished(case.warm_up(lib))()
    call = lib.finished(case.make(lib))
    if case.warm_up:
        lib.prepare()
        peaks = [peak_of(call) for _ in range(3)]
        figures["peak_bytes"] = max(peaks[lib.telling_call :])
    elif not case.is_first_call:
        call()
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    figures["check"] = check_sum(np.atleast_1d(lib.array(result)))
    if column == OURS:
        figures |= lib.checked_plan()
    if seconds < SECONDS_AT_MOST:
        seconds = seconds_per_call(call)
    if case.num_steps:
        figures["each_seconds"] = seconds / case.num_steps
    return {**figures, "seconds": seconds / case.num_ops}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("column", choices=COLUMNS)
    parser.add_argument("cases", nargs="+", metavar="case", choices=CASES)
    options = parser.parse_args()
    for name in options.cases:
        if options.column in CASES[name].without:
            continue
        try:
            figures = measure(options.column, CASES[name])
        except Exception as error:  # one failing case must not affect the others
            figures = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps({"case": name, **figures}), flush=True)


if __name__ == "__main__":
    main()
