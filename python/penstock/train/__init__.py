"""tf.train: checkpoints, moving averages, and the messages of records."""

from penstock import _api

__getattr__, __dir__ = _api.surface("train")
