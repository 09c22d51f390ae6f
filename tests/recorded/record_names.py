#!/usr/bin/env python3
"""Records the public names of TensorFlow's modules: a line for each module.

make record-names     # module_names.txt, with a Python that has TensorFlow and tf_keras

From them follows which names tell TensorFlow 1's programs from TensorFlow 2's: the package has
these in _version_names.txt.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import types
from pathlib import Path

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}

DATA = Path(__file__).with_name("module_names.txt")
VERSIONS = Path(__file__).parents[2] / "python" / "penstock" / "_base" / "version_names.txt"
PUBLIC = ("tensorflow._api.", "tensorflow.compat", "tensorflow.python.platform.flags")
PUBLIC += ("keras._tf_keras.", "tf_keras.api.")
# Packages of their own, and what repeats the rest.
LEFT_OUT = ("tf.keras", "tf.lite", "tf.tpu", "tf.compat.v2", "tf.compat.v1.compat")
LEFT_OUT += tuple(f"tf.compat.v1.{name.removeprefix('tf.')}" for name in LEFT_OUT)
# What TensorFlow 1 had, and compat.v1 of today does not.
REMOVED = {"tf": {"contrib"}}


def own_name(module: types.ModuleType) -> str:
    """Empty for a module that is loaded on first use and does not exist in this Keras."""
    with contextlib.suppress(AttributeError, ImportError):
        dir(module)  # loads it
        return module.__name__
    return ""


def modules() -> dict[str, list[str]]:
    """The public names of every public module, by the name that programs call it."""
    import tensorflow as tf

    found, left = {"tf": [], "version": tf.__version__}, [("tf", tf)]
    while left:
        where, module = left.pop()
        names = [name for name in dir(module) if not name.startswith("_")]
        found[where] = names
        for name in names:
            inner, value = f"{where}.{name}", getattr(module, name, None)
            if not isinstance(value, types.ModuleType) or inner in LEFT_OUT:
                continue
            if own_name(value).startswith(PUBLIC):
                left.append((inner, value))
    return found


def recorded(legacy: str) -> dict[str, list[str]]:
    """The same from a process of its own, with the Keras of today ("0") or of then ("1")."""
    command = [sys.executable, __file__, "--print"]
    run = subprocess.run(
        command, env=os.environ | {"TF_USE_LEGACY_KERAS": legacy}, stdout=-1, check=True
    )
    return json.loads(run.stdout.splitlines()[-1])


def version_names(names: dict[str, list[str]]) -> str:
    """The names that only TensorFlow 1 has (a line `1 MODULE NAME…`), or only TensorFlow 2."""
    lines = {1: [], 2: []}
    for module in names:
        before = "tf.compat.v1" + module.removeprefix("tf")
        if module.startswith("tf.compat") or before not in names:
            continue
        old = {*names[before]} | REMOVED.get(module, set())
        for version, only in (1, old - {*names[module]}), (2, {*names[module]} - old):
            if only:
                lines[version].append(f"{version} {module} {' '.join(sorted(only))}\n")
    return "".join(lines[1] + lines[2])


def main() -> None:
    if sys.argv[1:] == ["--print"]:
        print(json.dumps(modules()))
        return
    now, then = recorded("0"), recorded("1")
    version = now.pop("version")
    names = {
        where: sorted({*now.get(where, []), *then.get(where, [])})
        for where in sorted({*now, *then} - {"version"})
    }
    head = f"# The public names of TensorFlow {version}, made by record_names.py.\n"
    DATA.write_text(head + "".join(f"{where} {' '.join(n)}\n" for where, n in names.items()))
    VERSIONS.write_text(version_names(names))
    print(f"record: {len(names)} modules with {sum(map(len, names.values()))} names")


if __name__ == "__main__":
    main()
