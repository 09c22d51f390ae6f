#!/usr/bin/env python3
"""Records what TensorFlow answers: to the ops' own samples and to the calls in cases/.

    make record                                            # all of it: data/<family>.jsonl
    python record.py --samples build/release/op_samples    # with any Python that has TensorFlow

Each line of a data file is a call, its inputs and attributes in full, with TensorFlow's outputs or
the class of its error. `op_check --mode replay` makes the calls again and compares; its source
(tests/op_check/replay.cc) describes the lines. The family of an op is its section in op_list.inc.

A sample that TensorFlow refuses (a dtype it has no kernel for) is left out, a call of cases/ that
it refuses is recorded as an error. What was left out, and why, is printed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import multiprocessing
import os
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import ml_dtypes
import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "python")]

import cases  # noqa: E402
import op_reference  # noqa: E402

SAMPLES_PER_OP = 6
MOST_SAMPLES = {"Cast": 40}
# TensorFlow computes these in half precision throughout, we round once.
HALF_TOLERANCES = {"ApplyFtrlV2": 0.05, "SparseApplyFtrlV2": 0.05}
# Outputs that only the op's own gradient reads: implementations keep different values.
# Singular vectors and eigenvectors may have either sign, eigenvalues any order.
UNDETERMINED = {
    "FusedBatchNormV3": (3, 4, 5),
    "FusedBatchNormGradV3": (3, 4),
    "Svd": (1, 2),
    "SelfAdjointEigV2": (1,),
    "Eig": (0, 1),
    "Eigvals": (0,),
}
# TensorFlow rounds constants or attributes of these to float32, or computes in it, for float64 too.
TOLERANCES = {"LeakyRelu": 1e-6, "LeakyReluGrad": 1e-6, "Gelu": 1e-6, "CTCLoss": 1e-5}
MOST_ELEMENTS = 150  # of a call, to keep the files small
SECONDS_A_CALL = 60


class Call(NamedTuple):
    op: str
    id: str
    names: list[str]  # of the inputs; one that takes several ends in *
    inputs: list[np.ndarray]
    attrs: dict
    tol: float
    is_sample: bool
    defaults: dict  # of the attributes


# ---- the calls


def features(call: Call) -> set:
    found = {("attr", name, str(value)) for name, value in call.attrs.items()}
    for i, array in enumerate(call.inputs):
        found |= {
            ("dtype", i, array.dtype.name),
            ("rank", i, array.ndim),
            ("empty", array.size == 0),
        }
    return found


def chosen(calls: list[Call], most: int) -> list[Call]:
    """Up to `most` calls, those first that show something new."""
    left, seen, picked = list(calls), set(), []
    while left and len(picked) < most:
        best = max(left, key=lambda call: len(features(call) - seen))
        seen |= features(best)
        picked.append(best)
        left = [call for call in left if call is not best]
    return picked


def sample_calls(folder: Path) -> tuple[list[Call], dict[str, Call]]:
    """The samples to record, and a call of each op to take its signature from."""
    blob = memoryview((folder / "samples.bin").read_bytes())
    by_op = defaultdict(list)
    for line in op_reference.read_lines(folder):
        if line["sample"] is None or "error" in line:
            continue
        inputs = [op_reference.read_tensor(entry, blob) for entry in line["inputs"]]
        attrs = {name: op_reference.read_attr(value) for name, value in line["attrs"].items()}
        tol = line["tolerance"] or HALF_TOLERANCES.get(line["op"], 0) * any(
            array.dtype.itemsize == 2 for array in inputs
        )
        known = {name: op_reference.read_attr(value) for name, value in line["defaults"].items()}
        by_op[line["op"]].append(
            Call(line["op"], line["id"], line["names"], inputs, attrs, tol, True, known)
        )
    picked = []
    for op, calls in by_op.items():
        small = [c for c in calls if sum(array.size for array in c.inputs) <= MOST_ELEMENTS]
        picked += chosen(small, MOST_SAMPLES.get(op, SAMPLES_PER_OP))
    return picked, {op: calls[0] for op, calls in by_op.items()}


def case_calls(signatures: dict[str, Call]) -> list[Call]:
    calls = []
    for case in cases.load():
        like = signatures.get(case.op)
        if like is None:
            sys.exit(f"record: cases/ call {case.op}, which op_check does not know")
        attrs = like.defaults | case.attrs
        calls.append(like._replace(inputs=case.inputs, attrs=attrs, tol=case.tol, is_sample=False))
    return calls


# ---- TensorFlow, in a process of its own: some calls end it


def work(pipe) -> None:
    os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    import tensorflow_calls

    with contextlib.suppress(EOFError):
        while True:
            pipe.send(tensorflow_calls.answer(*pipe.recv()))


class TensorFlow:
    """Answers ("outputs", arrays), ("error", class, text), ("unmapped", why) or ("died",)."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def ask(self, call: Call) -> tuple:
        self.pipe.send((call.op, call.id, call.names, call.inputs, call.attrs))
        try:
            if self.pipe.poll(SECONDS_A_CALL):
                return self.pipe.recv()
        except (EOFError, ConnectionError):
            pass
        self.process.kill()
        self.process.join()
        self.start()
        return ("died",)


