#!/usr/bin/env python3
"""Runs each of malloc_programs once for every heap allocation it makes, with that one failing.

malloc_fault.py PROGRAMS INTERPOSER [NAME…]

A program survives when it exits with status 0. The exit status is 1 if any did not.
"""

import argparse
import os
import signal
import subprocess
import sys

MEANINGS = {3: "wrong result", 4: "the ledger is not balanced", 5: "failed twice"}
MOST = 100_000  # allocations of one program


def run(command, interposer, nth):
    env = {**os.environ, "LD_PRELOAD": interposer, "MALLOC_FAULT_AT": str(nth)}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)


def meaning(status):
    if status < 0:
        return signal.Signals(-status).name
    return MEANINGS.get(status, f"exit status {status}")


def check(programs, interposer, name):
    """(survived, [(nth, what happened)]) over every allocation of the program."""
    whole = run([programs, name], interposer, 0)
    if whole.returncode != 0 or int(whole.stdout.split()[-1]) < 0:
        return 0, [(0, meaning(whole.returncode) + " without any fault")]
    survived, died = 0, []
    for nth in range(1, MOST):
        result = run([programs, name], interposer, nth)
        if result.returncode != 0:
            died.append((nth, f"{meaning(result.returncode)}: {result.stderr.strip()[-200:]}"))
        elif int(result.stdout.split()[-1]) < nth:
            break
        else:
            survived += 1
    return survived, died


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs")
    parser.add_argument("interposer")
    parser.add_argument("names", nargs="*", help="which of the programs; all by default")
    args = parser.parse_args()
    listed = subprocess.run([args.programs, "--list"], capture_output=True, text=True, check=True)
    failed = 0
    print(f"{'program':<16} {'survived':>9} {'died':>5}")
    for name in args.names or listed.stdout.split():
        survived, died = check(args.programs, args.interposer, name)
        print(f"{name:<16} {survived:>9} {len(died):>5}", flush=True)
        for nth, what in died[:10]:
            print(f"  allocation {nth}: {what}")
        failed += len(died)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
