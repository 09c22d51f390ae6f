"""What is known of results' shapes where sizes are open, beside what TensorFlow knows of them
(tests/recorded/shape_data.jsonl): never another size, and seldom less."""

import sys
from pathlib import Path

import penstock as tf
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "recorded"))
import front
import static_shapes

ANSWERS = static_shapes.recorded()
TOPICS = sorted({entry["topic"] for entry in ANSWERS})

# Calls of which TensorFlow knows more, by topic; "call (open)". Most are made of other calls and
# take one size of a dimension only: what they give for it is not proved to be so for others.
LESS_KNOWN = {
    "functions": {
        'tf.einsum("ij,jk", m, m) (first)',
    },
    "gradients": {
        "grad(lambda m: tf.transpose(m) @ [[1.0], [2.0]], m) (all)",
    },
    "mathematics": {
        "tf.math.segment_sum(t, [0, 2, 1]) (first)",
        "tf.math.segment_sum(t, [0, 2, 1]) (all)",
        "tf.math.unsorted_segment_mean(t, [2, 0, 2], num_segments=3) (all)",
        "tf.math.unsorted_segment_sqrt_n(t, [1, 1, 1], 2) (all)",
        "tf.dynamic_partition(t, [0, 2, 0], 2) (first)",
        "tf.dynamic_partition(t, [0, 2, 0], 2) (all)",
        "tf.linalg.lu_solve(*tf.linalg.lu(m), rhs=[[1.0], [2.0]]) (all)",
        "tf.linalg.lstsq(t, [[1.0], [2.0], [3.0]]) (all)",
        "tf.linalg.lstsq(t, [[1.0], [2.0], [3.0]], l2_regularizer=0.5) (all)",
        "tf.linalg.lstsq(t, [[1.0], [2.0], [3.0]], fast=False) (all)",
        "tf.linalg.set_diag(t, [7.0, 8.0, 9.0]) (first)",
    },
    "matrices": {
        "tf.linalg.tensordot(a, a, [[0], [1]]) (first)",
        'tf.linalg.einsum("ij,jk->ik", a, a) (first)',
        'tf.einsum("ij,jk", a, a) (first)',
    },
    "networks": {
        'tf.nn.conv1d(line, ones(2, 2, 1), 1, "VALID") (all)',
        'tf.nn.conv1d(line, ones(2, 2, 1), stride=2, padding="SAME", dilations=1) (all)',
        "tf.nn.conv1d_transpose(line, ones(3, 1, 2), [1, 12, 1], strides=2) (first)",
        "tf.nn.conv1d_transpose(line, ones(3, 1, 2), [1, 12, 1], strides=2) (all)",
        "tf.nn.conv2d_transpose(image, ones(2, 2, 1, 2), [1, 8, 8, 1], 2) (first)",
        "tf.nn.conv2d_transpose(image, ones(2, 2, 1, 2), [1, 8, 8, 1], 2) (all)",
        'tf.nn.conv2d_transpose(image, ones(2, 2, 1, 2), [1, 9, 8, 1], 2, "VALID") (first)',
        'tf.nn.conv2d_transpose(image, ones(2, 2, 1, 2), [1, 9, 8, 1], 2, "VALID") (all)',
        "tf.nn.conv_transpose(line, ones(3, 1, 2), [1, 12, 1], 2) (first)",
        "tf.nn.conv_transpose(line, ones(3, 1, 2), [1, 12, 1], 2) (all)",
        'tf.nn.convolution(image, ones(2, 2, 2, 1), padding="VALID") (all)',
        'tf.nn.convolution(line, ones(2, 2, 1), strides=2, padding="SAME") (all)',
        'tf.nn.atrous_conv2d(image, ones(2, 2, 2, 1), 2, "VALID") (all)',
        'tf.nn.atrous_conv2d_transpose(image, ones(2, 2, 1, 2), [1, 6, 6, 1], 2, "VALID") (first)',
        'tf.nn.atrous_conv2d_transpose(image, ones(2, 2, 1, 2), [1, 6, 6, 1], 2, "VALID") (all)',
    },
    "slices_and_tapes": {
        "tf.dynamic_partition(m, [0, 5], 2) (first)",
        "tf.dynamic_partition(m, [0, 5], 2) (all)",
    },
    "v1_names": {
        "v1.matrix_solve_ls(m, [[1.0], [2.0]], fast=False) (all)",
        "v1.nn.xw_plus_b(a, tf.ones([3, 2]), [1.0, 2.0]) (all)",
        "v1.nn.relu_layer(a, tf.ones([3, 2]), [-3.0, 2.0]) (all)",
    },
    "windows_and_losses": {
        'tf.nn.max_pool2d(x4, 0, 1, "SAME") (first)',
        'tf.nn.max_pool2d(x4, 0, 1, "SAME") (all)',
    },
}
# How many are refused while they are traced, where TensorFlow waits until they run: mistakes,
# ragged results, arrays and jacobians whose size must be known.
NOT_TRACED = {
    "functions": 11,
    "gradients": 7,
    "networks": 2,
    "operators": 2,
    "slices_and_tapes": 7,
    "tensor_arrays": 18,
    "texts_and_signals": 6,
    "top_level": 4,
    "windows_and_losses": 2,
}


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
    less, other, not_traced = set(), [], 0
    for entry in ANSWERS:
        if entry["topic"] != topic:
            continue
        ours = static_shapes.static_shapes(tf, setup, entry["call"], entry["open"])
        if ours is None:
            not_traced += 1
            continue
        name = f"{entry['call']} ({entry['open']})"
        relations = {relation(a, b) for a, b in zip(ours, entry["shapes"], strict=False)}
        if "other" in relations or len(ours) != len(entry["shapes"]):
            other.append(f"{name}: {ours}, TensorFlow: {entry['shapes']}")
        elif "less" in relations:
            less.add(name)
    assert not other, "\n".join(other)
    assert less == set(LESS_KNOWN.get(topic, ()))
    assert not_traced <= NOT_TRACED.get(topic, 0)
