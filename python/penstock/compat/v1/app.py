"""tf.compat.v1.app: parses the command line and calls main."""

import sys as _sys

from penstock.compat.v1 import flags


def run(main=None, argv=None):
    """Calls main(argv) with the rest of the command line, and exits with its result."""
    main = main or _sys.modules["__main__"].main
    argv = _sys.argv if argv is None else argv
    if any(argument in ("--help", "-help", "-h", "--helpfull") for argument in argv[1:]):
        doc = _sys.modules["__main__"].__doc__
        print(doc.strip() + "\n" if doc else f"\n       USAGE: {argv[0]} [flags]\n")
        print("flags:\n" + flags.FLAGS.main_module_help())
        _sys.exit(1)
    try:
        # Arguments without a known flag are left to main, as in TensorFlow.
        rest = flags.FLAGS(argv, known_only=True)
    except flags.Error as error:
        print(f"FATAL Flags parsing error: {error}", file=_sys.stderr)
        print("Pass --helpshort or --helpfull to see help on flags.", file=_sys.stderr)
        _sys.exit(1)
    _sys.exit(main(rest))
