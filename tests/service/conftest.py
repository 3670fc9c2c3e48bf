"""One application for the tests of the service, and what they ask of every problem."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.config import ServiceConfig
from service.errors import KINDS
from service.schemas import Problem


@pytest.fixture(scope="session")
def client() -> FlaskClient:
    return create_app(ServiceConfig(warm_up="off")).test_client()


@pytest.fixture(scope="session")
def problem_of():
    """Return a check that a response is a problem of one kind; it gives back the document."""

    def check(response, kind, *codes):
        document = response.get_json(force=True)
        assert response.content_type == "application/problem+json"
        Problem.model_validate(document)
        assert document["type"] == f"/docs/errors#{kind}"
        assert document["status"] == response.status_code == KINDS[kind].status
        assert document["instance"] == f"urn:request:{response.headers['X-Request-ID']}"
        assert document["code"] == document["errors"][0]["code"]
        if codes:
            assert [fault["code"] for fault in document["errors"]] == list(codes)
        assert "Traceback" not in response.get_data(as_text=True)
        return document

    return check
