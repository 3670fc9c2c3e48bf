"""All resources of the API; a new one is a module here and a line in ``RESOURCES``."""

from __future__ import annotations

from typing import Final

from service.api import Resource
from service.routes import (
    advice,
    batch,
    check,
    contract,
    docs,
    operations,
    pages,
    replay,
    rules,
    score,
    solve,
    table,
)

RESOURCES: Final[tuple[Resource, ...]] = (
    solve.routes,
    score.routes,
    check.routes,
    contract.routes,
    table.routes,
    advice.routes,
    batch.routes,
    replay.routes,
    rules.routes,
    operations.routes,
    docs.routes,
    pages.routes,
)
