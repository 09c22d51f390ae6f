"""Programs in the style of TensorFlow 1: TensorFlow's losses, and its errors for mistakes.

What TensorFlow made of them is recorded (tests/recorded/v1.py describes it).
"""

import sys
from pathlib import Path

import numpy as np
import penstock.compat.v1 as tf
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "recorded"))
import v1


def test_everything_is_recorded():
    assert sorted(v1.recorded("programs")) == v1.programs()
    assert list(v1.recorded("mistakes")) == list(v1.mistakes(tf))


@pytest.mark.parametrize("program", v1.programs())
def test_losses(program):
    found, expected = v1.losses(tf, program), v1.recorded("programs")[program]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mistake", v1.recorded("mistakes"))
def test_mistakes(mistake):
    found = v1.answer(tf, v1.mistakes(tf)[mistake])
    assert found["class"] == v1.recorded("mistakes")[mistake]["class"], found
