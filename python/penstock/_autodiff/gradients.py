"""tf.gradients: gradients in a graph."""

from __future__ import annotations

from penstock._api import public
from penstock._base.version_1 import version_1


@public("gradients")
def gradients(
    ys,
    xs,
    grad_ys=None,
    name="gradients",
    gate_gradients=False,
    aggregation_method=None,
    stop_gradients=None,
    unconnected_gradients="none",
):
    """Gradients in a graph; outside one, use a GradientTape.

    Args:
      ys: A tensor, or a list of them.
      xs: A tensor or variable, or a list of them.
      grad_ys: Gradients of the ys, in place of ones.
      name: The scope of the gradients.
      gate_gradients: Taken as in TensorFlow, and not used.
      aggregation_method: Taken as in TensorFlow, and not used.
      stop_gradients: Tensors that no gradient goes through.
      unconnected_gradients: "none" for None where there is no path, "zero" for zeros.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     x = tf.constant(3.0)
    ...     print(sess.run(tf.gradients(x * x, x)))
    [np.float32(6.0)]
    """
    return version_1.gradients(
        ys,
        xs,
        grad_ys,
        name,
        gate_gradients=gate_gradients,
        stop_gradients=stop_gradients,
        unconnected_gradients=unconnected_gradients,
    )
