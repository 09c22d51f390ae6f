"""Recorded programs: `penstock run --profile`, PENSTOCK_PROFILE, what every kind of end leaves, and
`penstock top`."""

import os
import subprocess
import sys
import textwrap

import penstock as tf
import pytest

PROGRAM = """\
import os, signal, sys
import penstock as tf
tf.config.set_memory_budget("24MiB")
kept = []
def grow(count):
    for i in range(count):
        kept.append(tf.ones((1024, 256)) * float(i))
grow(4)
"""
ENDS = {
    "end": ("", 0),
    "exception": ("raise ValueError('bad')", 1),
    "exit": ("sys.exit(3)", 3),
    "_exit": ("os._exit(4)", 4),
    "kill": ("os.kill(os.getpid(), signal.SIGKILL)", -9),
}


def run(folder, *arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def penstock(folder, *arguments):
    return run(folder, "-m", "penstock", *arguments)


def write(folder, last=""):
    (folder / "program.py").write_text(PROGRAM + textwrap.dedent(last) + "\n")


@pytest.mark.parametrize("end", ENDS)
def test_what_was_recorded_is_kept_however_the_program_ends(tmp_path, end):
    last, status = ENDS[end]
    write(tmp_path, last)
    done = penstock(tmp_path, "run", "--profile=out.penprof", "program.py")
    assert done.returncode == status, done.stderr
    profile = tf.profiler.Profile.load(tmp_path / "out.penprof")
    assert profile.meta["argv"] == ["program.py"]
    assert profile.meta["peak_bytes"] >= 4 << 20
    sites = {(site.file, site.line) for site in profile.sites}
    assert (str(tmp_path / "program.py"), 7) in sites
    error = profile.meta["error"]
    if end == "exception":
        assert error == f"ValueError: bad\nat {tmp_path / 'program.py'}:9 in <module>"
    elif end in ("_exit", "kill"):
        assert "ended before its recording did" in error
    else:
        assert error is None


def test_a_program_killed_by_the_budget_leaves_what_explains_it(tmp_path):
    write(tmp_path, "grow(100)")
    done = penstock(tmp_path, "run", "--profile", "program.py")
    assert done.returncode == 1
    assert "lines that hold the most" in done.stderr
    profile = tf.profiler.Profile.load(tmp_path / "program.penprof")
    assert profile.meta["error"].startswith("ResourceExhaustedError: ")
    assert "the budget is 25165824 bytes" in profile.meta["error"]
    (finding,) = profile.findings
    assert (finding["cause"], finding["line"]) == ("budget", 7)
    time, peak = profile.peak()
    held = profile.live_at(time)
    by_line = {}
    for i in held:
        line = profile.sites[profile.site[i]].line
        by_line[line] = by_line.get(line, 0) + int(profile.bytes[i])
    assert max(by_line, key=by_line.get) == 7
    assert peak == sum(by_line.values()) <= 24 << 20


def test_the_environment_records_a_program(tmp_path):
    write(tmp_path)
    done = run(tmp_path, "program.py", PENSTOCK_PROFILE="1")
    assert done.returncode == 0, done.stderr
    assert "program.penprof" in done.stderr
    assert len(tf.profiler.Profile.load(tmp_path / "program.penprof")) > 0
    assert run(tmp_path, "program.py", PENSTOCK_PROFILE="other.penprof").returncode == 0
    assert (tmp_path / "other.penprof").exists()
    done = run(tmp_path, "program.py", PENSTOCK_PROFILE="no/such/folder.penprof")
    assert done.returncode == 0
    assert "PENSTOCK_PROFILE is ignored" in done.stderr


def test_processes_of_a_recorded_program_have_files_of_their_own(tmp_path):
    write(tmp_path, "import subprocess\nif len(sys.argv) == 1:")
    with open(tmp_path / "program.py", "a", encoding="utf-8") as file:
        file.write("    subprocess.run([sys.executable, 'program.py', 'child'], check=True)\n")
    done = run(tmp_path, "program.py", PENSTOCK_PROFILE="out.penprof")
    assert done.returncode == 0, done.stderr
    files = sorted(tmp_path.glob("*.penprof"))
    assert len(files) == 2
    arguments = [tf.profiler.Profile.load(file).meta["argv"] for file in files]
    assert sorted(arguments) == [["program.py"], ["program.py", "child"]]


def test_a_forked_child_leaves_the_recording_alone(tmp_path):
    write(
        tmp_path,
        """
        child = os.fork()
        if child == 0:
            grow(2)
            assert not tf.profiler.memory.is_recording()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        grow(1)
        """,
    )
    done = penstock(tmp_path, "run", "--profile=out.penprof", "program.py")
    assert done.returncode == 0, done.stderr
    profile = tf.profiler.Profile.load(tmp_path / "out.penprof")
    assert sum(profile.name(op) == "Fill" for op in profile.op) == 5


def test_top_shows_a_script(tmp_path):
    write(tmp_path, "print('said by the program')")
    done = penstock(tmp_path, "top", "--once", "program.py")
    assert done.returncode == 0, done.stderr
    assert "peak" in done.stdout
    assert "activation" in done.stdout
    assert "program.py:7  in grow" in done.stdout
    assert done.stdout.endswith("said by the program\n")
    write(tmp_path, "sys.exit(5)")
    assert penstock(tmp_path, "top", "--once", "program.py").returncode == 5


def test_top_shows_a_process(tmp_path):
    write(tmp_path, "print('ready', flush=True)\nsys.stdin.read()")
    program = subprocess.Popen(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env=os.environ | {"PENSTOCK_PROFILE": "live.penprof"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with program:
        assert program.stdout.readline() == b"ready\n"
        done = penstock(tmp_path, "top", str(program.pid), "--once")
        with open(tmp_path / "live.penprof", "r+b") as file:
            file.seek(8)
            file.write(b"\x07")
        other = penstock(tmp_path, "top", str(program.pid), "--once")
        program.stdin.close()
        assert program.wait() == 0
    assert (other.returncode, "version 7" in other.stderr) == (2, True)
    assert "Traceback" not in other.stderr
    assert done.returncode == 0, done.stderr
    assert f"pid {program.pid}" in done.stdout
    assert "program.py:7  in grow" in done.stdout


def test_top_says_why_there_is_nothing_to_show(tmp_path):
    done = penstock(tmp_path, "top", str(os.getpid()))
    assert (done.returncode, "records no memory" in done.stderr) == (2, True)
    done = penstock(tmp_path, "top", "missing.py")
    assert (done.returncode, "no such file" in done.stderr) == (2, True)


def test_tensorflows_names(tmp_path):
    with tf.profiler.experimental.Profile(str(tmp_path / "logs")):
        with tf.profiler.experimental.Trace("step", step_num=1):
            tf.ones((4,)) + 1.0
        with pytest.raises(tf.errors.AlreadyExistsError):
            tf.profiler.experimental.start(str(tmp_path))
    (written,) = (tmp_path / "logs").iterdir()
    assert len(tf.profiler.Profile.load(written)) > 0
    with pytest.raises(tf.errors.UnavailableError):
        tf.profiler.experimental.stop()
