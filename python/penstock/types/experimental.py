"""tf.types.experimental: the types accepted as a tensor."""

import numpy as _np

from penstock import _api, _core

_Python = int | float | bool | str | bytes | complex | tuple | list
TensorLike = _core.Tensor | _core.VariableHandle | _Python | _np.ndarray | _np.generic
__getattr__, __dir__ = _api.surface("types.experimental")
