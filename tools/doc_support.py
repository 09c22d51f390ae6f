#!/usr/bin/env python3
"""Keeps the support table of docs/from_tensorflow.md true: which of the names in
docs/tensorflow_names.txt the package has. Without --check it rewrites the table.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "from_tensorflow.md"
NAMES = ROOT / "docs" / "tensorflow_names.txt"
MARKED = re.compile(r"(<!-- support -->\n).*?(<!-- end -->)", re.S)
# Namespaces that have their own row, though they are inside another.
INNER = ("tf.compat.v1", "tf.experimental.numpy")
SHOWN = 12  # missing names of a namespace that are listed


def names() -> list[str]:
    """TensorFlow's public names, the most used first."""
    lines = NAMES.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def is_there(name: str) -> bool:
    import penstock

    value = penstock
    for part in name.split(".")[1:]:
        # What programs call tf.Tensor has its methods in the class of eager tensors.
        value = penstock._core.EagerTensor if value is penstock.Tensor else value
        try:
            value = getattr(value, part)
        except AttributeError:
            return False
    return True


def namespace(name: str) -> str:
    """The row of a name: its module, or its class."""
    inner = next((inner_name for inner_name in INNER if name.startswith(inner_name + ".")), None)
    return inner or ".".join(name.split(".")[: 2 if name.count(".") > 1 else 1])


def row(name: str, members: list[str], missing: list[str]) -> str:
    text = ", ".join(
        f"`{missing_name.removeprefix(name + '.')}`" for missing_name in missing[:SHOWN]
    )
    if len(missing) > SHOWN:
        text += f" and {len(missing) - SHOWN} more"
    return f"| `{name}` | {len(members) - len(missing)} of {len(members)} | {text} |"


def table() -> str:
    listed = names()
    missing = {name for name in listed if not is_there(name)}
    groups = {}
    for name in listed:
        groups.setdefault(namespace(name), []).append(name)
    whole, none, rows = [], [], []
    for name, members in groups.items():
        lacks = [member for member in members if member in missing]
        if 0 < len(lacks) < len(members):
            rows.append(row(name, members, lacks))
        else:
            (none if lacks else whole).append(f"`{name}` ({len(members)})")
    counts = [
        f"{n - len(missing.intersection(listed[:n]))} of the first {n}" for n in (50, 100, 200)
    ]
    counts.append(f"{len(listed) - len(missing)} of all {len(listed)}")
    return "\n".join(
        [
            f"**Supported**: {', '.join(counts)}.\n",
            f"**Complete**, as far as they are used (number of names): {', '.join(whole)}.\n",
            "**Partly supported**:\n",
            "| names | there | missing, most used first |",
            "|---|---|---|",
            *rows,
            f"\n**Not supported** yet: {', '.join(none)}.\n",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether it is out of date")
    args = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    now = MARKED.sub(lambda match: match[1] + table() + match[2], text)
    if now == text:
        return
    if args.check:
        sys.exit("doc_support: the support table is out of date (make docs-support)")
    PAGE.write_text(now, encoding="utf-8")


if __name__ == "__main__":
    main()
