"""The peers under common names, and the input numbers of every library.

An adapter holds a library's own functions, so that a timed call goes straight to the library. A
case is skipped if the library lacks a function that it needs. Training steps: training.py.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from math import prod

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import training

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
    """A sum that reveals wrong or misplaced elements."""
    weights = 1.0 + values(result.size, seed=99).astype(np.float64)
    return float(result.astype(np.float64).ravel() @ weights)


class Library:
    version: str
    tensor: Callable  # from a NumPy array, copied or not
    copied: Callable  # from a NumPy array, which the caller may change afterwards
    array: Callable = staticmethod(np.asarray)  # and back

    def array_of_next(self, x):
        """x + 1 as an array: from a result without a name."""
        return np.asarray(x + 1.0)

    def finished(self, call: Callable) -> Callable:
        """The call, made to wait for its result."""
        return call

    def compiled(self, function: Callable, takes_over: int | None = None) -> Callable:
        """The function as it is: eager. The adapters in functions.py compile it, and it may write
        over the argument takes_over."""
        return function

    def calling(self, function: Callable, *args) -> Callable:
        function = self.compiled(function)
        return lambda: function(*args)


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


class Torch(training.Torch, Library):
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


class TensorFlow(training.TensorFlow, Library):
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

    def array_of_next(self, x):
        return (x + 1.0).numpy()

    def chain_functions(self):
        tf = self.tf
        return tf.tanh, tf.maximum, tf.square, tf.exp, tf.abs

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


class Jax(training.Jax, Library):
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


LIBRARIES = {"numpy": NumPy, "torch": Torch, "tensorflow": TensorFlow, "jax": Jax}
