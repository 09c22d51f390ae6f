"""tf.profiler.memory: the owner, age and line of all allocated bytes.

    with tf.profiler.memory.start("train.penprof") as recording:
        train()
    print(recording.profile.peak())

`start` and `stop` record; `PENSTOCK_PROFILE=1` (or a path) does so for a whole program, as
`penstock run --profile` does. `summary` and `account` are tables of the moment, recorded or not.
"""

from penstock import _api

__getattr__, __dir__ = _api.surface("profiler.memory")
