"""The doctor: leaky programs are named with their cause and line, clean ones are left alone.

A line of doctor_programs that ends in `# finding: CAUSE` is what the doctor is to name.
"""

import contextlib
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import penstock as tf
import pytest

PROGRAMS = sorted((Path(__file__).parent / "doctor_programs").glob("*.py"))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_programs(program):
    lines = program.read_text().splitlines()
    marks = [re.search(r"# finding: (\w+)$", line) for line in lines]
    wanted = [(mark[1], number) for number, mark in enumerate(marks, 1) if mark]
    with tf.profiler.doctor() as findings:
        runpy.run_path(str(program))
    assert [(each.cause, each.line) for each in findings] == wanted
    for finding in findings:
        assert Path(finding.file) == program
        assert finding.fix
        assert str(finding) in str(findings)


def doctor(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "penstock", "doctor", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )


LEAKY = """\
import sys
import tensorflow as tf
kept = []
for step in range(30):
    kept.append(tf.ones([100]) * float(step))
print(len(kept), sys.argv[1:])
"""


@pytest.fixture
def leaky(tmp_path):
    script = tmp_path / "leaky.py"
    script.write_text(LEAKY)
    return script


def test_the_command_names_the_line(leaky):
    done = doctor(leaky, "--depth", 2)
    assert done.returncode == 1
    assert "30 ['--depth', '2']" in done.stdout
    assert "1 finding in" in done.stdout
    assert "leaky.py:5   kept.append(tf.ones([100]) * float(step))" in done.stdout
    assert "growth: 400 B per iteration" in done.stdout


def test_json(leaky):
    done = doctor("--json", leaky)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["status"] == 0
    (finding,) = found["findings"]
    assert (finding["cause"], finding["line"]) == ("kept_tensors", 5)
    assert finding["growth_per_step"] == 400
    assert finding["growth_bytes"] == 400 * finding["steps"]


def test_fail_on_growth(leaky):
    assert doctor("--fail-on-growth", "1MiB", leaky).returncode == 0
    assert doctor("--fail-on-growth", "4000", leaky).returncode == 1
    done = doctor("--fail-on-growth", "much", leaky)
    assert done.returncode == 2
    assert "much" in done.stderr


@pytest.mark.parametrize(
    ("program", "status", "says"),
    [
        ("x = 1\n", 0, "nothing found"),
        ("import sys\nsys.exit(0)\n", 0, "nothing found"),
        ("import sys\nsys.exit('no data')\n", 2, "no data"),
        ("def f():\n    raise ValueError('so it is')\n\nf()\n", 2, "ValueError: so it is"),
        (LEAKY + "raise KeyError('end')\n", 2, "kept.append"),
        ("def f(:\n", 2, "SyntaxError"),
        ("raise KeyboardInterrupt\n", 0, "interrupted"),
    ],
)
def test_exit_status(program, status, says, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(program)
    done = doctor(script)
    assert done.returncode == status
    assert says in done.stdout + done.stderr
    assert "penstock/profiler" not in done.stderr
    assert status == 0 or "nothing found" not in done.stdout


def test_no_such_file():
    done = doctor("nowhere.py")
    assert done.returncode == 2
    assert "nowhere.py" in done.stderr
    assert "nothing found" not in done.stdout


def test_programs_of_tensorflow_1_are_known_by_their_names(tmp_path):
    script = tmp_path / "old.py"
    script.write_text(
        "import tensorflow as tf\n"
        "with tf.Session() as sess:\n"
        "    for step in range(20):\n"
        "        sess.run(tf.constant([1.0]) + step)\n"
    )
    done = doctor(script)
    assert done.returncode == 1
    assert "old.py:4" in done.stdout
    assert "[graph_growth]" in done.stdout


def test_the_block_is_left_as_it_was():
    before = sys.gettrace(), tf.Variable.__init__, tf.GradientTape.__enter__
    frame, trace = sys._getframe(), sys._getframe().f_trace
    findings = tf.profiler.doctor()
    with contextlib.suppress(KeyError), findings:
        for step in range(30):
            tf.Variable(float(step))
        raise KeyError
    assert (sys.gettrace(), tf.Variable.__init__, tf.GradientTape.__enter__) == before
    assert frame.f_trace is trace
    assert [each.cause for each in findings] == ["variables_in_loop"]
    assert "tf.Variable(float(step))" in str(findings)
    assert str(tf.profiler.doctor()) == "penstock doctor: nothing found in this block"


def test_long_loops_are_counted():
    kept = []
    with tf.profiler.doctor() as findings:
        for _ in range(5000):
            kept.append(tf.constant(1.0))
    (finding,) = findings
    assert finding.cause == "kept_tensors"
    assert finding.growth_per_step == 4
    assert 4900 < finding.steps <= 5000


def test_only_iterations_count():
    kept = []

    def keep():
        for _ in (step for step in range(5)):
            kept.append(tf.ones([256]))

    with tf.profiler.doctor() as findings:
        for _ in range(20):
            keep()
    (finding,) = findings
    assert finding.growth_per_step == 1024
    assert 95 <= finding.steps <= 100


def test_a_long_loop_at_the_end_of_a_function_is_left():
    kept = []

    def count():
        for _ in range(3000):
            pass

    with tf.profiler.doctor() as findings:
        count()
        for _ in range(50):
            kept.append(tf.ones([256]))
    (finding,) = findings
    assert finding.growth_per_step == 1024


GROWS_IN_A_THREAD = """\
import os
import sys
import threading
import time
import tensorflow as tf
kept = []

def work():
    for step in range(60):
        kept.append(tf.ones([1000]) * float(step))  # grows
        time.sleep(0.001)

thread = threading.Thread(target=work, daemon="daemon" in sys.argv)
thread.start()
if "daemon" in sys.argv:
    while thread.is_alive():
        time.sleep(0.005)
if "_exit" in sys.argv:
    os._exit(0)
"""


@pytest.mark.parametrize("arguments", [["daemon"], [], ["daemon", "_exit"]])
def test_growth_in_another_thread_is_found(tmp_path, arguments):
    script = tmp_path / "thread.py"
    script.write_text(GROWS_IN_A_THREAD)
    line = next(i for i, text in enumerate(GROWS_IN_A_THREAD.split("\n"), 1) if "# grows" in text)
    done = doctor("--json", script, *arguments)
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)["findings"]
    assert [(each["cause"], each["line"]) for each in found] == [("kept_tensors", line)]


