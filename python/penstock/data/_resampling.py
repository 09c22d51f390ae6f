"""rejection_resample: elements are dropped at random until classes have another distribution."""

from __future__ import annotations

import numpy as np

from penstock import _core, dtypes, raw_ops
from penstock._ops.convert import cast
from penstock.data import _structure
from penstock.data._stage import constant

_BATCH = 32  # classes between two estimates of their distribution
_SMOOTHING = 10  # of each class, as if they had been seen


def _acceptance(initial, target):
    """(the probability to accept an element of each class, that to take any element as it is)."""
    ratios = target / raw_ops.Maximum(x=initial, y=np.finfo(initial.dtype.as_numpy_dtype).tiny)
    largest = raw_ops.Max(input=ratios, axis=[0])
    least = raw_ops.Min(input=ratios, axis=[0])
    return (ratios - least) / (largest - least), least


def _estimates(classes, target):
    """The distribution of the classes seen so far, one for every element."""
    Dataset = _structure.dataset_class()
    count = target.shape[0]
    start = constant(np.full([count], _SMOOTHING, np.int64))

    def update(seen, batch):
        ones = raw_ops.OneHot(
            indices=batch, depth=count, on_value=np.int64(1), off_value=np.int64(0)
        )
        seen = seen + raw_ops.Sum(input=ones, axis=[0])
        share = cast(seen, target.dtype) / cast(raw_ops.Sum(input=seen, axis=[0]), target.dtype)
        return seen, share

    shares = classes.batch(_BATCH).scan(start, update)
    return shares.flat_map(lambda share: Dataset.from_tensors(share).repeat(_BATCH))


def _filtered(dataset, acceptance, classes, seed):
    from penstock import random

    Dataset = _structure.dataset_class()
    chances = Dataset.zip((acceptance, classes)).map(
        lambda chance, number: raw_ops.GatherV2(params=chance, indices=number, axis=0)
    )
    rows = Dataset.zip((classes, chances, dataset))
    rows = rows.filter(lambda number, chance, element: random.uniform([], seed=seed) < chance)
    return rows.map(lambda number, chance, element: (number, element))


def rejection_resample(dataset, class_func, target_dist, initial_dist, seed):
    Dataset = _structure.dataset_class()
    target = constant(target_dist)
    if target.dtype == dtypes.float64 and isinstance(target_dist, list):
        target = cast(target, dtypes.float32)
    classes = dataset.map(class_func)
    whole = dataset.map(lambda *row: (class_func(*row), row if len(row) > 1 else row[0]))
    if initial_dist is None:
        initial = _estimates(classes, target)
        both = initial.map(lambda share: _acceptance(share, target))
        acceptance = both.map(lambda chance, least: chance)
        originals = both.map(lambda chance, least: least)
        fixed = None
    else:
        share = _core.to_tensor(initial_dist, target.dtype)
        chance, least = _acceptance(share, target)
        acceptance = Dataset.from_tensors(chance).repeat()
        originals = Dataset.from_tensors(least).repeat()
        fixed = float(least)
    filtered = _filtered(dataset, acceptance, classes, seed).prefetch(3)
    if fixed == 1:
        return whole
    if fixed == 0:
        return filtered
    weights = originals.map(lambda least: raw_ops.Pack(values=[least, 1.0 - least]))
    return Dataset.sample_from_datasets([whole, filtered], weights=weights, seed=seed)
