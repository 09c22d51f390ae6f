"""tf.linalg: mostly ops under their public names (see _api/ops.txt)."""

from penstock import _api
from penstock._ops.arrays import einsum, global_norm, tensordot
from penstock._ops.basic import eye
from penstock._ops.linalg import diag, diag_part, eigh, lstsq, norm, normalize, svd
from penstock._ops.math import l2_normalize

__all__ = [
    "diag",
    "diag_part",
    "eigh",
    "einsum",
    "eye",
    "global_norm",
    "l2_normalize",
    "lstsq",
    "norm",
    "normalize",
    "svd",
    "tensordot",
]
__getattr__, __dir__ = _api.surface("linalg")
