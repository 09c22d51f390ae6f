"""CRC-32C (Castagnoli), the checksum of TFRecord files.

A checksum is linear: that of two pieces in a row is that of the first, moved on by the length of
the second, combined with that of the second. So the words of a record are put together two by two,
then the pairs, and so on, all of a round at once. Moving a state on by so many bytes is a look into
a table for each of its three parts.
"""

from __future__ import annotations

import functools

import numpy as np

_POLYNOMIAL = 0x82F63B78
_ONES = 0xFFFFFFFF
_SHORT = 4096  # bytes that one after the other are faster
_CHUNK = 1 << 18  # what stays in the cache
_PARTS = ((0, 11), (11, 11), (22, 10))  # the bits of a state: where each part begins, how many


@functools.cache
def _table() -> tuple[int, ...]:
    """The checksum of every byte."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return tuple(table)


def crc32c(data: bytes) -> int:
    """The checksum of the bytes."""
    state, view = _ONES, memoryview(data)
    for at in range(0, len(view), _CHUNK):
        chunk = view[at : at + _CHUNK]
        state = _together(chunk, state) if len(chunk) >= _SHORT else _in_turn(chunk, state)
    return state ^ _ONES


def _in_turn(data, state: int) -> int:
    """The state after some more bytes."""
    table = _table()
    for byte in data:
        state = state >> 8 ^ table[(state ^ byte) & 0xFF]
    return state


def _together(data, state: int) -> int:
    """The same, of at least four bytes, all at once."""
    # Zeros in front do not count when the state is 0, and a state is as good as bytes.
    spare = -len(data) % 4
    words = np.zeros((len(data) + spare) // 4, "<u4")
    padded = words.view(np.uint8)
    padded[spare:] = np.frombuffer(data, np.uint8)
    padded[spare : spare + 4] ^= np.array([state], "<u4").view(np.uint8)
    words = words.astype(np.uint32, copy=False)
    round_ = 0
    while len(words) > 1:
        if len(words) % 2:
            words = np.concatenate([np.zeros(1, np.uint32), words])
        words = _moved(_moving(round_), words[::2]) ^ words[1::2]
        round_ += 1
    return int(_moved(_moving(0), words)[0])


@functools.cache
def _moving(round_: int):
    """What 4 · 2^round bytes of zeros make of a state: a table for each part of it."""
    parts = [np.arange(1 << bits, dtype=np.uint32) << np.uint32(at) for at, bits in _PARTS]
    if round_:
        half = _moving(round_ - 1)
        return [_moved(half, _moved(half, part)) for part in parts]
    table = np.array(_table(), np.uint32)
    for _ in range(4):
        parts = [part >> 8 ^ table[part & 0xFF] for part in parts]
    return parts


def _moved(tables, states):
    """The states after the bytes that the tables are for."""
    found = np.zeros(len(states), np.uint32)
    for (at, bits), table in zip(_PARTS, tables, strict=True):
        places = states >> np.uint32(at) & np.uint32((1 << bits) - 1)
        found ^= table.take(places, mode="clip")  # none is outside; without this, each is checked
    return found


def masked_crc(data: bytes) -> bytes:
    """The checksum as records have it, masked: a record may itself hold checksums."""
    crc = crc32c(data)
    turned = (crc >> 15 | crc << 17) & _ONES
    return (turned + 0xA282EAD8 & _ONES).to_bytes(4, "little")
