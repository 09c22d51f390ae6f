"""`penstock report PROFILE`: a profile as an HTML page, or as a file for other tools."""

import sys
from pathlib import Path

from penstock._cli import options as _command_line

FORMATS = ("html", "perfetto", "pprof", "json", "tensorboard")
DESCRIPTION = """\
Writes what a profile (a .penprof file of `penstock run --profile`) says. html is one page with
everything in it: open it in a browser. perfetto opens in ui.perfetto.dev and chrome://tracing,
pprof with `go tool pprof`, and tensorboard is a folder of event files."""
EXAMPLES = """\
  penstock run --profile train.py       # makes train.penprof
  penstock report train.penprof         # train.html, for any browser
  penstock report train.penprof --format perfetto -o train.json"""


def default_output(profile, form):
    """The profile's name with the format's extension, in the current folder."""
    from penstock.profiler import _exports

    return Path(profile).name.removesuffix(".penprof") + _exports.FORMS[form].suffix


def report(options) -> int:
    """Writes the report and says where it is."""
    from penstock import errors
    from penstock.profiler import Profile, _exports

    path = options.output or default_output(options.profile, options.format)
    try:
        profile = Profile.load(options.profile)
        _exports.write(profile, path, options.format)
    except (OSError, ValueError, errors.OpError) as error:
        print(f"penstock report: {error}", file=sys.stderr)
        return 2
    dropped = profile.meta.get("dropped")
    if dropped:
        print(f"penstock report: {dropped:,} blocks found no room on the disk", file=sys.stderr)
    print(f"{path} ({_exports.FORMS[options.format].opens})")
    if options.open:
        import webbrowser

        webbrowser.open(Path(path).resolve().as_uri())
    return 0


def add_to(commands):
    command = _command_line.parser(
        commands.add_parser,
        "report",
        help="a page about a profile, or an export of it",
        description=DESCRIPTION,
        examples=EXAMPLES,
    )
    command.add_argument("profile", metavar="PROFILE", help="what the profiler recorded")
    command.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        help="the file to write; default: the profile's name, in the current folder",
    )
    command.add_argument("--format", choices=FORMATS, default="html", help="default: html")
    command.add_argument("--open", action="store_true", help="open it in the browser")
    command.set_defaults(function=report)
