"""The program of the report: a small network that is trained, and whose outputs are kept."""

import tensorflow as tf

layers = [tf.Variable(tf.random.normal([128, 128], stddev=0.1), name=f"w{i}") for i in range(4)]
optimizer = tf.optimizers.Adam(1e-3)
kept = []
for step in range(60):
    x = tf.random.normal([256, 128])
    with tf.GradientTape() as tape:
        h = x
        for layer in layers:
            h = tf.nn.relu(h @ layer)
        loss = tf.reduce_mean(tf.square(h - x))
    gradients = tape.gradient(loss, layers)
    optimizer.apply_gradients(zip(gradients, layers, strict=True))
    kept.append(h)
print(f"loss {float(loss):.3f}")
