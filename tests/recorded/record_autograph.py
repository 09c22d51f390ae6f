#!/usr/bin/env python3
"""Records what TensorFlow gives for the functions of autograph_cases/.

make record-autograph                 # all topics: autograph_data/<topic>.json
python record_autograph.py loops      # some, with any Python that has TensorFlow
"""

from __future__ import annotations

import json
import os
import sys

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import autograph
import tensorflow as tf


def main() -> None:
    total = 0
    autograph.DATA.mkdir(exist_ok=True)
    for topic in sys.argv[1:] or autograph.topics():
        found = {
            name: {mode: autograph.answer(tf, mode, *case) for mode in autograph.MODES}
            for name, case in autograph.load(tf, topic).items()
        }
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(found[name])}" for name in found)
        (autograph.DATA / f"{topic}.json").write_text("{\n" + lines + "\n}\n")
        total += len(found)
    print(f"record: {total} runs of converted functions")


if __name__ == "__main__":
    main()
