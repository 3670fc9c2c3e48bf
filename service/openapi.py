"""The OpenAPI 3.1 document, made of the registered operations and their models."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, cast

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from service.api import JSON_TYPE, NDJSON_TYPE, Operation
from service.config import Limits
from service.errors import KINDS
from service.schemas import Problem
from solver import __version__

Schema: TypeAlias = dict[str, Any]
_Mode: TypeAlias = Literal["validation", "serialization"]

_Refs: TypeAlias = Mapping[tuple[type[BaseModel], _Mode], Schema]

_REF: Final = "#/components/schemas/{model}"
_PATH_VALUE_RE: Final = re.compile(r"<(\w+)>")
_OF_QUERIES: Final = ("invalid-request", "over-limit", "unavailable")
_OF_BODIES: Final = ("not-json", "timeout", "too-large", "unsupported-media-type", *_OF_QUERIES)
_OF_ALL: Final = ("unauthorized", "rate-limited", "internal")


def openapi_document(operations: Sequence[Operation], limits: Limits) -> Schema:
    """Return the document as JSON values.

    Args:
        operations: all operations, in the order in which they are shown.
        limits: told in the description.
    """
    wanted: list[tuple[type[BaseModel], _Mode]] = [(Problem, "serialization")]
    for operation in operations:
        wanted.append((operation.answer, "serialization"))
        wanted += [(m, "validation") for m in (operation.body, operation.query) if m]
        if operation.lines:
            wanted += [(operation.lines[0], "validation"), (operation.lines[1], "serialization")]
    refs, definitions = models_json_schema(list(dict.fromkeys(wanted)), ref_template=_REF)
    of_models = cast(_Refs, refs)
    paths: dict[str, Schema] = {}
    for operation in operations:
        path = _PATH_VALUE_RE.sub(r"{\1}", operation.path)
        paths.setdefault(path, {})[operation.method] = _operation(operation, of_models, definitions)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "meld-solver",
            "version": __version__,
            "summary": "Minimum-penalty melds for rummy-type games, proved.",
            "description": _description(limits),
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            "schemas": definitions.get("$defs", {}),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
        },
        "security": [{}, {"bearer": []}, {"key": []}],
    }


def _description(limits: Limits) -> str:
    return (
        "Cards are a rank A23456789TJQK and a suit S H D C (or * for stars), JK is a joker;"
        " 10h, ♥10 and lower case are understood. A hand is one text or a list of texts; the"
        " order of cards never matters. Rules are the name of a game, or"
        " {name, options}; /v1/rules lists games and options."
        f" Limits: a body of {limits.body_bytes} bytes, {limits.hand_cards} cards a hand,"
        f" {limits.round_hands} hands a round, {limits.batch_hands} hands a batch,"
        f" {limits.replay_games} games a replay,"
        f" {limits.time_limit_s:g} seconds a question."
        " Every error is a problem document (RFC 9457) that lists all faults by JSON pointer."
    )


def _operation(
    operation: Operation,
    refs: _Refs,
    definitions: Schema,
) -> Schema:
    """Return one operation object."""
    shown: Schema = {
        "operationId": operation.method + re.sub(r"\W+", "_", operation.path).rstrip("_"),
        "summary": operation.about.summary,
        "responses": {
            "200": _response("the answer", refs[operation.answer, "serialization"], JSON_TYPE),
            **_problems(operation, refs[Problem, "serialization"]),
        },
    }
    if operation.about.description:
        shown["description"] = operation.about.description
    if operation.body:
        content: Schema = {"schema": refs[operation.body, "validation"]}
        if operation.about.example:
            content["example"] = operation.about.example
        shown["requestBody"] = {"required": True, "content": {JSON_TYPE: content}}
    if operation.lines:
        line, answer = operation.lines
        shown["requestBody"]["content"][NDJSON_TYPE] = _lines(line, refs[line, "validation"])
        shown["responses"]["200"]["content"][NDJSON_TYPE] = _lines(
            answer, refs[answer, "serialization"]
        )
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _PATH_VALUE_RE.findall(operation.path)
    ]
    if operation.query:
        parameters += _query_parameters(operation, definitions["$defs"][operation.query.__name__])
    if parameters:
        shown["parameters"] = parameters
    return shown


def _lines(model: type[BaseModel], schema: Schema) -> Schema:
    """Return the description of JSON lines: OpenAPI 3.1 knows them as a text only."""
    text = f"One JSON object a line, each a {model.__name__}."
    return {"schema": {"type": "string", "description": text}, "x-line-schema": schema}


def _query_parameters(operation: Operation, schema: Schema) -> list[Schema]:
    """Return the fields of a model as parameters, then the options of the rules."""
    example = operation.about.example or {}
    parameters: list[Schema] = []
    for name, field in schema["properties"].items():
        parameter: Schema = {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()) and not operation.lines,
            "schema": {"type": "string"} if name in {"rules", "hand"} else field,
        }
        if name in example:
            parameter["example"] = example[name]
        parameters.append(parameter)
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    parameters.append(
        {
            "name": "rules_options",
            "in": "query",
            "description": "Any option of the rules under its own name: cards_dealt=13.",
            "style": "form",
            "explode": True,
            "schema": texts,
        }
    )
    parameters.append(
        {
            "name": "options",
            "in": "query",
            "description": "Options that are no plain text or number, as one JSON object.",
            "content": {JSON_TYPE: {"schema": {"type": "object"}}},
        }
    )
    return parameters


def _response(description: str, schema: Schema, content_type: str) -> Schema:
    return {"description": description, "content": {content_type: {"schema": schema}}}


def _problems(operation: Operation, schema: Schema) -> Schema:
    """Return the problem responses of an operation by status."""
    names = list(_OF_ALL)
    if operation.body:
        names += _OF_BODIES
    elif operation.query or "<" in operation.path:
        names += _OF_QUERIES
    if operation.path == "/readyz":
        names.append("unavailable")
    kinds = sorted({KINDS[name].status: KINDS[name] for name in names}.items())
    return {
        str(status): _response(kind.title, schema, "application/problem+json")
        for status, kind in kinds
    }
