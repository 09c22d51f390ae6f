"""The error text for a missing name: similar names, and how to run a program that uses names of
TensorFlow 1."""

import difflib

from penstock._base.version_1 import version_1


def near_names(name: str, names) -> list[str]:
    """Names that a typo may have meant, and names that contain this one."""
    names = sorted(n for n in names if not n.startswith("_"))
    # The first letter is rarely wrong.
    alike = [n for n in names if n[:1].lower() == name[:1].lower()]
    near = difflib.get_close_matches(name, alike, n=4, cutoff=0.75)
    # Names that contain it; three letters are too few to tell.
    low = name.lower()
    near += [
        n
        for n in names
        if (low in n.lower() or n.lower() in low) and min(len(n), len(low)) > 3 and n not in near
    ][:4]
    return near[:6]


def version_1_hint(where: str, name: str) -> str:
    """How to use a name that only TensorFlow 1 has; empty for other names."""
    from penstock._base import source_version as _source_version

    module = where.removeprefix("penstock").removeprefix(".")
    if name not in _source_version.only_in(1).get(module, ()):
        return ""
    if name not in dir(version_1.namespace(module)):
        return "it is TensorFlow 1's, and penstock does not have it (yet)."
    today = version_1.names.todays_name(module, name)
    return (
        f"it is TensorFlow 1's{f' (today: tf.{today})' if today else ''}. "
        "Run the program with `penstock run --tf1 SCRIPT`, or write "
        "`import penstock.compat.v1 as tf` and, for graphs, `tf.disable_v2_behavior()`."
    )


def missing(where: str, name: str, names) -> AttributeError:
    text = f"module '{where}' has no attribute '{name}': "
    if name.startswith("_"):  # an import looks a module up before it is loaded
        return AttributeError(text + "penstock does not have it.", name=name)
    if hint := version_1_hint(where, name):
        return AttributeError(text + hint, name=name)
    text += "penstock does not have it (yet)."
    if near := near_names(name, names):
        text += f" Near names: {', '.join(near)}."
    return AttributeError(text, name=name)
