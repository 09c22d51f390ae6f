#!/usr/bin/env python3
"""Records what TensorFlow answers to the Python-level calls of front_cases/.

make record-front                     # all topics: front_data/<topic>.jsonl
python record_front.py variables      # some, with any Python that has TensorFlow
"""

from __future__ import annotations

import json
import os
import sys

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import front
import tensorflow as tf


def main() -> None:
    total = 0
    front.DATA.mkdir(exist_ok=True)
    for topic in sys.argv[1:] or front.topics():
        if not front.can_record(topic):
            print(f"record: {topic} is left as it is: a package that it needs is not installed")
            continue
        setup, calls = front.load(topic)
        lines = [{"call": call, **front.answer(tf, setup, call)} for call in dict.fromkeys(calls)]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (front.DATA / f"{topic}.jsonl").write_text(text)
        total += len(lines)
    print(f"record: {total} Python-level calls")


if __name__ == "__main__":
    main()
