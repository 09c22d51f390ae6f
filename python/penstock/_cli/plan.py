"""`penstock plan FILE.csv`: offsets for blocks with lifetimes, and their quality.

A row of the file is a block: a name in `id`, the moments [lower, upper) in which it lives, its
`size` in bytes. The columns may come in any order, and others are ignored.
"""

import argparse
import csv
import io
import json
import sys

from penstock._cli import options as _command_line

COLUMNS = ("lower", "upper", "size")
DESCRIPTION = """\
Finds an offset for every block of FILE.csv (columns id, lower, upper, size: a block lives in
[lower, upper) and has size bytes), so that blocks that live together do not overlap and the
height is least. Ends as soon as the layout is proved to be the lowest."""
EXAMPLES = """\
  printf 'id,lower,upper,size\\na,0,2,100\\nb,1,3,50\\nc,2,4,100\\n' > blocks.csv
  penstock plan blocks.csv
  penstock plan --out placed.csv --alignment 64 --time-limit 10 blocks.csv"""


class BadFileError(Exception):
    """A file that cannot be planned; the text says where and why."""


def _number(text, column, line):
    try:
        value = int(text)
    except (TypeError, ValueError):
        raise BadFileError(f"line {line}: {column} is not a whole number: {text!r}") from None
    if not -(2**63) <= value < 2**63:
        raise BadFileError(f"line {line}: {column} does not fit in 64 bits: {text}")
    return value


def read(file):
    """The ids and the columns lower, upper and size of a CSV file."""
    rows = csv.DictReader(file, skipinitialspace=True)
    names = [name.strip() for name in rows.fieldnames or ()]
    missing = [name for name in ("id", *COLUMNS) if name not in names]
    if missing:
        raise BadFileError(f"line 1: no column {', '.join(missing)} in the header")
    rows.fieldnames = names
    ids, columns = [], {name: [] for name in COLUMNS}
    for row in rows:
        line = rows.line_num
        numbers = {name: _number(row[name], name, line) for name in COLUMNS}
        if numbers["size"] < 0:
            raise BadFileError(f"line {line}: the size is negative: {numbers['size']}")
        if numbers["upper"] <= numbers["lower"]:
            raise BadFileError(
                f"line {line}: upper ({numbers['upper']}) is not greater than lower "
                f"({numbers['lower']})"
            )
        ids.append(row["id"])
        for name in COLUMNS:
            columns[name].append(numbers[name])
    return ids, columns


def write(path, ids, columns, offsets):
    from penstock._base.files import write_whole

    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("id", *COLUMNS, "offset"))
    rows.writerows(zip(ids, *(columns[name] for name in COLUMNS), offsets, strict=True))
    write_whole(path, text.getvalue())


def _show_progress(height, bound, seconds):
    gap = 100 * (height / bound - 1)
    print(f"\r{seconds:6.1f} s  height {height:,}  gap {gap:.3f} % ", end="", file=sys.stderr)
    sys.stderr.flush()


def plan(options) -> int:
    """Plans the offsets of a file and prints the result."""
    from penstock import _core, errors

    watched = sys.stderr.isatty()
    try:
        with open(options.file, newline="", encoding="utf-8-sig") as file:
            ids, columns = read(file)
        layout = _core.plan_offsets(
            *(columns[name] for name in COLUMNS),
            options.alignment,
            options.time_limit,
            options.seed,
            _show_progress if watched else None,
        )
        if options.out:
            write(options.out, ids, columns, layout["offsets"])
    except (OSError, UnicodeDecodeError, csv.Error, BadFileError, errors.OpError) as error:
        print(f"penstock plan: {options.file}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    finally:
        if watched:
            print("\r\x1b[K", end="", file=sys.stderr)
    if options.json:
        print(json.dumps({key: layout[key] for key in ("height", "lower_bound", "gap", "seconds")}))
        return 0
    print(f"height       {layout['height']:,}")
    print(f"lower bound  {layout['lower_bound']:,}")
    print(f"gap          {100 * layout['gap']:.4f} %")
    print(f"time         {layout['seconds']:.3f} s ({layout['stage']})")
    return 0


def _positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("less than 1")
    return value


def _seed(text):
    value = int(text)
    if not 0 <= value < 2**64:
        raise argparse.ArgumentTypeError("not within 64 bits")
    return value


def _seconds(text):
    value = float(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError("negative")
    return value


def add_to(commands):
    command = _command_line.parser(
        commands.add_parser,
        "plan",
        help="offsets in one arena for blocks with lifetimes",
        description=DESCRIPTION,
        examples=EXAMPLES,
    )
    command.add_argument("file", metavar="FILE.csv", help="the blocks")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.add_argument("--out", metavar="FILE", help="write the rows with their offset")
    command.add_argument(
        "--time-limit",
        type=_seconds,
        default=60.0,
        metavar="SECONDS",
        help="when to stop; default: 60",
    )
    command.add_argument(
        "--alignment",
        type=_positive,
        default=1,
        metavar="BYTES",
        help="alignment of every offset; default: 1",
    )
    command.add_argument(
        "--seed", type=_seed, default=0, help="of the randomised search; default: 0"
    )
    command.set_defaults(function=plan)
