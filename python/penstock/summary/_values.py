"""Values as TensorBoard shows them: histograms in two forms, and images as PNG files."""

from __future__ import annotations

import functools
import struct
import zlib

import numpy as np

from penstock import errors
from penstock._memory.host import booked
from penstock.summary._messages import HistogramProto

_WIDE = 32  # bytes that a value takes while it is counted or scaled
_LARGEST = float(np.finfo(np.float64).max)


@functools.cache
def _limits():
    """Limits that grow by a tenth from 1e-12 to 1e20, and the same below zero."""
    limits, value = [], 1e-12
    while value < 1e20:
        limits.append(value)
        value *= 1.1
    limits.append(_LARGEST)
    return np.array([-limit for limit in reversed(limits)] + [0.0] + limits)


def histogram(values) -> HistogramProto:
    """How the values are spread over limits that are the same for all histograms."""
    values = np.asarray(values).reshape(-1)
    with booked(_WIDE * values.size, "summary.histogram"):
        return _histogram(values.astype(np.float64))


def _histogram(values):
    if not np.isfinite(values).all():
        what = "Nan" if np.isnan(values).any() else "Infinity"
        raise errors.InvalidArgumentError(None, None, f"{what} in summary histogram")
    places = np.searchsorted(_limits(), values, side="right")
    counts = np.bincount(places, minlength=len(_limits()))
    ends, kept = [], []
    for limit, count in zip(_limits(), counts, strict=True):
        # Of empty buckets in a row the last one stands for all.
        if kept and count == 0 and kept[-1] == 0:
            ends.pop()
            kept.pop()
        ends.append(limit)
        kept.append(count)
    empty = not values.size
    return HistogramProto(
        min=_LARGEST if empty else values.min(),
        max=-_LARGEST if empty else values.max(),
        num=values.size,
        sum=values.sum(),
        sum_squares=np.square(values).sum(),
        bucket_limit=ends,
        bucket=kept,
    )


def buckets(values, count: int):
    """Rows of (left, right, how many) between the least and the greatest value."""
    values = np.asarray(values).reshape(-1)
    with booked(_WIDE * values.size + 64 * count, "summary.histogram"):
        return _buckets(values.astype(np.float64), count)


def _buckets(values, count):
    if not values.size or not count:
        return np.zeros([count, 3])
    low, high = values.min(), values.max()
    if high == low:
        rows = np.full([count, 3], low)
        rows[:, 2] = 0
        rows[-1, 2] = values.size
        return rows
    width = (high - low) / count
    places = np.minimum(np.floor((values - low) / width), count - 1).astype(np.int64)
    edges = np.linspace(low, high, count + 1)
    counts = np.bincount(places, minlength=count)
    return np.stack([edges[:-1], edges[1:], counts], axis=1)


def png(image) -> bytes:
    """An image of uint8, [height, width, channels], as a PNG file."""
    channels = image.shape[2]
    if channels not in (1, 2, 3, 4):
        raise errors.InvalidArgumentError(
            None, None, f"image must have 1, 2, 3, or 4 channels, got {channels}"
        )
    with booked(3 * image.size, "summary.image"):
        return _png(image)


def _png(image) -> bytes:
    height, width, channels = image.shape
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    rows = np.zeros([height, 1 + width * channels], np.uint8)  # a row begins with its filter: none
    rows[:, 1:] = image.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def stretched(image, bad_color):
    """Floats as uint8: from 0 to 255, or around 128 where there are negative ones."""
    if image.dtype == np.uint8:
        return image
    with booked(_WIDE * image.size, "summary.image"):
        return _stretched(image, bad_color)


def _stretched(image, bad_color):
    image = image.astype(np.float32)
    finite = np.isfinite(image).all(axis=-1)
    used = image[finite]
    low, high = (used.min(), used.max()) if used.size else (0, 0)
    if low < 0:
        largest = max(-low, high)
        scale, offset = (127 / largest if largest >= 1e-6 else 0), 128
    else:
        scale, offset = (255 / high if high >= 1e-6 else 0), 0
    stretched = np.empty(image.shape, np.uint8)
    stretched[finite] = (used * np.float32(scale) + np.float32(offset)).astype(np.uint8)
    stretched[~finite] = bad_color[: image.shape[-1]]
    return stretched


def saturated(image):
    """Floats from 0 to 1 as uint8; what lies outside is cut off."""
    if image.dtype == np.uint8:
        return image
    with booked(_WIDE * image.size, "summary.image"):
        return _saturated(image)


def _saturated(image):
    if image.dtype.kind in "iu":
        return (image >> max(8 * image.dtype.itemsize - 9, 0)).clip(0, 255).astype(np.uint8)
    scaled = image.astype(np.float32) * np.float32(255.5)
    return scaled.clip(0, 255).astype(np.uint8)
