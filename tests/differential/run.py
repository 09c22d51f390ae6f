#!/usr/bin/env python3
"""The differential tester: random programs under penstock, in every mode, and under TensorFlow.

make differential ARGS="--programs 20000 --seed 1"

Differences are minimised and written to the folder --out, a file for each; the summary counts them
by kind. compare.py says what counts as one. The exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import time
from collections import Counter
from pathlib import Path

import corpus
import families
import known
from judge import Judge
from minimise import minimise
from workers import Crash, Worker

ROOT = Path(__file__).resolve().parents[2]
CALLED = re.compile(
    r"\b(?:tf|v1|tape|optimizer|session|g)\.[\w.]+|\[[^\]]*:[^\]]*\]| [-+*/%@<>=!&|^]+ "
)


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=1000, help="how many (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="which (default: 1)")
    parser.add_argument("--first", type=int, default=0, help="the first program's number")
    parser.add_argument("--only", default="", help="families, separated by commas")
    parser.add_argument("--ignore", default="", help="kinds of differences to pass over")
    parser.add_argument(
        "--peers", default=".venv-peers/bin/python", help="a Python with TensorFlow"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "differential")
    parser.add_argument("--keep", type=int, default=2, help="files for each sort of difference")
    parser.add_argument("--program", type=Path, help="one program, from a file, in all modes")
    parser.add_argument("--keep-as", help="puts --program into the corpus, under this name")
    return parser.parse_args()


def sort_of(program, difference) -> str:
    """What a difference is filed under: its kind, and the call that it begins with."""
    lines = program["text"].splitlines()
    line = lines[difference.line - 1] if 0 < difference.line <= len(lines) else ""
    name = difference.name.split(" #")[0].removeprefix("state ")
    if not line and name:
        line = next(
            (each for each in lines if re.match(rf"\s*{re.escape(name)}(, \w+)* = ", each)), ""
        )
    called = CALLED.findall(line.partition(" = ")[2] or line)
    return f"{difference.kind} {called[0].strip() if called else program['family']}"


def is_alike(one, other) -> bool:
    """Whether two differences are of one kind; for errors, with the same beginning of the text."""
    if (one.kind, one.mode) != (other.kind, other.mode):
        return False
    is_error = one.kind in ("lenient", "refused", "class", "internal") or not other.name
    return not is_error or beginnings(one.detail) == beginnings(other.detail)


def beginnings(detail) -> list[str]:
    """The first words of both sides."""
    return [side[:45] for side in re.split(r"\n(?=penstock:)", detail)]


class Tester:
    def __init__(self, judge, out, keep):
        self.judge, self.out, self.keep = judge, out, keep
        self.kinds, self.sorts, self.families = Counter(), Counter(), Counter()
        self.reasons = Counter()
        self.programs = self.differing = self.rounding = self.known = 0
        out.mkdir(parents=True, exist_ok=True)

    def check(self, program) -> None:
        self.programs += 1
        self.families[program["family"]] += 1
        found = self.judge.differences(program)
        if not found:
            return
        values = [each for each in found if each.kind in ("value", "shape")]
        if values and self.judge.is_unstable(program, values[0].mode):
            found = [each for each in found if each.kind not in ("value", "shape")]
            if not found:
                self.rounding += 1
                return
        reasons = [known.reason(program, each) for each in found]
        self.reasons.update(set(filter(None, reasons)))
        found = [each for each, why in zip(found, reasons, strict=True) if why is None]
        if not found:
            self.known += 1
            return
        self.differing += 1
        for sort, each in {sort_of(program, each): each for each in reversed(found)}.items():
            self.kinds[each.kind] += 1
            self.sorts[sort] += 1
            if self.sorts[sort] <= self.keep:
                self.write(program, each, sort)

    def write(self, program, difference, sort) -> None:
        def shows(text):
            try:
                compile(text, "<program>", "exec")
            except (SyntaxError, ValueError):
                return False
            other = dict(program, text=text)
            return any(
                is_alike(d, difference) for d in self.judge.differences(other, {difference.mode})
            )

        for worker in (self.judge.penstock, self.judge.tensorflow):
            worker.patience = 6.0  # a loop may lose its end
        try:
            text = minimise(program["text"], shows) if shows(program["text"]) else program["text"]
        except (AttributeError, ValueError) as error:  # a text that cannot be taken apart
            text = f"# not minimised: {error}\n{program['text']}"
        smaller = dict(program, text=text)
        found = [
            d
            for d in self.judge.differences(smaller, {difference.mode})
            if d.kind == difference.kind
        ]
        last = found[0] if found else difference
        for worker in (self.judge.penstock, self.judge.tensorflow):
            worker.patience = 60.0
        head = f"{program['name']} {program['family']}: {last.kind}, {last.mode}, {last.name}\n{last.detail}"
        comment = "".join(f"# {line}\n" for line in head.splitlines())
        name = re.sub(r"\W+", "_", f"{sort} {program['name']}").strip("_")
        (self.out / f"{name}.py").write_text(comment + text)

    def summary(self, seconds) -> str:
        lines = [f"differential: {self.programs} programs, {self.judge.compared} results compared,"
                 f" {self.differing} differ ({self.known} more for known reasons,"
                 f" {self.rounding} by rounding only), {seconds:.0f} s"]  # fmt: skip
        lines += [f"  {count:6} {family}" for family, count in self.families.most_common()]
        lines += [f"  {count:6} {kind}" for kind, count in self.kinds.most_common()]
        lines += [f"  {count:6} {why}" for why, count in self.reasons.most_common()]
        return "\n".join(lines)


def one(judge, path, name) -> int:
    """A single program, in all modes; it may go into the corpus."""
    text = path.read_text()
    modes = families.MODES if "CALLS = " in text else ("script",)
    modes = families.CONVERTED if "AUTOGRAPH" in text or "STATE" in text else modes
    program = {"text": text, "modes": modes, "family": "file", "name": "file"}
    found = judge.differences(program, set(modes))
    for each in found:
        print(f"{each.kind}, {each.mode}, {each.name}\n{each.detail}")
    if name:
        asked = [mode for mode in modes if mode != "jit"]
        corpus.save(name, text, judge.tensorflow.ask("run", text, asked))
    return 1 if found else 0


def test_all(tester, theirs, seed, numbers, only, start) -> None:
    shown = start
    for index in numbers:
        try:
            program = theirs.ask("make", seed, index, only)
        except Crash:
            continue  # a program that TensorFlow does not survive
        tester.check(program)
        if time.monotonic() - shown > 20:
            shown = time.monotonic()
            rate = tester.programs / (shown - start)
            print(
                f"{tester.programs} programs, {rate:.1f} a second, {tester.differing} differ",
                flush=True,
            )


def main() -> int:
    given = options()
    ours = Worker(sys.executable, "penstock")
    theirs = Worker(given.peers, "tensorflow", lifetime=2500)
    judge = Judge(ours, theirs, filter(None, given.ignore.split(",")))
    tester = Tester(judge, given.out, given.keep)
    if given.program:
        return one(judge, given.program, given.keep_as)
    only = tuple(filter(None, given.only.split(",")))
    numbers = range(given.first, given.first + given.programs)
    start = time.monotonic()
    with contextlib.suppress(KeyboardInterrupt):  # what was found until then is summed up
        test_all(tester, theirs, given.seed, numbers, only, start)
    for worker in (ours, theirs):
        worker.stop()
    print(tester.summary(time.monotonic() - start))
    for sort, count in tester.sorts.most_common(200):
        print(f"    {count:5} {sort}")
    return 1 if tester.differing else 0


if __name__ == "__main__":
    sys.exit(main())
