"""Matrix products and biases."""

import numpy as np

from references import ref


def wide(x):
    """Half types as float32, so that sums are not rounded after each step."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x


def form(x, transpose, adjoint):
    x = wide(x)
    x = x.conj() if adjoint else x
    return np.swapaxes(x, -1, -2) if transpose != adjoint else x


ref(
    "MatMul",
    lambda a, b, transpose_a, transpose_b, adjoint_a, adjoint_b: np.matmul(
        form(a, transpose_a, adjoint_a), form(b, transpose_b, adjoint_b)
    ),
)


def bias_add(value, bias, data_format):
    shape = [1] * value.ndim
    shape[1 if data_format == "NCHW" else -1] = -1
    return value + bias.reshape(shape)


ref("BiasAdd", bias_add)
