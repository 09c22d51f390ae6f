"""tf.nn.experimental: dropout by a seed."""

from penstock._functions.networks import stateless_dropout

__all__ = ["stateless_dropout"]
