"""The memory plan of a function: the memory of a call, and when, before it runs."""

from __future__ import annotations

import os
from pathlib import Path

from penstock._api import public
from penstock._base.files import write_whole


def size_text(count: int) -> str:
    """A number of bytes in readable form."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"


class PlannedValue:
    """A value that is live from instruction `first` to `last`."""

    def __init__(self, fields):
        self.op, self.tag = fields.pop("name"), fields.pop("kind")
        vars(self).update(fields)

    def type_text(self) -> str:
        """ "float32[2,3]"; scratch memory has no dtype."""
        if self.dtype is None:
            return "bytes"
        return f"{self.dtype.name}[{','.join(map(str, self.shape))}]"

    def __repr__(self):
        at = f" at {self.line}" if self.line else ""
        return f"<{self.tag} {self.op} {self.type_text()}: {self.bytes} bytes{at}>"


class PlannedLoop:
    """A loop of a plan, or the gradient of one, which keeps some of the loop's states and makes
    the others again: `forward_steps` of them. `trips` is None when it is known only later."""

    def __init__(self, fields):
        self._checkpoints, self._after = fields.pop("checkpoints"), fields.pop("checkpoints_after")
        self._most_checkpoints = fields.pop("most_checkpoints")
        vars(self).update(fields)
        self.trips = None if self.trips < 0 else self.trips
        self.forward_steps = None if self.forward_steps < 0 else self.forward_steps

    def checkpoints(self, steps=None) -> int | None:
        """How many states are kept; for a loop of which the number of steps is not known, after
        so many."""
        if self.trips is not None:
            return self._checkpoints
        return None if steps is None else self._after(steps)

    def __repr__(self):
        steps = "n" if self.trips is None else self.trips
        at = f" at {_short(self.line)}" if self.line else ""
        text = f"{self.name}{at}: {steps} steps, state {size_text(self.state_bytes)}"
        if not self.is_gradient:
            return text
        is_limit = self.trips is None and self._checkpoints >= 0
        kept = f"{'at most ' if is_limit else ''}{self._most_checkpoints}"
        again = "" if self.forward_steps is None else f", {self.forward_steps} steps forwards"
        place = " in a file" if self.is_in_file else ""
        return f"{text}, {kept} states kept{place}{again}"


class MemoryPlan:
    """Bytes in addition to inputs, variables and constants. A call's measured peak is
    `peak_bytes`.

    The attributes are the fields of C++'s MemoryPlan (penstock/exec/memory_plan.h)."""

    def __init__(self, fields, name):
        self.name = name
        self._peak_bytes_after = fields.pop("peak_bytes_after")
        vars(self).update(fields)
        self.lower_bound += self.output_bytes  # for the whole call, not only the arena
        self.values = [PlannedValue(value) for value in self.values]
        self.loops = [PlannedLoop(loop) for loop in self.loops]

    @property
    def is_exact(self) -> bool:
        """Whether a call holds exactly `peak_bytes`."""
        return not self.unknown

    def peak_bytes_after(self, steps: int) -> int:
        """The peak when loops that are differentiated take so many steps, where the plan does not
        know how many they take."""
        return self._peak_bytes_after(steps)

    @property
    def peak_op(self) -> str:
        """The op that runs at the peak."""
        return self.instructions[self.peak_instruction] if self.peak_instruction >= 0 else ""

    @property
    def live_at_peak(self):
        """The values live at the peak, largest first."""
        at = self.peak_instruction
        live = [
            value
            for value in self.values
            if value.tag == "output" or value.first <= at <= value.last
        ]
        return sorted(live, key=lambda value: -value.bytes)

    @property
    def by_tag(self) -> dict[str, int]:
        """The bytes at the peak, by tag."""
        sums = {}
        for value in self.live_at_peak:
            sums[value.tag] = sums.get(value.tag, 0) + value.bytes
        return sums

    def holders(self, most=10) -> list[str]:
        """The largest of `live_at_peak`, one per line."""
        live = self.live_at_peak
        rows = [
            (size_text(value.bytes), value.tag, value.op, value.type_text(), _short(value.line))
            for value in live[:most]
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        rest = sum(value.bytes for value in live[most:])
        if rest:
            lines.append(f"{size_text(rest)} in {len(live) - most} more")
        return lines

    def __str__(self):
        tags = ", ".join(f"{tag} {size_text(size)}" for tag, size in self.by_tag.items())
        lines = [
            f"{self.name}: peak {size_text(self.peak_bytes)} ({self.peak_bytes} bytes), at least "
            f"{self.lower_bound}; {len(self.instructions)} instructions",
        ]
        if self.peak_instruction >= 0:
            lines.append(f"fullest at {self.peak_op} ({self.peak_instruction}): {tags}")
        lines += ["  " + line for line in self.holders()]
        lines += [repr(loop) for loop in self.loops]
        if self.unknown:
            lines.append("known only when they run, and not in the peak:")
            lines += ["  " + op for op in self.unknown]
        return "\n".join(lines)

    def text(self) -> str:
        """What `save` writes: the totals, then each value with its op, its type and its bytes."""
        lines = [
            f"# memory plan of {self.name}",
            f"peak_bytes {self.peak_bytes}",
            f"arena_bytes {self.arena_bytes}",
            f"output_bytes {self.output_bytes}",
        ]
        lines += [f"# not planned: {_short(op)}" for op in self.unknown]
        for value in sorted(self.values, key=lambda value: value.first):
            lines.append(f"{_identity(value)} {value.bytes}  # {_short(value.line)}")
        return "\n".join(line.removesuffix("  # ") for line in lines) + "\n"

    def save(self, path) -> None:
        """Writes the plan as a text that can be committed, for `check`."""
        write_whole(path, self.text())

    def check(self, path) -> None:
        """AssertionError when the plan is not the saved one any more; it names what grew. Where
        the lines of the program have moved makes no difference. ValueError when the file is no
        plan."""
        try:
            saved = _read(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is not a saved memory plan: {error}") from error
        now = _read(self.text())
        if saved == now:
            return
        (old_totals, old_rows), (totals, rows) = saved, now
        changes = [
            f"  {name} {old_totals.get(name)} -> {size}"
            for name, size in totals.items()
            if old_totals.get(name) != size
        ]
        raise AssertionError(
            "\n".join(
                [
                    f"the memory plan of {self.name} is not the one in {path}:",
                    *changes,
                    *_differences(old_rows, rows),
                    "(plan.save(path) takes over the new one)",
                ]
            )
        )


def _short(line: str) -> str:
    return os.path.basename(line)


def _identity(value) -> str:
    return f"{value.tag} {value.op} {value.type_text()}"


def _read(text: str):
    """({total: bytes}, [(tag, op, type, bytes)]) of a plan's text."""
    totals, rows = {}, []
    for number, line in enumerate(text.splitlines(), start=1):
        *parts, size = line.partition("#")[0].split() or [None]
        if size is None:
            continue
        if len(parts) in (0, 2) or not (size.isdecimal() and size.isascii()):
            raise ValueError(f"line {number}: {line[:60]!r} is neither a total nor a value")
        if len(parts) == 1:
            totals[parts[0]] = int(size)
        else:
            rows.append((*parts, int(size)))
    if "peak_bytes" not in totals:
        raise ValueError("there is no peak_bytes in it")
    return totals, rows


def _differences(old, new) -> list[str]:
    """The values that were added, removed or grew, in program order."""
    import difflib

    lines = []
    matcher = difflib.SequenceMatcher(None, [row[:2] for row in old], [row[:2] for row in new])
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            for before, after in zip(old[a:b], new[c:d], strict=True):
                if before != after:
                    lines.append(
                        f"  {after[1]} ({after[0]}): {before[2]} {before[3]} -> {after[2]} "
                        f"{after[3]} bytes"
                    )
            continue
        lines += [f"  - {row[1]} ({row[0]}): {row[2]} {row[3]} bytes" for row in old[a:b]]
        lines += [f"  + {row[1]} ({row[0]}): {row[2]} {row[3]} bytes" for row in new[c:d]]
    return lines


@public("debugging.assert_peak")
def assert_peak(function, bytes, *args, **kwargs) -> None:
    """AssertionError when a call of a tf.function with such arguments would hold more than so many
    bytes (a number, or a text such as "64MiB") besides its inputs, variables and constants."""
    from penstock import _core

    most = _core.parse_bytes(bytes) if isinstance(bytes, str) else bytes
    plan = function.memory_plan(*args, **kwargs)
    if plan.peak_bytes > most:
        raise AssertionError(f"more than {most} bytes: {plan}")
