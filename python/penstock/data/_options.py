"""tf.data.Options: accepted, checked and merged. Most have no effect in one process."""

from __future__ import annotations

import enum
from typing import ClassVar

from penstock._api import public


class _OptionsBase:
    """Named fields with checked types; None is unset."""

    _FIELDS: ClassVar[dict] = {}

    def __init__(self):
        object.__setattr__(self, "_values", {})

    def __setattr__(self, name, value):
        if name not in self._FIELDS:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        kind = self._FIELDS[name]
        if value is not None and not isinstance(value, kind):
            raise TypeError(
                f'Property "{name}" must be of type {kind}, got: {value} (type: {type(value)})'
            )
        self._values[name] = value

    def __getattr__(self, name):
        if name.startswith("__") or name not in type(self)._FIELDS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name not in self._values:
            kind = self._FIELDS[name]
            is_group = issubclass(kind, _OptionsBase)
            self._values[name] = kind() if is_group else self._default(name)
        return self._values[name]

    def _default(self, name):
        return None

    def merge(self, options):
        """These options, with those that `options` sets."""
        merged = type(self)()
        for source in (self, options):
            for name, value in source._values.items():
                if isinstance(value, _OptionsBase):
                    merged._values[name] = getattr(merged, name).merge(value)
                elif value is not None:
                    merged._values[name] = value
        return merged

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._FIELDS)

    __hash__ = None


@public("data.experimental.AutoShardPolicy", "v1.data.experimental.AutoShardPolicy")
class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


@public("data.experimental.ExternalStatePolicy", "v1.data.experimental.ExternalStatePolicy")
class ExternalStatePolicy(enum.Enum):
    """What to do about state that a checkpoint does not contain."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


@public("data.experimental.AutotuneAlgorithm")
class AutotuneAlgorithm(enum.Enum):
    """How parallelism is chosen; accepted."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


@public("data.experimental.AutotuneOptions")
class AutotuneOptions(_OptionsBase):
    """What may be chosen for the user."""

    _FIELDS: ClassVar[dict] = {
        "autotune_algorithm": AutotuneAlgorithm,
        "cpu_budget": int,
        "enabled": bool,
        "initial_parallelism": int,
        "min_parallelism": int,
        "ram_budget": int,
    }


@public("data.experimental.DistributeOptions", "v1.data.experimental.DistributeOptions")
class DistributeOptions(_OptionsBase):
    """How a dataset is divided among workers; accepted."""

    _FIELDS: ClassVar[dict] = {"auto_shard_policy": AutoShardPolicy, "num_devices": int}

    def _default(self, name):
        return AutoShardPolicy.AUTO if name == "auto_shard_policy" else None


@public("data.experimental.OptimizationOptions", "v1.data.experimental.OptimizationOptions")
class OptimizationOptions(_OptionsBase):
    """Rewrites of pipelines."""

    _FIELDS: ClassVar[dict] = dict.fromkeys(
        [
            "apply_default_optimizations",
            "filter_fusion",
            "filter_parallelization",
            "inject_prefetch",
            "map_and_batch_fusion",
            "map_and_filter_fusion",
            "map_fusion",
            "map_parallelization",
            "noop_elimination",
            "parallel_batch",
            "seq_interleave_prefetch",
            "shuffle_and_repeat_fusion",
        ],
        bool,
    )


@public("data.experimental.ServiceOptions")
class ServiceOptions(_OptionsBase):
    """Options of TensorFlow's data service; accepted."""

    _FIELDS: ClassVar[dict] = {"pinned": bool}


@public(
    "data.ThreadingOptions",
    "data.experimental.ThreadingOptions",
    "v1.data.experimental.ThreadingOptions",
)
class ThreadingOptions(_OptionsBase):
    """Threads of a pipeline; accepted."""

    _FIELDS: ClassVar[dict] = {"max_intra_op_parallelism": int, "private_threadpool_size": int}


@public("data.Options", "v1.data.Options")
class Options(_OptionsBase):
    """Options of a dataset.

    >>> options = tf.data.Options()
    >>> options.deterministic = True
    >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
    True
    """

    _FIELDS: ClassVar[dict] = {
        "autotune": AutotuneOptions,
        "dataset_name": str,
        "deterministic": bool,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions,
        "experimental_service": ServiceOptions,
        "experimental_slack": bool,
        "experimental_symbolic_checkpoint": bool,
        "experimental_warm_start": bool,
        "framework_type": list,
        "threading": ThreadingOptions,
    }
    _ALIASES: ClassVar[dict] = {
        "experimental_deterministic": "deterministic",
        "experimental_threading": "threading",
    }

    def __setattr__(self, name, value):
        super().__setattr__(self._ALIASES.get(name, name), value)

    def __getattr__(self, name):
        return super().__getattr__(self._ALIASES.get(name, name))


def check_options(options):
    if not isinstance(options, Options):
        raise AttributeError(f"{type(options).__name__!r} object has no attribute '_to_proto'")
