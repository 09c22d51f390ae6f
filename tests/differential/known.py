"""Differences that stay, and why. They are counted by their reasons, and not minimised."""

from __future__ import annotations

import re
from dataclasses import dataclass

OPEN = ("open", "first", "v1open")


@dataclass
class Known:
    reason: str
    kinds: tuple[str, ...]
    detail: str  # what the description of the difference has in it
    text: str = ""  # and the program's
    modes: tuple[str, ...] = ()  # any, when empty


KNOWN = [
    Known("the gradient at rows of an argument whose shape is open is dense", ("modes", "structure"),
          r"IndexedSlices", "tape", OPEN),
    Known("a second derivative that is not there is zeros where shapes are open",
          ("modes", "structure"), r"None", "outer"),
    Known("a jacobian needs the size of its target", ("modes", "refused"), r"needs the size of the target"),
    Known("TensorFlow's vectorized_map gathers rows, and its gradient stays a list of them",
          ("structure", "modes"), r"IndexedSlices", r"vectorized_map"),
    Known("TensorFlow's vectorized_map names its result after each op that it has converted", ("name",),
          r"loop_body/|pfor/", r"vectorized_map"),
    Known("the shape of a row is not known where there are none and sizes are open",
          ("modes", "shape", "static"), r"\[0, ", r"vectorized_map|map_fn|scan", OPEN),
    Known("TensorFlow takes the mean of moments for a constant in second derivatives", ("value",), "",
          r"(?s)outer.*nn\.moments"),
    Known("what nan and inf come to depends on the order of operations", ("not finite",), ""),
    Known("where nan stands among numbers is left open", ("value", "refused", "shape"), r"(?i)nan",
          r"top_k|segment_m|histogram|argm|sort|unique|det|reduce_m|in_top_k|round"),
    Known("TensorFlow does not look at the axis of a scalar", ("refused",), r"rank 0.*ReverseV2"),
    Known("TensorFlow's gradient of irfft is for the length that it guesses", ("lenient", "value"), "",
          r"(?s)tape.*irfft"),
]  # fmt: skip


def reason(program, difference) -> str | None:
    """Why a difference stays, if it is one of those."""
    for known in KNOWN:
        is_kind = difference.kind in known.kinds
        is_mode = not known.modes or difference.mode in known.modes
        if not is_kind or not is_mode:
            continue
        if re.search(known.detail, difference.detail) and re.search(known.text, program["text"]):
            return known.reason
    return None
