"""Sizes and tables as people read them."""

import os


class Table(str):
    """A text of several lines, which a prompt shows as it is."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


def human(size) -> str:
    """Bytes in the unit that fits, as 1.5 MiB."""
    size = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < 1024:
            return f"{size:,.0f} {unit}" if unit == "B" else f"{size:,.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} TiB"


def aligned(rows, left=1):
    """Rows of texts as lines; the first `left` columns to the left, the others to the right."""
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            text.ljust(width) if i < left else text.rjust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def place(site) -> str:
    """A line of a program, as short as can be: relative to where we are, if it is below."""
    short = os.path.relpath(site.file) if os.path.isabs(site.file) else site.file
    return f"{site.file if short.startswith('..') else short}:{site.line}"


def sites(rows):
    """Lines for (site, bytes, count) of memory in use, sorted by bytes."""
    return aligned(
        [
            (place(site), f"in {site.function}", human(size), f"in {count:,}")
            for site, size, count in rows
        ],
        left=2,
    )
