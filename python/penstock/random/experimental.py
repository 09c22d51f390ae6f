"""tf.random.experimental: the names that generators and stateless functions had first."""

from penstock._ops.random import Algorithm, stateless_shuffle
from penstock._ops.random import fold_in as stateless_fold_in
from penstock._ops.random import split as stateless_split
from penstock.random._generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]
