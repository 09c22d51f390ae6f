"""`penstock report` and the exports; tests/browser looks at them in a browser and other readers."""

import base64
import gzip
import json
import re
import zlib

import numpy as np
import pytest
from penstock import _cli
from penstock.compat import v1
from penstock.profiler import Profile, _exports, _report, _series
from penstock.profiler._export_pprof import PprofProfile
from penstock.profiler._report import _pack
from synthetic_profiles import FINDING, training


@pytest.fixture(scope="module")
def profile():
    return training(3000)


def exported(profile, folder, form):
    path = folder / f"out{_exports.FORMS[form].suffix}"
    _exports.write(profile, path, form)
    return path


def test_the_timeline_keeps_the_peak_and_adds_up(profile):
    for moments in (1, 7, 500):
        series = _series.by_tag(profile, moments)
        assert series.total.max() == profile.peak()[1]
        assert len(series.times) <= 2 * moments
        assert series.total[-1] == profile.bytes[profile.end < 0].sum()
        np.testing.assert_array_equal(series.held.sum(axis=0), series.total)
        assert (np.diff(series.times) > 0).all()


def test_the_timeline_is_right_in_pauses():
    profile = Profile(
        {"start": [0, 10, 900], "end": [-1, 11, -1], "bytes": [5, 100, 1]},
        meta={"duration_ns": 1000},
    )
    series = _series.by_tag(profile, 10)
    assert list(zip(series.times, series.total, strict=True)) == [(10, 105), (11, 5), (900, 6)]


def test_borrowed_memory_is_no_part_of_the_total():
    foreign = Profile().tags.index("foreign")
    profile = Profile({"start": [0, 1], "end": [-1, -1], "bytes": [10, 90], "tag": [0, foreign]})
    series = _series.by_tag(profile, 10)
    assert series.total.max() == profile.peak()[1] == 10
    assert series.held[foreign].max() == 90


def test_columns_come_back_from_the_page():
    columns = {"a": np.array([0, 1, 255, 256, 2**40 + 3]), "b": np.array([], np.int64)}
    contents, text = _pack.pack(columns)
    data = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)
    at = 0
    for entry in contents:
        size = entry["length"] * entry["planes"]
        planes = data[at : at + size].reshape(entry["planes"], entry["length"]).astype(np.int64)
        weights = 256 ** np.arange(entry["planes"])[:, None]
        np.testing.assert_array_equal((planes * weights).sum(axis=0), columns[entry["name"]])
        at += size
    assert at == len(data)


def test_the_page_is_one_file(profile, tmp_path):
    page = exported(profile, tmp_path, "html").read_text(encoding="utf-8")
    # The page loads nothing, and its content policy allows nothing else.
    assert re.findall(r"(?:src|href)=\"(?!#|data:)[^\"]*\"|@import|https?://", page) == []
    assert "default-src 'none'" in page
    assert page.count("<script") == page.count("</script") == 3
    text = re.search(r'id="facts">(.*?)</script>', page, re.DOTALL)[1]
    facts = json.loads(text)
    assert facts["peak"]["bytes"] == profile.peak()[1]
    assert facts["findings"] == [FINDING]


def test_modules_have_no_name_twice():
    """They are joined to one script, where a name can be declared once."""
    names = re.findall(
        r"^(?:async )?(?:function|class|const|let) (\w+)", _report.script(), re.MULTILINE
    )
    assert len(names) == len(set(names)) > 50
    assert not re.search(r"^(import|export) ", _report.script(), re.MULTILINE)


def test_json(profile, tmp_path):
    found = json.loads(exported(profile, tmp_path, "json").read_text(encoding="utf-8"))
    time, held = profile.peak()
    assert found["peak"] == {"time_ns": time, "bytes": held}
    assert sum(line["peak_bytes"] for line in found["lines"]) == held
    assert sum(line["total_bytes"] for line in found["lines"]) == profile.bytes.sum()
    first = found["lines"][0]
    assert (first["line"], first["function"]) == (64, "step")
    assert found["blocks"]["bytes"] == profile.bytes.tolist()


def test_perfetto_slices_of_a_track_do_not_overlap(profile, tmp_path):
    trace = json.loads(exported(profile, tmp_path, "perfetto").read_text(encoding="utf-8"))
    until = {}
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            track = event["pid"], event["tid"]
            assert event["ts"] >= until.get(track, 0) - 1e-6
            until[track] = event["ts"] + event["dur"]
    totals = [e["args"]["bytes"] for e in trace["traceEvents"] if e["name"] == "held: total"]
    assert max(totals) == profile.peak()[1]


def test_pprof(profile, tmp_path):
    data = gzip.decompress(exported(profile, tmp_path, "pprof").read_bytes())
    found = PprofProfile.FromString(data)
    text = list(found.string_table)
    assert text[0] == ""
    types = [text[each.type] for each in found.sample_type]
    sums = dict(zip(types, np.sum([list(s.value) for s in found.sample], axis=0), strict=True))
    assert sums["peak_space"] == profile.peak()[1]
    assert sums["inuse_space"] == profile.bytes[profile.end < 0].sum()
    assert sums["inuse_objects"] == (profile.end < 0).sum()
    assert sums["alloc_space"] == profile.bytes.sum()
    assert sums["alloc_objects"] == len(profile)
    functions = {each.id: text[each.name] for each in found.function}
    places = {
        (functions[line.function_id], line.line) for each in found.location for line in each.line
    }
    assert ("MultiHeadAttention.__call__", 53) in places


def test_tensorboard(profile, tmp_path):
    (file,) = exported(profile, tmp_path, "tensorboard").iterdir()
    values = {}
    for event in v1.train.summary_iterator(str(file)):
        for value in event.summary.value:
            values.setdefault(value.tag, []).append(value.simple_value)
    assert max(values["memory/total"]) == profile.peak()[1]
    assert {"memory/gradient", "process/rss"} <= set(values)


@pytest.mark.parametrize("form", _exports.FORMS)
def test_an_empty_profile_can_be_written(form, tmp_path):
    assert exported(Profile(), tmp_path, form).exists()


def test_values_that_json_does_not_have(tmp_path):
    findings = [{"cause": "odd", "growth_bytes": np.int64(3), "growth_per_step": float("nan")}]
    profile = Profile(findings=findings, meta={"error": ValueError("gone"), "argv": ("a", 1)})
    for form in ("html", "json"):
        assert "odd" in exported(profile, tmp_path, form).read_text(encoding="utf-8")


def test_command(profile, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    profile.save("run.penprof")
    assert _cli.main(["report", "run.penprof"]) == 0
    assert capsys.readouterr().out == "run.html (any browser)\n"
    assert _cli.main(["report", "run.penprof", "--format", "pprof", "-o", "x.pb.gz"]) == 0
    assert (tmp_path / "x.pb.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert _cli.main(["report", "missing.penprof"]) == 2
    assert "missing.penprof" in capsys.readouterr().err
    (tmp_path / "broken.penprof").write_bytes(b"PK not a profile")
    assert _cli.main(["report", "broken.penprof"]) == 2
