"""tf.function: from a call's arguments to the trace that serves it."""
