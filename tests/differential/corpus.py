"""Programs that showed a difference once, with TensorFlow's answers: corpus/<name>.py and .json.

tests/python/front/test_differential.py runs them with penstock alone. What still differs is listed
in corpus/otherwise.txt, a line for each name, mode and kind of difference, under its reason.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from compare import numbers

CORPUS = Path(__file__).resolve().parent / "corpus"


def names() -> list[str]:
    return sorted(path.stem for path in CORPUS.glob("*.py"))


def text(name: str) -> str:
    return (CORPUS / f"{name}.py").read_text()


def answers(name: str) -> dict:
    """TensorFlow's answer in every mode."""
    found = json.loads((CORPUS / f"{name}.json").read_text())
    for answer in found.values():
        answer["calls"] = [{k: unpacked(v) for k, v in call.items()} for call in answer["calls"]]
        answer["state"] = {k: unpacked(v) for k, v in answer["state"].items()}
        answer["facts"] = {k: (shape and tuple(shape), name)
                           for k, (shape, name) in answer["facts"].items()}  # fmt: skip
    return found


def save(name: str, program: str, found: dict) -> None:
    kept = {}
    for mode, answer in found.items():
        kept[mode] = {
            "calls": [{k: packed(v) for k, v in call.items()} for call in answer["calls"]],
            "state": {k: packed(v) for k, v in answer["state"].items()},
            "facts": answer["facts"],
            "error": answer["error"] and (answer["error"][0], first_line(answer["error"][1])),
        }
    (CORPUS / f"{name}.py").write_text(program)
    lines = [f"{json.dumps(mode)}: {json.dumps(kept[mode], ensure_ascii=False)}" for mode in kept]
    (CORPUS / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def first_line(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return next((line for line in lines if "File " not in line), "")[:200]


def packed(value):
    """A value of worker.encode as JSON has it."""
    kind, *rest = value
    if kind == "tensor":
        dtype, shape, data = rest
        if isinstance(data, list):
            flat = [each.decode("latin-1") for each in data]
        else:
            flat = numbers(dtype, shape, data).ravel()
            flat = (
                [[x.real, x.imag] for x in flat.tolist()]
                if flat.dtype.kind == "c"
                else flat.tolist()
            )
        return {"dtype": dtype, "shape": list(shape), "values": flat}
    if kind == "slices":
        return {"slices": [packed(rest[0]), packed(rest[1])]}
    if kind == "list":
        return [packed(each) for each in rest[0]]
    if kind == "dict":
        return {"dict": {key: packed(each) for key, each in rest[0].items()}}
    return {"py": rest[0]}


def unpacked(value):
    if isinstance(value, list):
        return ("list", [unpacked(each) for each in value])
    if "py" in value:
        return ("py", value["py"])
    if "slices" in value:
        return ("slices", *map(unpacked, value["slices"]))
    if "dict" in value:
        return ("dict", {key: unpacked(each) for key, each in value["dict"].items()})
    dtype, shape, flat = value["dtype"], tuple(value["shape"]), value["values"]
    if dtype == "string":
        return ("tensor", dtype, shape, [each.encode("latin-1") for each in flat])
    if dtype == "bfloat16":
        bits = np.array(flat, np.float32).view(np.uint32) >> 16
        return ("tensor", dtype, shape, bits.astype(np.uint16).tobytes())
    if dtype.startswith("complex"):
        flat = [complex(*each) for each in flat]
    return ("tensor", dtype, shape, np.array(flat, np.dtype(dtype)).tobytes())
