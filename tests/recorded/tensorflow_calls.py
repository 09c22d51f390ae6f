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
        axes = list(range(x.shape.rank)) if axis is None else axis
        return getattr(raw, name)(input=x, axis=axes, keep_dims=keepdims)

    return run


for _name in ("Sum", "Mean", "Prod", "Max", "Min", "Any", "All", "EuclideanNorm"):
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
    return tf.nn.l2_normalize(x, axis=axis, epsilon=epsilon)


@special("RandomSplit")
def _random_split(seed, num):
    return tf.random.split(seed, num)


@special("RandomFoldIn")
def _random_fold_in(seed, data):
    return tf.random.fold_in(seed, data)


@special("GatherNd")
def _gather_nd(params, indices, batch_dims):
    if batch_dims == 0:
        return raw.GatherNd(params=params, indices=indices)
    return tf.gather_nd(params, indices, batch_dims=batch_dims)


@special("LinSpace")
def _linspace(start, stop, num, axis):
    if start.shape.rank == 0:
        return raw.LinSpace(start=start, stop=stop, num=num)
    return tf.linspace(start, stop, num, axis=axis)


@special("Repeat")
def _repeat(data, repeats, axis):
    return tf.repeat(data, repeats, axis=axis[0] if axis else None)


@special("DynamicStitch")
def _dynamic_stitch(*pairs):
    return raw.DynamicStitch(indices=pairs[::2], data=pairs[1::2])


@special("SequenceMask")
def _sequence_mask(lengths, maxlen, dtype):
    return tf.sequence_mask(lengths, maxlen[0] if maxlen else None, dtype)


@special("Meshgrid")
def _meshgrid(*values, indexing):
    return tf.meshgrid(*values, indexing=indexing)


@special("Dropout")
def _dropout(x, rate, noise_shape, seed, seed2, skip):
    """tf.nn.dropout, with the seeds of its random numbers given."""
    shape = noise_shape or x.shape
    drawn = raw.RandomUniform(shape=shape, dtype=x.dtype, seed=seed, seed2=seed2)
    scale = tf.constant(1 / (1 - rate), x.dtype)
    return tf.where(drawn >= tf.constant(rate, x.dtype), x * scale, 0)


@special("HistogramFixedWidthBins")
def _histogram_bins(values, value_range, nbins, dtype):
    if dtype != tf.int32:
        raise Unmapped("TensorFlow gives int32 whatever is asked for")
    return tf.histogram_fixed_width_bins(values, value_range, nbins)


@special("XwPlusB")
def _xw_plus_b(x, weights, biases):
    return tf.compat.v1.nn.xw_plus_b(x, weights, biases)


@special("ReluLayer")
def _relu_layer(x, weights, biases):
    return tf.compat.v1.nn.relu_layer(x, weights, biases)


@special("SoftmaxV2")
def _softmax(logits, axis):
    return tf.nn.softmax(logits, axis=axis)


@special("LogSoftmaxV2")
def _log_softmax(logits, axis):
    return tf.nn.log_softmax(logits, axis=axis)


@special("EmbeddingLookup")
def _embedding_lookup(params, ids, max_norm):
    return tf.nn.embedding_lookup(params, ids, max_norm=None if max_norm < 0 else max_norm)


@special("EmbeddingLookupSparse")
def _embedding_lookup_sparse(params, segment_ids, ids, weights, combiner, max_norm):
    rows = segment_ids.numpy().astype(np.int64)
    places = np.stack([rows, np.arange(len(rows))], 1)
    shape = [int(rows.max(initial=-1)) + 1, max(len(rows), 1)]
    return tf.nn.embedding_lookup_sparse(
        params,
        tf.SparseTensor(places, ids, shape),
        tf.SparseTensor(places, weights, shape),
        combiner=combiner,
        max_norm=None if max_norm < 0 else max_norm,
    )


@special("LstmCell")
def _lstm_cell(x, h, c, kernel, recurrent_kernel, bias):
    cell = tf.keras.layers.LSTMCell(h.shape[-1], dtype=x.dtype.name)
    cell.build(x.shape)
    cell.set_weights([kernel, recurrent_kernel, bias])
    return cell(x, [h, c])[1]


