"""tf.math: mostly ops under their public names (see _api/ops.txt)."""

from penstock import _api
from penstock._ops.arrays import scalar_mul, truediv
from penstock._ops.basic import divide
from penstock._ops.math import (
    accumulate_n,
    add_n,
    angle,
    bincount,
    confusion_matrix,
    conj,
    divide_no_nan,
    imag,
    l2_normalize,
    polyval,
    real,
    reduce_std,
    reduce_variance,
    round,
    top_k,
)
from penstock.math import special

__getattr__, __dir__ = _api.surface("math")
