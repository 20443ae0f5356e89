"""A small web server as a site of this kind should be served: compressed, under a strict policy."""

import gzip
import http.server
import mimetypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
COMPRESSED = ("text/", "application/json", "application/javascript", "image/svg+xml")


def resolve(site: Path, path: str) -> Path | None:
    """The file that answers a path, as static hosts do it; None where there is none."""
    target = (site / unquote(path).lstrip("/")).resolve()
    if target.is_dir():
        target /= "index.html"
    return target if target.is_file() and target.is_relative_to(site.resolve()) else None


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves `site` under `prefix`; an unknown path gets the 404 page."""

    protocol_version = "HTTP/1.1"
    site: Path
    prefix: str
    policy: str

    def do_GET(self):
        path = urlsplit(self.path).path
        file = None
        if path.startswith(self.prefix):
            file = resolve(self.site, path.removeprefix(self.prefix))
        status = 200 if file else 404
        file = file or self.site / "404.html"
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        body = file.read_bytes()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if self.policy:
            self.send_header("Content-Security-Policy", self.policy)
        if kind.startswith(COMPRESSED) and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 9, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextmanager
def serving(site: Path, prefix: str = "/", policy: str = POLICY) -> Iterator[str]:
    """Serve a built site on a free port; gives the address of its root."""
    members = {"site": site, "prefix": prefix, "policy": policy}
    handler = type("SiteHandler", (Handler,), members)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{prefix}"
    finally:
        server.shutdown()
        server.server_close()
