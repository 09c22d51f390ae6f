"""tf.config.optimizer: options of the graph optimizer. Stored only: nothing here changes a run."""

from penstock import _api

_jit = ""
_options = {"disable_model_pruning": False, "disable_meta_optimizer": False}


def set_jit(enabled):
    """True, or "autoclustering", for compilation of all functions; False for none."""
    global _jit
    _jit = "autoclustering" if enabled is True or enabled == "autoclustering" else ""


def get_jit():
    """The setting of set_jit: "autoclustering" or ""."""
    return _jit


def set_experimental_options(options):
    """Options of the graph optimizer, by name.

    Args:
      options: The options by name.

    >>> tf.config.optimizer.set_experimental_options({"constant_folding": True})
    """
    _options.update(options)


def get_experimental_options():
    """The options that were set.

    >>> tf.config.optimizer.set_experimental_options({"constant_folding": True})
    >>> tf.config.optimizer.get_experimental_options()
    {'disable_model_pruning': False, 'disable_meta_optimizer': False, 'constant_folding': True}
    """
    return dict(_options)


__getattr__, __dir__ = _api.surface("config.optimizer")
