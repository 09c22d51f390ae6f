"""tf.debugging beyond the recorded answers (topic debugging): tapes, and messages of our own."""

import penstock as tf
import pytest

nan, inf = float("nan"), float("inf")


def test_near_names_the_values():
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.debugging.assert_near([1.0, 2.0, 3.0, 4.0], 1.0, atol=0.5, rtol=0.0, message="far")
    text = str(caught.value)
    assert "far.  x and y not equal to tolerance rtol = tf.Tensor(0.0, " in text
    assert "x (shape=(4,) dtype=float32) = \n1.0, 2.0, 3.0, ...\n" in text
    assert text.endswith("y (shape=() dtype=float32) = \n1.0")


@pytest.mark.parametrize(
    ("values", "found"), [([nan], "NaN"), ([1.0, -inf], "Inf"), ([inf, nan], "Inf and NaN")]
)
def test_check_numerics_says_what_it_found(values, found):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"loss : Tensor had {found} values"):
        tf.debugging.check_numerics(values, "loss")


def test_checks_on_a_tape():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        tf.debugging.assert_less(x, 3.0)
        tf.debugging.assert_near(x, x)
        y = tf.debugging.check_numerics(x * x, "y")
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


def test_enable_check_numerics_is_missing():
    with pytest.raises(AttributeError, match=r"does not have it.*check_numerics"):
        tf.debugging.enable_check_numerics()
