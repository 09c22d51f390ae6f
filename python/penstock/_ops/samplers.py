"""Candidate samplers: random classes for sampled losses."""

from __future__ import annotations

import threading
import weakref
from collections import Counter, OrderedDict, namedtuple

import numpy as np

from penstock import _core, dtypes, errors, raw_ops
from penstock._api import public
from penstock._base.version_1 import version_1
from penstock._context.scope import default_graph, name_scope
from penstock._context.trace import call_when_run, init_scope
from penstock._ops.seeds import drawn, next_seeds, num_restarts, op_seeds

_MOST_STATES = 64  # of learned samplers with a seed, outside functions
_BLOCKS_PER_DRAW = 512  # of the random stream, as TensorFlow reserves


def _sampler(op, public, chances):
    def sample(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
        return getattr(raw_ops, op)(
            true_classes=true_classes,
            num_true=num_true,
            num_sampled=num_sampled,
            unique=unique,
            range_max=range_max,
            name=name,
            **op_seeds(seed),
        )

    sample.__name__ = sample.__qualname__ = public
    sample.__doc__ = f"""Classes at random, {chances}, and how often each of them is to be expected.

    Args:
      true_classes: The right classes of each example: int64 of shape [examples, num_true].
      num_true: How many right classes an example has.
      num_sampled: How many classes are sampled.
      unique: True to sample each class once at most.
      range_max: How many classes there are.
      seed: A number that the draws follow from.
      name: The name of the operation in a graph.

    Returns:
      (sampled classes, expected counts of the right classes, expected counts of the sampled ones).

    >>> sampled, _, _ = tf.random.{public}([[0], [2]], 1, 3, True, 10)
    >>> sampled.shape
    TensorShape([3])
    """
    return sample


uniform_candidate_sampler = public(
    "random.uniform_candidate_sampler", "v1.nn.uniform_candidate_sampler"
)(_sampler("UniformCandidateSampler", "uniform_candidate_sampler", "each as likely as the others"))
log_uniform_candidate_sampler = public(
    "random.log_uniform_candidate_sampler", "v1.nn.log_uniform_candidate_sampler"
)(
    _sampler(
        "LogUniformCandidateSampler",
        "log_uniform_candidate_sampler",
        "small numbers more often than large ones",
    )
)


@public("nn.all_candidate_sampler", "random.all_candidate_sampler", "v1.nn.all_candidate_sampler")
def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    """All classes, each expected once: for tests of sampled losses.

    Args:
      true_classes: The right classes of each example: int64 of shape [examples, num_true].
      num_true: How many right classes an example has.
      num_sampled: How many classes there are.
      unique: Taken as in TensorFlow, and not used.
      seed: Taken as in TensorFlow, and not used.
      name: The name of the operation in a graph.

    Returns:
      (sampled classes, expected counts of the right classes, expected counts of the sampled ones).

    >>> tf.random.all_candidate_sampler([[0], [2]], 1, 3, True)[0].numpy()
    array([0, 1, 2])
    """
    key, op_seed = next_seeds(seed)  # TensorFlow consumes them, though nothing is drawn
    return raw_ops.AllCandidateSampler(
        true_classes=true_classes,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        seed=key,
        seed2=op_seed,
        name=name,
    )


# --- Given weights --------------------------------------------------------------------------


def _invalid(message) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, f"FixedUnigramCandidateSampler: {message}")


def _weights_of_file(path) -> list:
    """The last of the comma-separated fields of each line."""
    from penstock.io._contents import read_file

    weights = []
    text = read_file(path).numpy().decode("utf-8", "replace")
    for line in text.split("\n"):
        fields = line.split(",")
        if not line:
            continue
        try:
            weights.append(float(fields[-1]))
        except ValueError:
            fields = []
        if len(fields) < 2:
            raise _invalid(f"Wrong vocabulary format at line: {line}")
    return weights


