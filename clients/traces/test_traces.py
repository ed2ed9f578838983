"""What the service sends to a collector of traces, read by the protocol's own definition."""

from __future__ import annotations

import base64
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/python/tests"))
from service import Service  # noqa: E402


def in_base64(message: object) -> None:
    """Ids are hexadecimal in this protocol's JSON, where JSON of other messages has base64."""
    if isinstance(message, dict):
        for key, value in message.items():
            if key in ("traceId", "spanId", "parentSpanId"):
                message[key] = base64.b64encode(bytes.fromhex(value)).decode()
            in_base64(value)
    elif isinstance(message, list):
        for value in message:
            in_base64(value)


def test_it_is_what_the_protocol_says(tmp_path: Path) -> None:
    taken: Queue[bytes] = Queue()

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            taken.put(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:
            pass

    collector = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    service = Service(tmp_path, traces=f"http://127.0.0.1:{collector.server_address[1]}/v1/traces").start()
    try:
        message = json.loads(taken.get(timeout=30))
    finally:
        service.stop()
        collector.shutdown()
        collector.server_close()
    in_base64(message)
    # A name that the protocol does not know is refused here.
    read = json_format.ParseDict(message, ExportTraceServiceRequest())
    spans = read.resource_spans[0].scope_spans[0].spans
    whole = [span for span in spans if span.kind == Span.SPAN_KIND_SERVER]
    assert whole, "the service was asked whether it is ready"
    for span in spans:
        assert len(span.trace_id) == 16 and len(span.span_id) == 8
        assert span.start_time_unix_nano <= span.end_time_unix_nano
        known = {one.key: one.value for one in span.attributes}
        assert span.kind == Span.SPAN_KIND_INTERNAL or known["http.response.status_code"].int_value >= 200
