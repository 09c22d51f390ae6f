"""The tour (`make demo`): small programs that leak or waste, what the doctor says about them, the
same programs mended, and a report to look at.

    python examples/tour/tour.py FOLDER    writes FOLDER/report.html
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from penstock.profiler import Finding

HERE = Path(__file__).resolve().parent
STOPS = {
    "allocations": "Which operations allocate memory?",
    "tracing": "How does tf.function affect memory?",
    "graph": "Does building a graph in a loop leak?",
    "variables": "And variables that are made in a loop?",
    "loops": "How can a loop hold less?",
    "sessions": "What leaks in programs of TensorFlow 1?",
}
BOLD, PLAIN = ("\x1b[1m", "\x1b[0m") if sys.stdout.isatty() else ("", "")


def doctor(name, *options):
    """A doctor at work on a program of this folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "penstock", "doctor", "--json", *options, f"{name}.py"],
        cwd=HERE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PENSTOCK_PROFILE_QUIET": "1"},
        text=True,
    )


def result_of(process):
    out, errors = process.communicate()
    if process.returncode not in (0, 1):
        sys.exit(f"tour: {' '.join(process.args)} failed:\n{errors}")
    found = json.loads(out)
    found["findings"] = [Finding(**each) for each in found["findings"]]
    return found


def visit(name, question):
    """Shows a program before and after; the row of the closing table."""
    processes = doctor(f"{name}_leaky"), doctor(f"{name}_mended")
    before, after = map(result_of, processes)
    print(f"{BOLD}{question}{PLAIN}\n")
    os.chdir(HERE)  # where the findings' files are
    for finding in before["findings"]:
        print(f"{finding}\n")
    verdict = f"{len(after['findings'])} findings" if after["findings"] else "nothing found"
    print(f"  mended, in {name}_mended.py: {verdict}\n", flush=True)
    causes = ", ".join(dict.fromkeys(finding.cause for finding in before["findings"]))
    return name, causes, before, after


def show_table(rows):
    head = ("program", "finding", "growth per iteration", "peak", "growth, mended", "peak, mended")
    lines = [head]
    for name, causes, before, after in rows:
        lines.append((name, causes, *figures(before), *figures(after)))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for number, line in enumerate(lines):
        left = [text.ljust(width) for text, width in zip(line[:2], widths[:2], strict=True)]
        right = [text.rjust(width) for text, width in zip(line[2:], widths[2:], strict=True)]
        print("  ".join([*left, *right]))
        if number == 0:
            print("  ".join("-" * width for width in widths))


def size(count):
    """Bytes for people: "512 B", "3.8 MiB"."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            break
        count /= 1024
    return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"


def figures(found):
    rate = max((each.growth_per_step for each in found["findings"]), default=0)
    return size(rate) if rate else "none", size(found["peak_bytes"])


def write_report(folder):
    """The page about a program that was recorded under the doctor."""
    folder.mkdir(parents=True, exist_ok=True)
    profile, page = folder / "training.penprof", folder / "report.html"
    result_of(doctor("training", f"--profile={profile}"))
    subprocess.run(
        [sys.executable, "-m", "penstock", "report", profile, "-o", page],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return page


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/demo").resolve()
    rows = [visit(name, question) for name, question in STOPS.items()]
    show_table(rows)
    print(f"\nthe report of training.py: {write_report(folder)}")


if __name__ == "__main__":
    main()
