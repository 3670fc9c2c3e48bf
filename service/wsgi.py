"""The application for servers, set up from the environment.

``service.wsgi:app`` is for any WSGI server that reads whole bodies before it calls;
``service.wsgi:front`` is the same for granian (RSGI), with bodies read before a thread is taken.
"""

from __future__ import annotations

import logging
import os

from service.app import create_app
from service.config import ServiceConfig
from service.front import Front

logging.basicConfig(level=logging.WARNING, format="%(message)s")
logging.getLogger("service.requests").setLevel(logging.INFO)

_config = ServiceConfig.from_environment(os.environ)
app = create_app(_config)
front = Front(app, _config.limits)
