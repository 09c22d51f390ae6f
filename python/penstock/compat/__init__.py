"""tf.compat."""
