"""The memory plan of a function: what a call will hold, and when, before it runs."""

from __future__ import annotations


def size_text(count: int) -> str:
    """A number of bytes for people."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"


class MemoryPlan:
    """Bytes besides inputs, variables and constants. A call's measured peak is `peak_bytes`."""

    def __init__(self, fields, name):
        self.name = name
        self.peak_bytes = fields["peak_bytes"]
        self.arena_bytes = fields["arena_bytes"]
        self.output_bytes = fields["output_bytes"]
        self.constant_bytes = fields["constant_bytes"]
        self.lower_bound = fields["lower_bound"] + fields["output_bytes"]
        self.instructions = fields["instructions"]
        self.timeline = fields["timeline"]
        self.values = fields["values"]
        self.peak_instruction = fields["peak_instruction"]

    @property
    def live_at_peak(self):
        """What the fullest moment holds, largest first."""
        at = self.peak_instruction
        live = [
            value
            for value in self.values
            if value["kind"] == "output" or value["first"] <= at <= value["last"]
        ]
        return sorted(live, key=lambda value: -value["bytes"])

    @property
    def by_kind(self):
        """The bytes of the fullest moment, by what they are for."""
        sums = {}
        for value in self.live_at_peak:
            sums[value["kind"]] = sums.get(value["kind"], 0) + value["bytes"]
        return sums

    def __str__(self):
        lines = [
            f"{self.name}: peak {size_text(self.peak_bytes)} ({self.peak_bytes} bytes), "
            f"lower bound {self.lower_bound}, {len(self.instructions)} instructions"
        ]
        if self.peak_instruction >= 0:
            lines.append(f"  at {self.instructions[self.peak_instruction]}:")
        for value in self.live_at_peak[:10]:
            shape = "x".join(map(str, value["shape"])) or "scalar"
            lines.append(
                f"  {size_text(value['bytes']):>10}  {value['kind']:<10} {value['op']} {shape}"
                f"  {value['line']}"
            )
        return "\n".join(lines)
