"""The OpenAPI document: complete, resolvable, and true to what the service does."""

from __future__ import annotations

import json
import re

import pytest

from service.routes import RESOURCES


@pytest.fixture(scope="module")
def document(client):
    return client.get("/openapi.json").get_json()


OPERATIONS = [operation for resource in RESOURCES for operation in resource.operations]


def test_version_and_paths(document):
    assert document["openapi"].startswith("3.1")
    told = {(path, method) for path, ops in document["paths"].items() for method in ops}
    wanted = {
        ("/v1/solve", "get"),
        ("/v1/solve", "post"),
        ("/v1/score", "post"),
        ("/v1/check", "post"),
        ("/v1/contract", "post"),
        ("/v1/replay", "post"),
        ("/v1/rules", "get"),
        ("/v1/rules/{name}", "get"),
        ("/v1/limits", "get"),
        ("/version", "get"),
        ("/healthz", "get"),
        ("/readyz", "get"),
    }
    assert wanted <= told


def test_every_route_of_the_api_is_described(client, document):
    for rule in client.application.url_map.iter_rules():
        if rule.rule.startswith("/v1/"):
            methods = {m.lower() for m in rule.methods - {"HEAD", "OPTIONS"}}
            assert methods <= document["paths"][re.sub(r"<(\w+)>", r"{\1}", rule.rule)].keys()


def test_every_reference_resolves(document):
    schemas = document["components"]["schemas"]
    names = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)))
    assert names
    assert names <= schemas.keys()


NUMBERS = {
    ("LayoffRequest", "keep"): (0, 120),
    ("GodownRequest", "keep"): (0, 120),
    ("AdviceRequest", "players"): (1, 20),
    ("AdviceRequest", "stock"): (0, 2000),
    ("BatchHand", "round"): (1, 1000),
}


def schemas_within(node):
    """Yield every object of a document."""
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node:
        if isinstance(child, dict | list):
            yield from schemas_within(child)


def test_bounds_are_json_schema(document):
    foreign = {"ge", "le", "gt", "lt", "min_length", "max_length", "multiple_of"}
    found = [
        (sorted(foreign & node.keys()), node)
        for node in schemas_within(document["components"]["schemas"])
        if foreign & node.keys()
    ]
    assert found == []


@pytest.mark.parametrize(("model", "field"), NUMBERS)
def test_numbers_tell_their_bounds(document, model, field):
    schema = document["components"]["schemas"][model]["properties"][field]
    (number,) = [s for s in schema.get("anyOf", [schema]) if s.get("type") == "integer"]
    assert (number["minimum"], number["maximum"]) == NUMBERS[model, field]


def test_false_melds_tell_their_bounds(document):
    schema = document["components"]["schemas"]["ScoreRequest"]["properties"]["false_melds"]
    (number,) = [s for s in schemas_within(schema) if s.get("type") == "integer"]
    assert (number["minimum"], number["maximum"]) == (1, 100)


def test_operation_ids_differ(document):
    ids = [op["operationId"] for ops in document["paths"].values() for op in ops.values()]
    assert len(ids) == len(set(ids))


def test_requests_refuse_unknown_fields_in_writing_too(document):
    for name in (
        "SolveRequest",
        "CheckRequest",
        "ContractRequest",
        "ScoreRequest",
        "RulesRef",
        "ReplayRequest",
    ):
        assert document["components"]["schemas"][name]["additionalProperties"] is False


@pytest.mark.parametrize(
    "operation", [o for o in OPERATIONS if o.about.example], ids=lambda o: f"{o.method} {o.path}"
)
def test_examples_work_and_answers_keep_their_schema(client, operation):
    if operation.method == "post":
        response = client.post(operation.path, json=operation.about.example)
    else:
        response = client.get(operation.path, query_string=operation.about.example)
    assert response.status_code == 200
    operation.answer.model_validate(response.get_json())


def test_the_document_names_the_statuses_that_happen(document):
    responses = document["paths"]["/v1/solve"]["post"]["responses"]
    assert set(responses) == {"200", "400", "401", "408", "413", "415", "422", "429", "500", "503"}
    for status, response in responses.items():
        if status != "200":
            assert set(response["content"]) == {"application/problem+json"}


def test_the_readable_page_shows_every_operation(client, document):
    text = client.get("/docs").get_data(as_text=True)
    for path, operations in document["paths"].items():
        for method in operations:
            assert f"<h2>{method.upper()} {path}</h2>" in text
