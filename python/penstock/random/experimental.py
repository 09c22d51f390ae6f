"""tf.random.experimental: the names that generators and stateless functions had first."""

from penstock._functions.distributions import Algorithm, stateless_shuffle
from penstock._functions.distributions import fold_in as stateless_fold_in
from penstock._functions.distributions import split as stateless_split
from penstock._functions.generator import (
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
