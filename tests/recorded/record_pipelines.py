#!/usr/bin/env python3
"""Records what TensorFlow gives for the input pipelines of pipeline_cases/.

make record-pipelines                 # all topics: pipeline_data/<topic>.jsonl
python record_pipelines.py shuffle    # some, with any Python that has TensorFlow
python record_pipelines.py --new      # only the calls that are not there yet

Every call is made twice: what it gives must not depend on anything but the call.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import pipelines
import tensorflow as tf


def record(topic: str, is_new_only: bool) -> int:
    """Records a topic; the number of its calls that could not be."""
    module = pipelines.load(tf, topic)
    calls = pipelines.calls(module)
    path = pipelines.DATA / f"{topic}.jsonl"
    found = pipelines.recorded(topic) if is_new_only and path.exists() else {}
    new = [call for call in calls if call not in found]
    found |= {call: pipelines.answer(tf, module, call) for call in new}
    for call in reversed(new):
        again = pipelines.answer(tf, module, call)
        if json.dumps(again) != json.dumps(found[call]):
            print(f"record: not the same twice: {call}\n  {found.pop(call)}\n  {again}")
    lines = ({"call": call, "answer": found[call]} for call in calls if call in found)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    return len(calls) - len(found)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("topics", nargs="*", default=pipelines.topics())
    options.add_argument("--new", action="store_true", help="only calls that are not there yet")
    given = options.parse_args()
    pipelines.DATA.mkdir(exist_ok=True)
    if sum([record(topic, given.new) for topic in given.topics]):
        sys.exit(1)


if __name__ == "__main__":
    main()
