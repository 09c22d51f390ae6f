"""Programs and mistakes in the style of TensorFlow 1, and what TensorFlow makes of them, as data.

The programs are in tests/python/front/programs/v1 and return their losses, the mistakes in
v1_mistakes.py. record_v1.py writes v1_data/ with the real package: losses by program, and the class
and the message of the error by mistake. All of it takes `tf`, which is tf.compat.v1.
"""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

from front import error_class

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "python" / "front" / "programs" / "v1"
DATA = HERE / "v1_data"


def programs() -> list[str]:
    return sorted(path.stem for path in PROGRAMS.glob("*.py") if path.stem != "__init__")


def _load(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def can_record(program: str) -> bool:
    """Whether the package that TensorFlow NEEDS for the program, if any, is installed."""
    needed = getattr(_load(PROGRAMS / f"{program}.py"), "NEEDS", None)
    return needed is None or importlib.util.find_spec(needed) is not None


def losses(tf, program: str) -> list[float]:
    """What a program returns, in as few digits as give it back."""
    return [float(str(value)) for value in _load(PROGRAMS / f"{program}.py").run(tf)]


def mistakes(tf) -> dict:
    """The mistakes by their descriptions: functions that raise."""
    return _load(HERE / "v1_mistakes.py").cases(tf)


def answer(tf, mistake) -> dict:
    """The class and the message of the error, or that there is none."""
    with tf.Graph().as_default():
        try:
            mistake()
        except Exception as error:
            return {"class": error_class(error), "message": plain(str(error))}
    return {"class": None, "message": ""}


def plain(message: str) -> str:
    """A message without what differs between runs, or says where a graph was built."""
    message = message.partition("Original stack trace")[0]
    message = re.sub(r"Detected at [^\n]*", "", message)
    message = re.sub(r"\n +File [^\n]*", "", message)
    message = re.sub(r"0x[0-9a-f]+", "0x…", message)
    message = re.sub(r"(/tmp|/var)[\w/.-]*", "PATH", message)
    return re.sub(r"\s*\n\s*", "\n", message).strip()


def recorded(name: str) -> dict:
    return json.loads((DATA / f"{name}.json").read_text())
