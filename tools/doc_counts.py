#!/usr/bin/env python3
"""Keeps the counts in the documentation true: a number between

    <!-- count: NAME --> and <!-- end -->

is what this script counts under that name. Without --check it rewrites them.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md",)
MARKED = re.compile(r"(<!-- count: ([\w ]+) -->)([^<]*)(<!-- end -->)")


def count_ops(root: Path) -> int:
    listed = (root / "src" / "ops" / "op_list.inc").read_text()
    return len(re.findall(r"^PEN_OP\(\w+\)", listed, re.M))


def count_recorded(root: Path) -> int:
    files = (root / "tests" / "recorded" / "data").glob("*.jsonl")
    return sum(len(path.read_text().splitlines()) for path in files)


COUNTS = {"ops": count_ops, "recorded calls": count_recorded}


def updated(text: str, root: Path) -> str:
    def fill(match: re.Match) -> str:
        return f"{match[1]}{COUNTS[match[2]](root):,}{match[4]}"

    return MARKED.sub(fill, text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say what is out of date")
    args = parser.parse_args()
    stale = []
    for name in PAGES:
        page = ROOT / name
        text = page.read_text()
        if (now := updated(text, ROOT)) != text:
            stale.append(name)
            if not args.check:
                page.write_text(now)
    if args.check and stale:
        sys.exit(f"doc_counts: out of date: {', '.join(stale)} (make docs-counts)")


if __name__ == "__main__":
    main()
