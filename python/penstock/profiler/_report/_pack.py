"""Columns in a page: whole numbers as planes of bytes, compressed, in base64.

A column of small numbers is cut into planes: first the lowest byte of every number, then the next
one, as many as the greatest number needs. Planes of one kind of byte compress well, and the page
puts them together again with a loop (columns.js).
"""

import base64
import zlib

import numpy as np


def planes(values) -> list[bytes]:
    """The planes of numbers that are not negative."""
    values = np.ascontiguousarray(values, "<i8")
    if values.size and values.min() < 0:
        raise ValueError("a column of a page has no negative numbers")
    count = max(1, (int(values.max(initial=0)).bit_length() + 7) // 8)
    each_byte = values.view(np.uint8).reshape(-1, 8)
    return [each_byte[:, plane].tobytes() for plane in range(count)]


def pack(columns: dict) -> tuple[list[dict], str]:
    """(the contents: name, length and planes of every column; the text with the data)."""
    contents, packer, parts = [], zlib.compressobj(4), []
    for name, values in columns.items():
        cut = planes(values)
        contents.append({"name": name, "length": len(values), "planes": len(cut)})
        parts.extend(packer.compress(plane) for plane in cut)
    parts.append(packer.flush())
    return contents, base64.b64encode(b"".join(parts)).decode()
