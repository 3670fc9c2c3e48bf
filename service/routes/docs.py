"""The documents of the API: OpenAPI as JSON, and pages that people read."""

from __future__ import annotations

import json
from typing import Any

from flask import Response, render_template

from service.api import Resource, json_response
from service.errors import KINDS
from service.state import service_state

routes = Resource("docs")


@routes.get("/openapi.json")
def openapi() -> Response:
    """Return the OpenAPI document."""
    return json_response(service_state().openapi)


@routes.get("/docs")
def docs() -> str:
    """Return the page that describes every operation."""
    document = service_state().openapi
    return render_template("docs.html", document=document, fields=_fields, example=_example)


@routes.get("/docs/errors")
def errors() -> str:
    """Return the page to which the types of problems point."""
    return render_template("errors.html", kinds=KINDS.values())


def _fields(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return name, type, default and requiredness of the fields of a referenced schema."""
    models = service_state().openapi["components"]["schemas"]
    model = models[schema["$ref"].rpartition("/")[2]]
    required = set(model.get("required", ()))
    return [
        {
            "name": name,
            "type": _type_text(field),
            "required": name in required,
            "default": json.dumps(field["default"]) if "default" in field else "",
        }
        for name, field in model.get("properties", {}).items()
    ]


def _type_text(schema: dict[str, Any]) -> str:
    """Return a schema in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_type_text, schema["anyOf"])))
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type_text(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


def _example(operation: dict[str, Any]) -> str:
    """Return the example body of an operation as readable JSON, "" without one."""
    content = operation.get("requestBody", {}).get("content", {})
    examples = [c["example"] for c in content.values() if "example" in c]
    return json.dumps(examples[0], ensure_ascii=False) if examples else ""
