"""More signatures in turn than the cache has room for."""

import penstock as tf


@tf.function(trace_cache_limit=6000)
def normalised(x):
    y = x - tf.reduce_mean(x)
    return y / tf.sqrt(tf.reduce_mean(tf.square(y)) + 1e-6)


for step in range(40):
    y = normalised(tf.ones([step % 5 + 3, 4]))  # finding: trace_cache_churn
