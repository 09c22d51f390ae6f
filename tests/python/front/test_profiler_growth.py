"""The account over a long training explains almost all growth of the process."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
import numpy as np
import penstock as tf

grows, steps = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
sizes = [(64, 128), (128, 64), (64, 10)]
weights = [tf.Variable(rng.normal(0, 0.05, size).astype(np.float32)) for size in sizes]
optimizer = tf.optimizers.Adam(1e-3)
x = tf.constant(rng.normal(size=(32, 64)), tf.float32)
labels = tf.constant(np.arange(32) % 10)
kept = []

def step(i):
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(tf.nn.relu(x @ weights[0]) @ weights[1])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, hidden @ weights[2])
        loss = tf.reduce_mean(losses)
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
    if grows == "tensors":
        kept.append(hidden)
    elif grows == "arrays":
        kept.append(np.full(4096, float(i)))
    elif grows == "objects":
        kept.append([str(float(loss)) for _ in range(20)])

for i in range(20):
    step(i)
if grows == "the recording":
    tf.profiler.memory.start()
before = tf.profiler.memory.account()
for i in range(steps):
    step(i)
grown = tf.profiler.memory.account() - before
print(grown, file=sys.stderr)
print(grown.rss, grown.unexplained)
"""


@pytest.mark.slow
@pytest.mark.parametrize("grows", ["nothing", "tensors", "arrays", "objects", "the recording"])
def test_growth_over_a_training_is_explained(grows):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, grows, "10000"], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    rss, unexplained = map(int, done.stdout.split())
    assert unexplained <= max(0.02 * rss, 8 << 20), done.stderr
