"""tf.compat: text as bytes and back, and TensorFlow 1's names."""

from penstock.compat import v1

__all__ = ["as_bytes", "as_str", "as_text", "v1"]


def as_bytes(bytes_or_text, encoding="utf-8"):
    """The text as bytes."""
    return bytes_or_text.encode(encoding) if isinstance(bytes_or_text, str) else bytes_or_text


def as_text(bytes_or_text, encoding="utf-8"):
    """The bytes as text."""
    return bytes_or_text.decode(encoding) if isinstance(bytes_or_text, bytes) else bytes_or_text


as_str = as_text
