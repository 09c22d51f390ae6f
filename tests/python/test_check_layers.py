"""tools/check_layers.py finds what it should and leaves the rest alone."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"
spec = importlib.util.spec_from_file_location("check_layers", SCRIPT)
check_layers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_layers)


def messages(path, *lines):
    """The messages about a file of these lines; a header gets its #pragma once on top."""
    head = ["#pragma once"] if path.endswith(".h") else []
    text = "\n".join([*head, *lines]) + "\n"
    return [what for _, what in check_layers.check_file(Path(path), text)]


@pytest.mark.parametrize(
    ("path", "include"),
    [
        ("src/core/shape.cc", "<vector>"),
        ("src/core/shape.cc", '"base/check.h"'),
        ("src/core/shape.cc", "<penstock/base/error.h>"),
        ("src/ops/add.cc", "<penstock/ops.h>"),
        ("src/ops/add.cc", '"kernels/binary.h"'),
        ("src/kernels/binary.cc", "<hwy/highway.h>"),
        ("include/penstock/tensor/tensor.h", "<penstock/memory/buffer.h>"),
        ("include/penstock/penstock.h", "<penstock/exec/eager.h>"),
        ("src/exec/run.cc", '"plan/planner.h"'),
        ("src/exec/eager/dispatch.cc", '"exec/trace/trace_op.h"'),
        ("src/exec/eager/dispatch.cc", '"exec/eager/interpreter.h"'),
        ("src/exec/trace/trace_op.cc", '"exec/op_call.h"'),
        ("src/exec/trace/trace.cc", "<penstock/exec/function.h>"),
        ("src/exec/trace/trace.cc", '"graph/passes/simplify.h"'),
        ("src/graph/passes/fold.cc", '"graph/graph.h"'),
    ],
)
def test_allowed_includes(path, include):
    assert messages(path, f"#include {include}") == []


@pytest.mark.parametrize(
    ("path", "include", "expected"),
    [
        ("src/core/shape.cc", '"memory/pool.h"', "core may not include memory: memory/pool.h"),
        (
            "include/penstock/core/shape.h",
            "<penstock/tensor/tensor.h>",
            "core may not include tensor: penstock/tensor/tensor.h",
        ),
        ("src/tensor/tensor.cc", "<penstock/ops.h>", "tensor may not include ops: penstock/ops.h"),
        (
            "src/exec/run.cc",
            "<penstock/penstock.h>",
            "exec may not include api: penstock/penstock.h",
        ),
        (
            "include/penstock/core/shape.h",
            '"core/x.h"',
            'a public header includes the private "core/x.h"',
        ),
        ("src/core/shape.cc", '"shape.h"', 'not of the form "layer/file.h": "shape.h"'),
        (
            "src/core/shape.cc",
            '"penstock/core/shape.h"',
            'public headers are included with <>: "penstock/core/shape.h"',
        ),
        ("src/core/shape.cc", "<penstock/misc.h>", "no such public header: <penstock/misc.h>"),
    ],
)
def test_refused_includes(path, include, expected):
    assert messages(path, f"#include {include}") == [expected]


@pytest.mark.parametrize(
    ("path", "include", "expected"),
    [
        (
            "src/exec/trace/trace.cc",
            '"exec/eager/interpreter.h"',
            "exec/trace may not include exec/eager: exec/eager/interpreter.h",
        ),
        (
            "src/exec/op_call.cc",
            '"exec/trace/trace.h"',
            "exec may not include exec/trace: exec/trace/trace.h",
        ),
        (
            "src/graph/graph.cc",
            '"graph/passes/fold.h"',
            "graph may not include graph/passes: graph/passes/fold.h",
        ),
        (
            "src/exec/run/program.cc",
            '"exec/attic/x.h"',
            'no such room (see ROOMS in tools/check_layers.py): "exec/attic/x.h"',
        ),
        ("src/core/shape.cc", '"core/dims/x.h"', 'core has no rooms: "core/dims/x.h"'),
    ],
)
def test_rooms_of_a_layer_include_those_below_them(path, include, expected):
    assert messages(path, f"#include {include}") == [expected]


def test_a_file_outside_every_room_is_refused():
    assert "lies in no room" in messages("src/exec/attic/x.cc")[0]
    assert "lies in no room" in messages("src/core/dims/x.cc")[0]


def test_rooms_form_no_ring():
    assert check_layers.find_rings(check_layers.ROOMS) == []


@pytest.mark.parametrize(
    ("units", "rings"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}}, [["a", "b"]]),
        (
            {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {"d"}},
            [["a", "b", "c"], ["d", "e"]],
        ),
        ({"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": set()}, []),
    ],
)
def test_rings_of_units(units, rings):
    assert check_layers.find_rings(units) == rings


