"""What to say when a name is not there: that it is missing, and which names are near it."""

import difflib


def missing(where: str, name: str, names) -> AttributeError:
    names = [n for n in names if not n.startswith("_")]
    near = difflib.get_close_matches(name, names, n=4, cutoff=0.7)
    near += [n for n in sorted(names) if name.lower() in n.lower() and n not in near][:4]
    text = f"module '{where}' has no attribute '{name}': penstock does not have it (yet)."
    if near:
        text += f" Near names: {', '.join(near[:6])}."
    return AttributeError(text, name=name)
