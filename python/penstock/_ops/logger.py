"""tf.get_logger: where warnings and notes go."""

from __future__ import annotations

import logging

from penstock._api import public


@public("get_logger")
def get_logger():
    """The logger of TensorFlow's name, which programs set to be quiet.

    >>> tf.get_logger().name
    'tensorflow'
    """
    return logging.getLogger("tensorflow")
