#!/usr/bin/env python3
"""Times penstock next to its peers in one run, and prints a table.

Each library runs in its own process, one after the other, for several rounds in a rotating order;
the best time of all rounds counts. Peers are installed in .venv-peers on first use. A peer that
cannot be installed or fails is shown as missing. All libraries compute on the same numbers, and a
result that differs from the others' is marked as wrong.
"""

from __future__ import annotations

import argparse
import datetime
import fnmatch
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import from_python
import functions
import graphs
import pipelines
from libraries import LIBRARIES
from peers import CASES, REPETITIONS, SECONDS_PER_REPETITION
from tables import OURS, all_tables

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
VENV = ROOT / ".venv-peers"
REQUIREMENTS = HERE / "requirements-peers.txt"
PACKAGES = {"numpy": "numpy", "torch": "torch", "tensorflow": "tensorflow-cpu", "jax": "jax"}

TIMEOUT_SECONDS = 900
# The allowed relative difference between the check sums of two libraries.
CHECK_TOLERANCE = 1e-3

# Cases that take a column that long are not repeated in later rounds.
SECONDS_FOR_ONE_ROUND = 3.0

ALL_CASES = [*CASES, *from_python.CASES, *functions.CASES, *graphs.CASES, *pipelines.CASES]

# By case: a figure's name to its value, or {"error": text}.
Figures = dict[str, dict]


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:200] if lines else "no message"


# --- The peers' virtual environment -------------------------------------------------------------


def peer_python() -> Path:
    return VENV / "bin" / "python"


def pinned_versions() -> dict[str, str]:
    """The versions that REQUIREMENTS pins for this Python, by package."""
    newer = sys.version_info >= (3, 11)
    pins = {}
    for line in REQUIREMENTS.read_text().splitlines():
        match = re.match(r"([\w-]+)==([\w.]+)(?:; python_version (<|>=) \"3\.11\")?$", line)
        if match and match[3] != ("<" if newer else ">="):
            pins[match[1]] = match[2]
    return pins


