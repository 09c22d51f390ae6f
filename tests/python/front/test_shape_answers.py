"""What is known of results' shapes where sizes are open, beside what TensorFlow knows of them
(tests/recorded/shape_data.jsonl): never another size, and seldom less."""

import sys
from collections import Counter
from pathlib import Path

import penstock as tf
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "recorded"))
import front
import static_shapes

ANSWERS = static_shapes.recorded()
TOPICS = sorted({entry["topic"] for entry in ANSWERS})

# Calls of which TensorFlow knows more, "topic: call (open)". Most take one size of a dimension
# only: what they give for it is not proved to be so for others.
LESS_KNOWN = (front.HERE / "shape_less_known.txt").read_text().splitlines()
# Calls that are refused while they are traced, where TensorFlow waits until they run: mistakes,
# ragged results, arrays and jacobians whose size must be known.
NOT_TRACED = (front.HERE / "shape_not_traced.txt").read_text().splitlines()


def relation(ours, theirs):
    """ "same", "more" or "less" known than theirs; "other" where both say a different thing."""
    if ours is None or theirs is None:
        return "same" if ours is theirs else "less" if ours is None else "more"
    if len(ours) != len(theirs):
        return "other"
    found = {"same"}
    for a, b in zip(ours, theirs, strict=True):
        if a != b:
            found.add("less" if a is None else "more" if b is None else "other")
    return next(each for each in ("other", "less", "more", "same") if each in found)


@pytest.mark.parametrize("topic", TOPICS)
def test_topic(topic):
    setup, _ = front.load(topic)
    less, other, not_traced = set(), [], set()
    for entry in ANSWERS:
        if entry["topic"] != topic:
            continue
        name = f"{topic}: {entry['call']} ({entry['open']})"
        ours = static_shapes.static_shapes(tf, setup, entry["call"], entry["open"])
        if ours is None:
            not_traced.add(name)
            continue
        relations = {relation(a, b) for a, b in zip(ours, entry["shapes"], strict=False)}
        if "other" in relations or len(ours) != len(entry["shapes"]):
            other.append(f"{name}: {ours}, TensorFlow: {entry['shapes']}")
        elif "less" in relations:
            less.add(name)
    assert not other, "\n".join(other)
    assert less == {each for each in LESS_KNOWN if each.startswith(f"{topic}: ")}
    assert not_traced == {each for each in NOT_TRACED if each.startswith(f"{topic}: ")}


def test_the_lists_name_recorded_calls():
    names = {f"{entry['topic']}: {entry['call']} ({entry['open']})" for entry in ANSWERS}
    for listed in (LESS_KNOWN, NOT_TRACED):
        assert {*listed} <= names
        assert len(listed) == len({*listed})


def test_every_topic_is_compared():
    """Those that are refused while they are traced are not."""
    listed = {*NOT_TRACED}
    compared = Counter(
        entry["topic"]
        for entry in ANSWERS
        if f"{entry['topic']}: {entry['call']} ({entry['open']})" not in listed
    )
    assert compared.total() >= 1400, compared
    assert min(compared[topic] for topic in TOPICS) >= 5, compared
