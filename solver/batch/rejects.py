"""The rows of the reject file: where a bad row stands and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from solver.batch.hands import Faults

REJECT_SCHEMA: Final = pa.schema(
    [
        ("file", pa.string()),
        ("row", pa.int64()),
        ("line", pa.int64()),
        ("id", pa.string()),
        ("code", pa.string()),
        ("reason", pa.string()),
    ]
)
"""File; row of that file's data, 1...; line where it has lines; id if any; code; reason."""


def reject_batch(
    path: str,
    before: int,
    faults: Faults,
    lines: Sequence[int] | NDArray[np.int64] | None,
    ids: Sequence[object],
) -> Any:  # noqa: ANN401 - a pyarrow RecordBatch
    """Return the rejected rows of a block, in its order.

    Args:
        path: the input.
        before: rows of that input before the block.
        faults: what is wrong, by row of the block.
        lines: line of each row of the block.
        ids: id of each rejected row, in order.
    """
    rows = sorted(faults)
    columns = [
        [path] * len(rows),
        [before + row + 1 for row in rows],
        [None if lines is None else int(lines[row]) for row in rows],
        [None if name is None else str(name) for name in ids],
        [faults[row].code for row in rows],
        [faults[row].message for row in rows],
    ]
    arrays = [
        pa.array(column, field.type) for column, field in zip(columns, REJECT_SCHEMA, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=REJECT_SCHEMA)
