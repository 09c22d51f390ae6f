"""FLAGS: all flags of a program, parsed from the command line."""

from __future__ import annotations

import difflib
import os
import sys

from penstock._api import public
from penstock.compat.v1 import _flag_kinds as kinds


@public("v1.flags.FlagValues")
class FlagValues:
    """Flags by name: `FLAGS.name` is a value, `FLAGS["name"]` the flag, `FLAGS(argv)` parses."""

    def __init__(self):
        object.__setattr__(self, "_flags", {})
        object.__setattr__(self, "_is_parsed", False)

    def __setitem__(self, name, flag):
        if not isinstance(flag, kinds.Flag):
            raise kinds.IllegalFlagValueError(f"Expect Flag instances, found {type(flag)}")
        if not isinstance(name, str) or not name:
            raise kinds.Error("Flag name cannot be empty or not a string")
        if " " in name:
            raise kinds.Error(f"Flag name cannot contain a space: {name!r}")
        known = self._flags.get(name)
        if known is not None and not flag.allow_override and not known.allow_override:
            raise kinds.DuplicateFlagError(
                f"The flag '{name}' is defined twice. Description from first occurrence: "
                f"{known.help}"
            )
        self._flags[name] = flag
        if flag.short_name:
            self._flags[flag.short_name] = flag

    def __getitem__(self, name):
        return self._flags[name]

    def __contains__(self, name):
        return name in self._flags

    def __iter__(self):
        return iter(self._flags)

    def __len__(self):
        return len(self._flags)

    def __dir__(self):
        return sorted(self._flags)

    def add_alias(self, name, original):
        if original not in self._flags:
            raise kinds.UnrecognizedFlagError(original)
        self._flags[name] = self._flags[original]

    def add_validator(self, name, checker, message):
        if name not in self._flags:
            raise KeyError(name)
        self._flags[name].validators.append((checker, message))
        if self._is_parsed:
            self._validate(self._flags[name])

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        flag = self._flags.get(name)
        if flag is None:
            raise AttributeError(name)
        if not self._is_parsed:
            self._access_unparsed(name)
        return flag.value

    def _access_unparsed(self, name):
        raise kinds.UnparsedFlagAccessError(
            f"Trying to access flag --{name} before flags were parsed."
        )

    def __setattr__(self, name, value):
        flag = self._flags.get(name)
        if flag is None:
            raise AttributeError(name)
        flag.value = value
        flag.using_default_value = False
        self._validate(flag)

    def __delattr__(self, name):
        if name not in self._flags:
            raise AttributeError(name)
        flag = self._flags[name]
        for alias in [alias for alias, own in self._flags.items() if own is flag]:
            del self._flags[alias]

    @staticmethod
    def _validate(flag):
        for checker, message in flag.validators:
            try:
                is_fine = checker(flag.value)
            except kinds.ValidationError as error:
                message, is_fine = str(error), False
            if not is_fine:
                raise kinds.IllegalFlagValueError(f"flag --{flag.name}={flag.value}: {message}")

    def is_parsed(self) -> bool:
        """Whether the command line has been parsed."""
        return self._is_parsed

    def mark_as_parsed(self) -> None:
        """Treats the current values as parsed, without a command line."""
        object.__setattr__(self, "_is_parsed", True)

    def unparse_flags(self) -> None:
        """Resets every flag to its default."""
        for flag in self._flags.values():
            flag.unparse()
        object.__setattr__(self, "_is_parsed", False)

    def set_default(self, name, value) -> None:
        """Changes the default."""
        self._flags[name].set_default(value)
        self._validate(self._flags[name])

    def flag_values_dict(self) -> dict:
        """The values by name."""
        return {name: flag.value for name, flag in self._flags.items()}

    def get_flag_value(self, name, default):
        """The value, or the default if it is None."""
        value = getattr(self, name)
        return default if value is None else value

    def __call__(self, argv, known_only=False) -> list[str]:
        """Parses the command line; returns the rest of it, starting with the program's name."""
        if isinstance(argv, (str, bytes)):
            raise TypeError("argv should be a tuple/list of strings, not bytes or string.")
        if not argv:
            raise ValueError("argv cannot be an empty list, and must contain the program name")
        rest = self._read([str(argument) for argument in argv[1:]], known_only)
        self.mark_as_parsed()
        for flag in dict.fromkeys(self._flags.values()):
            self._validate(flag)
        return [argv[0], *rest]

    def _read(self, items, known_only):
        rest, at = [], 0
        while at < len(items):
            item = items[at]
            at += 1
            if item == "--":
                return [*rest, *items[at:]]
            if not item.startswith("-") or item == "-":
                rest.append(item)
                continue
            name, has_value, value = item.lstrip("-").partition("=")
            flag, negated = self._named(name)
            if flag is None:
                if not known_only:
                    raise kinds.UnrecognizedFlagError(name, item, self._near(name))
                rest.append(item)
            elif negated:
                if has_value:
                    raise ValueError(f"{name} does not take an argument: {value!r}")
                flag.parse("false")
            elif has_value or flag.is_boolean:
                flag.parse(value if has_value else "true")
            elif at < len(items):
                flag.parse(items[at])
                at += 1
            else:
                raise kinds.Error(f"Missing value for flag --{name}")
        return rest

    def _named(self, name):
        """(the flag, whether it is negated)."""
        flag = self._flags.get(name)
        if flag is None and name.startswith("no"):
            flag = self._flags.get(name[2:])
            return (flag, True) if flag is not None and flag.is_boolean else (None, False)
        return flag, False

    def _near(self, name):
        return difflib.get_close_matches(name, self._flags, n=3, cutoff=0.8)

    def get_help(self, prefix="", include_special_flags=True) -> str:
        """All flags with their help."""
        return "\n".join(self._help_of(name) for name in sorted(self._flags))

    def _help_of(self, name) -> str:
        flag = self._flags[name]
        text = f"  --[no]{name}: {flag.help}" if flag.is_boolean else f"  --{name}: {flag.help}"
        if flag.default is not None:
            shown = str(flag.default).lower() if flag.is_boolean else flag.as_text(flag.default)
            text += (
                f"\n    (default: {shown if not isinstance(flag.default, str) else repr(shown)})"
            )
        if hasattr(flag._parse, "kind"):
            text += f"\n    ({flag._parse.kind})"
        return text

    def main_module_help(self) -> str:
        """What `--help` shows."""
        name = os.path.basename(sys.argv[0])
        return f"\n{name}:\n{self.get_help()}"


class ProgramFlags(FlagValues):
    """The flags of the program: the command line is parsed when the first flag is read."""

    def _access_unparsed(self, name):
        self(sys.argv)