def installed_versions() -> dict[str, str]:
    command = [peer_python(), "-m", "pip", "list", "--format=json", "--disable-pip-version-check"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return {}
    return {p["name"].replace("_", "-"): p["version"] for p in json.loads(done.stdout)}


def install(library: str) -> str | None:
    """Installs a peer; returns the reason of a failure, or None."""
    command = [peer_python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--constraint", REQUIREMENTS, PACKAGES[library]]
    if library == "torch":
        say("PyTorch's package brings CUDA along and needs 5 GB of disk")
    done = subprocess.run(command, capture_output=True, text=True)
    return None if done.returncode == 0 else last_line(done.stderr)


def set_up_peers(libraries: list[str]) -> dict[str, str]:
    """Updates .venv-peers to the pins; returns the missing peers, with reasons."""
    missing = {}
    if not peer_python().exists():
        say(f"making {VENV.name}")
        subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
    pins, installed = pinned_versions(), installed_versions()
    for library in libraries:
        package = PACKAGES[library]
        # A build's suffix ("+cpu") is not part of the pinned version.
        if installed.get(package, "").split("+")[0] == pins[package]:
            continue
        say(f"installing {package} {pins[package]} into {VENV.name}")
        if reason := install(library):
            missing[library] = reason
            say(f"{library} cannot be installed: {reason}")
    return missing


# --- Running ------------------------------------------------------------------------------------


def run_penstock(binary: Path, cases: list[str]) -> Figures:
    if not cases:
        return {}
    command = [
        binary,
        "--benchmark_format=json",
        f"--benchmark_filter=^({'|'.join(cases)})/real_time$",
        f"--benchmark_repetitions={REPETITIONS}",
        f"--benchmark_min_time={SECONDS_PER_REPETITION}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    if done.returncode != 0:
        raise RuntimeError(last_line(done.stderr))
    figures: Figures = {}
    for run in json.loads(done.stdout)["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        case = run["run_name"].removesuffix("/real_time")
        if run.get("error_occurred"):
            figures[case] = {"error": run["error_message"]}
            continue
        assert run["time_unit"] == "us"
        new = {name: run[name] for name in ("allocations", "peak_bytes", "check")}
        keep_best(figures, {case: {"seconds": run["real_time"] * 1e-6, **new}})
    return figures


def run_peer(library: str, cases: list[str]) -> tuple[str, Figures]:
    """The library's version and its figures."""
    if not cases:
        return "", {}
    command = [peer_python(), HERE / "peers.py", library, *cases]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        raise RuntimeError(last_line(done.stderr))
    return lines[0]["version"], {line.pop("case"): line for line in lines[1:]}


def run_python(script: str, library: str, case: str) -> tuple[str, Figures]:
    """The same for a case of from_python.py, graphs.py or pipelines.py, in a process of its own."""
    python = sys.executable if library == OURS else peer_python()
    command = [python, HERE / script, library, case]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    if done.returncode != 0:
        raise RuntimeError(last_line(done.stderr))
    figures = json.loads(done.stdout.splitlines()[-1])
    version = figures.pop("version", "")
    return version, {case: figures} if figures else {}


def run_functions(column: str, cases: list[str]) -> Figures:
    """The same for cases of functions.py. Those that look at the process's memory run alone."""
    python = sys.executable if column == OURS else peer_python()
    alone = [[case] for case in cases if functions.CASES[case].warm_up]
    together = [case for case in cases if [case] not in alone]
    figures: Figures = {}
    for group in filter(None, [together, *alone]):
        command = [python, HERE / "functions.py", column, *group]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired as error:
            figures |= {case: {"error": str(error)[-200:]} for case in group}
            continue
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        figures |= {line.pop("case"): line for line in lines}
        if done.returncode != 0:
            error = last_line(done.stderr)
            figures |= {case: {"error": error} for case in group if case not in figures}
    return figures


def keep_best(best: Figures, new: Figures) -> None:
    """Takes over the new figures of a case if they are the first or the fastest."""
    for case, figures in new.items():
        known = best.get(case)
        if (
            "error" in figures
            or known is None
            or ("error" not in known and figures["seconds"] < known["seconds"])
        ):
            best[case] = figures


class Comparison:
    def __init__(self, binary: Path, libraries: list[str], cases: list[str]) -> None:
        self.binary = binary
        self.cases = cases
        self.libraries = libraries  # penstock and the peers that work
        self.best: dict[str, Figures] = {name: {} for name in self.everyone}
        self.versions: dict[str, str] = {}
        self.missing: dict[str, str] = {}

    @property
    def columns(self) -> list[str]:
        """Those of the table of functions."""
        of = functions.COLUMNS_OF
        return [column for library in self.libraries for column in of.get(library, [])]

    @property
    def everyone(self) -> list[str]:
        return list(dict.fromkeys([*self.libraries, *self.columns]))

    def run(self, rounds: int) -> None:
        for r in range(rounds):
            turn = r % len(self.libraries)
            for library in self.libraries[turn:] + self.libraries[:turn]:
                start = time.monotonic()
                try:
                    keep_best(self.best[library], self.run_one(library))
                    for column in functions.COLUMNS_OF.get(library, []):
                        keep_best(self.best[column], self.run_column(library, column))
                except (RuntimeError, OSError, ValueError, subprocess.TimeoutExpired) as error:
                    self.drop(library, str(error))
                    continue
                say(f"round {r + 1}/{rounds}: {library:<10} {time.monotonic() - start:5.1f} s")
        self.mark_wrong_results()

    def run_one(self, library: str) -> Figures:
        core = [case for case in self.cases if case in CASES]
        if library == OURS:
            version, figures = "", run_penstock(self.binary, core)
        else:
            version, figures = run_peer(library, core)
        for script, case in self.single_cases(library):
            found, more = run_python(script, library, case)
            version = version or found
            figures.update(more)
        if library != OURS:
            self.versions[library] = version
        return figures

    def single_cases(self, library: str) -> Iterator[tuple[str, str]]:
        """The cases that run in their own process, each with its script."""
        for case in self.cases:
            if case in from_python.CASES:
                yield "from_python.py", case
            elif (
                case in graphs.CASES
                and library in graphs.LIBRARIES
                and (self.seconds(library, case) or 0) < SECONDS_FOR_ONE_ROUND
            ):
                yield "graphs.py", case
            elif (
                case in pipelines.CASES
                and library in pipelines.LIBRARIES_HERE
                and (self.seconds(library, case) or 0) < SECONDS_FOR_ONE_ROUND
            ):
                yield "pipelines.py", case

    def run_column(self, library: str, column: str) -> Figures:
        cases = [
            case
            for case in self.cases
            if case in functions.CASES and (self.seconds(column, case) or 0) < SECONDS_FOR_ONE_ROUND
        ]
        figures = run_functions(column, cases)
        for case in figures:
            version = figures[case].pop("version", "")
            if version and library != OURS:
                self.versions[library] = version
        return figures

    def drop(self, library: str, reason: str) -> None:
        if library == OURS:
            sys.exit(f"bench: {OURS} failed: {reason}")
        say(f"{library} is left out: {reason}")
        self.missing[library] = reason
        self.libraries = [other for other in self.libraries if other != library]

    def mark_wrong_results(self) -> None:
        for case in self.cases:
            checks = {
                library: self.best[library][case]["check"]
                for library in self.everyone
                if "check" in self.best[library].get(case, {})
            }
            if len(checks) < 2:
                continue
            # NaN cannot be ordered, and would make the median depend on its position.
            numbers = [check for check in checks.values() if not math.isnan(check)]
            usual = statistics.median(numbers or [math.nan])
            for library, check in checks.items():
                # Written so that NaN is wrong too.
                if not abs(check - usual) <= CHECK_TOLERANCE * max(abs(check), abs(usual)):
                    error = f"wrong result: check sum {check:g}, the others have {usual:g}"
                    self.best[library][case] = {"error": error}

    def seconds(self, library: str, case: str) -> float | None:
        return self.best[library].get(case, {}).get("seconds")

    def errors(self, library: str) -> dict[str, str]:
        figures = self.best[library]
        return {case: figures[case]["error"] for case in figures if "error" in figures[case]}


# --- The report -----------------------------------------------------------------------------------


def cpu_model() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    match = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return match[1] if match else platform.processor()


def machine() -> dict:
    return {
        "date": datetime.date.today().isoformat(),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
    }


def report(result: Comparison, where: dict) -> None:
    known = {library: version for library, version in result.versions.items() if version}
    versions = ", ".join(f"{library} {version}" for library, version in known.items())
    print(f"\n{where['date']}, {where['cpu']}, {where['cores']} cores; {versions or 'no peers'}\n")
    print(all_tables(result))
    for library, reason in result.missing.items():
        print(f"missing: {library}: {reason}")
    for library in result.everyone:
        for case, error in result.errors(library).items():
            print(f"error: {library}: {case}: {error}")


def write_json(path: Path, result: Comparison, where: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "machine": where,
        "versions": result.versions,
        "missing": result.missing,
        "results": {
            case: {lib: r[case] for lib, r in result.best.items() if case in r}
            for case in result.cases
        },
    }
    path.write_text(json.dumps(content, indent=1) + "\n")
    say(f"wrote {path}")


# --- The command line ---------------------------------------------------------------------------


def parse_arguments() -> argparse.Namespace:
    def names(text: str) -> list[str]:
        return [name for name in text.split(",") if name]

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--cases", type=names, default=["*"], help="comma-separated names or patterns: matmul_*"
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often each library runs (3)")
    parser.add_argument(
        "--libs",
        type=names,
        default=list(LIBRARIES),
        help=f"peers to run, of {','.join(LIBRARIES)}; '' for none",
    )
    parser.add_argument(
        "--no-setup", action="store_true", help="take the peers as they are installed"
    )
    parser.add_argument(
        "--bench",
        type=Path,
        default=ROOT / "build/release/penstock_bench",
        help="the C++ benchmarks",
    )
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build/bench/results.json", help="where the JSON goes"
    )
    options = parser.parse_args()
    if unknown := set(options.libs) - set(LIBRARIES):
        parser.error(f"no peer {', '.join(sorted(unknown))}; there are {', '.join(LIBRARIES)}")
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    options.cases = [c for c in ALL_CASES if any(fnmatch.fnmatch(c, p) for p in options.cases)]
    if not options.cases:
        parser.error(f"no such case; there are {', '.join(ALL_CASES)}")
    if not options.bench.exists():
        parser.error(f"{options.bench} is missing; `make bench` builds it")
    return options


def main() -> int:
    options = parse_arguments()
    where = machine()
    missing = {} if options.no_setup else set_up_peers(options.libs)
    peers = [library for library in options.libs if library not in missing]
    result = Comparison(options.bench, [OURS, *peers], options.cases)
    result.missing.update(missing)
    result.run(options.rounds)
    report(result, where)
    write_json(options.out, result, where)
    return 1 if result.errors(OURS) else 0


if __name__ == "__main__":
    sys.exit(main())
