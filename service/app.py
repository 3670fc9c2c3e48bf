"""The application factory."""

from __future__ import annotations

from flask import Flask

from service.config import ServiceConfig
from service.errors import install_error_handlers
from service.metrics import make_metrics
from service.middleware import install_middleware
from service.openapi import openapi_document
from service.routes import RESOURCES
from service.state import EXTENSION, ServiceState
from service.warm import start_warm_up


def create_app(config: ServiceConfig | None = None) -> Flask:
    """Return the WSGI application.

    Args:
        config: the settings; the defaults when None (no keys: for loopback only).

    Raises:
        LimitError: ``config`` when a rate limit is set and flask-limiter is not installed.
    """
    config = config or ServiceConfig()
    app = Flask("service")
    app.config["MAX_CONTENT_LENGTH"] = config.limits.body_bytes
    app.json.sort_keys = False  # type: ignore[attr-defined]
    state = ServiceState(config, make_metrics(on=config.metrics))
    app.extensions[EXTENSION] = state
    install_error_handlers(app)
    install_middleware(app, state)
    operations = []
    for resource in RESOURCES:
        app.register_blueprint(resource)
        operations += resource.operations
    state.openapi = openapi_document(operations, config.limits)
    start_warm_up(state)
    return app
