"""tf.profiler.memory: who holds which bytes, since when, and which line asked for them.

    with tf.profiler.memory.start("train.penprof") as recording:
        train()
    print(recording.profile.peak())

`start` and `stop` record; `PENSTOCK_PROFILE=1` (or a path) does so for a whole program, as
`penstock run --profile` does. `summary` and `account` are tables of the moment, recorded or not.
"""

from penstock import _api
from penstock.profiler._account import Account, account
from penstock.profiler._profile import Profile
from penstock.profiler._recording import Recording, is_recording, start, stop
from penstock.profiler._summary import summary

__getattr__, __dir__ = _api.surface("profiler.memory")
