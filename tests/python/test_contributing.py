"""The op in CONTRIBUTING.md is really added, built and checked, from the three blocks on that page.

Only what an added op changes is compiled again (its file, the two that read the list, and the
generated functions); the rest comes from the finished build: the linker prefers the new objects to
their namesakes in the library.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
BLOCK = re.compile(r"<!-- (file|append): (\S+) -->\n```\w+\n(.*?)```", re.S)


def compile_command(source, output, tree):
    """The build's own command for a file of src/ops, for `source` in `tree`."""
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    command = next(e["command"] for e in entries if e["file"].endswith("src/ops/registry.cc"))
    words = shlex.split(command)
    words = words[: words.index("-o")]
    first = next(
        i for i, word in enumerate(words) if Path(word).name.startswith(("g++", "c++", "clang"))
    )
    includes = [f"-I{tree / 'generated' / 'include'}", f"-I{tree / 'src'}"]
    return [
        *words[: first + 1],
        *includes,
        *words[first + 1 :],
        "-c",
        str(source),
        "-o",
        str(output),
    ]


@pytest.fixture(scope="module")
def op_check(tmp_path_factory):
    """op_check with the page's op in it, and the tree that holds the changed files."""
    tree = tmp_path_factory.mktemp("contributing")
    shutil.copytree(ROOT / "src" / "ops", tree / "src" / "ops")
    shutil.copytree(
        ROOT / "tests" / "python" / "references", tree / "tests" / "python" / "references"
    )
    blocks = BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text())
    assert [action for action, _, _ in blocks] == ["file", "append", "append"]
    for action, path, text in blocks:
        target = tree / path
        assert target.exists() == (action == "append")
        with target.open("a") as out:
            out.write(text)
    header, functions = tree / "generated/include/penstock/ops.h", tree / "generated/ops_gen.cc"
    generate = [sys.executable, ROOT / "tools/gen_ops.py", "--list", tree / "src/ops/op_list.inc"]
    paths = ["--src", tree / "src/ops", "--header", header, "--source", functions]
    subprocess.run([*generate, *paths], check=True)
    objects = []
    main = ROOT / "tests/op_check/main.cc"
    for source in (tree / "src/ops/hypot.cc", tree / "src/ops/registry.cc", functions, main):
        objects.append(tree / f"{source.stem}.o")
        subprocess.run(compile_command(source, objects[-1], tree), check=True, cwd=BUILD)
    driver = [
        o for o in BUILD.glob("tests/CMakeFiles/op_check.dir/**/*.o") if o.name != "main.cc.o"
    ]
    link = [
        *objects,
        *driver,
        BUILD / "libpenstock_static.a",
        "-lhwy",
        "-lhwy_contrib",
        "-lre2",
        "-ldl",
        "-lpthread",
    ]
    subprocess.run(["g++", *link, "-o", tree / "op_check"], check=True)
    return tree


@pytest.mark.parametrize("mode", ["grad", "oom"])
def test_derived_checks(op_check, mode):
    subprocess.run([op_check / "op_check", "--mode", mode, "--ops", "hypot"], check=True)


def test_against_numpy(op_check):
    samples = op_check / "samples"
    subprocess.run(
        [op_check / "op_check", "--mode", "dump", "--ops", "hypot", "--out", samples], check=True
    )
    shutil.copy(ROOT / "tests/python/op_reference.py", op_check / "tests/python")
    subprocess.run([sys.executable, op_check / "tests/python/op_reference.py", samples], check=True)
