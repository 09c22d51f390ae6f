"""tf.experimental.dlpack: memory shared with other libraries."""

from penstock._ops.basic import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
