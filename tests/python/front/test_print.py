"""tf.print: where it writes. What it writes is in the recorded answers (topic printing)."""

import logging
import subprocess
import sys

import penstock as tf
import pytest


def test_streams(capsys):
    tf.print("tensor:", tf.range(10))
    tf.print({"a": tf.constant([1.5])}, 2, sep=", ", end=".\n", output_stream=sys.stdout)
    out, err = capsys.readouterr()
    assert err == "tensor: [0 1 2 ... 7 8 9]\n"
    assert out == "{'a': [1.5]}, 2.\n"


def test_not_utf8(capsys):
    tf.print(tf.constant(b"a\xff"))
    assert capsys.readouterr().err == "a\ufffd\n"


def test_order_with_print():
    """Both write to the same stream: nothing overtakes."""
    code = (
        "import sys, penstock as tf\n"
        "print(1); tf.print(tf.constant(2), output_stream=sys.stdout); print(3)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1\n2\n3\n", "")


def test_files_are_appended_to(tmp_path):
    path = tmp_path / "log.txt"
    for step in tf.range(3):
        tf.print("step", step, output_stream=f"file://{path}")
    assert path.read_text() == "step 0\nstep 1\nstep 2\n"
    with pytest.raises((tf.errors.FailedPreconditionError, tf.errors.PermissionDeniedError)):
        tf.print(1, output_stream=f"file://{tmp_path}")


def test_logging(caplog):
    with caplog.at_level(logging.INFO):
        tf.print("at", tf.constant(1), output_stream=logging.info)
        tf.print("at", tf.constant(2), output_stream=logging.ERROR)
        tf.print("at", tf.constant(3), output_stream=tf.compat.v1.logging.warning)
    assert [(each.name, each.levelname, each.message) for each in caplog.records] == [
        ("root", "INFO", "at 1"),
        ("root", "ERROR", "at 2"),
        ("tensorflow", "WARNING", "at 3"),
    ]


def test_quiet(caplog):
    before = tf.compat.v1.logging.get_verbosity()
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    try:
        tf.compat.v1.logging.info("no")
        tf.get_logger().error("yes")
    finally:
        tf.compat.v1.logging.set_verbosity(before)
    assert [each.message for each in caplog.records] == ["yes"]
