"""Flags and how their values are parsed, with absl's errors."""

from __future__ import annotations

import csv
import io

from penstock._api import public


@public("v1.flags.Error")
class Error(Exception):
    """The base of errors about flags."""


@public("v1.flags.DuplicateFlagError")
class DuplicateFlagError(Error):
    """Two flags with one name."""


@public("v1.flags.IllegalFlagValueError")
class IllegalFlagValueError(Error):
    """A value that the flag does not accept."""


@public("v1.flags.UnparsedFlagAccessError")
class UnparsedFlagAccessError(Error):
    """A flag was read before the command line was parsed."""


@public("v1.flags.ValidationError")
class ValidationError(Error):
    """A validator refused a value."""


@public("v1.flags.UnrecognizedFlagError")
class UnrecognizedFlagError(Error):
    """There is no flag of that name."""

    def __init__(self, flagname, flagvalue="", suggestions=()):
        self.flagname, self.flagvalue = flagname, flagvalue
        tip = f". Did you mean: {', '.join(suggestions)} ?" if suggestions else ""
        super().__init__(f"Unknown command line flag '{flagname}'{tip}")


def text(value):
    """A string, unchanged."""
    if not isinstance(value, str):
        raise TypeError(f"flag value must be a string, found {type(value).__name__!r}")
    return value


def number(kind, low=None, high=None):
    """Numbers of a kind between two bounds."""
    article = "an integer" if kind is int else "a number"
    if low is not None and high is not None:
        wanted = f"{article} in the range [{low}, {high}]"
    elif low is not None:
        wanted = f"{article} >= {low}"
    elif high is not None:
        wanted = f"{article} <= {high}"
    else:
        wanted = article

    def parse(value):
        if isinstance(value, bool) or not isinstance(value, (str, int, kind)):
            raise TypeError(
                f"Expect argument to be a string or {kind.__name__}, found {type(value)}"
            )
        if kind is int and isinstance(value, str):
            number = int(value, 16 if value[:2].lower() == "0x" else 8 if value[:2] == "0o" else 10)
        else:
            number = kind(value)
        if (low is not None and number < low) or (high is not None and number > high):
            raise ValueError(f"{number} is not {wanted}")
        return number

    parse.kind = article
    return parse


def truth(value):
    """true, t, 1, false, f, 0 in any case."""
    if isinstance(value, str):
        if value.lower() in ("true", "t", "1"):
            return True
        if value.lower() in ("false", "f", "0"):
            return False
        raise ValueError("Non-boolean argument to boolean flag", value)
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise TypeError("Non-boolean argument to boolean flag", value)


def choice(values, case_sensitive=True):
    """One of the given strings."""
    values = list(values)
    if not values:
        raise ValueError(f"enum_values cannot be empty, found {values!r}")

    def parse(value):
        if case_sensitive:
            chosen = value if value in values else None
        else:
            chosen = next(
                (candidate for candidate in values if candidate.upper() == str(value).upper()), None
            )
        if chosen is None:
            raise ValueError(f"value should be one of <{'|'.join(values)}>")
        return chosen

    return parse


def member(enum_class, case_sensitive=False):
    """A member of an Enum."""
    names = {name if case_sensitive else name.lower(): name for name in enum_class.__members__}

    def parse(value):
        if isinstance(value, enum_class):
            return value
        key = value if case_sensitive else str(value).lower()
        if key not in names:
            raise ValueError(f"value should be one of <{'|'.join(names)}>")
        return enum_class[names[key]]

    return parse


def commas(value):
    """Comma-separated strings, quoted as in CSV."""
    if isinstance(value, list):
        return value
    if not value:
        return []
    rows = list(csv.reader(io.StringIO(value), strict=True))
    if len(rows) != 1:
        raise ValueError(f"Unable to parse the value {value!r} as a comma separated list")
    return [cell.strip() for cell in rows[0]]


def spaces(comma_compat=False):
    """Strings separated by spaces; on request also by commas."""

    def parse(value):
        if isinstance(value, list):
            return value
        return (value.replace(",", " ") if comma_compat else value or "").split()

    return parse


@public("v1.flags.Flag")
class Flag:
    """One flag: its value, its default, and its parser."""

    is_boolean = False

    def __init__(self, parse, name, default, help, short_name=None, allow_override=False, **unused):
        self._parse = parse
        self.name, self.short_name = name, short_name
        self.help = help or "(no help available)"
        self.allow_override = allow_override
        self.present = 0
        self.using_default_value = True
        self.validators = []
        self.set_default(default)

    def set_default(self, value) -> None:
        self.default_unparsed = value
        self.default = None if value is None else self.parsed(value)
        if self.using_default_value:
            self.value = self.default

    def parsed(self, value):
        try:
            return self._parse(value)
        except (TypeError, ValueError) as error:
            raise IllegalFlagValueError(f"flag --{self.name}={value}: {error}") from None

    def parse(self, value) -> None:
        """Takes a value from the command line."""
        self.value = self.parsed(value)
        self.present += 1
        self.using_default_value = False

    def unparse(self) -> None:
        self.value, self.using_default_value, self.present = self.default, True, 0

    def as_text(self, value) -> str:
        return ",".join(map(str, value)) if isinstance(value, list) else str(value)


@public("v1.flags.BooleanFlag")
class BooleanFlag(Flag):
    """Yes or no."""

    is_boolean = True

    def __init__(self, name, default, help, short_name=None, **args):
        super().__init__(truth, name, default, help, short_name, **args)


@public("v1.flags.EnumFlag")
class EnumFlag(Flag):
    """One of the given strings."""

    def __init__(
        self, name, default, help, enum_values, short_name=None, case_sensitive=True, **args
    ):
        self.enum_values = list(enum_values)
        parse = choice(self.enum_values, case_sensitive)
        help = f"<{'|'.join(self.enum_values)}>: {help or '(no help available)'}"
        super().__init__(parse, name, default, help, short_name, **args)


@public("v1.flags.MultiFlag")
class MultiFlag(Flag):
    """A flag that may be given several times: a list of the values."""

    def parsed(self, value):
        values = [value] if isinstance(value, str) or not hasattr(value, "__iter__") else value
        return [super(MultiFlag, self).parsed(item) for item in values]

    def parse(self, value) -> None:
        earlier = self.value if self.present else []
        super().parse(value)
        self.value = [*earlier, *self.value]


@public("v1.flags.FlagHolder")
class FlagHolder:
    """The result of defining a flag: `holder.value` is the value in FLAGS."""

    def __init__(self, flag_values, flag):
        self._flag_values, self._name = flag_values, flag.name

    name = property(lambda self: self._name)
    value = property(lambda self: getattr(self._flag_values, self._name))
    default = property(lambda self: self._flag_values[self._name].default)
    present = property(lambda self: bool(self._flag_values[self._name].present))

    def __eq__(self, other):
        raise TypeError(
            f"unsupported operand type(s) for ==: '{type(self).__name__}' and "
            f"'{type(other).__name__}' (did you mean to use '{self._name}.value' instead?)"
        )

    def __bool__(self):
        raise TypeError(
            f"bool() not supported for instances of type '{type(self).__name__}' (did you mean to "
            f"use '{self._name}.value' instead?)"
        )

    __hash__ = object.__hash__
