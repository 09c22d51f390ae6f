"""tf.nn.experimental: dropout by a seed."""

from penstock._ops.nn import stateless_dropout

__all__ = ["stateless_dropout"]
