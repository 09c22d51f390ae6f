"""Environment variables. An invalid value is ignored, with a warning."""

import os
import sys

_MOST_DIGITS = 18


def number(name: str, default: int) -> int:
    """The variable as a number of at least 0."""
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if text.isdecimal() and len(text) <= _MOST_DIGITS:
        return int(text)
    print(f'penstock: {name} is ignored: "{text}" is not a number such as 1', file=sys.stderr)
    return default


def flag(name: str, default: bool) -> bool:
    """The variable as 0 or 1."""
    text = os.environ.get(name, "").strip()
    if text not in ("", "0", "1"):
        print(f'penstock: {name} is ignored: "{text}" is neither 0 nor 1', file=sys.stderr)
    return text == "1" if text in ("0", "1") else default
