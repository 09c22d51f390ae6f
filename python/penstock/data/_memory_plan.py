"""tf.data.MemoryPlan: what the iterators of a dataset will hold."""

from __future__ import annotations

from dataclasses import dataclass

from penstock._api import public


@dataclass(frozen=True)
class PlannedBuffer:
    """Something that a stage holds."""

    stage: str
    what: str
    bytes: int | None  # None if it depends on the elements
    is_exact: bool
    is_spilled: bool
    unknown: str
    file: str
    line: int


@public("data.MemoryPlan")
class MemoryPlan:
    """What an iterator will hold, before it runs.

    Attributes:
      buffers: The buffers, a stage at a time: `what` they hold, `bytes`, whether that `is_exact`,
        what is `unknown`, and the `file` and `line` that made the stage.
      peak_bytes: The most bytes under the tag `dataset`, as far as they are known.
      function_bytes: The plans of the functions that run at the same time.
      is_exact: Whether all buffers are exact.
    """

    def __init__(self, plan):
        self.buffers = [PlannedBuffer(**each) for each in plan["buffers"]]
        self.peak_bytes = plan["peak_bytes"]
        self.function_bytes = plan["function_bytes"]
        self.is_exact = plan["is_exact"]

    def __repr__(self):
        return (
            f"<MemoryPlan peak_bytes={self.peak_bytes} function_bytes={self.function_bytes} "
            f"is_exact={self.is_exact}>"
        )

    def __str__(self):
        lines = [f"{'bytes':>14}  stage         what"]
        for each in self.buffers:
            size = "unknown" if each.bytes is None else f"{each.bytes:,}"
            what = each.what + (f" ({each.unknown} is not known)" if each.unknown else "")
            where = f"  {each.file}:{each.line}" if each.line else ""
            lines.append(f"{size:>14}  {each.stage:<12}  {what}{where}")
        total = f"{self.peak_bytes:,}"
        lines.append(f"{total:>14}  at the same time{'' if self.is_exact else ', as far as known'}")
        lines.append(f"{self.function_bytes:>14,}  in functions")
        return "\n".join(lines)
