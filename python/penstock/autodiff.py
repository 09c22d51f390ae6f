"""tf.autodiff: the tape, and forward mode."""

from penstock import _api

__getattr__, __dir__ = _api.surface("autodiff")
