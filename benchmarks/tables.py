"""The Markdown tables in which run.py shows its results."""

from __future__ import annotations

from itertools import chain, pairwise

OURS = "penstock"
MEMORY_NOISE = 2**20  # of a process, by the operating system's account


def show_time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    for unit, scale in (("ns", 1e9), ("us", 1e6), ("ms", 1e3)):
        if seconds * scale < 1000:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds:.3g} s"


def show_bytes(count: float | None) -> str:
    if count is None:
        return "-"
    for unit, scale in (("MiB", 2**20), ("KiB", 2**10)):
        if count >= scale:
            return f"{count / scale:.4g} {unit}"
    return f"{count:.0f} B"


def show_table(rows: list[list[str]]) -> str:
    """An aligned table; the first row is the head. Prints nothing if there is no other row."""
    if len(rows) < 2:
        return ""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [
        [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        for row in rows
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in [lines[0], rule, *lines[1:]])


def compare(result, case: str, figure: str, show, libraries: list[str], least=0.0) -> list[str]:
    """A row: the figure of every library, and ours divided by the least of the others. What is
    below least counts as that."""
    errors = {library: case in result.errors(library) for library in libraries}
    found = {lib: result.best[lib].get(case, {}).get(figure) for lib in libraries}
    theirs = {lib: n for lib, n in found.items() if lib != OURS and n is not None}
    best = min(theirs, key=theirs.get, default=None)
    has_ratio = found[OURS] is not None and best is not None and max(theirs[best], least) > 0
    return [
        case,
        *("error" if errors[library] else show(n) for library, n in found.items()),
        f"{max(found[OURS], least) / max(theirs[best], least):.2f} {best}" if has_ratio else "-",
    ]


def times_table(result, cases: list[str]) -> str:
    """The core's cases, with the ledger's figures for a call."""
    rows = [["case", *result.libraries, "ratio to best", "allocations", "peak bytes"]]
    for case in cases:
        figures = result.best[OURS].get(case, {})
        allocations, peak = figures.get("allocations"), figures.get("peak_bytes")
        rows.append(
            [
                *compare(result, case, "seconds", show_time, result.libraries),
                f"{allocations:.4g}" if allocations is not None else "-",
                show_bytes(peak),
            ]
        )
    return show_table(rows)


def simple_table(result, title: str, cases: list[str], libraries: list[str]) -> str:
    head = [title, *libraries, "ratio to best"]
    rows = [compare(result, case, "seconds", show_time, libraries) for case in cases]
    return show_table([head, *rows])


def planned_table(result, title: str, cases: list[str], more: dict[str, str] | None = None) -> str:
    """With what the plan says of a call, and how much of that are not its results. `more` has
    other times of ours to show, by title."""
    more = more or {}
    head = [title, *result.columns, "ratio to best", *more, "planned peak", "beyond results"]
    rows = [head]
    for case in cases:
        figures = result.best[OURS].get(case, {})
        times = (show_time(figures.get(name)) for name in more.values())
        planned = (show_bytes(figures.get(name)) for name in ("planned_bytes", "beyond_bytes"))
        row = compare(result, case, "seconds", show_time, result.columns)
        rows.append([*row, *times, *planned])
    return show_table(rows)


def cpu_table(result, cases: list[str], libraries: list[str]) -> str:
    """With the time of one node, or of one loop iteration."""
    each = [f"each, {library}" for library in libraries]
    rows = [["processor time", *libraries, "ratio to best", *each]]
    for case in cases:
        found = (result.best[library].get(case, {}).get("each_seconds") for library in libraries)
        row = compare(result, case, "cpu_seconds", show_time, libraries)
        rows.append([*row, *map(show_time, found)])
    return show_table(rows)


def memory_table(result, cases: list[str], libraries: list[str]) -> str:
    head = ["memory", *libraries, "ratio to best"]
    with_peak = [case for case in cases if "peak_bytes" in result.best[OURS].get(case, {})]
    rows = [
        compare(result, case, "peak_bytes", show_bytes, libraries, least=MEMORY_NOISE)
        for case in with_peak
    ]
    return show_table([head, *rows])


def size_of(case: str) -> float:
    """The number at the end of the case's name: 256k, 4m."""
    text = case.rpartition("_")[2]
    return float(text.rstrip("km")) * {"k": 1e3, "m": 1e6}.get(text[-1], 1)


def sized(cases: list[str]) -> list[str]:
    """Those whose names end with a size."""
    return [case for case in cases if case.rpartition("_")[2][0].isdigit()]


def growth_table(result, cases: list[str], libraries: list[str], figure="seconds") -> str:
    """Of each <what>_<size> family: the factors from one size to the next."""
    families: dict[str, list[str]] = {}
    for case in cases:
        families.setdefault(case.rpartition("_")[0], []).append(case)
    rows = [["growth", "work", *libraries]]
    for family, members in families.items():
        for small, large in pairwise(members):
            factor = round(size_of(large) / size_of(small))
            work = factor**3 if "matmul" in family else factor  # the side of a matrix
            row = [f"{small} to {large.rpartition('_')[2]}", f"x{work}"]
            for library in libraries:
                best = result.best[library]
                before, after = (best.get(case, {}).get(figure) for case in (small, large))
                row.append(f"x{after / before:.1f}" if before and after else "-")
            rows.append(row)
    return show_table(rows)


def all_tables(result) -> str:
    def cases(prefix: str) -> list[str]:
        return [case for case in result.cases if case.startswith(prefix)]

    families = scale, python, functions, loops, graphs, pipelines = [
        cases(prefix) for prefix in ("scale_", "py_", "fn_", "loop_", "v1_", "data_")
    ]
    core = [case for case in result.cases if case not in {*chain(*families)}]
    with_graphs = [lib for lib in result.libraries if lib in (OURS, "tensorflow")]
    with_pipelines = [lib for lib in result.libraries if lib in (OURS, "tensorflow", "torch")]
    tables = [
        times_table(result, core),
        growth_table(result, scale, result.libraries),
        simple_table(result, "from Python", python, result.libraries),
        memory_table(result, python, result.libraries),
        planned_table(result, "functions", functions),
        memory_table(result, functions, result.columns),
        growth_table(result, sized(functions), result.columns),
        planned_table(result, "loops", loops, {"a step": "each_seconds"}),
        memory_table(result, loops, result.columns),
        growth_table(result, sized(loops), result.columns),
        simple_table(result, "graphs", graphs, with_graphs),
        cpu_table(result, graphs, with_graphs),
        memory_table(result, graphs, with_graphs),
        growth_table(result, sized(graphs), with_graphs, "cpu_seconds"),
        simple_table(result, "input pipelines, an epoch", pipelines, with_pipelines),
        growth_table(result, sized(pipelines), with_pipelines),
    ]
    return "\n\n".join(filter(None, tables))
