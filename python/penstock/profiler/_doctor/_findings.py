"""Findings: what the doctor says about a program, for people and for machines."""

from __future__ import annotations

import dataclasses
import textwrap

from penstock._api import public
from penstock.profiler._doctor._source import Site, shown, text_of

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def size(count) -> str:
    """Bytes for people: "512 B", "3.8 MiB"."""
    value, unit = float(count), 0
    while abs(value) >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.0f} {_UNITS[unit]}" if unit == 0 else f"{value:.1f} {_UNITS[unit]}"


@public("profiler.Finding")
@dataclasses.dataclass
class Finding:
    """One cause of growth or waste at one line, how much it is, and what to write instead."""

    cause: str  # "retracing": the name of its page in docs/findings
    title: str
    file: str
    line: int
    text: str
    growth_bytes: int = 0  # over `steps`
    growth_per_step: float = 0.0
    steps: int = 0
    fix: str = ""  # code

    @property
    def site(self):
        return Site(self.file, self.line)

    def as_dict(self) -> dict:
        """The finding as a report or a profile has it."""
        return dataclasses.asdict(self) | {"file": shown(self.file)}

    def __str__(self):
        lines = [f"{self.title} [{self.cause}]", f"  {self.site}   {text_of(self.site)}".rstrip()]
        lines += textwrap.wrap(self.text, 94, initial_indent="  ", subsequent_indent="  ")
        if self.growth_bytes > 0:
            lines.append(
                f"  growth: {size(self.growth_per_step)} per iteration, {size(self.growth_bytes)} "
                f"in {self.steps:,} iterations"
            )
        if self.fix:
            lines += ["  fix:", textwrap.indent(self.fix.strip("\n"), "    ")]
        return "\n".join(lines)


def report(findings, program) -> str:
    """All findings as the command prints them."""
    if not findings:
        return f"penstock doctor: nothing found in {program}"
    count = f"{len(findings)} finding" + ("s" if len(findings) > 1 else "")
    parts = [f"penstock doctor: {count} in {program}"]
    parts += [f"{number}. {finding}" for number, finding in enumerate(findings, 1)]
    return "\n\n".join(parts)
