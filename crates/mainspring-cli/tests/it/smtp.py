"""A mail server that prints each message as a line of JSON: smtp.py PORT CERTIFICATE KEY ANSWER.

It wants TLS by STARTTLS and the password of jobs, and answers messages with ANSWER. It ends when its standard input does.
"""

import json
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

port, certificate, key, answer = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]


class Handler:
    async def handle_DATA(self, server, session, envelope):
        message = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "encrypted": session.ssl is not None,
            "data": envelope.content.decode("utf-8", "replace"),
        }
        print(json.dumps(message), flush=True)
        return answer


def authenticate(server, session, envelope, mechanism, data):
    # A failure that is not handled here is answered with 535.
    is_good = data.login == b"jobs" and data.password == b"s3cret"
    return AuthResult(success=is_good, handled=is_good)


tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain(certificate, key)
controller = Controller(
    Handler(),
    hostname="127.0.0.1",
    port=port,
    tls_context=tls,
    require_starttls=True,
    auth_required=True,
    authenticator=authenticate,
)
controller.start()
print("ready", flush=True)
sys.stdin.read()
controller.stop()
