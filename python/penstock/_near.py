"""What to say when a name is not there: that it is missing, and which names are near it."""

import difflib


def near_names(name: str, names) -> list[str]:
    """Names that a typing mistake may have meant, and names that have this one inside."""
    names = sorted(n for n in names if not n.startswith("_"))
    # The first letter is rarely wrong.
    alike = [n for n in names if n[:1].lower() == name[:1].lower()]
    near = difflib.get_close_matches(name, alike, n=4, cutoff=0.75)
    # Names within names: a part of three letters says nothing.
    low = name.lower()
    near += [
        n
        for n in names
        if (low in n.lower() or n.lower() in low) and min(len(n), len(low)) > 3 and n not in near
    ][:4]
    return near[:6]


def missing(where: str, name: str, names) -> AttributeError:
    text = f"module '{where}' has no attribute '{name}': penstock does not have it (yet)."
    if near := near_names(name, names):
        text += f" Near names: {', '.join(near)}."
    return AttributeError(text, name=name)
