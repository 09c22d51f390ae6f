"""Programs in the style of TensorFlow 1: `run(tf)` takes tf.compat.v1 and returns its losses.

Data and first values come from NumPy, so that every run gives the same losses.
"""
