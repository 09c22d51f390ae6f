"""Worker processes that run programs. They are restarted when they crash, hang or grow."""

from __future__ import annotations

import os
import pickle
import select
import struct
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Crash(Exception):
    """The worker died, or did not answer in time."""


class Worker:
    def __init__(self, python: str, module: str, patience=60.0, lifetime=3000):
        self.command = [python, str(HERE / "worker.py"), module]
        self.patience, self.lifetime = patience, lifetime
        self.process, self.age = None, 0

    def start(self) -> None:
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0")
        environment["CUDA_VISIBLE_DEVICES"] = ""
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self.age = 0

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process = None

    def send(self, *request) -> None:
        if self.age >= self.lifetime:
            self.stop()
        if self.process is None:
            self.start()
        self.age += 1
        data = pickle.dumps(request, protocol=4)
        try:
            self.process.stdin.write(struct.pack("<I", len(data)) + data)
            self.process.stdin.flush()
        except OSError as error:
            raise self._lost("crash") from error

    def receive(self):
        (size,) = struct.unpack("<I", self._read(4))
        return pickle.loads(self._read(size))

    def ask(self, *request):
        self.send(*request)
        return self.receive()

    def _lost(self, how) -> Crash:
        if how == "crash" and self.process is not None:
            how = f"crash, status {self.process.wait()}"
        self.stop()
        return Crash(how)

    def _read(self, size) -> bytes:
        stream, data = self.process.stdout.fileno(), b""
        while len(data) < size:
            ready, _, _ = select.select([stream], [], [], self.patience)
            if not ready:
                raise self._lost("hang")
            part = os.read(stream, min(size - len(data), 1 << 20))
            if not part:
                raise self._lost("crash")
            data += part
        return data
