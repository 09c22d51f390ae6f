"""Asks both sides for their answers to a program, and says how they differ."""

from __future__ import annotations

import compare
from compare import Difference
from workers import Crash, Worker

TENSORFLOW_MODES = ("function", "open", "v1", "v1open", "first")


class Judge:
    def __init__(self, penstock: Worker, tensorflow: Worker, ignored=()):
        self.penstock, self.tensorflow = penstock, tensorflow
        self.ignored = set(ignored)
        self.compared = 0

    def differences(self, program, modes=None) -> list[Difference]:
        """All differences of a program, in the given modes of it."""
        wanted = [m for m in program["modes"] if modes is None or m in modes or m == "eager"]
        theirs_wanted = theirs_of(program, wanted) if modes is None else set(wanted) - {"jit"}
        try:
            self.tensorflow.send("run", program["text"], sorted(theirs_wanted))
            try:
                ours = self.penstock.ask("run", program["text"], wanted)
            except Crash as crash:
                self.tensorflow.receive()
                kind = "crash" if "crash" in str(crash) else "hang"
                return [Difference(kind, "", "", str(crash))]
            theirs = self.tensorflow.receive()
        except Crash:
            return []  # TensorFlow itself
        found = []
        for mode in wanted:
            found += compare.alone(ours[mode], mode)
            if mode in theirs:
                found += compare.against(ours[mode], theirs[mode], mode, theirs.get("eager"))
                self.compared += len(compare.results(theirs[mode])) or 1
            elif mode != "eager" and "eager" in ours:
                found += self.among(program, ours, theirs, mode)
        return [each for each in found if each.kind not in self.ignored]

    def among(self, program, ours, theirs, mode) -> list[Difference]:
        """A mode that TensorFlow was not asked for, next to the eager run. Where they differ it is
        asked: it may see a difference too."""
        found = compare.among(ours[mode], ours["eager"], mode)
        if not found:
            return []
        answer = self.their(program, "function" if mode == "jit" else mode)
        if answer is None:
            return []
        if answer["error"]:
            both = ours[mode]["error"] and mode != "jit"
            return compare.against(ours[mode], answer, mode, theirs["eager"]) if both else []
        if theirs["eager"]["error"] or compare.values_differ(answer, theirs["eager"]):
            return compare.against(ours[mode], answer, mode, theirs["eager"])
        return found

    def their(self, program, mode):
        try:
            return self.tensorflow.ask("run", program["text"], [mode])[mode]
        except Crash:
            return None

    def is_unstable(self, program, mode) -> bool:
        """Whether TensorFlow's own answer moves when the arguments do, in their last digits."""
        try:
            first = self.tensorflow.ask("run", program["text"], [mode])[mode]
            for shift in (2e-7, -3e-7):
                other = self.tensorflow.ask("run", program["text"], [mode], shift)[mode]
                a, b = compare.results(first), compare.results(other)
                if any(compare.unlike(a[k], b[k]) for k in a if k in b):
                    return True
        except Crash:
            pass
        return False


def theirs_of(program, wanted) -> set:
    """TensorFlow's modes for a program: eager and, for every other one, one of the others in turn.
    (Penstock's modes are compared among each other, and where they differ it is asked again.)"""
    if "script" in wanted:
        return {"script"}
    possible = [mode for mode in TENSORFLOW_MODES if mode in wanted]
    number = int(program["name"].split(":")[-1]) if ":" in program["name"] else 0
    is_asked = possible and number % 2 == 0
    return {"eager", possible[number // 2 % len(possible)]} if is_asked else {"eager"}
