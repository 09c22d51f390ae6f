"""The cases of benchmarks/cpp in the peers' own words, eager, from Python.

    python peers.py LIBRARY [CASE ...]        LIBRARY: numpy, torch, tensorflow or jax

prints a line of JSON for the library, then one for each case:

    {"library": "numpy", "version": "2.4.6"}
    {"case": "eager_add_4m", "seconds": 0.0021, "check": -844.2}

seconds is the best of a few repetitions, and check the weighted sum of the result that bench.h
defines: every library starts from the same numbers, so the sums have to agree. An error stands in
place of the figures of a case that failed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import prod

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

# What the C++ side asks of Google Benchmark too; see run.py.
REPETITIONS = 5
SECONDS_PER_REPETITION = 0.05

MLP_SIZES = (784, 512, 512, 10)
MLP_BATCH = 128
MLP_LEARNING_RATE = 0.01
MLP_STEPS_BEFORE_CHECK = 3

NORM_EPSILON = 1e-3


def values(*shape: int, seed: int) -> np.ndarray:
    """The numbers of bench.h's values(): spread over [-1, 1), exact in float32."""
    with np.errstate(over="ignore"):
        i = np.arange(prod(shape), dtype=np.uint32) + np.uint32(seed * 1_000_003)
        h = i * np.uint32(2_654_435_761)
        h = (h ^ (h >> np.uint32(15))) * np.uint32(2_246_822_519)
        h ^= h >> np.uint32(13)
    return ((h >> np.uint32(8)).astype(np.float32) * np.float32(2**-23) - 1).reshape(shape)


def check_sum(result: np.ndarray) -> float:
    """A sum that tells if elements are wrong or out of place."""
    weights = 1.0 + values(result.size, seed=99).astype(np.float64)
    return float(result.astype(np.float64).ravel() @ weights)


# --- The libraries ----------------------------------------------------------------------------
#
# An adapter holds a library's own functions under common names, so that a timed call goes straight
# to the library. A case that needs a function the library does not have is left out.


class Library:
    version: str
    tensor: Callable  # from a NumPy array, copied or not
    copied: Callable  # from a NumPy array, which the caller may change afterwards
    array: Callable = staticmethod(np.asarray)  # and back

    def finished(self, call: Callable) -> Callable:
        """The call, made to return only when its result is there."""
        return call


class NumPy(Library):
    def __init__(self) -> None:
        self.version = np.__version__
        self.tensor, self.copied = np.asarray, np.array
        self.add, self.multiply, self.matmul = np.add, np.multiply, np.matmul
        self.reduce_sum = np.sum

    def chain_functions(self):
        return np.tanh, np.maximum, np.square, np.exp, np.abs

    def softmax(self, x):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return np.divide(e, e.sum(axis=-1, keepdims=True), out=e)

    def log_softmax(self, x):
        x = x - x.max(axis=-1, keepdims=True)
        return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))

    def layer_norm(self, x, gamma, beta):
        def call():
            deviation = x - x.mean(axis=-1, keepdims=True)
            variance = np.square(deviation).mean(axis=-1, keepdims=True)
            return deviation / np.sqrt(variance + NORM_EPSILON) * gamma + beta

        return call

    def transpose(self, x):
        return np.ascontiguousarray(x.T)

    def gather(self, table, rows):
        return np.take(table, rows, axis=0)

    def sort(self, x):
        return np.sort(x)

    def argsort(self, x):
        return np.argsort(x, stable=True)