@pytest.mark.parametrize(("status", "wanted"), [(0, 1), (3, 2)])
def test_findings_survive_os_exit(leaky, tmp_path, status, wanted):
    leaky.write_text(LEAKY + f"import os\nos._exit({status})\n")
    profile = tmp_path / "leaky.penprof"
    done = doctor(f"--profile={profile}", leaky)
    assert done.returncode == wanted, done.stderr
    assert "[kept_tensors]" in done.stdout
    assert tf.profiler.Profile.load(profile).findings[0]["cause"] == "kept_tensors"


def test_a_child_process_may_leave_with_os_exit(leaky):
    leaky.write_text(
        LEAKY
        + """
import os
child = os.fork()
if child == 0:
    os._exit(7)
print("child", os.waitpid(child, 0)[1] >> 8)
"""
    )
    done = doctor(leaky)
    assert done.returncode == 1, done.stderr
    assert "child 7" in done.stdout
    assert done.stdout.count("[kept_tensors]") == 1


def test_a_thread_that_goes_on_is_not_followed_any_more():
    import threading

    stop = threading.Event()

    def work():
        while not stop.is_set():
            tf.ones([10])

    with tf.profiler.doctor():
        thread = threading.Thread(target=work)
        thread.start()
        tf.ones([10])
    stop.set()
    thread.join()
    assert threading.gettrace() is None


@pytest.mark.parametrize("end", ["sys.exit(3)", "pass", "raise ValueError"])
def test_a_child_has_no_findings_of_its_own(tmp_path, end):
    """It runs to the program's end with its own status, and its parent tells what was found."""
    path = tmp_path / "forks.py"
    path.write_text(
        "import os, sys\n"
        "import tensorflow as tf\n"
        "kept = []\n"
        "for _ in range(200):\n"
        "    kept.append(tf.ones([1000]))\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        f"    {end}\n"
        "else:\n"
        "    print('child', os.waitstatus_to_exitcode(os.wait()[1]), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "penstock", "doctor", "--json", path],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert json.loads(done.stdout)["findings"], done.stdout
    assert done.returncode == 1
    status = {"sys.exit(3)": 3, "pass": 0}.get(end, 1)
    assert f"child {status}\n" in done.stderr
