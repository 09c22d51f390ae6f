"""CRC-32C (Castagnoli), the checksum of TFRecord files.

A checksum is linear: that of two pieces in a row is that of the first, moved on by the length of
the second, combined with that of the second. So a long record is cut into pieces that go through
NumPy side by side and are then put together two by two.
"""

from __future__ import annotations

import functools

import numpy as np

_POLYNOMIAL = 0x82F63B78
_ONES = 0xFFFFFFFF
_SHORT = 4096  # bytes that one after the other are faster


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
    if len(data) >= _SHORT:
        return _side_by_side(data) ^ _ONES
    table, state = _table(), _ONES
    for byte in data:
        state = state >> 8 ^ table[(state ^ byte) & 0xFF]
    return state ^ _ONES


def _side_by_side(data: bytes) -> int:
    pieces = 8 << len(data).bit_length() // 2
    length = -(-len(data) // pieces)
    # Zeros in front do not count when the state is 0, and a state of ones is ones in the data.
    padded = np.zeros(pieces * length, np.uint8)
    padded[-len(data) :] = np.frombuffer(data, np.uint8)
    padded[-len(data) :][:4] ^= 0xFF
    columns = np.ascontiguousarray(padded.reshape(pieces, length).T)
    table = np.array(_table(), np.uint32)
    states = np.zeros(pieces, np.uint32)
    for column in columns:
        states = states >> 8 ^ table[(states ^ column) & 0xFF]
    move = _moving(table, length)
    while len(states) > 1:
        states = _moved(move, states[::2]) ^ states[1::2]
        move = _moved(move, move)  # by twice the length
    return int(states[0])


def _moving(table, length: int):
    """What `length` more bytes make of every state with one byte set: a table for each byte."""
    move = np.arange(256, dtype=np.uint32) << np.uint32([[0], [8], [16], [24]])
    once = move >> 8 ^ table[move & 0xFF]
    for bit in f"{length:b}":
        move = _moved(move, move)
        if bit == "1":
            move = _moved(once, move)
    return move


def _moved(move, states):
    parts = (move[i][states >> 8 * i & 0xFF] for i in range(4))
    return functools.reduce(np.bitwise_xor, parts)


def masked_crc(data: bytes) -> bytes:
    """The checksum as records have it, masked: a record may itself hold checksums."""
    crc = crc32c(data)
    turned = (crc >> 15 | crc << 17) & _ONES
    return (turned + 0xA282EAD8 & _ONES).to_bytes(4, "little")