class Torch(Library):
    def __init__(self) -> None:
        import torch

        self.torch = torch
        self.version = torch.__version__
        self.tensor, self.copied = torch.as_tensor, torch.tensor
        self.add, self.multiply, self.matmul = torch.add, torch.mul, torch.matmul
        self.reduce_sum = torch.sum

    def array(self, x):
        return x.detach().numpy()

    def chain_functions(self):
        torch = self.torch
        return torch.tanh, torch.clamp_min, torch.square, torch.exp, torch.abs

    def deep_step(self, weights, x):
        torch = self.torch
        weights = [w.requires_grad_() for w in weights]
        sgd = torch.optim.SGD(weights, lr=MLP_LEARNING_RATE)

        def step():
            h = x
            for w in weights:
                h = torch.tanh(h @ w)
            loss = h.square().mean()
            sgd.zero_grad()
            loss.backward()
            sgd.step()
            return loss

        return step

    def softmax(self, x):
        return self.torch.softmax(x, -1)

    def log_softmax(self, x):
        return self.torch.log_softmax(x, -1)

    def layer_norm(self, x, gamma, beta):
        layer_norm = self.torch.nn.functional.layer_norm
        return lambda: layer_norm(x, gamma.shape, gamma, beta, NORM_EPSILON)

    def batch_norm(self, x, gamma, beta):
        """In channels_last, as conv2d."""
        batch_norm, x = self.torch.nn.functional.batch_norm, x.permute(0, 3, 1, 2)
        return lambda: batch_norm(x, None, None, gamma, beta, True, 0.1, NORM_EPSILON).permute(
            0, 2, 3, 1
        )

    def gradient(self, function, dy, *inputs):
        for x in inputs:
            x.requires_grad_()
        y, grad = function(*inputs)(), self.torch.autograd.grad
        return lambda: grad(y, inputs, dy, retain_graph=True)[0]

    def transpose(self, x):
        return x.T.contiguous()

    def gather(self, table, rows):
        return self.torch.index_select(table, 0, rows)

    def sort(self, x):
        return self.torch.sort(x)[0]

    def argsort(self, x):
        return self.torch.argsort(x, stable=True)

    def top_k(self, x, k):
        return self.torch.topk(x, k)[0]

    def conv2d(self, images, filters):
        """In channels_last, PyTorch's fast layout: the same bytes in memory as the others' NHWC."""
        conv2d = self.torch.nn.functional.conv2d
        x = images.permute(0, 3, 1, 2)
        w = filters.permute(3, 2, 0, 1).contiguous(memory_format=self.torch.channels_last)
        return lambda: conv2d(x, w, padding=1).permute(0, 2, 3, 1)

    def conv2d_grads(self, images, filters, dy):
        backward = self.torch.ops.aten.convolution_backward
        x, dy = images.permute(0, 3, 1, 2), dy.permute(0, 3, 1, 2)
        w = filters.permute(3, 2, 0, 1).contiguous(memory_format=self.torch.channels_last)

        def grad(index, axes):
            mask = [index == 0, index == 1, False]
            fixed = None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, mask
            return lambda: backward(dy, x, w, *fixed)[index].permute(*axes)

        return grad(0, (0, 2, 3, 1)), grad(1, (2, 3, 1, 0))

    def max_pool(self, images):
        pool, x = self.torch.nn.functional.max_pool2d, images.permute(0, 3, 1, 2)
        return lambda: pool(x, 2).permute(0, 2, 3, 1)

    def avg_pool(self, images):
        pool, x = self.torch.nn.functional.avg_pool2d, images.permute(0, 3, 1, 2)
        return lambda: pool(x, 2).permute(0, 2, 3, 1)

    def mlp_step(self, weights, x, labels):
        F, torch = self.torch.nn.functional, self.torch
        weights = [w.requires_grad_() for w in weights]
        biases = [torch.zeros(n, requires_grad=True) for n in MLP_SIZES[1:]]
        sgd = torch.optim.SGD([*weights, *biases], lr=MLP_LEARNING_RATE)
        labels = labels.long()

        def step():
            h = x
            for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
                h = h @ w + b
                if i < 2:
                    h = F.relu(h)
            loss = F.cross_entropy(h, labels)
            sgd.zero_grad()
            loss.backward()
            sgd.step()
            return loss

        return step


class TensorFlow(Library):
    module = "tensorflow"

    def __init__(self) -> None:
        tf = importlib.import_module(self.module)
        self.tf = tf
        self.version = tf.__version__
        self.tensor = self.copied = tf.constant
        self.add, self.multiply, self.matmul = tf.add, tf.multiply, tf.matmul
        self.softmax, self.reduce_sum, self.transpose = tf.nn.softmax, tf.reduce_sum, tf.transpose
        self.gather, self.sort, self.argsort = tf.gather, tf.sort, tf.argsort
        self.log_softmax = tf.nn.log_softmax

    def array(self, x):
        return x.numpy()

    def chain_functions(self):
        tf = self.tf
        return tf.tanh, tf.maximum, tf.square, tf.exp, tf.abs

    def deep_step(self, weights, x):
        tf = self.tf
        weights = [tf.Variable(w) for w in weights]

        def step():
            with tf.GradientTape() as tape:
                h = x
                for w in weights:
                    h = tf.tanh(tf.matmul(h, w))
                loss = tf.reduce_mean(tf.square(h))
            for w, g in zip(weights, tape.gradient(loss, weights), strict=True):
                w.assign_sub(MLP_LEARNING_RATE * g)
            return loss

        return step

    def top_k(self, x, k):
        return self.tf.math.top_k(x, k)[0]

    def layer_norm(self, x, gamma, beta):
        nn = self.tf.nn

        def call():
            mean, variance = nn.moments(x, [-1], keepdims=True)
            return nn.batch_normalization(x, mean, variance, beta, gamma, NORM_EPSILON)

        return call

    def batch_norm(self, x, gamma, beta):
        batch_norm = self.tf.compat.v1.nn.fused_batch_norm
        return lambda: batch_norm(x, gamma, beta, epsilon=NORM_EPSILON)[0]

    def gradient(self, function, dy, *inputs):
        with self.tf.GradientTape(persistent=True) as tape:
            for x in inputs:
                tape.watch(x)
            y = function(*inputs)()
        return lambda: tape.gradient(y, inputs, dy)[0]

    def conv2d(self, images, filters):
        conv2d = self.tf.nn.conv2d
        return lambda: conv2d(images, filters, strides=1, padding="SAME")

    def conv2d_grads(self, images, filters, dy):
        raw, ones = self.tf.raw_ops, [1, 1, 1, 1]
        x_sizes, w_sizes = self.tf.shape(images), self.tf.shape(filters)
        return (
            lambda: raw.Conv2DBackpropInput(
                input_sizes=x_sizes, filter=filters, out_backprop=dy, strides=ones, padding="SAME"
            ),
            lambda: raw.Conv2DBackpropFilter(
                input=images, filter_sizes=w_sizes, out_backprop=dy, strides=ones, padding="SAME"
            ),
        )

    def max_pool(self, images):
        pool = self.tf.nn.max_pool2d
        return lambda: pool(images, 2, 2, "VALID")

    def avg_pool(self, images):
        pool = self.tf.nn.avg_pool2d
        return lambda: pool(images, 2, 2, "VALID")

    def mlp_step(self, weights, x, labels):
        tf = self.tf
        weights = [tf.Variable(w) for w in weights]
        biases = [tf.Variable(tf.zeros(n)) for n in MLP_SIZES[1:]]
        variables = [*weights, *biases]

        def step():
            with tf.GradientTape() as tape:
                h = x
                for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
                    h = tf.matmul(h, w) + b
                    if i < 2:
                        h = tf.nn.relu(h)
                loss = tf.reduce_mean(
                    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h)
                )
            for v, g in zip(variables, tape.gradient(loss, variables), strict=True):
                v.assign_sub(MLP_LEARNING_RATE * g)
            return loss

        return step


