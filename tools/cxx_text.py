"""C++ sources as text, for the checks of `make lint`."""

from __future__ import annotations

import re

# Comments, and string and character literals, so that none is taken for a part of the other.
NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)


def strip_noise(text: str) -> str:
    """The code alone, in the same lines."""
    return NOISE.sub(lambda match: "\n" * match.group().count("\n") or " ", text)
