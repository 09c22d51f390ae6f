"""tf.function: maps a call's arguments to the trace that serves it."""
