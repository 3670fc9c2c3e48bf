"""Queries of addresses, read as the request that a POST would have sent."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from typing import Any, TypeVar

from flask import request
from werkzeug.datastructures import MultiDict

from service.api import read_json
from service.errors import ProblemError, pointer_of
from service.schemas import Request
from service.strict_json import DuplicateKeysError, read_strict
from solver.errors import Fault, joined

Question = TypeVar("Question", bound=Request)

_LONGEST_NUMBER = 20


def read_query(model: type[Question]) -> Question:
    """Return the query of the current address as a validated request.

    A parameter that is no field of the model is an option of the rules.

    Raises:
        ProblemError: ``invalid-request``, also for a parameter given twice.
    """
    fields = {field.alias or name for name, field in model.model_fields.items()}
    options = query_options(request.args, apart_from=fields)
    body: dict[str, Any] = {}
    for name in fields & request.args.keys():
        text = request.args[name]
        if name == "rules":
            body[name] = {"name": text, "options": options}
        else:
            body[name] = text if name == "hand" else _field_value(text)
    return read_json(model, json.dumps(body))


def query_options(
    query: MultiDict[str, str], *, apart_from: Collection[str] = ()
) -> dict[str, Any]:
    """Return the options of the rules in a query; ``options`` holds several as a JSON object.

    Raises:
        ProblemError: ``invalid-request`` for a parameter given twice, or ``options`` that is no
            JSON object.
    """
    faults = [
        Fault(
            "query.repeated",
            _pointer(name, apart_from),
            f"expected '{name:.60}' once, got it repeatedly",
        )
        for name, given in query.lists()
        if len(given) > 1
    ]
    options: dict[str, Any] = {n: t for n, t in query.items() if n not in apart_from}
    if "options" in options:
        text = options.pop("options")
        several = _json_object(text, faults)
        if several is None:
            message = f"expected a JSON object of options, got {text:.60}"
            faults.append(Fault("query.options", "/rules/options", message))
        else:
            faults += [
                Fault(
                    "query.conflict",
                    _pointer(name, apart_from),
                    f"expected '{name:.60}' in 'options' or as a parameter, got both",
                )
                for name in several.keys() & options.keys()
            ]
            options |= several
    if faults:
        detail = joined(faults)
        raise ProblemError("invalid-request", detail, faults=faults)
    return options


def _pointer(name: str, fields: Collection[str]) -> str:
    """Return the place of a parameter in the equal POST: a field of it, or an option."""
    place = [name] if name in fields else ["rules", "options"]
    if name not in (*fields, "options"):
        place.append(name[:60])
    return pointer_of(place)


def _json_object(text: str, faults: list[Fault]) -> dict[str, Any] | None:
    """Return the object of a JSON text, None when it is none; add keys that are given twice."""
    try:
        value = read_strict(text)
    except DuplicateKeysError as error:
        faults += [Fault(f.code, "/rules/options" + f.where, f.message) for f in error.faults]
        return {}
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _field_value(text: str) -> str | float | bool:
    """Return a number or truth value where the text is one, so that the model can judge it."""
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    if len(text) > _LONGEST_NUMBER or not text.isascii():
        return text
    try:
        number = float(text)
    except ValueError:
        return text
    if not math.isfinite(number):
        return text
    return int(text) if text.isdecimal() else number
