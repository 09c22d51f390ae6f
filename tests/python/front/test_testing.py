"""tf.test.TestCase in a program of its own, and compat.v2; the checks are recorded (helpers)."""

import subprocess
import sys

PROGRAM = """
import os
import tensorflow.compat.v2 as tf
from tensorflow.compat.v2.math import reduce_sum


class SquareTest(tf.test.TestCase):
    def test_values(self):
        self.assertAllClose(tf.square([1.0, 2.0]), [1.0, 4.0])
        self.assertAllEqual(reduce_sum([1, 2]), 3)

    def test_errors(self):
        with self.assertRaisesOpError("Incompatible shapes"):
            tf.ones([2]) + tf.ones([3])
        with self.assertRaisesWithPredicateMatch(ValueError, lambda e: "a" in str(e)):
            raise ValueError("a")

    def test_folder(self):
        folder = self.get_temp_dir()
        assert os.path.isdir(folder) and folder == self.get_temp_dir()

    def test_that_fails(self):
        with self.assertRaisesOpError("Incompatible"):
            tf.ones([2]) + tf.ones([2])


if __name__ == "__main__":
    tf.test.main()
"""


def test_a_program_of_tests(tmp_path):
    path = tmp_path / "square_test.py"
    path.write_text(PROGRAM)
    command = [sys.executable, "-m", "penstock", "run", path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Ran 4 tests" in done.stderr
    assert "FAILED (failures=1)" in done.stderr
    assert "AssertionError: OpError not raised" in done.stderr
