#!/usr/bin/env python3
"""Receives messages of a mainspring webhook, verifies them, and prints one line for each. Standard library only.

    mainspring webhook create local --url http://127.0.0.1:8080/ > secret     (a server with --allow-outbound loopback)
    python3 webhook.py secret 8080
"""
import base64, hashlib, hmac, json, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_S = 300
BODY_MAX = 256 * 1024


def verify(secret, headers, body):
    """Raises ValueError for what mainspring did not send, or sent too long ago."""
    if abs(time.time() - int(headers["webhook-timestamp"])) > TOLERANCE_S:
        raise ValueError("too old")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f'{headers["webhook-id"]}.{headers["webhook-timestamp"]}.'.encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = [one.removeprefix("v1,").encode() for one in headers["webhook-signature"].split(" ")]
    if not any(hmac.compare_digest(expected, one) for one in given):
        raise ValueError("not signed with this secret")


class Handler(BaseHTTPRequestHandler):
    seen = set()

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        body = self.rfile.read(min(length, BODY_MAX))
        try:
            # Read each time, so that a secret that was rotated is taken at once.
            with open(sys.argv[1]) as file:
                secret = file.read().strip()
            verify(secret, self.headers, body)
        except OSError as error:
            return self.answer(503, str(error))
        except (KeyError, TypeError, ValueError) as error:
            return self.answer(400, str(error))
        self.answer(200, "thank you")
        if self.headers["webhook-id"] not in self.seen:
            self.seen.add(self.headers["webhook-id"])
            message = json.loads(body)
            data = message["data"]
            print(message["timestamp"], message["type"], data.get("namespace"), data.get("job"), flush=True)

    def answer(self, status, text):
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler)
    print("listening on port", server.server_port, flush=True)
    server.serve_forever()
