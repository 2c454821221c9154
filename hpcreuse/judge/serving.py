"""The server of one judge, on this machine alone; others reach it through a tunnel."""

import getpass
import logging
import os
import secrets
import socket
from contextlib import suppress

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from hpcreuse.errors import UsageError
from hpcreuse.judge.app import make_app
from hpcreuse.judge.session import Session

ADDRESS = "127.0.0.1"


class Silent(WSGIRequestHandler):
    """Writes no log of requests: the token stands in each."""

    def log(self, type: str, message: str, *args: object) -> None:
        """Say nothing of what was asked, and keep errors."""
        if type == "error":
            logging.getLogger(__name__).debug("a request failed")

    def version_string(self) -> str:
        """Tell nobody what runs here."""
        return "hpcreuse"


def open_server(session: Session, port: int) -> tuple[BaseWSGIServer, str]:
    """Make a server, on any free port when it is 0, and give it with its address."""
    token = secrets.token_urlsafe(24)
    # The address of every request stands in its log
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    # Bound here: the server would print and exit when the port is taken
    with socket.socket() as ours:
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            ours.bind((ADDRESS, port))
        except OSError as error:
            raise UsageError(
                f"port {port} cannot be used ({error.strerror}): choose another with --port, or leave it out"
            ) from error
        ours.listen()
        app, taken = make_app(session, token), ours.getsockname()[1]
        server = make_server(ADDRESS, taken, app, threaded=True, request_handler=Silent, fd=ours.fileno())
    return server, f"http://{ADDRESS}:{server.port}/{token}/"


def tunnel(port: int) -> str:
    """Give the command that, typed on one's own machine, brings the page there."""
    with suppress(KeyError, OSError):
        user = getpass.getuser()
        node = socket.gethostname()
        through = os.environ.get("SLURM_SUBMIT_HOST")
        # A compute node is reached through the host where the job was submitted
        jump = f" -J {user}@{through}" if through and through.partition(".")[0] != node.partition(".")[0] else ""
        return f"ssh -N -L {port}:{ADDRESS}:{port}{jump} {user}@{node}"
    return f"ssh -N -L {port}:{ADDRESS}:{port} {socket.gethostname()}"


def serve(server: BaseWSGIServer, session: Session) -> None:
    """Answer until interrupted; every judgement is on disk by then."""
    with suppress(KeyboardInterrupt):
        server.serve_forever()
    server.server_close()
    session.close()
