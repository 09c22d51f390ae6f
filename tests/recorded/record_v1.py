#!/usr/bin/env python3
"""Records what TensorFlow makes of the programs and mistakes of v1.py: v1_data/.

make record-v1          # with a Python that has TensorFlow
"""

from __future__ import annotations

import json
import os

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
os.environ |= {"CUDA_VISIBLE_DEVICES": "", "TF_USE_LEGACY_KERAS": "1"}  # layers need it

import tensorflow.compat.v1 as tf
import v1


def main() -> None:
    tf.disable_eager_execution()
    v1.DATA.mkdir(exist_ok=True)
    # What needs a package that is not installed stays as it is.
    known = v1.recorded("programs") if (v1.DATA / "programs.json").exists() else {}
    found = {
        "programs": {
            name: v1.losses(tf, name) if v1.can_record(name) else known[name]
            for name in v1.programs()
        },
        "mistakes": {name: v1.answer(tf, run) for name, run in v1.mistakes(tf).items()},
    }
    for topic, entries in found.items():
        lines = (
            f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}"
            for name, entry in entries.items()
        )
        (v1.DATA / f"{topic}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
        print(f"record: {len(entries)} {topic}")


if __name__ == "__main__":
    main()
