"""Datasets made of values, of functions, and of several datasets."""

from __future__ import annotations

import hashlib
import os

import numpy as np

from penstock import _core, dtypes, errors, raw_ops
from penstock._ops import seeds as _seeds
from penstock._tensors.kinds import is_tensor_like
from penstock._tensors.spec import TensorSpec
from penstock.data import _functions, _structure
from penstock.data._stage import constant, make, number


def seeds(seed):
    """(global seed, op seed) of a stage."""
    if isinstance(seed, float):
        raise TypeError(f"Cannot convert {seed} to EagerTensor of dtype int64")
    if isinstance(seed, str):
        raise TypeError(f"a seed is a number, not {seed!r}")
    return _seeds.next_seeds(seed)


def unique(dataset):
    spec = dataset.element_spec
    allowed = (dtypes.int32, dtypes.int64, dtypes.string)
    for leaf in _structure.flatten(spec):
        if leaf.dtype not in allowed:
            raise TypeError(
                f"`tf.data.Dataset.unique` does not support type {leaf.dtype!r} -- only "
                "`tf.int32`, `tf.int64`, and `tf.string` are supported."
            )
    return make("Unique", [dataset])


def of_tensors(stage, tensors):
    is_sliced = stage == "TensorSlice"
    if not is_sliced and any(map(_structure.is_dataset, _structure.flatten(tensors))):
        one = make("Tensor", (), [constant(0)], spec=TensorSpec([], dtypes.int32))
        return one.map(lambda unused: tensors)
    element = _structure.map_leaves(_operand, tensors)
    leaves = _structure.flatten(element)
    if all(leaf is None for leaf in leaves):
        if is_sliced:
            raise ValueError("Invalid `element`. `element` should not be empty.")
        raise errors.InvalidArgumentError(
            None, None, "Length for attr 'Toutput_types' of 0 must be at least minimum 1"
        )
    if is_sliced:
        _check_rows(leaves)
    spec = _structure.map_leaves(_structure.spec_of, element)
    return make(stage, (), [leaf for leaf in leaves if leaf is not None], spec=spec)


def _operand(value):
    if value is None:
        return None
    if _structure.is_dataset(value):
        raise ValueError("Slicing dataset elements is not supported for rank 0.")
    return constant(value)


def _check_rows(leaves):
    rows = None
    for leaf in leaves:
        if leaf is None:
            continue
        if leaf.shape.rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        count = None if leaf.shape.rank is None else leaf.shape._dims[0]
        if rows is not None and count is not None and rows != count:
            raise ValueError(f"Dimensions {rows} and {count} are not compatible")
        rows = count if rows is None else rows


def counter(start, step, dtype):
    dtype = dtypes.as_dtype(dtype)
    start, step = constant(start, dtype), constant(step, dtype)
    zero = make("Tensor", (), [constant(0)], spec=TensorSpec([], dtypes.int32)).repeat()
    return zero.scan(start, lambda state, _: (state + step, state))


def random(seed, rerandomizes):
    key, op_seed = seeds(seed)
    return make(
        "Random",
        (),
        [number(key), number(op_seed)],
        spec=TensorSpec([], dtypes.int64),
        rerandomize=bool(rerandomizes),
    )


def zip_all(args, datasets):
    if not args and datasets is None:
        raise TypeError("Must pass at least one dataset to `zip`.")
    if args and datasets is not None:
        raise TypeError("Both `*args` and `datasets` cannot be set.")
    if len(args) == 1:
        datasets = args[0]
    elif args:
        datasets = args
    for each in _structure.flatten(datasets):
        if isinstance(each, list):
            raise TypeError(
                "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                "`tf.data.Dataset` objects. Python `list` is not supported and you should use "
                "`tuple` instead."
            )
        if not _structure.is_dataset(each):
            raise TypeError(
                "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                f"`tf.data.Dataset` objects but encountered object of type {type(each)}."
            )
    spec = _structure.map_leaves(lambda each: each.element_spec, datasets)
    return make("Zip", _structure.flatten(datasets), spec=spec)


def concatenate(dataset, other):
    spec = _structure.common(dataset.element_spec, other.element_spec)
    if spec is None:
        raise TypeError(
            f"Incompatible dataset elements: {dataset.element_spec} vs. {other.element_spec}"
        )
    return make("Concatenate", [dataset, other], spec=spec)


def interleave(dataset, map_func, cycle_length, block_length, num_parallel_calls):
    block_length = 1 if block_length is None else block_length
    if cycle_length is None:
        cycle_length = -1 if num_parallel_calls == -1 else _num_cores()
    function = _functions.trace_to_dataset(map_func, dataset.element_spec)
    spec = function.element_spec
    operands = [number(cycle_length), number(block_length)]
    if num_parallel_calls is None:
        return make("Interleave", [dataset], operands, [function], spec=spec)
    operands.append(number(num_parallel_calls))
    return make("ParallelInterleave", [dataset], operands, [function], spec=spec)


def _num_cores():
    return len(os.sched_getaffinity(0))


def scan(dataset, initial_state, scan_func):
    state = _structure.map_leaves(constant, initial_state)

    def state_of(spec):
        if not isinstance(spec, tuple) or len(spec) != 2:
            raise TypeError(
                "Invalid `scan_func`. `scan_func` should return a pair consisting of new state "
                f"and the output value but its return type is {spec}."
            )
        return spec[0]

    function, _ = _functions.trace_with_state(
        scan_func, state, dataset.element_spec, state_of, "Invalid `scan_func`. "
    )
    operands = _structure.flatten(state)
    return make("Scan", [dataset], operands, [function], spec=function.element_spec[1])