# ---- the lines


def number(value) -> str:
    """The shortest text that gives the same number back."""
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    narrow = np.float32(value) if value.dtype == ml_dtypes.bfloat16 else value
    text = str(narrow) if value.dtype != ml_dtypes.bfloat16 else f"{float(narrow):.4g}"
    return text.removesuffix(".0")


def tensor(array: np.ndarray) -> str:
    name = op_reference.name_of(array.dtype)
    flat = array.reshape(-1)
    if name == "string":
        values = [json.dumps(text.decode("latin-1")) for text in flat]
    elif array.dtype.kind == "c":
        values = [number(part) for value in flat for part in (value.real, value.imag)]
    else:
        values = [number(value) for value in flat]
    shape = ",".join(map(str, array.shape))
    return f'["{name}",[{shape}],[{",".join(values)}]]'


def attr(value) -> str:
    if isinstance(value, np.dtype):
        return json.dumps({"dtype": op_reference.name_of(value)})
    return json.dumps(value)


def line_of(call: Call, answer: tuple) -> str:
    attrs = ", ".join(f'"{name}": {attr(value)}' for name, value in call.attrs.items())
    inputs = ",".join(map(tensor, call.inputs))
    text = f'{{"op": "{call.op}", "inputs": [{inputs}], "attrs": {{{attrs}}}'
    if answer[0] == "error":
        return f'{text}, "error": "{answer[1]}"}}'
    is_double = any(array.dtype == np.float64 for array in call.inputs)
    if tol := call.tol or (is_double and TOLERANCES.get(call.op)):
        text += f', "tol": {tol:g}'
    unknown = UNDETERMINED.get(call.op, ())
    outputs = ["null" if i in unknown else tensor(a) for i, a in enumerate(answer[1])]
    return f'{text}, "outputs": [{",".join(outputs)}]}}'


def families() -> dict[str, str]:
    """The section of op_list.inc that each op id is in, as a file name."""
    family, found = "other", {}
    for line in (ROOT / "src" / "ops" / "op_list.inc").read_text().splitlines():
        if heading := re.match(r"// (\w[\w ,]*)$", line):
            family = re.sub(r"\W+", "_", heading.group(1))
        elif op := re.match(r"PEN_OP\((\w+)\)", line):
            found[op.group(1)] = family
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=Path, required=True, help="what op_check dumped")
    parser.add_argument("--out", type=Path, default=HERE / "data")
    parser.add_argument("--ops", help="only these, by TensorFlow's name; prints and writes nothing")
    args = parser.parse_args()
    samples, signatures = sample_calls(args.samples)
    calls = samples + case_calls(signatures)
    order = {op: i for i, op in enumerate(signatures)}
    calls.sort(key=lambda call: order[call.op])
    if args.ops:
        calls = [call for call in calls if call.op in args.ops.split(",")]
    family_of, lines, left_out = families(), defaultdict(list), Counter()
    tensorflow = TensorFlow()
    for call in calls:
        answer = tensorflow.ask(call)
        if answer[0] == "outputs" or (answer[0] == "error" and not call.is_sample):
            lines[family_of[call.id]].append(line_of(call, answer))
        else:
            left_out[(call.op, " ".join(answer)[:160])] += 1
    for (op, why), count in sorted(left_out.items()):
        print(f"left out: {count} of {op}: {why}")
    if args.ops:
        print(*(line for some in lines.values() for line in some), sep="\n")
        return
    args.out.mkdir(exist_ok=True)
    for path in args.out.glob("*.jsonl"):
        path.unlink()
    for family, some in lines.items():
        unique = list(dict.fromkeys(some))
        (args.out / f"{family}.jsonl").write_text("\n".join(unique) + "\n")
    total = sum(len(set(some)) for some in lines.values())
    print(f"record: {total} calls of {len({c.op for c in calls})} ops in {len(lines)} files")


if __name__ == "__main__":
    main()
