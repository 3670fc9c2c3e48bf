"""The page at ``/``: a form drawn by the server, which a script refreshes in place."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from flask import Response, make_response, redirect, render_template, request

from service.api import Resource
from service.page_view import make_view

routes = Resource("pages")

_MAY_BE_EMPTY: Final = frozenset({"round", "hand"})
_TAPPED: Final = frozenset({"add", "remove"})


@routes.get("/")
def page() -> Response:
    """Return the whole page.

    A form sent without a script has an empty field for every option: it is sent on to the address
    without them, which is the one to share.
    """
    given = request.args.to_dict()
    empty = {name for name, text in given.items() if not text} - _MAY_BE_EMPTY
    if empty:
        kept = {name: text for name, text in given.items() if name not in empty | _TAPPED}
        kept["hand"] = make_view(answered=False).hand_text
        return make_response(redirect(f"/?{urlencode(kept)}", 303))
    return _draw("page.html")


@routes.get("/answer")
def answer() -> Response:
    """Return the part of the page below the form, for the script."""
    return _draw("answer.html")


def _draw(template: str) -> Response:
    view = make_view()
    response = make_response(render_template(template, view=view))
    response.status_code = view.status
    response.headers["Cache-Control"] = "no-cache"
    return response