def reduce(dataset, initial_state, reduce_func):
    from penstock.data import _graph_iterator

    state = _structure.map_leaves(_core.to_tensor, initial_state)
    function, state_spec = _functions.trace_with_state(
        reduce_func, state, dataset.element_spec, lambda spec: spec, ""
    )
    return _graph_iterator.reduce(dataset, state, state_spec, function)


def single_element(dataset):
    from penstock.data import _graph_iterator

    return _graph_iterator.single_element(dataset)


def group_by_window(dataset, key_func, reduce_func, window_size, window_size_func):
    if (window_size is None) == (window_size_func is None):
        raise ValueError(
            "Either the `window_size` argument or the `window_size_func` argument must be "
            "specified."
        )
    if window_size is not None:
        size = number(window_size)

        def window_size_func(key):
            return size

    scalar = TensorSpec([], dtypes.int64)

    def as_int64(what):
        def check(result):
            result = _functions.as_int64(result)
            if result.shape.rank not in (0, None):
                raise ValueError(
                    f"Invalid `{what}`. `{what}` must return a single `tf.int64` scalar tensor "
                    f"but its return type is {_structure.spec_of(result)}."
                )
            return result

        return check

    key = _functions.trace(key_func, dataset.element_spec, check=as_int64("key_func"))
    reduced = _functions.trace_to_dataset(
        reduce_func,
        scalar,
        _structure.DatasetSpec(dataset.element_spec),
        what="reduce_func",
    )
    sizes = _functions.trace(window_size_func, scalar, check=as_int64("window_size_func"))
    functions = [key, reduced, sizes]
    return make("GroupByWindow", [dataset], (), functions, spec=reduced.element_spec)


def _common_spec(datasets):
    spec = datasets[0].element_spec
    for each in datasets[1:]:
        wider = _structure.common(spec, each.element_spec)
        if wider is None:
            raise TypeError(
                "Invalid `datasets`. `datasets` must have compatible element specs, but got "
                f"{spec} and {each.element_spec}."
            )
        spec = wider
    return spec


def choose_from_datasets(datasets, choice_dataset, stops):
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if not _structure.is_dataset(choice_dataset):
        raise TypeError(
            "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
            f"{type(choice_dataset)}."
        )
    choice = choice_dataset.element_spec
    if choice != TensorSpec([], dtypes.int64):
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
            f"tensors but are {choice}."
        )
    return _directed(choice_dataset, datasets, stops)


def _directed(selector, datasets, stops):
    spec = _common_spec(datasets)
    return make("DirectedInterleave", [selector, *datasets], spec=spec, stop_on_empty=bool(stops))


def _logits(weights, datasets):
    """The logits of the datasets with a weight, and those datasets."""
    if weights is None:
        return constant(np.ones(len(datasets), np.float32)), datasets
    if is_tensor_like(weights) or not isinstance(weights, (list, tuple)):
        weights = constant(weights)
    else:
        weights = constant(list(weights))
    if weights.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is "
            f"{weights.dtype!r}."
        )
    if weights.shape.rank == 1 and weights.shape[0] != len(datasets):
        raise ValueError(
            "Invalid `weights`. `weights` should have the same length as `datasets` but got "
            f"`len(weights)={weights.shape[0]}` vs. `len(datasets)={len(datasets)}`."
        )
    return raw_ops.Log(x=weights), datasets


def _chosen(weights, datasets):
    """The positive ones of known weights, with their datasets."""
    is_known = all(isinstance(each, float) for each in weights)
    if not is_known:
        return weights, datasets
    kept = [i for i, weight in enumerate(weights) if weight > 0]
    if not kept:
        return [], datasets
    return [weights[i] for i in kept], [datasets[i] for i in kept]


def sample_from_datasets(datasets, weights, seed, stops, rerandomizes):
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    datasets = list(datasets)
    if isinstance(weights, (list, tuple)) and len(weights) == len(datasets):
        weights, datasets = _chosen(weights, datasets)
        if not weights:
            return datasets[0].take(0)
    if _structure.is_dataset(weights):
        key, op_seed = seeds(seed)
        operands = [number(key), number(op_seed)]
        selector = make(
            "WeightedBy",
            [weights],
            operands,
            spec=TensorSpec([], dtypes.int64),
            rerandomize=bool(rerandomizes),
        )
        return _directed(selector, datasets, stops)
    logits, datasets = _logits(weights, datasets)
    if len(datasets) == 1:
        return datasets[0]
    key, op_seed = seeds(seed)
    selector = make(
        "Weighted",
        (),
        [logits, number(key), number(op_seed)],
        spec=TensorSpec([], dtypes.int64),
        rerandomize=bool(rerandomizes),
    )
    return _directed(selector, datasets, stops)


def rejection_resample(dataset, class_func, target_dist, initial_dist, seed):
    """Elements are kept with a probability that follows from both distributions; the initial one
    is counted where it is not given."""
    from penstock.data import _resampling

    return _resampling.rejection_resample(dataset, class_func, target_dist, initial_dist, seed)


def fingerprint(dataset):
    text = repr((dataset._core.stage, dataset.element_spec, len(dataset._keeps)))
    digest = hashlib.sha256(text.encode()).digest()
    return constant(np.frombuffer(digest[:8], np.uint64)[0])
