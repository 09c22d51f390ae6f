"""tf.math: mostly ops under their public names (see _ops.txt)."""

from penstock import _api
from penstock._functions.arrays import scalar_mul, truediv
from penstock._functions.basic import divide
from penstock._functions.maths import (
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
