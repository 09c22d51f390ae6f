"""What JSON can say of a value: findings and meta may hold anything that a program has."""

import math

import numpy as np


def plain(value):
    """The value in dictionaries, lists, texts and finite numbers; anything else as its text."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(element) for element in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)
