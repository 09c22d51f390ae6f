"""tf.compat.v1.flags: command-line arguments as attributes of FLAGS.

    flags.DEFINE_integer("steps", 100, "How many steps to train.")
    flags.FLAGS.steps

They are parsed from sys.argv by app.run, or when the first of them is read.
"""

from __future__ import annotations as _annotations

import enum as _enum

from penstock.compat.v1 import _flag_kinds as _kinds
from penstock.compat.v1 import _names
from penstock.compat.v1._flag_values import ProgramFlags as _ProgramFlags

FLAGS = _ProgramFlags()


def DEFINE_flag(flag, flag_values=FLAGS, module_name=None, required=False):
    """Adds a flag that was made by hand."""
    if required and flag.default is not None:
        raise ValueError(
            f"Required flag --{flag.name} cannot have a non-None default when required=True."
        )
    flag_values[flag.name] = flag
    if required:
        mark_flag_as_required(flag.name, flag_values)
    return _kinds.FlagHolder(flag_values, flag)


def DEFINE_string(name, default, help, flag_values=FLAGS, required=False, **args):
    """A text."""
    return DEFINE_flag(
        _kinds.Flag(_kinds.text, name, default, help, **args), flag_values, required=required
    )


def DEFINE_integer(
    name,
    default,
    help,
    lower_bound=None,
    upper_bound=None,
    flag_values=FLAGS,
    required=False,
    **args,
):
    """An integer, within bounds if there are any."""
    parse = _kinds.number(int, lower_bound, upper_bound)
    return DEFINE_flag(
        _kinds.Flag(parse, name, default, help, **args), flag_values, required=required
    )


def DEFINE_float(
    name,
    default,
    help,
    lower_bound=None,
    upper_bound=None,
    flag_values=FLAGS,
    required=False,
    **args,
):
    """A number, within bounds if there are any."""
    parse = _kinds.number(float, lower_bound, upper_bound)
    return DEFINE_flag(
        _kinds.Flag(parse, name, default, help, **args), flag_values, required=required
    )


def DEFINE_boolean(
    name, default, help, flag_values=FLAGS, module_name=None, required=False, **args
):
    """Yes or no: `--name`, `--noname` or `--name=false`."""
    return DEFINE_flag(
        _kinds.BooleanFlag(name, default, help, **args), flag_values, required=required
    )


DEFINE_bool = DEFINE_boolean


def DEFINE_enum(
    name, default, enum_values, help, flag_values=FLAGS, module_name=None, required=False, **args
):
    """One of the given texts."""
    flag = _kinds.EnumFlag(name, default, help, enum_values, **args)
    return DEFINE_flag(flag, flag_values, required=required)


def DEFINE_enum_class(
    name,
    default,
    enum_class,
    help,
    flag_values=FLAGS,
    module_name=None,
    case_sensitive=False,
    required=False,
    **args,
):
    """A member of an Enum, by its name."""
    if not isinstance(enum_class, type) or not issubclass(enum_class, _enum.Enum):
        raise TypeError(f"{enum_class} is not a subclass of Enum.")
    parse = _kinds.member(enum_class, case_sensitive)
    return DEFINE_flag(
        _kinds.Flag(parse, name, default, help, **args), flag_values, required=required
    )


def DEFINE_list(name, default, help, flag_values=FLAGS, required=False, **args):
    """Texts with commas between them."""
    return DEFINE_flag(
        _kinds.Flag(_kinds.commas, name, default, help, **args), flag_values, required=required
    )


def DEFINE_spaceseplist(
    name, default, help, comma_compat=False, flag_values=FLAGS, required=False, **args
):
    """Texts with spaces between them."""
    parse = _kinds.spaces(comma_compat)
    return DEFINE_flag(
        _kinds.Flag(parse, name, default, help, **args), flag_values, required=required
    )


def _multi(kind, public):
    def define(name, default, help, flag_values=FLAGS, required=False, **args):
        return DEFINE_flag(
            _kinds.MultiFlag(kind, name, default, help, **args), flag_values, required=required
        )

    define.__name__ = define.__qualname__ = public
    return define


DEFINE_multi_string = _multi(_kinds.text, "DEFINE_multi_string")
DEFINE_multi_integer = _multi(_kinds.number(int), "DEFINE_multi_integer")
DEFINE_multi_float = _multi(_kinds.number(float), "DEFINE_multi_float")


def DEFINE_multi_enum(
    name, default, enum_values, help, flag_values=FLAGS, case_sensitive=True, required=False, **args
):
    """Any of the given texts, as often as the flag is given."""
    parse = _kinds.choice(enum_values, case_sensitive)
    return DEFINE_flag(
        _kinds.MultiFlag(parse, name, default, help, **args), flag_values, required=required
    )


def DEFINE_alias(name, original_name, flag_values=FLAGS, module_name=None):
    """Another name of a flag."""
    flag_values.add_alias(name, original_name)


def register_validator(
    flag_name, checker, message="Flag validation failed", flag_values=FLAGS
) -> None:
    """Has the value checked when it is read and whenever it is set."""
    name = flag_name.name if isinstance(flag_name, _kinds.FlagHolder) else flag_name
    flag_values.add_validator(name, checker, message)


def validator(flag_name, message="Flag validation failed", flag_values=FLAGS):
    """register_validator as a decorator."""

    def decorate(function):
        register_validator(flag_name, function, message, flag_values)
        return function

    return decorate


def mark_flag_as_required(flag_name, flag_values=FLAGS) -> None:
    """The program must be given a value."""
    name = flag_name.name if isinstance(flag_name, _kinds.FlagHolder) else flag_name
    register_validator(
        name,
        lambda value: value is not None,
        f"Flag --{name} must have a value other than None.",
        flag_values,
    )


def mark_flags_as_required(flag_names, flag_values=FLAGS) -> None:
    """The program must be given a value for each."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


__getattr__, __dir__ = _names.surface("flags")