def test_a_header_and_its_source_are_one_unit(tmp_path):
    """The two headers do not include each other directly, but through a source file."""
    folder = tmp_path / "src" / "core"
    folder.mkdir(parents=True)
    (folder / "a.h").write_text('// A.\n#pragma once\n#include "core/b.h"\n')
    (folder / "b.h").write_text("// B.\n#pragma once\n")
    (folder / "b.cc").write_text('#include "core/b.h"\n')
    assert check_layers.check_tree(tmp_path) == []
    (folder / "b.cc").write_text('#include "core/b.h"\n#include "core/a.h"\n')
    [message] = check_layers.check_tree(tmp_path)
    assert message == "src/core/a.h:1: units that include each other: core/a, core/b"


def test_a_file_outside_every_layer_is_refused():
    assert "lies in no layer" in messages("src/misc/x.cc")[0]
    assert "lies in no layer" in messages("src/main.cc")[0]


def test_headers_need_pragma_once_unless_highway_compiles_them_per_target():
    path = Path("src/kernels/math-inl.h")
    assert list(check_layers.check_file(path, "int f();\n")) == [(1, "#pragma once is missing")]
    toggled = "#if defined(X) == defined(HWY_TARGET_TOGGLE)\n#endif\n"
    assert list(check_layers.check_file(path, toggled)) == []


@pytest.mark.parametrize(("path", "limit"), [("src/core/x.h", 260), ("src/core/x.cc", 600)])
def test_line_limits(path, limit):
    head = 1 if path.endswith(".h") else 0
    assert messages(path, *[""] * (limit - head)) == []
    assert messages(path, *[""] * (limit - head + 1)) == [
        f"{limit + 1} lines; the limit is {limit}"
    ]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("auto* p = new float[4];", "new"),
        ("throw 1;", "throw"),
        ("std::vector<int> v;", "std::vector"),
        ("void* p = std::malloc(4);", "malloc"),
    ],
)
def test_kernels_neither_allocate_nor_throw(line, word):
    found = messages("src/kernels/x.cc", line)
    assert found == [f"kernels neither allocate nor throw: {word}"]
    assert messages("src/memory/x.cc", line) == []


@pytest.mark.parametrize(
    "line",
    [
        "// a new row begins",
        'const char* text = "throw";',
        "/* new\n new */",
        "#include <new>",
        "int newest = 1'000'000 + 0;  // 'new'",
        "char c = '\"'; int new_size = 0;",
    ],
)
def test_comments_literals_and_longer_names_are_no_violations(line):
    assert messages("src/kernels/x.cc", line) == []


def test_command_line_prints_file_and_line_and_fails(tmp_path):
    source = tmp_path / "src" / "core" / "shape.cc"
    source.parent.mkdir(parents=True)

    def run():
        command = [sys.executable, SCRIPT, "--root", tmp_path]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    source.write_text('// Shapes.\n#include "exec/run.h"\n')
    assert run().stdout == "src/core/shape.cc:2: core may not include exec: exec/run.h\n"
    assert run().returncode == 1
    source.write_text("")
    assert run().returncode == 0


def test_bindings_see_public_headers_only():
    text = '#include "convert.h"\n#include <penstock/ops.h>\n#include "autodiff/recording.h"\n'
    [(line, what)] = check_layers.check_bindings(text)
    assert line == 3
    assert "public headers only" in what


@pytest.mark.parametrize(
    ("path", "good", "bad"),
    [
        ("src/core/a.h", "// A: the first letter.\n#pragma once\n", "#pragma once\n// A.\n"),
        ("src/core/a.cc", "// The first letter.\nint a;\n", "int a;  // the first letter\n"),
        ("tests/cpp/core/a_test.cc", "// Tests of a.\n", "#include <vector>\n"),
        ("tools/a.py", '#!/usr/bin/env python3\n"""The first letter."""\n', "import re\n"),
        ("tools/b.py", "# The second letter.\nimport re\n", "#!/usr/bin/env python3\nimport re\n"),
        ("cmake/a.cmake", "# The first letter.\n", "set(A 1)  # the first letter\n"),
        ("src/core/CMakeLists.txt", "# The first layer.\n", "add_library(core)\n"),
    ],
)
def test_files_open_with_what_they_are_for(tmp_path, path, good, bad):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(good)
    assert check_layers.check_first_lines(tmp_path) == []
    file.write_text(bad)
    [message] = check_layers.check_first_lines(tmp_path)
    assert message == f"{path}:1: the first line does not say what the file is for"


@pytest.mark.parametrize("header", ["src/core/a.h", "include/penstock/core/a.h"])
def test_a_source_may_leave_the_first_line_to_its_header(tmp_path, header):
    for path in ("src/core/a.cc", header):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "src/core/a.cc").write_text("int a;\n")
    assert len(check_layers.check_first_lines(tmp_path)) == 1
    (tmp_path / header).write_text("// A.\n#pragma once\n")
    assert check_layers.check_first_lines(tmp_path) == []


def test_empty_files_and_programs_as_found_need_no_first_line(tmp_path):
    for path, text in {
        "python/penstock/__init__.py": "",
        "tests/python/front/programs/loop.py": "import tensorflow as tf\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text)
    assert check_layers.check_first_lines(tmp_path) == []
