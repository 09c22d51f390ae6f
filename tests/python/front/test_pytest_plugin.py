"""The pytest plugin: tests that take or leave too much memory fail, and say why."""

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def results(pytester):
    """The outcomes and the output of a file of tests, run in a process of their own."""

    def run(source):
        pytester.makepyfile("import penstock as tf\nimport pytest\n" + source)
        return pytester.runpytest_subprocess(
            "-p", "penstock._testing.pytest_plugin", "--strict-markers"
        )

    return run


def test_memory_limit(results):
    done = results(
        """
held = tf.zeros([1 << 20])  # what is held before does not count

@pytest.mark.memory_limit("8MiB")
def test_fits():
    tf.zeros([1 << 20]) + 1.0

@pytest.mark.memory_limit("8MiB")
def test_does_not_fit():
    weights = tf.Variable(tf.zeros([1 << 20]), name="weights")
    x = tf.zeros([1 << 20])
    y = x + weights

@pytest.mark.memory_limit(1 << 30)
def test_fits_again():
    tf.zeros([1 << 22])
"""
    )
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(
        ["*needs more than its memory_limit of 8,388,608 bytes*", "*top holders*", "*weights *"]
    )


def test_memory_no_growth(results):
    done = results(
        """
kept = []
runs = []

@pytest.mark.memory_no_growth
def test_grows(tmp_path):
    x = tf.ones([100])
    kept.append(x * 2.0)

@pytest.mark.memory_no_growth(runs=7)
def test_does_not(tmp_path):
    runs.append(tf.ones([100])[0].numpy().item())
    kept[:] = [tf.ones([100])]

def test_ran_often():
    assert len(runs) == 7

@pytest.mark.memory_no_growth
@pytest.mark.parametrize("size", [10, 20])
def test_fails_by_itself(size):
    assert size == 10
"""
    )
    done.assert_outcomes(passed=3, failed=2)
    done.stdout.fnmatch_lines(
        [
            "*leaves bytes of tensors behind: 400, 400, 400, 400*",
            "*kept_tensors*",
            "*kept.append(x * 2.0)*",
        ]
    )


def test_memory_no_growth_of_unittest_methods(results):
    done = results(
        """
import unittest

kept = []

class Tests(unittest.TestCase):
    def setUp(self):
        self.x = tf.ones([100])

    @pytest.mark.memory_no_growth
    def test_grows(self):
        kept.append(self.x * 2.0)

    @pytest.mark.memory_no_growth
    def test_does_not(self):
        self.y = self.x * 2.0

    @pytest.mark.memory_no_growth
    def test_fails_by_itself(self):
        self.assertEqual(1, 2)

    @pytest.mark.memory_no_growth
    @unittest.skip("not now")
    def test_skipped(self):
        pass
"""
    )
    done.assert_outcomes(passed=1, failed=2, skipped=1)
    done.stdout.fnmatch_lines(
        ["*leaves bytes of tensors behind: 400, 400, 400, 400*", "*kept.append(self.x * 2.0)*"]
    )


def test_bad_marks(results):
    done = results(
        """
@pytest.mark.memory_limit
def test_without_size():
    pass

@pytest.mark.memory_limit("many")
def test_no_size():
    pass
"""
    )
    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(["*memory_limit takes one size*", "*many*"])
