"""What the process sees of penstock: its end, its environment, its resident memory."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import busy_threads
import pytest

HERE = Path(__file__).parent


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("kind", [each.__name__ for each in busy_threads.KINDS])
def test_a_program_ends_quietly_while_daemon_threads_are_busy(kind):
    for _ in range(3):
        ended = run(str(HERE / "busy_threads.py"), kind)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.parametrize("value", ["abc", "0", "-2", "4x", "1.5", " "])
def test_a_bad_number_of_threads_is_told_at_import(value):
    said = run("-c", "import penstock", PENSTOCK_THREADS=value)
    assert said.returncode == 0
    assert f'PENSTOCK_THREADS is ignored: "{value}" is not a number' in said.stderr


@pytest.mark.parametrize("value", ["", "1", "3", "1000000", "99999999999999999999"])
def test_a_good_number_of_threads_is_taken_silently(value):
    said = run("-c", "import penstock", PENSTOCK_THREADS=value)
    assert (said.returncode, said.stderr) == (0, "")


def test_other_bad_variables_are_told_at_import():
    said = run("-c", "import penstock", PENSTOCK_BUDGET="lots")
    assert said.returncode == 0
    assert 'PENSTOCK_BUDGET is ignored: "lots" is not a number of bytes' in said.stderr
    said = run(
        "-c",
        "import penstock; penstock.autograph, penstock.compat.v1.Session",
        PENSTOCK_GROWTH_WARNINGS="never",
        AUTOGRAPH_VERBOSITY="high",
    )
    assert said.returncode == 0, said.stderr
    assert 'PENSTOCK_GROWTH_WARNINGS is ignored: "never"' in said.stderr
    assert 'AUTOGRAPH_VERBOSITY is ignored: "high"' in said.stderr


RELEASED = """
import time
import penstock as tf

def resident():
    with open("/proc/self/status") as status:
        return int(next(line.split()[1] for line in status if line.startswith("VmRSS")))

tf.ones([300, 300]) + 1
before = resident()
sizes = SIZES
kept = [tf.zeros([size]) + 1 for size in sizes]
held = resident()
assert held > before + 100 * 1024, (before, held)
del kept
for _ in range(600):
    if resident() < before + 10 * 1024:
        break
    time.sleep(0.1)
else:
    raise SystemExit(f"{resident() - before} KiB are still there")
"""


@pytest.mark.parametrize(
    "sizes", ["[1 << 18] * 200", "[(10, 1000, 5000, 20000, 300000)[i % 5] for i in range(600)]"]
)
def test_memory_goes_back_by_itself_after_a_moment(sizes):
    ended = run("-c", RELEASED.replace("SIZES", sizes))
    assert ended.returncode == 0, ended.stderr


FORKED = """
import os, time
import penstock as tf

for _ in range(20):
    kept = [tf.zeros([1 << 16]) + 1 for _ in range(20)]
    del kept
    child = os.fork()
    if child == 0:
        kept = [tf.zeros([1 << 16]) + 1 for _ in range(20)]
        del kept
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    time.sleep(0.1)
"""


def test_a_fork_may_come_while_memory_goes_back():
    ended = run("-W", "ignore", "-c", FORKED)
    assert ended.returncode == 0, ended.stderr


NO_BUDGET = """
import penstock as tf

held = tf.ones([1000])
empty = tf.ones([0])
tf.config.set_memory_budget(100)
print((empty + empty).shape)
"""


def test_a_tensor_without_elements_passes_no_budget():
    ended = run("-c", NO_BUDGET)
    assert (ended.returncode, ended.stdout) == (0, "(0,)\n"), ended.stderr


def little_memory(megabytes):
    """In a fork with so much left to ask for: what cholesky says, or its exit status."""
    import penstock as tf

    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with open("/proc/self/statm") as statm:
            held = int(statm.read().split()[0]) * resource.getpagesize()
        most = held + megabytes * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        try:
            tf.linalg.cholesky(tf.eye(64) * 4)
            os.write(writer, b"worked")
        except (tf.errors.ResourceExhaustedError, MemoryError):
            os.write(writer, b"no memory")
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        said = stream.read()
    return said or os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


LITTLE_MEMORY = """
import sys
sys.path.insert(0, sys.argv[1])
import penstock as tf
from test_process import little_memory
tf.matmul(tf.eye(64), tf.eye(64))
for megabytes in range(0, 200, 4):
    print(little_memory(megabytes))
"""


@pytest.mark.skipif("TSAN_OPTIONS" in os.environ, reason="the sanitizer takes the address space")
def test_linear_algebra_survives_without_memory_for_its_library():
    ended = run("-c", LITTLE_MEMORY, str(HERE))
    assert ended.returncode == 0, ended.stderr
    assert set(ended.stdout.split("\n")) == {"worked", "no memory", ""}
