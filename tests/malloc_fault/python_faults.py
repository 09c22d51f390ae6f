#!/usr/bin/env python3
"""Runs small Python programs once for every heap allocation that penstock's libraries make in them,
with that one failing, in a process where nothing of the kind ran before. The import itself is not
among them: Highway's and nanobind's own start end the process, and no code of ours is around them.

python_faults.py INTERPOSER [NAME…]

Each time a fork of this process runs the program: it must end in a result, or in a MemoryError or
ResourceExhaustedError, and then work. The exit status is 1 if any did not.
"""

import argparse
import ctypes
import os
import signal
import subprocess
import sys

# operator new is libstdc++'s: C++ allocates there.
LIBRARIES = "libpenstock,_core.,libstdc++,openblas,libre2"
MOST = 100_000  # allocations of one program


def names():
    import penstock as tf

    assert "matmul" in dir(tf.linalg)
    assert tf.raw_ops.Sum(input=[1.0, 2.0], axis=0).numpy() == 3


def ops():
    import penstock as tf

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert tf.reduce_sum(tf.matmul(x, x) + x).numpy() == 64
    assert tf.strings.join(["a", "b"]).numpy() == b"ab"


def tape():
    import penstock as tf

    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as recorded:
        loss = tf.reduce_sum(v * v)
    assert list(recorded.gradient(loss, v).numpy()) == [2, 4]


def function():
    import penstock as tf

    @tf.function
    def square(x):
        return x * x + 1

    assert square(tf.constant(3.0)).numpy() == 10


def loop():
    import penstock as tf

    @tf.function
    def count(n):
        total = tf.constant(0)
        for i in tf.range(n):
            total += i
        return total

    assert count(tf.constant(4)).numpy() == 6


def session():
    import penstock.compat.v1 as tf

    with tf.Graph().as_default(), tf.Session() as runs:
        x = tf.placeholder(tf.float32, [None])
        assert list(runs.run(tf.nn.relu(x) * 2, {x: [-1, 2]})) == [0, 4]


def host_call():
    import penstock as tf

    @tf.function
    def plus_one(x):
        return tf.py_function(lambda y: y + 1, [x], tf.float32)

    assert plus_one(tf.constant(3.0)).numpy() == 4


def linalg():
    import penstock as tf

    assert tf.linalg.cholesky([[4.0, 0.0], [0.0, 9.0]]).numpy()[1, 1] == 3
    assert tf.linalg.svd([[2.0, 0.0], [0.0, 1.0]])[0].numpy()[0] == 2


PROGRAMS = {
    each.__name__: each for each in (names, ops, tape, function, loop, session, host_call, linalg)
}

EXCUSED = ("MemoryError", "ResourceExhaustedError")


def is_for_memory(error):
    """Whether an error or one of its causes says that there is no memory."""
    while error is not None:
        if type(error).__name__ in EXCUSED:
            return True
        # A library that could not be loaded is an ImportError or a NotFoundError, with the reason.
        if "annot allocate memory" in str(error) or "no memory" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def attempt(program, nth, arm):
    """In a child: 0 when the program worked, or failed for want of memory and then worked."""
    arm(nth)
    try:
        program()
    except Exception as error:
        arm(0)
        if not is_for_memory(error):
            import traceback

            traceback.print_exc()
            return 3
        program()
    return 0


def run(program, nth, library):
    """(exit status or minus a signal, allocations, what it said) of one fork."""
    reader, writer = os.pipe()
    said_reader, said_writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(said_writer, 2)
        signal.alarm(60)
        status = 4
        try:
            status = attempt(program, nth, library.malloc_fault_arm)
        except BaseException:
            import traceback

            traceback.print_exc()
        os.write(writer, str(library.malloc_fault_count()).encode())
        os._exit(status)
    os.close(writer)
    os.close(said_writer)
    with os.fdopen(said_reader, errors="replace") as stream:
        said = stream.read()
    with os.fdopen(reader) as stream:
        count = stream.read()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), int(count or 0), said


def check(program, library, step):
    """(survived, [(nth, what happened)]) over the program's allocations."""
    status, most, said = run(program, 0, library)
    if status != 0:
        return 0, [(0, f"{status} without any fault: {said[-400:]}")]
    survived, died = 0, []
    for nth in range(1, min(most, MOST) + 1, step):
        status, _, said = run(program, nth, library)
        if status == 0:
            survived += 1
        else:
            what = signal.Signals(-status).name if status < 0 else f"exit status {status}"
            died.append((nth, f"{what}: {said.strip()[-400:]}"))
    return survived, died


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("interposer")
    parser.add_argument("names", nargs="*", help="which of the programs; all by default")
    parser.add_argument("--step", type=int, default=1, help="only every nth allocation")
    args = parser.parse_args()
    if os.environ.get("MALLOC_FAULT_IN") != LIBRARIES:
        preloaded = {"LD_PRELOAD": args.interposer, "MALLOC_FAULT_IN": LIBRARIES}
        return subprocess.run([sys.executable, *sys.argv], env=os.environ | preloaded).returncode
    library = ctypes.CDLL(None)
    import numpy  # noqa: F401  its own libraries are not ours to test

    failed = 0
    print(f"{'program':<16} {'survived':>9} {'died':>5}", flush=True)
    chosen = args.names or list(PROGRAMS)
    import penstock  # noqa: F401  the programs start with it loaded and nothing used

    for name in chosen:
        survived, died = check(PROGRAMS[name], library, args.step)
        print(f"{name:<16} {survived:>9} {len(died):>5}", flush=True)
        for nth, what in died[:10]:
            print(f"  allocation {nth}: {what}")
        failed += len(died)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
