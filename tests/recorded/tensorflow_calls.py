"""How an op of ours is called in TensorFlow.

Most are tf.raw_ops.X with the same names of inputs and attributes; an op that TensorFlow has only
as a function is looked up by its id in the public modules. The table below holds what differs.
"""

from __future__ import annotations

import inspect

import numpy as np
import tensorflow as tf

raw = tf.raw_ops
MODULES = (tf, tf.math, tf.nn, tf.linalg, tf.signal, tf.image, tf.strings, tf.random, tf.sparse)
RENAMED = {"keepdims": "keep_dims"}


class Unmapped(Exception):
    """We do not know how to make this call."""


_special = {}


def special(*names):
    def add(function):
        for name in names:
            _special[name] = function
        return function

    return add


def reduction(name):
    def run(x, axis, keepdims):
        axes = axis if axis else list(range(x.shape.rank))
        return getattr(raw, name)(input=x, axis=axes, keep_dims=keepdims)

    return run


for _name in ("Sum", "Mean", "Prod", "Max", "Min", "Any", "All"):
    special(_name)(reduction(_name))


@special("ArgMax")
def _arg_max(x, axis, output_type):
    return raw.ArgMax(input=x, dimension=axis, output_type=output_type)


@special("ArgMin")
def _arg_min(x, axis, output_type):
    return raw.ArgMin(input=x, dimension=axis, output_type=output_type)


@special("Cast")
def _cast(x, dtype):
    return tf.cast(x, dtype)


@special("Transpose")
def _transpose(x, perm):
    return raw.Transpose(
        x=x, perm=perm if perm or x.shape.rank == 0 else np.arange(x.shape.rank)[::-1]
    )


@special("SplitV")
def _split_v(value, size_splits, axis):
    return raw.SplitV(value=value, size_splits=size_splits, axis=axis, num_split=len(size_splits))


@special("ExpandDims")
def _expand_dims(x, axis):
    return raw.ExpandDims(input=x, axis=axis)


@special("ReverseV2")
def _reverse(x, axis):
    return raw.ReverseV2(tensor=x, axis=np.array(axis, np.int32))


@special("Round")
def _round(x):
    return tf.round(x)


@special("Where")
def _where(x):
    return raw.Where(condition=x)


@special("MatMul")
def _matmul(a, b, **flags):
    return tf.linalg.matmul(a, b, **flags)


def updated(name, names, values, **attrs):
    """An optimiser's update: TensorFlow changes resources, we return the new values."""
    if not attrs.pop("weight_decay", 0) == 0:
        raise Unmapped("TensorFlow has no weight decay in the op")
    named = dict(zip(names, values, strict=True))
    slots = [tf.Variable(named[slot]) for slot in SLOTS if slot in named]
    named |= {
        slot: v.handle for slot, v in zip([n for n in SLOTS if n in named], slots, strict=True)
    }
    function = getattr(raw, f"Resource{name}", None)
    if function is None:
        raise Unmapped("there is no such resource op")
    _bind(function, named, attrs)
    function(**named, **attrs)
    return [slot.value() for slot in slots]


SLOTS = ("var", "accum", "m", "v", "ms", "mom", "linear")


@special("L2Normalize")
def _l2_normalize(x, axis, epsilon):
    return tf.nn.l2_normalize(x, axis=axis or None, epsilon=epsilon)


@special("RandomSplit")
def _random_split(seed, num):
    return tf.random.split(seed, num)


@special("RandomFoldIn")
def _random_fold_in(seed, data):
    return tf.random.fold_in(seed, data)


@special("SumTo", "GatherOrZero", "LinearScan", "LayerNorm", "LayerNormGrad", "KeyedRandomBinomial")
def _ours(*_, **flags):
    raise Unmapped("TensorFlow has no such op")


def _bind(function, inputs, attrs):
    """The attributes that `function` takes, under its names; the call must then be complete."""
    signature = inspect.signature(function)
    known = signature.parameters
    named = {}
    for name, value in attrs.items():
        name = name if name in known else RENAMED.get(name, name)
        if name not in known and "flags" not in known:
            raise Unmapped(f"there is no parameter {name}")
        named[name] = value
    try:
        signature.bind(**inputs, **named) if isinstance(inputs, dict) else signature.bind(
            *inputs, **named
        )
    except TypeError as problem:
        raise Unmapped(str(problem)) from None
    return named


def _grouped(names, tensors):
    """The inputs by name; one that takes several is a list."""
    named = {}
    for i, name in enumerate(names):
        is_many = name.endswith("*")
        named[name.rstrip("*")] = tensors[i:] if is_many else tensors[i]
    return named


def _run(op, op_id, names, tensors, attrs):
    if op in _special:
        _bind(_special[op], tensors, attrs)
        return _special[op](*tensors, **attrs)
    if op.startswith(("Apply", "SparseApply")):
        return updated(op, names, tensors, **attrs)
    if op.startswith("Conv") and attrs.get("dilations") == []:
        attrs = {name: value for name, value in attrs.items() if name != "dilations"}
    if attrs.get("seed") == 0 and attrs.get("seed2", 0) == 0:
        raise Unmapped("seeds of 0 stand for random ones")
    if attrs.pop("skip", 0) != 0:
        raise Unmapped("a stream that has been going on: see tests/cpp/api/random_test.cc")
    if hasattr(raw, op):
        inputs, function = _grouped(names, tensors), getattr(raw, op)
        return function(**inputs, **_bind(function, inputs, attrs))
    for module in MODULES:
        if function := getattr(module, op_id, None):
            inputs = list(_grouped(names, tensors).values())
            return function(*inputs, **_bind(function, inputs, attrs))
    raise Unmapped("neither a raw op nor a public function has this name")


def _flat(result):
    if isinstance(result, (tuple, list)):
        return [part for each in result for part in _flat(each)]
    value = result.numpy()
    return [np.array(value, object) if result.dtype == tf.string else np.asarray(value)]


def answer(op, op_id, names, inputs, attrs):
    attrs = {k: tf.as_dtype(v) if isinstance(v, np.dtype) else v for k, v in attrs.items()}
    try:
        tensors = [tf.constant(array, tf.as_dtype(_dtype_name(array))) for array in inputs]
        tf.random.set_seed(1)  # makes TensorFlow forget how far the streams of its kernels are
        return ("outputs", _flat(_run(op, op_id, names, tensors, attrs)))
    except Unmapped as problem:
        return ("unmapped", str(problem))
    except (tf.errors.OpError, ValueError, TypeError) as error:
        return ("error", type(error).__name__, str(error).partition("\n")[0][:200])
    except Exception as error:
        return ("unmapped", f"{type(error).__name__}: {error}")


def _dtype_name(array):
    return "string" if array.dtype == object else array.dtype.name
