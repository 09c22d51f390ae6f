"""`penstock plan`: what it prints and writes, and what it says about files that are wrong."""

import csv
import json

import pytest
from penstock import _cli

ROWS = "id,lower,upper,size\na,0,3,4\nb,3,9,4\nc,0,9,2\n"


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "blocks.csv"
        path.write_text(text)
        return str(path)

    return write


def test_prints_what_was_found(file, capsys):
    assert _cli.main(["plan", file(ROWS)]) == 0
    printed = capsys.readouterr()
    assert [line.split()[-1] for line in printed.out.splitlines()[:3]] == ["6", "6", "%"]
    assert [line.split()[0] for line in printed.out.splitlines()] == [
        "height",
        "lower",
        "gap",
        "time",
    ]
    assert printed.err == ""


def test_json(file, capsys):
    assert _cli.main(["plan", file(ROWS), "--json", "--time-limit", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found.pop("seconds") >= 0
    assert found == {"height": 6, "lower_bound": 6, "gap": 0}


def test_writes_the_rows_with_their_offsets(file, tmp_path, capsys):
    out = tmp_path / "out.csv"
    assert _cli.main(["plan", file(ROWS), "--out", str(out), "--alignment", "64"]) == 0
    with out.open(newline="") as written:
        rows = list(csv.DictReader(written))
    assert list(rows[0]) == ["id", "lower", "upper", "size", "offset"]
    assert [(row["id"], row["lower"], row["upper"], row["size"]) for row in rows] == [
        ("a", "0", "3", "4"),
        ("b", "3", "9", "4"),
        ("c", "0", "9", "2"),
    ]
    offsets = [int(row["offset"]) for row in rows]
    assert offsets[0] == offsets[1] != offsets[2]
    assert sorted(set(offsets)) == [0, 64]
    assert "128" in capsys.readouterr().out


def test_columns_in_any_order_and_ids_that_repeat(file, capsys):
    text = "size, upper, note, id, lower\n4,3,x,1,0\n4,9,y,1,3\n2,9,z,,0\n"
    assert _cli.main(["plan", file(text), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["height"] == 6


def test_no_rows(file, capsys):
    assert _cli.main(["plan", file("id,lower,upper,size\n"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["height"] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: no column id, lower, upper, size"),
        ("id,lower,upper\n1,2,3\n", "line 1: no column size"),
        (ROWS + "d,1,x,3\n", "line 5: upper is not a whole number: 'x'"),
        (ROWS + "d,1\n", "line 5: upper is not a whole number: None"),
        (ROWS + "d,1,2,-3\n", "line 5: the size is negative: -3"),
        (ROWS + "d,2,2,3\n", "line 5: upper (2) is not greater than lower (2)"),
        (ROWS + f"d,1,2,{2**63}\n", "line 5: size does not fit in 64 bits"),
        (ROWS + f"d,1,2,{2**63 - 1}\n", "the sum of the sizes overflows"),
    ],
)
def test_mistakes_in_the_file(file, capsys, text, message):
    assert _cli.main(["plan", file(text)]) == 2
    assert message in capsys.readouterr().err


def test_no_such_file(capsys):
    assert _cli.main(["plan", "no_such_file.csv"]) == 2
    assert "no_such_file.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["--alignment", "0"], ["--time-limit", "-1"], ["--seed", "-1"]]
)
def test_mistakes_in_the_arguments(file, capsys, arguments):
    with pytest.raises(SystemExit) as error:
        _cli.main(["plan", file(ROWS), *arguments])
    assert error.value.code == 2
    capsys.readouterr()


def test_help(capsys):
    with pytest.raises(SystemExit) as error:
        _cli.main(["plan", "--help"])
    assert error.value.code == 0
    text = capsys.readouterr().out
    assert all(
        word in text for word in ("FILE.csv", "--json", "--out", "--time-limit", "--alignment")
    )
