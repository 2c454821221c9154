"""URL to neighborhoods: the site and every prefix of the path (METHODS.md step 6; TR 3.6)."""


def directory(url: str) -> str:
    """Give the deepest neighborhood of a URL: host and path up to the last slash, `host/a/b/`.

    Scheme, user info, port 80 or 443, query and fragment are not part of it; the host is lower-cased, empty
    path components are dropped, percent-encoding is left alone.
    """
    _, _, rest = url.partition("://")
    for mark in "?#":
        cut = rest.find(mark)
        if cut >= 0:
            rest = rest[:cut]
    authority, _, path = rest.partition("/")
    host = authority.rpartition("@")[2].lower()
    name, colon, port = host.rpartition(":")
    if colon and port in ("80", "443", ""):
        host = name
    parent = path.rpartition("/")[0]
    if not parent:
        return host + "/"
    if "//" in path or parent[0] == "/":
        parent = "/".join(filter(None, parent.split("/")))
        if not parent:
            return host + "/"
    return f"{host}/{parent}/"