@special("GruCell")
def _gru_cell(x, h, kernel, recurrent_kernel, bias):
    cell = tf.keras.layers.GRUCell(h.shape[-1], dtype=x.dtype.name)
    cell.build(x.shape)
    cell.set_weights([kernel, recurrent_kernel, bias])
    return cell(x, [h])[0]


@special("GroupNorm")
def _group_norm(x, gamma, beta, groups, epsilon, data_format):
    axis = -1 if data_format.startswith("N") and data_format.endswith("C") else 1
    layer = tf.keras.layers.GroupNormalization(groups, axis, epsilon, dtype=x.dtype.name)
    layer.build(x.shape)
    layer.set_weights([gamma, beta])
    return layer(x)


@special("Tensordot")
def _tensordot(a, b, axes_a, axes_b):
    return tf.tensordot(a, b, [axes_a, axes_b])


@special("Eig")
def _eig(x, compute_v):
    wide = tf.complex128 if x.dtype in (tf.float64, tf.complex128) else tf.complex64
    return raw.Eig(input=x, Tout=wide, compute_v=compute_v)


@special("ClipByGlobalNorm")
def _clip_by_global_norm(clip_norm, use_norm, *t_list):
    return tf.clip_by_global_norm(list(t_list), clip_norm, use_norm)[0]


@special("MaxPoolGradGrad")
def _max_pool_grad_grad(orig_input, orig_output, grad, explicit_paddings, **flags):
    if explicit_paddings:
        raise Unmapped("there is no parameter explicit_paddings")
    return raw.MaxPoolGradGrad(orig_input=orig_input, orig_output=orig_output, grad=grad, **flags)


@special("ParseExampleV2")
def _parse_example(serialized, dense_keys, *dense_defaults, dense_shapes):
    shapes, rest = [], list(dense_shapes)
    while rest:
        shapes.append(rest[1 : 1 + rest[0]])
        rest = rest[1 + rest[0] :]
    return raw.ParseExampleV2(
        serialized=serialized,
        names=tf.constant([], tf.string),
        sparse_keys=tf.constant([], tf.string),
        dense_keys=dense_keys,
        ragged_keys=tf.constant([], tf.string),
        dense_defaults=dense_defaults,
        num_sparse=0,
        sparse_types=[],
        ragged_value_types=[],
        ragged_split_types=[],
        dense_shapes=shapes,
    )[3]


@special("DecodeCSV")
def _decode_csv(records, *record_defaults, **flags):
    return raw.DecodeCSV(records=records, record_defaults=record_defaults, **flags)


@special("ParallelDynamicStitch")
def _parallel_dynamic_stitch(*pairs):
    return raw.ParallelDynamicStitch(indices=pairs[::2], data=pairs[1::2])


@special("StatelessDropout")
def _stateless_dropout(x, seed, rate, noise_shape):
    return tf.nn.experimental.stateless_dropout(x, rate, seed, noise_shape=noise_shape or None)


@special("Norm")
def _norm(tensor, ord, axis, keepdims):
    names = {"inf": np.inf, "1": 1, "2": 2}
    axes = axis[0] if axis is not None and len(axis) == 1 else axis
    return tf.norm(tensor, names.get(ord, ord), axes, keepdims)


PARTS = {"Real": tf.math.real, "Imag": tf.math.imag, "Angle": tf.math.angle, "ComplexAbs": tf.abs}


def part(name):
    def run(x):
        if not x.dtype.is_complex:
            return getattr(raw, name)(**{"x" if name == "ComplexAbs" else "input": x})
        return PARTS[name](x)

    return run


for _name in PARTS:
    special(_name)(part(_name))


@special("Complex")
def _complex(real, imag):
    wide = tf.complex128 if real.dtype == tf.float64 else tf.complex64
    return raw.Complex(real=real, imag=imag, Tout=wide)


@special("SaturateCast")
def _saturate_cast(value, dtype):
    if dtype.size == 8:
        raise Unmapped("TensorFlow wraps what does not fit into 64 bits")
    return tf.saturate_cast(value, dtype)


def of_output(name):
    def run(y, dy):
        if y.dtype.is_complex:
            raise Unmapped("TensorFlow's op conjugates, our gradients do")
        return getattr(raw, name)(y=y, dy=dy)

    return run


