#!/usr/bin/env python3
"""Records what TensorFlow gives for the input pipelines of pipeline_cases/.

make record-pipelines                 # all topics: pipeline_data/<topic>.jsonl
python record_pipelines.py shuffle    # some, with any Python that has TensorFlow
python record_pipelines.py --new      # only the calls that are not there yet
python record_pipelines.py --check    # is the answer still the same? An answer must not depend on
                                      # anything but the call: not on time, nor on other calls
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


def record(topic: str, is_new_only: bool) -> None:
    """Records a topic: its file is written after every call."""
    module = pipelines.load(tf, topic)
    path = pipelines.DATA / f"{topic}.jsonl"
    known = pipelines.recorded(topic) if is_new_only and path.exists() else {}
    calls, lines = pipelines.calls(module), []
    for call in calls:
        found = known[call] if call in known else pipelines.answer(tf, module, call)
        line = json.dumps({"call": call, "answer": found}, ensure_ascii=False)
        lines.append(line + "\n")
        if call not in known or call == calls[-1]:
            path.write_text("".join(lines))
    print(f"record: {len(lines)} input pipelines of {topic}")


def check(topic: str) -> int:
    """The number of calls of a topic whose answers are not what is recorded."""
    module = pipelines.load(tf, topic)
    wrong = 0
    for call, expected in reversed(pipelines.recorded(topic).items()):
        found = json.loads(json.dumps(pipelines.answer(tf, module, call)))
        if found != expected:
            print(f"record: not the same: {call}\n  recorded {expected}\n  found    {found}")
            wrong += 1
    return wrong


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("topics", nargs="*", default=pipelines.topics())
    options.add_argument("--new", action="store_true", help="only calls that are not there yet")
    options.add_argument("--check", action="store_true", help="compare, record nothing")
    given = options.parse_args()
    pipelines.DATA.mkdir(exist_ok=True)
    if given.check:
        sys.exit(1 if sum([check(topic) for topic in given.topics]) else 0)
    for topic in given.topics:
        record(topic, given.new)


if __name__ == "__main__":
    main()
