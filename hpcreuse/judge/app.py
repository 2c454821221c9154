"""The web page of a judge: a few addresses below the token, answers in JSON; the page itself is in `static/`."""

import io
from typing import Any

from flask import Flask, Response, abort, jsonify, request, send_from_directory

from hpcreuse.errors import HpcreuseError
from hpcreuse.judge.guard import DRAWING_POLICY, guard
from hpcreuse.judge.session import Session
from hpcreuse.judge.tabulation import COLUMNS, rows
from hpcreuse.store.writers import write_csv

LONGEST_NOTE = 10_000
FILES = {"": "judge.html", "judge.js": "judge.js", "judge.css": "judge.css"}


def make_app(session: Session, token: str) -> Flask:
    """Make the app of a session; it answers only below /TOKEN/."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = 1 << 16
    guard(app, token)
    at = f"/{token}/"
    serve_page(app, at)
    serve_evidence(app, at, session)
    take_judgements(app, at, session)
    serve_results(app, at, session)
    return app


def serve_page(app: Flask, at: str) -> None:
    """Give the page itself, and errors as plain text."""

    @app.errorhandler(403)
    @app.errorhandler(404)
    @app.errorhandler(400)
    def refuse(error: Any) -> Response:
        return Response(f"{error.description}\n", error.code, mimetype="text/plain")

    @app.errorhandler(HpcreuseError)
    def fail(error: HpcreuseError) -> Response:
        return Response(f"{error}\n", 500, mimetype="text/plain")

    @app.get(at, defaults={"name": ""})
    @app.get(f"{at}<name>")
    def page(name: str) -> Response:
        if name not in FILES:
            abort(404)
        return send_from_directory(f"{app.root_path}/static", FILES[name])


def serve_evidence(app: Flask, at: str, session: Session) -> None:
    """Give the items of the sample, and drawings of their pages."""

    @app.get(f"{at}item/<int:number>")
    def item(number: int) -> Response:
        return jsonify(session.evidence(checked(session, number)).record())

    @app.get(f"{at}drawing/<int:number>/<any(pages, sources):side>/<int:panel>")
    def drawing(number: int, side: str, panel: int) -> Response:
        panels = getattr(session.evidence(checked(session, number)), side)
        if panel >= len(panels) or panels[panel].drawing is None:
            abort(404, "There is no such drawing.")
        answer = Response(panels[panel].drawing, mimetype="text/html")
        answer.headers["Content-Security-Policy"] = DRAWING_POLICY
        return answer


def take_judgements(app: Flask, at: str, session: Session) -> None:
    """Take what the judge says, and give what stands."""

    @app.get(f"{at}state")
    def state() -> Response:
        return jsonify(session.state())

    @app.post(f"{at}judge")
    def judge() -> Response:
        said = request.get_json()
        number, label, note = (said.get(name) for name in ("number", "label", "note"))
        names = [category.name for category in session.categories]
        if not isinstance(number, int) or not isinstance(note, str) or (label is not None and label not in names):
            abort(400, "A judgement has a number, a label of the settings and a note.")
        session.say(checked(session, number), label, note[:LONGEST_NOTE])
        return jsonify(session.state())

    @app.post(f"{at}undo")
    def undo() -> Response:
        number = session.undo()
        return jsonify({**session.state(), "undone": number})


def serve_results(app: Flask, at: str, session: Session) -> None:
    """Give the tables of the papers, and all judgements as a file."""

    @app.get(f"{at}results")
    def results() -> Response:
        return jsonify(session.results())

    @app.get(f"{at}judgements.csv")
    def export() -> Response:
        out = io.BytesIO()
        histories = session.judgements.histories(session.sample.kind)
        write_csv(COLUMNS, rows(session.sample, session.categories, histories), out)
        answer = Response(out.getvalue(), mimetype="text/csv")
        answer.headers["Content-Disposition"] = "attachment; filename=judgements.csv"
        return answer


def checked(session: Session, number: int) -> int:
    """Take the number of an item that the sample has."""
    if number >= len(session.sample.items):
        abort(404, "The sample has no such item.")
    return number
