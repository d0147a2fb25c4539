"""Small HTTP services of tests, on a port of this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_LOOK_AGAIN = 0.01  # seconds; by default a server takes half a second to notice that it must end


class _Quiet:
    """Goes before a handler's own class: it writes no log, and sends what it has at once."""

    disable_nagle_algorithm = True  # otherwise a body waits 40 ms until the head before it is acknowledged

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class names it so)
        pass


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serves while the context lasts and yields the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type(handler.__name__, (_Quiet, handler), {}))
    thread = threading.Thread(target=server.serve_forever, args=(_LOOK_AGAIN,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
