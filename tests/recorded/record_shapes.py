#!/usr/bin/env python3
"""Records what TensorFlow knows of the shapes of the calls of front_cases/, where sizes are open.

make record-shapes     # shape_data.jsonl, with a Python that has TensorFlow
"""

from __future__ import annotations

import json
import os

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import static_shapes
import tensorflow as tf


def main() -> None:
    tf.get_logger().setLevel("ERROR")
    lines = []
    for topic, setup, call, how in static_shapes.cases():
        shapes = static_shapes.static_shapes(tf, setup, call, how)
        if shapes is not None and static_shapes.is_open(shapes):
            entry = {"topic": topic, "call": call, "open": how, "shapes": shapes}
            lines.append(json.dumps(entry, ensure_ascii=False) + "\n")
    static_shapes.DATA.write_text("".join(lines))
    print(f"record: {len(lines)} calls with open shapes")


if __name__ == "__main__":
    main()