class Jax(Library):
    def __init__(self) -> None:
        import jax
        import jax.numpy as jnp

        self.jax, self.jnp = jax, jnp
        self.version = jax.__version__
        self.tensor, self.copied = jnp.asarray, jnp.array
        self.add, self.multiply, self.matmul = jnp.add, jnp.multiply, jnp.matmul
        self.softmax, self.reduce_sum = jax.nn.softmax, jnp.sum
        self.log_softmax = jax.nn.log_softmax

    def finished(self, call):
        return lambda: call().block_until_ready()

    def chain_functions(self):
        jnp = self.jnp
        return jnp.tanh, jnp.maximum, jnp.square, jnp.exp, jnp.abs

    def deep_step(self, weights, x):
        jax, jnp = self.jax, self.jnp

        def loss_of(weights):
            h = x
            for w in weights:
                h = jnp.tanh(h @ w)
            return jnp.mean(jnp.square(h))

        def step():
            nonlocal weights
            loss, gradients = jax.value_and_grad(loss_of)(weights)
            weights = [w - MLP_LEARNING_RATE * g for w, g in zip(weights, gradients, strict=True)]
            jax.block_until_ready(weights)
            return loss

        return step

    def transpose(self, x):
        return self.jnp.transpose(x)

    def gather(self, table, rows):
        return self.jnp.take(table, rows, axis=0)

    def sort(self, x):
        return self.jnp.sort(x)

    def argsort(self, x):
        return self.jnp.argsort(x)

    def top_k(self, x, k):
        return self.jax.lax.top_k(x, k)[0]

    def normalise(self, x, gamma, beta, axes):
        mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
        return (x - mean) * self.jax.lax.rsqrt(variance + NORM_EPSILON) * gamma + beta

    def layer_norm(self, x, gamma, beta):
        return lambda: self.normalise(x, gamma, beta, -1)

    def batch_norm(self, x, gamma, beta):
        return lambda: self.normalise(x, gamma, beta, (0, 1, 2))

    def gradient(self, function, dy, *inputs):
        _, backward = self.jax.vjp(lambda *values: function(*values)(), *inputs)
        return lambda: backward(dy)[0]

    def conv2d(self, images, filters):
        convolve = self.jax.lax.conv_general_dilated
        layout = ("NHWC", "HWIO", "NHWC")
        return lambda: convolve(images, filters, (1, 1), "SAME", dimension_numbers=layout)

    def mlp_step(self, weights, x, labels):
        jax, jnp = self.jax, self.jnp
        parameters = (weights, [jnp.zeros(n) for n in MLP_SIZES[1:]])

        def loss_of(parameters):
            h = x
            for i, (w, b) in enumerate(zip(*parameters, strict=True)):
                h = h @ w + b
                if i < 2:
                    h = jax.nn.relu(h)
            return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(h), labels[:, None], 1))

        def step():
            nonlocal parameters
            loss, gradients = jax.value_and_grad(loss_of)(parameters)
            parameters = jax.tree.map(lambda p, g: p - MLP_LEARNING_RATE * g, parameters, gradients)
            jax.block_until_ready(parameters)
            return loss

        return step


LIBRARIES = {"numpy": NumPy, "torch": Torch, "tensorflow": TensorFlow, "jax": Jax}


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
    weights = [lib.tensor(values(*shape, seed=s) * np.float32(0.05)) for s, shape in layers]
    x = lib.tensor(values(MLP_BATCH, MLP_SIZES[0], seed=4))
    labels = lib.tensor((np.arange(MLP_BATCH) * 7 % MLP_SIZES[-1]).astype(np.int32))
    step = lib.mlp_step(weights, x, labels)
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
        except Exception as error:  # one case must not cost the others
            figures = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps({"case": name, **figures}), flush=True)


if __name__ == "__main__":
    main()
