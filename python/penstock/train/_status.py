"""The result of a restore: an object that reports what was restored."""

from __future__ import annotations

from penstock.train._graph import identity, variables_under


class CheckpointLoadStatus:
    """How much of a checkpoint matched the program's objects, and the reverse."""

    def __init__(self, restore, checkpoint):
        self._restore, self._checkpoint = restore, checkpoint

    def _unmatched(self):
        restored = self._restore.restored
        return [v for v in variables_under(self._checkpoint) if identity(v) not in restored]

    def assert_consumed(self):
        """Raises AssertionError unless everything in the checkpoint and the program matched."""
        self.assert_existing_objects_matched()
        unresolved = self._restore.unresolved()
        if unresolved is not None:
            path, key = unresolved
            raise AssertionError(
                f"Unresolved object in checkpoint {path}: attributes {{\n"
                f'  name: "VARIABLE_VALUE"\n  checkpoint_key: "{key}"\n}}'
            )
        return self

    def assert_existing_objects_matched(self):
        """Raises AssertionError if a variable of the program got no value."""
        left = self._unmatched()
        if left:
            shown = left[:10]
            raise AssertionError(
                f"Found {len(left)} Python objects that were not bound to checkpointed values, "
                "likely due to changes in the Python program. Showing "
                f"{len(shown)} of {len(left)} unmatched objects: {shown}"
            )
        return self

    def assert_nontrivial_match(self):
        """Raises AssertionError if nothing matched at all."""
        if not self._restore.restored:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this "
                "means that the checkpoint does not match the Python program. The following "
                f"objects have no matching checkpointed value: {self._unmatched()}"
            )
        return self

    def expect_partial(self):
        """Declares that a partial match is intended."""
        return self

    def run_restore_ops(self, session=None):
        """Does nothing: values are restored as soon as a variable exists."""

    def initialize_or_restore(self, session=None):
        """Does nothing, likewise."""


class InitializationOnlyStatus:
    """The result of restoring from None: nothing was restored."""

    def _refuse(self, session=None):
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _refuse
    run_restore_ops = _refuse

    def expect_partial(self):
        """Declares that a partial match is intended."""
        return self

    def initialize_or_restore(self, session=None):
        """Does nothing: variables have their initial values."""
