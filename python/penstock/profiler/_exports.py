"""The forms in which a profile can be written: the report, and files that other tools read."""

import importlib
from typing import NamedTuple


class Form(NamedTuple):
    """A form: the module that writes it, how the name of its file ends, what opens it."""

    module: str
    suffix: str
    opens: str


FORMS = {
    "html": Form("_report", ".html", "any browser"),
    "perfetto": Form("_export_perfetto", ".trace.json", "ui.perfetto.dev, chrome://tracing"),
    "pprof": Form("_export_pprof", ".pb.gz", "go tool pprof"),
    "json": Form("_export_json", ".json", "anything"),
    "tensorboard": Form("_export_tensorboard", ".tensorboard", "tensorboard --logdir"),
}


def write(profile, path, form="html") -> None:
    """Writes a profile to a file (for TensorBoard: into a folder)."""
    if form not in FORMS:
        raise ValueError(f"form must be one of {', '.join(FORMS)}, not {form!r}")
    importlib.import_module(f"penstock.profiler.{FORMS[form].module}").write(profile, path)
