"""tf.linalg: mostly ops under their public names (see _ops.txt)."""

from penstock import _api
from penstock._functions.arrays import einsum, global_norm, tensordot
from penstock._functions.basic import eye
from penstock._functions.maths import l2_normalize
from penstock._functions.matrices import diag, diag_part, eigh, lstsq, norm, normalize, svd

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
