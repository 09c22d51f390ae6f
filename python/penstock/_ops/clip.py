"""Values and norms that are cut down to bounds."""

from __future__ import annotations

from penstock import _core, raw_ops
from penstock._api import public
from penstock._context.scope import scoped
from penstock._tensors.slices import values_of, with_values


@scoped("clip_by_value")
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """The elements, with those outside of the bounds replaced by them: where a bound is no plain
    number, or t is IndexedSlices."""
    values = values_of(t)
    # The op takes a bound that is not a number for none; here NaN spreads.
    below = raw_ops.Minimum(x=values, y=clip_value_max)
    values.shape.assert_is_compatible_with(below.shape)
    clipped = raw_ops.Maximum(x=below, y=clip_value_min, name=name)
    values.shape.assert_is_compatible_with(clipped.shape)
    return with_values(t, clipped)


@public("clip_by_norm")
def clip_by_norm(t, clip_norm, axes=None, name=None):
    """The tensor, scaled down so that its norm is at most `clip_norm`.

    Args:
      t: The tensor.
      clip_norm: The largest norm that stays.
      axes: The dimensions of one norm; None is all of them.
      name: The name of the operation in a graph.

    >>> tf.clip_by_norm([3.0, 4.0], 1.0)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.6, 0.8], dtype=float32)>
    """
    clipped = raw_ops.ClipByNorm(t=values_of(t), clip_norm=clip_norm, axes=axes, name=name)
    return with_values(t, clipped)


@public("clip_by_global_norm")
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """The tensors, scaled down together so that their joint norm is at most `clip_norm`."""
    values = _given_values(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    clipped = iter(_clipped(values, clip_norm, use_norm, name=name))
    return [
        gradient if gradient is None else with_values(gradient, next(clipped))
        for gradient in t_list
    ], use_norm


@scoped("clip_by_global_norm")
def _clipped(values, clip_norm, use_norm, name) -> list:
    clipped = raw_ops.ClipByGlobalNorm(clip_norm=clip_norm, use_norm=use_norm, t_list=values)
    clipped = clipped if isinstance(clipped, (list, tuple)) else [clipped]
    if not _core.is_building():
        return clipped
    return [raw_ops.Identity(input=value, name=f"{name}_{i}") for i, value in enumerate(clipped)]


@public("linalg.global_norm", "v1.global_norm")
def global_norm(t_list, name=None):
    """The norm of all the tensors together. None counts for nothing."""
    return raw_ops.GlobalNorm(t_list=_given_values(t_list), name=name)


def _given_values(t_list) -> list:
    if not isinstance(t_list, (list, tuple)):
        raise TypeError("t_list should be a sequence")
    return [values_of(gradient) for gradient in t_list if gradient is not None]
