"""The thin layer between Flask and the views: typed bodies in, JSON out, operations recorded."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final, TypeVar

from flask import Blueprint, Response, g, request
from pydantic import BaseModel, ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from service.errors import ProblemError, schema_faults
from service.examine import further_faults, merged, with_further_faults
from service.reading import number_within
from service.state import service_state
from service.strict_json import DuplicateKeysError, read_strict
from solver.errors import MeldSolverError, joined
from solver.json_words import what_is_wrong

Body = TypeVar("Body", bound=BaseModel)
Answer = Mapping[str, Any]

JSON_TYPE: Final = "application/json"
NDJSON_TYPE: Final = "application/x-ndjson"
NDJSON_TYPES: Final = frozenset({NDJSON_TYPE, "application/ndjson", "application/jsonl"})
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True)
class About:
    """What the documents say of an operation.

    Attributes:
        summary: one line.
        description: what the summary leaves open.
        example: a body (or query) that works as it is.
    """

    summary: str
    description: str = ""
    example: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Operation:
    """One documented operation of the API.

    Attributes:
        method: ``"get"`` or ``"post"``.
        path: Flask rule, ``"/v1/rules/<name>"``.
        about: what the documents say.
        body: model of the JSON body, None without one.
        query: model whose fields may be given in the query instead of a body.
        answer: model of the JSON answer.
        lines: model of a line and model of the answer to it, where the body may also be JSON
            lines (NDJSON) and ``query`` tells what holds for all of them.
    """

    method: str
    path: str
    about: About
    body: type[BaseModel] | None
    query: type[BaseModel] | None
    answer: type[BaseModel]
    lines: tuple[type[BaseModel], type[BaseModel]] | None = None


class Resource(Blueprint):
    """A blueprint whose operations are also known to the OpenAPI document.

    Example:
        >>> routes = Resource("rules")
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, __name__)
        self.operations: list[Operation] = []

    def read(
        self,
        path: str,
        *,
        answer: type[BaseModel],
        about: About,
        query: type[BaseModel] | None = None,
    ) -> Callable[[Callable[..., Answer]], Callable[..., Response]]:
        """Register a GET whose view returns the answer as a mapping."""

        def register(view: Callable[..., Answer]) -> Callable[..., Response]:
            @wraps(view)
            def respond(**path_values: str) -> Response:
                if query is None:
                    return json_response(_asked(lambda: view(**path_values)))
                with service_state().solving():
                    response = json_response(_asked(lambda: view(**path_values)))
                response.headers["Cache-Control"] = _cache_control()
                return response

            self.add_url_rule(path, f"get_{view.__name__}", respond, methods=["GET"])
            self.operations.append(Operation("get", path, about, None, query, answer))
            return respond

        return register

    def ask(
        self,
        path: str,
        body: type[Body],
        *,
        answer: type[BaseModel],
        about: About,
    ) -> Callable[[Callable[[Body], Answer]], Callable[[], Response]]:
        """Register a POST whose view takes the validated body and returns the answer."""

        def register(view: Callable[[Body], Answer]) -> Callable[[], Response]:
            @wraps(view)
            def respond() -> Response:
                text = json_bytes()
                with service_state().solving():
                    return json_response(_asked(lambda: view(read_json(body, text))))

            self.add_url_rule(path, f"post_{view.__name__}", respond, methods=["POST"])
            self.operations.append(Operation("post", path, about, body, None, answer))
            return respond

        return register


def _asked(answer: Callable[[], Answer]) -> Answer:
    """Return an answer; an error of the solver comes with all further faults of the question."""
    try:
        return answer()
    except MeldSolverError as error:
        if (asked := g.get("asked")) is None:
            raise
        model, text = asked
        raise with_further_faults(error, model, read_strict(text)) from error


def _cache_control() -> str:
    """Return how long an answer may be kept: it depends on nothing but its address."""
    config = service_state().config
    if not config.cache_seconds:
        return "no-store"
    return f"{'private' if config.api_keys else 'public'}, max-age={config.cache_seconds}"


def json_response(answer: Answer, status: int = 200) -> Response:
    """Return an answer as JSON; cards stay readable, so non-ASCII text is not escaped."""
    return Response(encoded(answer), status=status, content_type=JSON_TYPE)


def encoded(answer: Answer) -> bytes:
    """Return an answer as JSON in UTF-8; half a surrogate pair becomes its JSON escape."""
    return _ENCODE(answer).encode(errors="backslashreplace")


def lines_response(answers: Iterable[Answer]) -> Response:
    """Return answers as JSON lines."""
    lines = b"".join(encoded(answer) + b"\n" for answer in answers)
    return Response(lines, content_type=NDJSON_TYPE)


def json_bytes() -> bytes:
    """Return the body of the current request, which says that it is JSON.

    Raises:
        ProblemError: ``unsupported-media-type`` or ``too-large``.
        LimitError: ``limit.json_values``.
    """
    plain = request.environ.get("CONTENT_TYPE") == JSON_TYPE  # saves parsing the usual header
    if not plain and request.mimetype != JSON_TYPE and not request.mimetype.endswith("+json"):
        raise unsupported(JSON_TYPE)
    return body_bytes()


def unsupported(expected: str) -> ProblemError:
    """Return the error of a body of another content type."""
    got = request.mimetype or "no content type"
    return ProblemError("unsupported-media-type", f"expected {expected}, got {got}")


def body_bytes() -> bytes:
    """Return the body of the current request, without the mark that some editors begin with.

    Raises:
        ProblemError: ``too-large``.
        LimitError: ``limit.json_values``; counted, since reading them is what must be bounded.
    """
    limits = service_state().config.limits
    try:
        body = request.get_data(cache=False)
    except RequestEntityTooLarge as error:
        most = request.max_content_length or limits.body_bytes
        raise ProblemError("too-large", f"expected a body of at most {most} bytes") from error
    number_within(body.count(b","), limits.json_values, what="json_values", where="")
    return body.removeprefix(codecs.BOM_UTF8)


def read_json(model: type[Body], text: bytes | str) -> Body:
    """Return a validated JSON text; keep it for the faults that a view does not look for.

    Raises:
        ProblemError: ``not-json`` or ``invalid-request``, then with every fault of the request.
    """
    try:
        document = read_strict(text)
    except DuplicateKeysError as error:
        raise ProblemError("invalid-request", str(error), faults=error.faults) from error
    except (ValueError, RecursionError) as error:
        message = f"Invalid JSON: {what_is_wrong(error)}"
        raise ProblemError("not-json", message) from error
    g.asked = (model, text)
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        faults = schema_faults(error)
        if faults[0].code == "schema.json_invalid":
            message = error.errors(include_url=False)[0]["msg"]
            raise ProblemError("not-json", message) from error
        places = {fault.where for fault in faults}
        more = [f for f in further_faults(model, document) if f.where not in places]
        faults = merged(faults, more)
        detail = joined(faults)
        raise ProblemError("invalid-request", detail, faults=faults) from error