def _unigrams_text(vocab_file, distortion, num_reserved_ids, num_shards, shard, unigrams) -> str:
    """The weights of a shard's ids, as the op reads them."""
    if not isinstance(unigrams, (list, tuple)):
        raise TypeError(
            "Expected list for 'unigrams' argument to 'fixed_unigram_candidate_sampler' Op, "
            f"not {unigrams!r}."
        )
    if vocab_file and unigrams:
        raise _invalid("Must only provide one of vocab_file and unigrams.")
    if num_shards < 1:
        raise _invalid(f"num_shards must be at least 1, but is {num_shards}")
    if vocab_file:
        with init_scope():
            unigrams = _weights_of_file(vocab_file)
    if not unigrams:
        raise _invalid("Must provide either vocab_file or unigrams.")
    unigram_weights = np.array(unigrams, np.float32).astype(np.float64)
    if unigram_weights.ndim != 1:
        raise TypeError(
            f"unigrams must be a list of numbers, but has shape {unigram_weights.shape}"
        )
    with np.errstate(all="ignore"):  # the op rejects values that are not finite
        weights = np.power(unigram_weights, np.float64(np.float32(distortion))).astype(np.float32)
    reserved = len(range(shard, num_reserved_ids, num_shards)) if 0 <= shard < num_shards else 0
    # TensorFlow continues from this shard's reserved ids, not from all.
    mine = [w for i, w in enumerate(weights.tolist(), reserved) if i % num_shards == shard]
    return ",".join(["0"] * reserved + list(map(repr, mine)))


@public(
    "nn.fixed_unigram_candidate_sampler",
    "random.fixed_unigram_candidate_sampler",
    "v1.nn.fixed_unigram_candidate_sampler",
)
def fixed_unigram_candidate_sampler(
    true_classes,
    num_true,
    num_sampled,
    unique,
    range_max,
    vocab_file="",
    distortion=1.0,
    num_reserved_ids=0,
    num_shards=1,
    shard=0,
    unigrams=(),
    seed=None,
    name=None,
):
    """Classes at random, with chances that go with given weights, and how often each of them is to
    be expected.

    Args:
      true_classes: The right classes of each example: int64 of shape [examples, num_true].
      num_true: How many right classes an example has.
      num_sampled: How many classes are sampled.
      unique: True to sample each class once at most.
      range_max: How many classes there are, the reserved ones included.
      vocab_file: A file with a line for each class, whose last field after a comma is the weight.
      distortion: The power that the weights are raised to.
      num_reserved_ids: How many classes before those with weights are never sampled.
      num_shards: How many samplers share the classes.
      shard: Which of them this is: it has the classes that leave it when divided by num_shards.
      unigrams: The weights, instead of a file: finite and not negative.
      seed: A number that the draws follow from.
      name: The name of the operation in a graph.

    Returns:
      (sampled classes, expected counts of the right classes, expected counts of the sampled ones).

    >>> tf.random.fixed_unigram_candidate_sampler(
    ...     [[0]], 1, 2, False, 3, unigrams=[0.0, 0.0, 5.0])[0].numpy()
    array([2, 2])
    """
    text = _unigrams_text(vocab_file, distortion, num_reserved_ids, num_shards, shard, unigrams)
    return raw_ops.FixedUnigramCandidateSampler(
        true_classes=true_classes,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        range_max=range_max,
        unigrams=text,
        name=name,
        **op_seeds(seed),
    )


# --- Learned weights ------------------------------------------------------------------------


class _Learned:
    """A sampler's counts of each class, and its position in the random stream."""

    def __init__(self, restarts):
        self._lock = threading.Lock()
        self._restarts = restarts  # whether tf.random.set_seed restarts it
        self._seen, self._next, self._epoch = Counter(), 0, 0

    def draw(self, true_classes, attributes):
        with self._lock:
            if self._restarts and self._epoch != num_restarts():
                self._seen, self._next, self._epoch = Counter(), 0, num_restarts()
            weights = raw_ops.Fill(dims=[attributes["range_max"]], value=np.int32(1))
            if self._seen:
                weights = raw_ops.TensorScatterAdd(
                    tensor=weights,
                    indices=[[seen] for seen in self._seen],
                    updates=list(self._seen.values()),
                )
            result = raw_ops.LearnedUnigramCandidateSampler(
                true_classes=true_classes, weights=weights, skip=self._next, **attributes
            )
            self._seen.update(true_classes.numpy().ravel().tolist())
            self._next += _BLOCKS_PER_DRAW * attributes["num_sampled"]
        return result


