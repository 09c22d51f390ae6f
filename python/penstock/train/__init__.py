"""tf.train: checkpoints, moving averages, and record messages."""

from penstock import _api

__getattr__, __dir__ = _api.surface("train")
