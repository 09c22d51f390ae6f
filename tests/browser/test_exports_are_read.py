"""The exports as the programs read them that they are for."""

import shutil
import subprocess

import pytest
from penstock.profiler import _exports
from synthetic_profiles import training
from trace_processor import TraceProcessor, serving


@pytest.fixture(scope="module")
def profile():
    return training(3000)


def test_perfetto_reads_the_trace(browser, profile, tmp_path):
    path = tmp_path / "a.json"
    _exports.write(profile, path, "perfetto")
    page = browser.new_page()
    with serving() as (address, folder):
        page.goto(address)
        trace = TraceProcessor(page, folder, path.read_bytes())
        (count,) = trace.query("select count(*) as n, sum(dur < 0) as unfinished from slice")
        counters = trace.query(
            "select t.name as name, max(value) as most, max(ts) as last from counter "
            "join counter_track t on t.id = track_id group by t.name"
        )
        wrong = trace.query("select name from stats where severity != 'info' and value > 0")
        longest = trace.query(
            "select s.name as name, ts, dur, extract_arg(s.arg_set_id, 'args.line') as line, "
            "extract_arg(s.arg_set_id, 'args.bytes') as bytes, p.name as process from slice s "
            "join thread_track t on t.id = s.track_id join thread using (utid) "
            "join process p using (upid) order by dur desc limit 1"
        )
        calls = trace.query("select count(*) as n from slice where name = 'step'")
    page.close()
    assert wrong == []
    assert count["n"] >= len(profile)
    assert count["unfinished"] == 0
    most = {row["name"]: row["most"] for row in counters}
    assert most["held: total bytes"] == profile.peak()[1]
    assert "held: gradient bytes" in most
    assert "process: rss bytes" in most
    variable = profile.sites[0]
    assert longest == [
        {
            "name": "RandomUniform",
            "ts": 0,
            "dur": profile.meta["duration_ns"],
            "line": f"{variable.file}:{variable.line}",
            "bytes": 4 << 20,
            "process": "blocks",
        }
    ]
    assert calls[0]["n"] > 100


def pprof(path, *options):
    command = [shutil.which("go"), "tool", "pprof", *options, str(path)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_go_tool_pprof_reads_the_profile(profile, tmp_path):
    path = tmp_path / "a.pb.gz"
    _exports.write(profile, path, "pprof")
    top = pprof(path, "-top", "-lines", "-unit=bytes")
    assert "Type: peak_space" in top
    assert f"{profile.peak()[1]}B total" in top
    assert "MultiHeadAttention.__call__" in top
    assert "models/attention.py:53" in top
    end = pprof(path, "-top", "-unit=bytes", "-sample_index=inuse_space")
    assert f"{profile.bytes[profile.end < 0].sum()}B total" in end
    total = pprof(path, "-top", "-unit=bytes", "-sample_index=alloc_space")
    assert f"{profile.bytes.sum()}B total" in total
    blocks = pprof(path, "-raw", "-sample_index=alloc_objects")
    assert "alloc_objects/count alloc_space/bytes inuse_objects/count" in blocks
    assert "MatMul" in pprof(path, "-tags")
    assert "gradient" in pprof(path, "-top", "-tagfocus=tag=gradient")
