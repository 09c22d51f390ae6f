"""Differences that stay, and why. They are counted by their reasons, and not minimised."""

from __future__ import annotations

import re
from dataclasses import dataclass

OPEN = ("open", "first", "v1open")
TRACED = (*OPEN, "function", "jit", "v1")


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
    Known("what a function does not use has zeros for a gradient, or none",
          ("unconnected",), "", r"tape|outer", TRACED),
    Known("what a function, a branch or a loop does not use has zeros for a gradient, or none",
          ("unconnected",), "",
          r"(?s)(?=.*(gradient|jacobian)).*(tf\.function|cond\(|case\(|while_loop\(|map_fn\(|scan\(|fold[lr]\(|py_function\()"),
    Known("tf.parallel_stack works in eager programs too", ("lenient", "class"),
          r"parallel_stack\(\) is not compatible with eager execution", r"parallel_stack\("),
    Known("a gradient of a variable that a py_function reads is not TensorFlow's in functions",
          ("structure",), r"TensorFlow: (\[.*)?None", r"py_function\(.* \+ v", ("script",)),
    Known("TensorFlow adds up gradients of a py_function whose shapes differ", ("lenient",),
          r"gradients/AddN", r"py_function", ("script",)),
    Known("a gradient through a tensor that is fed is refused (docs/tensorflow1.md)", ("refused",),
          r"through a tensor that is fed"),
    Known("a second derivative of a loop of unknown length is refused (docs/control_flow.md)",
          ("refused", "modes"), r"gradient of the gradient of a loop"),
    Known("what a function does not use has no gradient, where TensorFlow has zeros to go on with",
          ("refused",), r"`target` should be tensors or variables, but received None",
          r"outer\.gradient\(g, ", ("script",)),
    Known("TensorFlow does not look at batch_dims where the axis is 0", ("refused",),
          r"batch_dims \(\d+\) must be less than or equal to axis \(0\)"),
    Known("TensorFlow counts negative indices into no row of unravel_index", ("refused",),
          r"-\d+ is not below \d+ \[Op:UnravelIndex\]"),
    Known("a loop takes what may have the shape of its variable, where TensorFlow asks for proof",
          ("lenient", "class"), r"enters the loop with shape \([\d, ]+\), but has shape \([^)]*None",
          r"while_loop\("),
    Known("TensorFlow rounds alpha to float32", ("value",), r"float64", r"leaky_relu\("),
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
    Known("TensorFlow takes the trace of 1 for True: what f gives then depends on the calls before",
          ("value", "dtype", "structure"), "", r"(?s)tf\.function.*(f\(1[,)].*f\(True|f\(True.*f\(1[,)])", ("script",)),
    Known("TensorFlow counts with an unknown length of a diagonal as with -1", ("static",),
          r"TensorFlow: \(.*\d", r"linalg\.diag\(.*k=-?[1-9]", OPEN),
    Known("TensorFlow's patches of volumes are said to have four dimensions where sizes are open",
          ("static",), r"TensorFlow: \(None, None, None, None\)", r"extract_volume_patches", OPEN),
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
