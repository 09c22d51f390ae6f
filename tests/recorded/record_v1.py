#!/usr/bin/env python3
"""Records what TensorFlow makes of the programs and mistakes of v1.py, what it names in the graphs
of v1_names.py, and its answers to the expressions of v1_shapes.py: v1_data/.

make record-v1          # with a Python that has TensorFlow
"""

from __future__ import annotations

import importlib.util
import json
import os

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
os.environ |= {"CUDA_VISIBLE_DEVICES": "", "TF_USE_LEGACY_KERAS": "1"}  # layers need it

import tensorflow.compat.v1 as tf
import v1
import v1_names
import v1_shapes


def nodes(topic) -> dict:
    """The nodes' names by program; programs that need a missing package keep their old names."""
    has_keras = importlib.util.find_spec("tf_keras") is not None
    return {
        name: v1_names.node_names(tf, build)
        if has_keras or name not in v1_names.NEED_KERAS
        else v1.recorded(topic)[name]
        for name, build in v1_names.programs(tf).items()
    }


def main() -> None:
    tf.disable_eager_execution()
    v1.DATA.mkdir(exist_ok=True)
    # Programs that need a missing package keep their old names.
    known = v1.recorded("programs") if (v1.DATA / "programs.json").exists() else {}
    found = {
        "programs": {
            name: v1.losses(tf, name) if v1.can_record(name) else known[name]
            for name in v1.programs()
        },
        "mistakes": {name: v1.answer(tf, run) for name, run in v1.mistakes(tf).items()},
        "names": {call: v1_names.result_names(tf, call) for call in v1_names.CALLS},
        "nodes": nodes("nodes"),
    }
    tf.disable_v2_behavior()
    found["nodes_tf1"] = nodes("nodes_tf1")
    found["shapes_tf1"] = v1_shapes.answers(tf)
    for topic, entries in found.items():
        lines = (
            f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}"
            for name, entry in entries.items()
        )
        (v1.DATA / f"{topic}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
        print(f"record: {len(entries)} {topic}")


if __name__ == "__main__":
    main()