for _name in ("SqrtGrad", "RsqrtGrad", "ReciprocalGrad"):
    special(_name)(of_output(_name))


@special("Svd")
def _svd(x, compute_uv, full_matrices):
    found = tf.linalg.svd(x, full_matrices, compute_uv)
    empty = tf.zeros([0], x.dtype)
    return found if compute_uv else [found, empty, empty]


@special("SelfAdjointEigV2")
def _eigh(x, compute_v):
    if x.dtype.is_complex:
        raise Unmapped("TensorFlow's eigenvalues are complex, ours real")
    return raw.SelfAdjointEigV2(input=x, compute_v=compute_v)


@special("Eigvalsh")
def _eigvalsh(x):
    return _eigh(x, False)[0]


@special("MatrixExponential")
def _expm(x):
    return tf.linalg.expm(x)


def depthwise(name):
    def run(first, second, grad, dilations, **flags):
        if 0 in grad.shape or any(rate > 1 for rate in dilations or ()):
            raise Unmapped("TensorFlow's CPU kernel ignores dilations, and leaves memory unset")
        names = ("input_sizes", "filter") if name.endswith("Input") else ("input", "filter_sizes")
        named = dict(zip(names, (first, second), strict=True))
        return getattr(raw, name)(**named, out_backprop=grad, **flags)

    return run


for _name in ("DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter"):
    special(_name)(depthwise(_name))


@special("MaxPool3DGrad")
def _max_pool3d_grad(orig_input, orig_output, grad, **flags):
    values = orig_input.numpy()
    if np.unique(values).size < values.size:
        raise Unmapped("TensorFlow gives each of several maxima the whole gradient")
    return raw.MaxPool3DGrad(orig_input=orig_input, orig_output=orig_output, grad=grad, **flags)


@special("ReduceJoin")
def _reduce_join(inputs, axis, keepdims, separator):
    axes = list(range(inputs.shape.rank))[::-1] if axis is None else axis
    return raw.ReduceJoin(
        inputs=inputs, reduction_indices=axes, keep_dims=keepdims, separator=separator
    )


@special("CTCLoss")
def _sparse_ctc_loss(inputs, indices, values, lengths, **flags):
    if flags["ignore_longer_outputs_than_inputs"]:
        raise Unmapped("without a path TensorFlow's loss is infinite, ours 0")
    return raw.CTCLoss(
        inputs=inputs,
        labels_indices=indices,
        labels_values=values,
        sequence_length=lengths,
        **flags,
    )


@special("CTCLossDense")
def _ctc_loss(logits, labels, label_length, logit_length, blank_index, logits_time_major):
    return tf.nn.ctc_loss(
        labels, logits, label_length, logit_length, logits_time_major, blank_index=blank_index
    )


OURS = """
    GeluGrad
    SumTo GatherOrZero LinearScan LayerNorm LayerNormGrad InstanceNorm KeyedRandomBinomial SortRows
    ArgSortRows UniqueRows PatchesToVolume ResizeGrad CTCLossDenseGrad
    LstmStep LstmStepGrad GruStep GruStepGrad
"""


@special(*OURS.split())
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
        if name in known and _stands_for_default(name, value, known[name].default):
            continue
        named[name] = value
    try:
        signature.bind(**inputs, **named) if isinstance(inputs, dict) else signature.bind(
            *inputs, **named
        )
    except TypeError as problem:
        raise Unmapped(str(problem)) from None
    return named


def _stands_for_default(name, value, default):
    """What an op of ours is given where TensorFlow's function has None or a list of its own."""
    if default is None:
        return value in ("", -1) or (value == [] and name not in ("axis", "axes"))
    return value == [] and isinstance(default, (list, tuple)) and len(default) > 0


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
    if attrs.get("seed") == 0 and attrs.get("seed2", 0) == 0:
        raise Unmapped("seeds of 0 stand for random ones")
    if attrs.pop("skip", 0) != 0:
        raise Unmapped("a stream that has been going on: see tests/cpp/api/random_test.cc")
    if "RFFT" in op and np.size(tensors[0]) == 0:
        raise Unmapped("TensorFlow leaves the transform of nothing unset")
    if op == "OverlapAndAdd" and np.size(tensors[0]) == 0:
        raise Unmapped("TensorFlow gives no frames a length, less than a frame's")
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