# The states of calls outside functions, by the key for which TensorFlow reuses a kernel.
_states = OrderedDict()
_states_lock = threading.Lock()


def _state_of_call(attributes) -> _Learned:
    key = tuple(attributes.values())
    with _states_lock:
        state = _states.pop(key, None) or _Learned(restarts=True)
        _states[key] = state
        if len(_states) > _MOST_STATES:
            _states.popitem(last=False)
    return state


class _OfSessions:
    """The states of a TensorFlow 1 graph node: one per session."""

    def __init__(self):
        self._by_number = weakref.WeakValueDictionary()

    def number_of(self, session) -> int:
        """The number fed to the node in a session, which identifies the state."""
        with session._lock:
            state = session._op_states.get(self)
            if state is None:
                state = session._op_states[self] = _Learned(restarts=False)
                self._by_number[id(state)] = state
        return id(state)

    def draw(self, true_classes, number, attributes):
        return self._by_number[int(number)].draw(true_classes, attributes)


@public(
    "nn.learned_unigram_candidate_sampler",
    "random.learned_unigram_candidate_sampler",
    "v1.nn.learned_unigram_candidate_sampler",
)
def learned_unigram_candidate_sampler(
    true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None
):
    """Classes at random, the more likely the more often they were right in earlier calls, and how
    often each of them is to be expected.

    What was seen belongs to the op: in a function to the trace, in a session to the session, and
    otherwise to calls with the same seed.

    Args:
      true_classes: The right classes of each example: int64 of shape [examples, num_true].
      num_true: How many right classes an example has.
      num_sampled: How many classes are sampled.
      unique: True to sample each class once at most.
      range_max: How many classes there are.
      seed: A number that the draws follow from.
      name: The name of the operation in a graph.

    Returns:
      (sampled classes, expected counts of the right classes, expected counts of the sampled ones).

    >>> sampled, _, _ = tf.random.learned_unigram_candidate_sampler([[0], [2]], 1, 3, True, 10)
    >>> sampled.shape
    TensorShape([3])
    """
    if range_max > dtypes.int32.max:
        raise ValueError(f"Value of range_max:{range_max} is too large to handle")
    true_classes = _core.to_tensor(true_classes, dtypes.int64)
    key, op_seed = next_seeds(seed)
    attributes = {
        "num_true": num_true,
        "num_sampled": num_sampled,
        "unique": unique,
        "range_max": range_max,
        "seed": key,
        "seed2": op_seed,
    }
    if not _core.is_tracing():
        state = _Learned(restarts=False) if seed is None else _state_of_call(attributes)
        return drawn(lambda: state.draw(true_classes, attributes))
    return _Candidates(*_learned_when_run(true_classes, attributes, name))


_Candidates = namedtuple(
    "LearnedUnigramCandidateSampler",
    "sampled_candidates true_expected_count sampled_expected_count",
)


def _learned_when_run(true_classes, attributes, name) -> list:
    node = "LearnedUnigramCandidateSampler"
    inputs, draw = [true_classes], _Learned(restarts=True).draw
    if _core.is_building():
        nodes, states = version_1.nodes, _OfSessions()
        with name_scope(name or node) as name:
            inputs = [
                nodes.in_graph(true_classes, default_graph(), "true_classes"),
                nodes.fed_by_session(default_graph(), dtypes.int64, states.number_of),
            ]
        draw = states.draw
    num_sampled = attributes["num_sampled"]
    outputs = [
        (dtypes.int64, (num_sampled,)),
        (dtypes.float32, true_classes.shape._dims),
        (dtypes.float32, (num_sampled,)),
    ]
    return call_when_run(
        node,
        lambda arguments: list(draw(*arguments, attributes)),
        inputs,
        outputs,
        node=name or node,
    )
