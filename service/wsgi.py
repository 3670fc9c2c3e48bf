"""The application for WSGI servers, set up from the environment: ``service.wsgi:app``."""

from __future__ import annotations

import logging
import os

from service.app import create_app
from service.config import ServiceConfig

logging.basicConfig(level=logging.WARNING, format="%(message)s")
logging.getLogger("service.requests").setLevel(logging.INFO)

app = create_app(ServiceConfig.from_environment(os.environ))
