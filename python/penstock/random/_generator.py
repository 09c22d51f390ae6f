"""tf.random.Generator: a stream of random numbers whose state is a variable.

The state is a counter of two words and a key. Every call takes its numbers from the counter's
position and then advances it by 256 for every element, as TensorFlow does.
"""

from __future__ import annotations

import secrets

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._context.trace import init_scope
from penstock._core import Tensor
from penstock._ops.convert import cast
from penstock._ops.random import Algorithm, check_algorithm, scaled, uniform_by, vector_of
from penstock._ops.seeds import drawn
from penstock._tensors.shape import TensorShape
from penstock._variables.track import Trackable
from penstock._variables.variable import Variable

_WORD = 2**64


def _signed(word):
    word %= _WORD
    return word - _WORD if word >= _WORD // 2 else word


@public("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed, alg) -> Tensor:
    """The state of a generator with this seed: a number, or up to three of them."""
    check_algorithm(alg)
    if isinstance(seed, int):
        words, rest = [], seed
        while not words or rest not in (0, -1):
            words.append(_signed(rest))
            rest >>= 64
    else:
        words = [_signed(int(word)) for word in _core.to_tensor(seed).numpy().reshape(-1)]
    return _core.to_tensor([*words, 0, 0, 0][:3], dtypes.int64)


@public("random.Generator", "random.experimental.Generator")
class Generator(Trackable):
    """Random numbers from their own state."""

    def __init__(self, copy_from=None, state=None, alg=None):
        if copy_from is not None:
            if state is not None or alg is not None:
                raise ValueError("If `copy_from` is specified, `state` and `alg` must not be.")
            state, alg = copy_from.state, copy_from.algorithm
        elif state is None or alg is None:
            raise ValueError("`state` and `alg` must be given where `copy_from` is not.")
        check_algorithm(alg)
        self._state = Variable(
            _core.to_tensor(state, dtypes.int64),
            dtype=dtypes.int64,
            name="StateVar",
            trainable=False,
        )

    @classmethod
    def from_state(cls, state, alg):
        """A generator in the given state."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed, alg=None):
        """A generator whose state is derived from a seed.

        Args:
          seed: A number that the random numbers follow from.
          alg: The algorithm: "philox" is the only one.

        Returns:
          A tf.random.Generator.

        >>> a, b = (tf.random.Generator.from_seed(1) for _ in range(2))
        >>> bool(tf.reduce_all(a.normal([3]) == b.normal([3])))
        True
        """
        alg = Algorithm.PHILOX if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        """A generator with a different start every time.

        Args:
          alg: The algorithm: "philox" is the only one.

        Returns:
          A tf.random.Generator.

        >>> tf.random.Generator.from_non_deterministic_state().normal([2]).shape
        TensorShape([2])
        """
        alg = Algorithm.PHILOX if alg is None else alg
        return cls(state=[_signed(secrets.randbits(64)) for _ in range(3)], alg=alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg):
        """A generator with the given key and counter."""
        return cls(state=_key_counter(key, counter), alg=alg)

    @property
    def state(self):
        """The state, as a variable."""
        return self._state

    @property
    def algorithm(self):
        """The number of the algorithm: Philox."""
        return Algorithm.PHILOX.value

    @property
    def key(self):
        """The constant part of the state."""
        return self._state[2]

    def reset(self, state):
        """Continues from another state."""
        self._state.assign(_core.to_tensor(state, dtypes.int64))

    def reset_from_seed(self, seed):
        """Continues from the state of a seed.

        Args:
          seed: A number that the random numbers follow from.

        >>> g = tf.random.Generator.from_seed(1)
        >>> a = g.normal([2])
        >>> g.reset_from_seed(1)
        >>> bool(tf.reduce_all(a == g.normal([2])))
        True
        """
        self._state.assign(create_rng_state(seed, Algorithm.PHILOX))

    def reset_from_key_counter(self, key, counter):
        """Continues from a key and a counter."""
        self._state.assign(_key_counter(key, counter))

    def skip(self, delta):
        """Skips that many numbers; returns the state before that."""
        return drawn(lambda: self._move(delta))

    def _move(self, delta):
        before = self._state.read_value()
        words = raw_ops.Bitcast(input=before, type=dtypes.uint64)
        if isinstance(delta, int):
            by = _core.to_tensor([256 * delta % _WORD, (256 * delta >> 64) % _WORD], dtypes.uint64)
        else:
            blocks = cast(delta, dtypes.uint64) * 256
            by = raw_ops.Pack(values=[blocks, raw_ops.ZerosLike(x=blocks)])
        low = words[0] + by[0]
        high = words[1] + by[1] + cast(low < words[0], dtypes.uint64)
        moved = raw_ops.Pack(values=[low, high, words[2]])
        self._state.assign(raw_ops.Bitcast(input=moved, type=dtypes.int64))
        return before

    def _draw(self, op, shape, skip=None, **more):
        shape = vector_of(shape)
        if isinstance(shape, _core.EagerTensor):
            shape = TensorShape(shape.numpy())
        if skip is None:
            is_known = isinstance(shape, TensorShape)
            skip = shape.num_elements() if is_known else raw_ops.Prod(input=shape)
        state = self.skip(skip)
        words = raw_ops.Bitcast(input=state, type=dtypes.uint64)
        run = getattr(raw_ops, op)
        alg = Algorithm.PHILOX.value
        return run(shape=shape, key=words[2:], counter=words[:2], alg=alg, **more)

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None) -> Tensor:
        """Numbers from a normal distribution.

        Args:
          shape: The shape of the result.
          mean: The mean of the distribution.
          stddev: The standard deviation of the distribution.
          dtype: The dtype of the result.
          name: The name of the operation in a graph.

        Returns:
          A tensor.

        >>> tf.random.Generator.from_seed(1).normal([2, 3]).shape
        TensorShape([2, 3])
        """
        dtype = dtypes.as_dtype(dtype)
        return scaled(
            lambda: self._draw("StatelessRandomNormalV2", shape, dtype=dtype), mean, stddev
        )

    def truncated_normal(
        self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None
    ) -> Tensor:
        """Numbers from a normal distribution, none more than two deviations from the mean."""
        dtype = dtypes.as_dtype(dtype)
        return scaled(
            lambda: self._draw("StatelessTruncatedNormalV2", shape, dtype=dtype), mean, stddev
        )

    def uniform(self, shape, minval=0, maxval=None, dtype=dtypes.float32, name=None) -> Tensor:
        """Uniform numbers in [minval, maxval)."""
        if dtypes.as_dtype(dtype).is_integer and maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {dtypes.as_dtype(dtype)!r}")
        return uniform_by(lambda op, **more: self._draw(op, shape, **more), minval, maxval, dtype)

    def uniform_full_int(self, shape, dtype=dtypes.uint64, name=None) -> Tensor:
        """Integers of the whole range of the dtype."""
        dtype = dtypes.as_dtype(dtype)
        return self._draw("StatelessRandomUniformFullIntV2", shape, dtype=dtype)

    def binomial(self, shape, counts, probs, dtype=dtypes.int32, name=None) -> Tensor:
        """Numbers from binomial distributions."""
        probs = _core.to_tensor(probs)
        counts = cast(counts, probs.dtype)
        kinds = (counts + raw_ops.ZerosLike(x=probs)).shape.num_elements()
        count = TensorShape(shape).num_elements() // max(kinds, 1)
        # TensorFlow reserves two hundred blocks for every four numbers of a distribution.
        skip = kinds * 2 * 100 * (count + 3) // 4
        return self._draw(
            "KeyedRandomBinomial",
            shape,
            skip,
            counts=counts,
            probs=probs,
            dtype=dtypes.as_dtype(dtype),
        )

    def make_seeds(self, count=1) -> Tensor:
        """Seeds for the stateless functions, one in each column."""
        keys = self.uniform_full_int([count], dtypes.int64)
        return raw_ops.Pack(values=[keys, raw_ops.ZerosLike(x=keys)])

    def split(self, count=1) -> list[Generator]:
        """`count` generators, independent of each other and of this one.

        Args:
          count: How many.

        >>> len(tf.random.Generator.from_seed(1).split(3))
        3
        """
        keys = self.uniform_full_int([count], dtypes.int64).numpy().tolist()
        return [Generator(state=[0, 0, key], alg=Algorithm.PHILOX) for key in keys]


def _key_counter(key, counter):
    words = _core.to_tensor(counter).numpy().reshape(-1).tolist()
    return [_signed(int(word)) for word in (*[*words, 0, 0][:2], key)]


_global = None


@public("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """The generator shared by the whole program."""
    global _global
    if _global is None:
        with init_scope():
            _global = Generator.from_non_deterministic_state()
    return _global


@public("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator) -> None:
    """Makes `generator` the one shared by the whole program."""
    global _global
    _global = generator
