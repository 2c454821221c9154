"""Who may ask: whoever has the token, at this machine's own name, from this page and no other."""

import hmac
from urllib.parse import urlsplit

from flask import Flask, Request, Response, abort, request

# Through a tunnel the page is asked for by these names too; any other is a name that was bent to point here
OWN_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})

COMMON = {
    "X-Content-Type-Options": "nosniff",
    "X-DNS-Prefetch-Control": "off",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A drawing may use styles that stand in it, and load nothing
DRAWING_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)


def guard(app: Flask, token: str) -> None:
    """Let an app answer nobody else, and tell browsers on every answer what they may do with it."""

    @app.before_request
    def refuse_strangers() -> None:
        if urlsplit(f"//{request.host}").hostname not in OWN_NAMES:
            abort(403, "This address is not one of the judge's.")
        given = request.path.split("/")[1].encode("utf-8", "replace")
        if not hmac.compare_digest(given, token.encode()):
            abort(403, "The token in the address is missing or wrong: use the address that `hpcreuse judge` printed.")
        if request.method != "GET" and not is_own_page(request):
            abort(403, "Another page may not judge.")

    @app.after_request
    def restrict(response: Response) -> Response:
        for name, value in COMMON.items():
            response.headers[name] = value
        response.headers.setdefault("Content-Security-Policy", PAGE_POLICY)
        return response


def is_own_page(asked: Request) -> bool:
    """Tell whether a request that changes something comes from our page: browsers say so, and send JSON only then."""
    origin, site = asked.headers.get("Origin"), asked.headers.get("Sec-Fetch-Site", "same-origin")
    return origin == f"http://{asked.host}" and site == "same-origin" and asked.is_json
